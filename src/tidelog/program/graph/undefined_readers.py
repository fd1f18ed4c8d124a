"""The relations that may have undefined facts, and the rules that cannot read them.

Law: a relation may have undefined facts if it depends on its own negation (`graph.well_founded`), or if a rule of it
reads such a relation. A rule is *opaque* if its two readings cannot be written as rules: if it reads such a relation in
a path, in nested or recursive aggregates, in an aggregate whose group its own atoms do not bind or whose rows a
disjunction finds, or to compare or choose facts. What opaque rules read must have no undefined facts, which an epoch
checks (TL2213).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tidelog.program.graph.constraint import is_hidden
from tidelog.program.graph.dependency import RECURSIVE_AGGREGATES, rule_dependencies
from tidelog.program.graph.strata import stratify
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import (
    aggregate_names,
    all_literals,
    atoms,
    body_aggregates,
    flat_literals,
    literal_terms,
    rule_names,
)
from tidelog.program.values.term import (
    CHOICE,
    Aggregate,
    Atom,
    Comparison,
    Disjunction,
    Literal,
    Negation,
    PathAtom,
    Term,
    Var,
)


class Uncertainty(NamedTuple):
    """The relations that may have undefined facts, those of each one's recursion, and the opaque rules."""

    relations: frozenset[str]
    recursion: Mapping[str, frozenset[str]]
    opaque: frozenset[int]  # by identity
    readers: Mapping[str, str]  # relations that opaque rules read, each with the head of such a rule

    def is_unsure(self, rule: Rule) -> bool:
        """Whether the rule reads undefined facts."""
        return id(rule) not in self.opaque and any(map(self.relations.__contains__, reads(rule)))


CERTAIN = Uncertainty(frozenset(), {}, frozenset(), {})


def uncertainty(rules: Sequence[Rule], cycles: Iterable[frozenset[str]]) -> Uncertainty:
    """Which relations may have undefined facts, given the components with a negation inside.

    >>> from tidelog.syntax import parse_program
    >>> rules = parse_program("p :- !q. q :- !p. r :- p, s. t :- r+(X, Y). v :- !t.").rules
    >>> found = uncertainty(rules, [frozenset("pq")])
    >>> sorted(found.relations), dict(found.readers)
    (['p', 'q', 'r'], {'r': 't'})
    """
    cyclic = frozenset[str]().union(*cycles)
    strata = stratify(rules)
    recursion = {name: frozenset(s.relations) for s in strata if s.recursive for name in s.relations}
    compared = {rule.head.predicate for rule in rules if rule.subsumes}
    found = set(cyclic)
    pooled: dict[tuple[str, str], list[Rule]] = {}
    for rule in rules:
        if (pool := pool_of(rule)) is not None:
            pooled.setdefault((rule.head.predicate, pool), []).append(rule)
    while True:
        new = [rule for rule in rules if any(name in found for name in reads(rule))]
        opaque = {
            id(rule)
            for rule in new
            if rule.head.predicate in compared or not _is_readable(rule, found, recursion.get(rule.head.predicate))
        }
        for alike in pooled.values():
            if any(id(rule) in opaque for rule in alike):
                opaque.update(map(id, alike))
        heads = {r.head.predicate for r in new if id(r) not in opaque and not is_hidden(r.head.predicate)} - found
        if not heads:
            break
        found |= heads
    readers = {name: r.head.predicate for r in new if id(r) in opaque for name in reads(r) if name in found}
    return Uncertainty(frozenset(found), recursion, frozenset(opaque), readers)


def reads(rule: Rule) -> Iterator[str]:
    """The relations that a rule reads."""
    return (edge.source for edge in rule_dependencies(rule))


def pool_of(rule: Rule) -> str | None:
    """The shape of a head with min and max alone: rules of one shape share their candidates; None for other rules."""
    found = head_aggregates(rule)
    if not found or any(aggregate.kind not in RECURSIVE_AGGREGATES for aggregate in found.values()):
        return None
    return "".join(f"{aggregate.kind}{i + 1}" for i, aggregate in found.items())


def head_aggregates(rule: Rule) -> dict[int, Aggregate]:
    """The aggregates of a head over the body of the rule, by column."""
    return {i: a for i, a in enumerate(rule.head.args) if isinstance(a, Aggregate) and a.body is None}


def _is_readable(rule: Rule, unsure: set[str], recursion: frozenset[str] | None) -> bool:
    """Whether the readings of a rule can be written as rules."""
    over = head_aggregates(rule)
    if rule.subsumes or any(aggregate.kind == CHOICE or aggregate.ties for aggregate in over.values()):
        return False
    if over and recursion is not None and any(name in recursion for name in reads(rule)):
        return False
    if any(_reads_inside(term, unsure) for term in rule.head.args):
        return False
    if over and any(isinstance(literal, Disjunction) and _reads([literal], unsure) for literal in rule.body):
        return False  # a row may be true by one branch and undefined by another
    return all(_is_plain(literal, unsure, rule_names(rule)) for literal in flat_literals(rule.body))


def _is_plain(literal: Literal, unsure: set[str], outer: set[str]) -> bool:
    if isinstance(literal, PathAtom):
        return not any(atom.predicate in unsure for atom in atoms([literal]))
    inner = [found for term in literal_terms(literal) for found in body_aggregates(term)]
    concerned = [found for found in inner if _reads(found.body or (), unsure)]
    if not concerned:
        return True
    return isinstance(literal, Comparison) and all(_is_flat(found, unsure, outer) for found in concerned)


def _is_flat(aggregate: Aggregate, unsure: set[str], outer: set[str]) -> bool:
    """Whether an aggregate ranges over a conjunction without further aggregates that binds its group."""
    body = aggregate.body or ()
    if not all(isinstance(literal, Atom | Negation | Comparison) for literal in body):
        return False
    if any(_reads_inside(term, unsure) for literal in body for term in literal_terms(literal)):
        return False
    bound = {arg.name for literal in body if isinstance(literal, Atom) for arg in literal.args if isinstance(arg, Var)}
    return aggregate_names(aggregate) & outer <= bound


def _reads_inside(term: Term, unsure: set[str]) -> bool:
    """Whether an aggregate inside a term reads relations that may have undefined facts."""
    return any(_reads(found.body or (), unsure) for found in body_aggregates(term))


def _reads(body: Iterable[Literal], unsure: set[str]) -> bool:
    return any(atom.predicate in unsure for atom in atoms(all_literals(body)))
