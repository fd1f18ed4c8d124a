"""Pivots: columns that recursion carries unchanged from body to head.

Law: if in every rule of a stratum the head has at its relation's pivot the same variable as each body atom of the
stratum has at the pivot of its own relation, then all facts of one recursive derivation agree on that value. Placed by
their pivots, the relations of the stratum never send a message among themselves.
`place_infer` decides whether placing by a pivot is worth the copies that the other atoms then need.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tidelog.program import Atom, Rule, Var

Columns = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class _Link:
    """A rule's head and one body atom of the same stratum, with the pairs of columns that hold the same variable."""

    head: str
    read: str
    pairs: frozenset[tuple[int, int]]

    def ruled_out(self, left: Columns) -> Iterator[tuple[str, int]]:
        """The columns of the two relations that match none of the other's."""
        pairs = [(i, j) for i, j in self.pairs if i in left[self.head] and j in left[self.read]]
        for side, name in enumerate((self.head, self.read)):
            kept = {pair[side] for pair in pairs}
            yield from ((name, column) for column in left[name] if column not in kept)


def pivots(rules: Iterable[Rule], columns: Columns) -> list[dict[str, int]]:
    """Ways to choose a pivot for every relation of a stratum, among the columns that it may be placed by.

    >>> from tidelog.syntax import parse_program
    >>> text = "odd(X, Z) :- edge(X, Y), even(Y, Z). even(X, Z) :- odd(Y, Z), edge(X, Y)."
    >>> pivots(parse_program(text).rules, {"odd": (0, 1), "even": (0, 1)})
    [{'odd': 1, 'even': 1}]
    """
    links: dict[str, list[_Link]] = defaultdict(list)
    for link in _links(rules, columns):
        for name in {link.head, link.read}:
            links[name].append(link)
    first = next(iter(columns))
    found = (_solved({**columns, first: (column,)}, links) for column in columns[first])
    return [solution for solution in found if solution is not None]


def _links(rules: Iterable[Rule], stratum: Columns) -> Iterator[_Link]:
    for rule in rules:
        for atom in rule.body:
            if isinstance(atom, Atom) and atom.predicate in stratum:
                yield _Link(rule.head.predicate, atom.predicate, _pairs(rule.head, atom))


def _pairs(head: Atom, atom: Atom) -> frozenset[tuple[int, int]]:
    return frozenset(
        (i, j) for i, arg in enumerate(head.args) if isinstance(arg, Var) for j, a in enumerate(atom.args) if a == arg
    )


def _solved(columns: Columns, links: Mapping[str, Sequence[_Link]]) -> dict[str, int] | None:
    """One column for each relation such that all links hold; relations that are still free use their first one."""
    possible = _narrowed(columns, columns, links)
    for name in columns:
        if possible is None:
            return None
        if len(possible[name]) > 1:
            tried = (_narrowed({**possible, name: (column,)}, [name], links) for column in possible[name])
            possible = next((narrowed for narrowed in tried if narrowed is not None), None)
    return None if possible is None else {name: left[0] for name, left in possible.items()}


def _narrowed(
    columns: Columns, changed: Iterable[str], links: Mapping[str, Sequence[_Link]]
) -> dict[str, tuple[int, ...]] | None:
    """The columns without those that some link rules out, until nothing changes; None if a relation has none left."""
    left = dict(columns)
    waiting = dict.fromkeys(changed)
    while waiting:
        name, _ = waiting.popitem()
        for link in links[name]:
            for other, column in list(link.ruled_out(left)):
                left[other] = tuple(kept for kept in left[other] if kept != column)
                waiting[other] = None
            if not left[link.head] or not left[link.read]:
                return None
    return left
