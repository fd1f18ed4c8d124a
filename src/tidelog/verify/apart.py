"""Strata that partitions can check apart, each over its own facts.

Law. Let every fact of a relation lie with the owner of one of its columns, or on every partition alike. A stratum is
*apart* if in each of its rules the head lies with the owner of a variable, every atom of the body too or on every
partition, and some positive atom with that owner. Then a ground body is found on the partition that holds its head and
on no other, negated atoms have the same value there as over all facts, and so has a group of an aggregate in the head.
So the stratum is closed and founded over all facts if it is over those of each partition, and supports add up.

Who asks sees to it that the facts do lie where that says, and that copies are alike; if not, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidelog.program import Rule, Var
from tidelog.program.state import FactState
from tidelog.verify.check import check_stratum
from tidelog.verify.choices import chosen_relation
from tidelog.verify.claim import Claim, plain_rows, read_names, strata_of
from tidelog.verify.normal import Absent, Clause, Conjunction, Fold, Scan
from tidelog.verify.report import Violation
from tidelog.verify.taken import Taken
from tidelog.verify.terms import Overloads

Homes = Mapping[str, int | None]  # the column by which a relation lives; None: on every partition


@dataclass(frozen=True, slots=True)
class Part:
    """A stratum that partitions check: its rules, typed, where its relations live, and their columns."""

    rules: tuple[Rule, ...]
    homes: dict[str, int | None]
    schema: dict[str, tuple[str | None, ...]]


def part_of(claim: Claim, place: int, homes: Homes) -> Part | None:
    """What partitions are to check of a stratum; None where it is not apart."""
    relations, clauses = claim.strata[place]
    if not all(_is_apart(clause, homes) for clause in clauses):
        return None
    names = sorted({*relations, *read_names(clauses)})
    if not all(name in claim.schema for name in names):  # an order of witnesses is made by the check itself
        return None
    rules = tuple(clause.rule for clause in clauses)
    return Part(rules, {name: homes[name] for name in names}, {name: claim.schema[name] for name in names})


def check_part(
    part: Part, facts: Mapping[str, Mapping[Any, FactState]], functions: Overloads
) -> tuple[Violation | None, int]:
    """The first violation over the facts of one partition, if there is any, and the supports that were looked at."""
    taken = Taken(facts, {name: plain_rows(part.schema[name]) for name in facts})
    strata = strata_of(part.rules)
    assert len(strata) == 1, "the rules of one stratum"
    return check_stratum(Claim(taken, taken.asserted, strata, part.schema, functions), 0)


def _is_apart(clause: Clause, homes: Homes) -> bool:
    home = homes.get(clause.rule.head.predicate)
    if home is None or chosen_relation(clause) is not None:
        return False
    site = clause.head[home]
    return isinstance(site, Var) and all(_lies_at(site, items, homes) for items in clause.body.alternatives)


def _lies_at(site: Var, items: Conjunction, homes: Homes) -> bool:
    """Whether all facts that a conjunction reads lie with the owner of a variable, and one of them only there."""
    atoms = [item for item in items if isinstance(item, Scan | Absent)]
    if any(isinstance(item, Fold) for item in items) or not all(_is_there(atom, site, homes) for atom in atoms):
        return False
    return any(isinstance(atom, Scan) and homes[str(atom.source)] is not None for atom in atoms)


def _is_there(atom: Scan | Absent, site: Var, homes: Homes) -> bool:
    if not isinstance(atom.source, str) or atom.source not in homes:
        return False
    home = homes[atom.source]
    return home is None or atom.args[home] == site


def added_up(parts: Sequence[tuple[Violation | None, int]]) -> tuple[Violation | None, int]:
    """The first violation of some partitions, and their supports together."""
    found: Iterable[Violation] = (violation for violation, _ in parts if violation is not None)
    return next(iter(found), None), sum(supports for _, supports in parts)
