"""Strata that partitions can check separately, each over its own facts.

Law. Let every fact of a relation lie with the owner of one of its columns, or on every partition alike. A stratum is
*apart* if in each of its rules the head lies with the owner of a variable, every atom of the body too or on every
partition, and some positive atom with that owner. Then a ground body is found on the partition that holds its head and
on no other, negated atoms have the same value there as over all facts, and so has a group of an aggregate in the head.
So the stratum is closed and founded over all facts if it is over those of each partition, and supports add up.

A rule all of whose atoms lie on every partition would be found on all of them. If one of its positive atoms has the
variable, it is read from a *share*: those facts of its relation that the partition would own by that column. The shares
of all partitions are disjoint and together the relation, and a body whose head is owned here reads nothing else.

The caller ensures that the facts are placed accordingly and that copies are equal; otherwise nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tidelog.program import Atom, Disjunction, Literal, Rule, Var
from tidelog.program.graph.well_founded import model_of
from tidelog.program.values.shape import Shape
from tidelog.program.values.state import FactState
from tidelog.verify.check import check_stratum
from tidelog.verify.choices import chosen_relation
from tidelog.verify.claim import Claim, plain_rows, read_names, strata_of
from tidelog.verify.fact_cache import FactCache
from tidelog.verify.normal import Absent, Clause, Conjunction, Fold, Scan, to_clause
from tidelog.verify.report import Violation
from tidelog.verify.terms import Overloads

Homes = Mapping[str, int | None]  # the column by which a relation lives; None: on every partition


@dataclass(frozen=True, slots=True)
class LocalStratum:
    """A stratum that partitions check: its typed rules, the placements of its relations, and their columns.

    ``shares`` names the relation of each share; a share lives by its column.
    """

    rules: tuple[Rule, ...]
    homes: dict[str, int | None]
    schema: dict[str, tuple[str | None, ...]]
    shares: dict[str, str] = field(default_factory=dict)


def part_of(claim: Claim, place: int, homes: Homes) -> LocalStratum | None:
    """The part of a stratum that partitions are to check; None if it is not *apart*."""
    relations, clauses = claim.strata[place]
    shares: dict[str, tuple[str, int]] = {}
    anchored = [_anchored(clause, homes, shares) for clause in clauses]
    lying = {**homes, **{name: column for name, (_, column) in shares.items()}}
    if not all(_is_apart(clause, lying) for clause in anchored):
        return None
    sources = {name: source for name, (source, _) in shares.items()}
    names = sorted({*relations, *read_names(anchored)})
    if not all(sources.get(name, name) in claim.schema for name in names):  # the check itself orders witnesses
        return None
    schema = {name: claim.schema[sources.get(name, name)] for name in names}
    if any(isinstance(type_, Shape) for types in schema.values() for type_ in types):
        return None  # other processes do not know shapes, and would read the cells of records as values
    return LocalStratum(
        tuple(clause.rule for clause in anchored), {name: lying[name] for name in names}, schema, sources
    )


def check_part(
    part: LocalStratum, facts: Mapping[str, Mapping[Any, FactState]], functions: Overloads
) -> tuple[Violation | None, int]:
    """The first violation over the facts of one partition, if any, and the number of supports examined."""
    taken = FactCache(facts, {name: plain_rows(part.schema[name]) for name in facts})
    strata = strata_of(part.rules)
    assert len(strata) == 1, "the rules of one stratum"
    violation, supports = check_stratum(Claim(taken, taken.asserted, strata, part.schema, functions), 0)
    if violation is not None:
        body = tuple((part.shares.get(name, name), row) for name, row in violation.body)
        violation = replace(violation, body=body)
    return violation, supports


def _anchored(clause: Clause, homes: Homes, shares: dict[str, tuple[str, int]]) -> Clause:
    """A clause that no fact ties to the owner of its head, with shares in place of relations that have it."""
    site = _site(clause, homes)
    if site is None or all(_has_anchor(items, homes) for items in clause.body.alternatives):
        return clause
    body = tuple(_shared(literal, site, homes, shares) for literal in clause.rule.body)
    return to_clause(replace(clause.rule, body=body))


def _shared(literal: Literal, site: Var, homes: Homes, shares: dict[str, tuple[str, int]]) -> Literal:
    """A literal that reads the share by the column with the variable, if possible."""
    if isinstance(literal, Disjunction):
        branches = (tuple(_shared(part, site, homes, shares) for part in branch) for branch in literal.branches)
        return replace(literal, branches=tuple(branches))
    if not isinstance(literal, Atom) or homes.get(literal.predicate, 0) is not None or site not in literal.args:
        return literal
    column = literal.args.index(site)
    name = f"{literal.predicate} {column}"  # no relation has such a name
    shares[name] = (literal.predicate, column)
    return replace(literal, predicate=name)


def _is_apart(clause: Clause, homes: Homes) -> bool:
    site = _site(clause, homes)
    return site is not None and all(_lies_at(site, items, homes) for items in clause.body.alternatives)


def _site(clause: Clause, homes: Homes) -> Var | None:
    """The variable with whose owner the heads of a clause lie; None if there is none."""
    home = homes.get(clause.rule.head.predicate)
    if home is None or chosen_relation(clause) is not None or model_of(clause.rule) is not None:
        return None
    site = clause.head[home]
    return site if isinstance(site, Var) else None


def _lies_at(site: Var, items: Conjunction, homes: Homes) -> bool:
    """Whether all facts that a conjunction reads lie with the owner of a variable, and one of them only there."""
    atoms = [item for item in items if isinstance(item, Scan | Absent)]
    if any(isinstance(item, Fold) for item in items) or not all(_is_there(atom, site, homes) for atom in atoms):
        return False
    return _has_anchor(items, homes)


def _has_anchor(items: Conjunction, homes: Homes) -> bool:
    """Whether a conjunction reads facts that do not lie on every partition."""
    return any(isinstance(item, Scan) and homes.get(str(item.source)) is not None for item in items)


def _is_there(atom: Scan | Absent, site: Var, homes: Homes) -> bool:
    if not isinstance(atom.source, str) or atom.source not in homes:
        return False
    home = homes[atom.source]
    return home is None or atom.args[home] == site


def added_up(parts: Sequence[tuple[Violation | None, int]]) -> tuple[Violation | None, int]:
    """The first violation of the partitions, and the sum of their supports."""
    found: Iterable[Violation] = (violation for violation, _ in parts if violation is not None)
    return next(iter(found), None), sum(supports for _, supports in parts)
