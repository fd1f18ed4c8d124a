"""The pairs of nodes that a path expression joins, straight from its definition.

Law: a path denotes a set of pairs. A label is its relation (or, with a value, the triples with that middle column,
without it); ``^`` reverses pairs, ``/`` composes, ``|`` unites, ``&`` intersects, and a repetition is the union of
the powers it allows. The power 0 is the identity on the members of the domain that the repetition names, or otherwise
on the nodes of the expression: the first and last columns of all facts of all relations that it names, regardless of
the middle column that a label requires.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import reduce

from tidelog.program import Alternative, Conjunction, Inverse, Label, Path, Repeat, Sequence, Value
from tidelog.testing.occurrences import relations_of
from tidelog.testing.values import Row

Pairs = frozenset[tuple[Value, Value]]
Model = Mapping[str, Set[Row]]


def pairs(path: Path, model: Model) -> Pairs:
    """All pairs that the path joins.

    >>> sorted(pairs(Repeat(Label("e"), 1, None), {"e": {(1, 2), (2, 3)}}))
    [(1, 2), (1, 3), (2, 3)]
    """
    rows = (row for relation in relations_of(path) for row in model.get(relation, ()))
    nodes = frozenset(end for row in rows for end in (row[0], row[-1]))
    return _walk(path, model, nodes)


def _walk(path: Path, model: Model, nodes: frozenset[Value]) -> Pairs:
    match path:
        case Label(relation=relation, value=None):
            return frozenset((row[0], row[-1]) for row in model.get(relation, ()))
        case Label(relation=relation, value=value):
            return frozenset((row[0], row[-1]) for row in model.get(relation, ()) if row[1] == value)
        case Inverse(path=inner):
            return frozenset((b, a) for a, b in _walk(inner, model, nodes))
        case Sequence(parts=inners):
            return reduce(compose, (_walk(inner, model, nodes) for inner in inners))
        case Alternative(parts=inners):
            return frozenset[tuple[Value, Value]]().union(*(_walk(inner, model, nodes) for inner in inners))
        case Conjunction(parts=inners):
            return reduce(frozenset.intersection, (_walk(inner, model, nodes) for inner in inners))
        case Repeat(path=inner, least=least, most=most, domain=domain):
            at = nodes if domain is None else (row[0] for row in model.get(domain, ()))
            return _powers(_walk(inner, model, nodes), frozenset((n, n) for n in at), least, most)


def compose(first: Pairs, second: Pairs) -> Pairs:
    return frozenset((a, d) for a, b in first for c, d in second if b == c)


def _powers(step: Pairs, identity: Pairs, least: int, most: int | None) -> Pairs:
    """The union of step^least .. step^most; without a bound, until nothing new is found."""
    united = frozenset() if least else identity
    if most == 0:
        return united
    count = max(least, 1)
    power = reduce(compose, [step] * count)
    united |= power
    while power and (most is None or count < most):
        power = compose(power, step) - (united if most is None else frozenset())
        united |= power
        count += 1
    return united
