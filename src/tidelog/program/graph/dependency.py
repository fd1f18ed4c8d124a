"""The predicate dependency graph: which relation is read to derive which, and how.

Law: an edge means that a change of its source may change its target. A positive edge only ever adds facts when facts
are added; a negative or an aggregate edge may remove facts, which is why `strata` needs their kind. This module does
not refuse anything: it only lists edges, each with its rule and its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tidelog.errors import Span
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import body_aggregates, literal_terms, path_atoms
from tidelog.program.values.term import Aggregate, Atom, Call, Disjunction, Literal, Negation, PathAtom

POSITIVE, NEGATIVE, AGGREGATE = "positive", "negative", "aggregate"
RECURSIVE_AGGREGATES = ("min", "max")


@dataclass(frozen=True, slots=True)
class Edge:
    """``source`` is read by ``rule`` to derive ``target``.

    ``aggregate`` names the aggregate of an aggregate edge, and ``in_head`` means that it is in the rule's head.
    """

    source: str
    target: str
    kind: str
    rule: Rule
    span: Span | None = None
    aggregate: str = ""
    in_head: bool = False

    @property
    def may_recur(self) -> bool:
        """Whether the edge may lie on a cycle: positive ones, and min and max (which `monotone` checks)."""
        return self.kind == POSITIVE or (self.kind == AGGREGATE and self.aggregate in RECURSIVE_AGGREGATES)


def dependencies(rules: Iterable[Rule]) -> list[Edge]:
    """All edges of the rules, rule by rule in the order of the text.

    >>> p, q, r = Atom("p", ()), Atom("q", ()), Atom("r", ())
    >>> [(e.source, e.kind) for e in dependencies([Rule(p, (q, Negation(r)))])]
    [('q', 'positive'), ('r', 'negative')]
    """
    edges: list[Edge] = []
    for rule in rules:
        edges.extend(rule_dependencies(rule))
    return edges


def rule_dependencies(rule: Rule) -> Iterator[Edge]:
    """The edges of one rule."""
    over = strictest(term.kind for term in rule.head.args if isinstance(term, Aggregate) and term.body is None)
    yield from _edges(rule, rule.body, over, bool(over))
    for term in rule.head.args:
        if isinstance(term, Aggregate):
            for ground in term.ground:
                yield Edge(ground.relation, rule.head.predicate, AGGREGATE, rule, aggregate=term.kind, in_head=True)
        if isinstance(term, Call | Aggregate):
            for aggregate in body_aggregates(term):
                yield from _aggregate_edges(rule, aggregate, "")


def strictest(kinds: Iterable[str]) -> str:
    """The aggregate among several that forbids recursion, if any; empty if there are none."""
    chosen = ""
    for kind in kinds:
        if not chosen or chosen in RECURSIVE_AGGREGATES:
            chosen = kind
    return chosen


def _edges(rule: Rule, literals: Iterable[Literal], over: str, in_head: bool) -> Iterator[Edge]:
    """Edges of a conjunction that is read under the aggregate ``over`` (or under none)."""
    target = rule.head.predicate
    for literal in literals:
        if isinstance(literal, Atom):
            yield Edge(literal.predicate, target, AGGREGATE if over else POSITIVE, rule, literal.span, over, in_head)
        elif isinstance(literal, Negation):
            yield Edge(literal.atom.predicate, target, NEGATIVE, rule, literal.span)
        elif isinstance(literal, PathAtom):
            kind = NEGATIVE if literal.negated else AGGREGATE if over else POSITIVE
            for atom in path_atoms(literal):
                yield Edge(atom.predicate, target, kind, rule, atom.span, "" if literal.negated else over, in_head)
        elif isinstance(literal, Disjunction):
            for branch in literal.branches:
                yield from _edges(rule, branch, over, in_head)
        for term in literal_terms(literal):
            if isinstance(term, Call | Aggregate):
                for aggregate in body_aggregates(term):
                    yield from _aggregate_edges(rule, aggregate, over)


def _aggregate_edges(rule: Rule, aggregate: Aggregate, over: str) -> Iterator[Edge]:
    kinds = [aggregate.kind, over] if over else [aggregate.kind]
    yield from _edges(rule, aggregate.body or (), strictest(kinds), False)
