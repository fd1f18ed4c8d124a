"""Graph interpretations: for every symbol its edges, and for its closure the paths of one step or more.

Law (well-formedness, the paper's wfG): the interpretation of ``s+`` is the transitive closure of that of ``s``. A graph
is a value: a total map from tagged symbols to sets, empty almost everywhere.
A view that is not binary has rows of another length and no closure. Nothing here depends on clauses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tidelog.lab.semantics.regular.clause import CLOSED, ONCE, Row, TaggedRelation
from tidelog.program import Value

Rows = frozenset[Row]
NOTHING: Rows = frozenset()


class Graph:
    """An interpretation G: tagged symbol -> set of rows. Symbols without rows are not kept.

    >>> g = Graph({("e", ONCE): {(1, 2), (2, 3)}})
    >>> sorted(g["e", ONCE]), g["f", ONCE]
    ([(1, 2), (2, 3)], frozenset())
    >>> g == Graph({("e", ONCE): [(2, 3), (1, 2)], ("f", ONCE): []})
    True
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: Mapping[TaggedRelation, Iterable[Row]] | None = None) -> None:
        found = {key: frozenset(map(tuple, given)) for key, given in (rows or {}).items()}
        self._rows: dict[TaggedRelation, Rows] = {key: kept for key, kept in found.items() if kept}

    @classmethod
    def of(cls, edges: Mapping[str, Iterable[Row]]) -> Graph:
        """The graph with these edges and no closures."""
        return cls({(symbol, ONCE): rows for symbol, rows in edges.items()})

    def __getitem__(self, key: TaggedRelation) -> Rows:
        return self._rows.get(key, NOTHING)

    def __iter__(self) -> Iterator[TaggedRelation]:
        return iter(self._rows)

    def __bool__(self) -> bool:
        return bool(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(frozenset(self._rows.items()))

    def __repr__(self) -> str:
        shown = (f"{symbol}{tag}: {sorted(rows, key=repr)}" for (symbol, tag), rows in sorted(self._rows.items()))
        return "{" + ", ".join(shown) + "}"

    def at(self, key: TaggedRelation, rows: Iterable[Row]) -> Graph:
        """G{s -> g}: the same graph with these rows for one tagged symbol."""
        return Graph({**self._rows, key: rows})

    def only(self, keys: Iterable[TaggedRelation]) -> Graph:
        """The rows of these tagged symbols alone."""
        return Graph({key: self[key] for key in keys})

    def __or__(self, other: Graph) -> Graph:
        return Graph({key: self[key] | other[key] for key in {*self, *other}})

    def __and__(self, other: Graph) -> Graph:
        return Graph({key: self[key] & other[key] for key in self})

    def __sub__(self, other: Graph) -> Graph:
        return Graph({key: self[key] - other[key] for key in self})

    def closed(self, symbols: Iterable[str]) -> Graph:
        """The graph with the closures of these symbols computed again."""
        return Graph({**self._rows, **{(s, CLOSED): transitive_closure(self[s, ONCE]) for s in symbols}})


EMPTY = Graph()


def transitive_closure(edges: Iterable[Row]) -> Rows:
    """The pairs that some path of one edge or more connects.

    >>> sorted(transitive_closure({(1, 2), (2, 3)}))
    [(1, 2), (1, 3), (2, 3)]
    """
    following: dict[Value, set[Value]] = {}
    for source, target in edges:
        following.setdefault(source, set()).add(target)
    return frozenset((source, target) for source in following for target in _reached(source, following))


def _reached(source: Value, following: Mapping[Value, set[Value]]) -> set[Value]:
    reached: set[Value] = set()
    frontier = set(following[source])
    while frontier:
        reached |= frontier
        frontier = {after for node in frontier for after in following.get(node, ())} - reached
    return reached


def is_closure(edges: Rows, closure: Rows) -> bool:
    """Whether the second set is the transitive closure of the first."""
    return closure == transitive_closure(edges)


def is_well_formed(graph: Graph, symbols: Iterable[str]) -> bool:
    """wfG: the closures of these symbols are what their edges say."""
    return all(is_closure(graph[symbol, ONCE], graph[symbol, CLOSED]) for symbol in symbols)
