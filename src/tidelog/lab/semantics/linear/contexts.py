"""Contexts named by subexponential indexes: the data structures of the linear-logic reading (LAM 2010L, section 4.1).

A sequent of linear logic with subexponentials keeps one multiset of formulas per index. Here an index names a table,
a bag of updates or the stored delta rules, and its formulas are tuples of values.

Law: a *linear* context holds resources, each used exactly once; an *unbounded* context may be read for ever and never
shrinks (contraction and weakening). Contexts are values: an instruction makes new ones and leaves the old as they were.
This module knows nothing of Datalog.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Element: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True, order=True)
class Index:
    """A subexponential index: a name and, for the tables of predicates, whose table it is.

    >>> print(Index("table", "p"), Index("upd"))
    table p upd
    """

    name: str
    subject: str = ""
    unbounded: bool = False

    def __str__(self) -> str:
        return f"{self.name} {self.subject}".rstrip()


class Contexts:
    """A finite map from indexes to multisets of elements; hashable, never changed in place.

    >>> upd = Index("upd")
    >>> contexts = Contexts().load(upd, ("p", 1)).load(upd, ("p", 1))
    >>> contexts.count(upd, ("p", 1)), contexts.unload(upd, ("q", 1)) is None
    (2, True)
    """

    __slots__ = ("_hash", "_tables")

    def __init__(self, tables: Mapping[Index, Mapping[Element, int]] | None = None) -> None:
        self._tables = {index: table for index, table in (tables or {}).items() if table}
        self._hash: int | None = None

    @classmethod
    def of(cls, tables: Mapping[Index, Iterable[Element]]) -> Contexts:
        """Contexts that hold the given elements, repetitions counted."""
        return cls({index: Counter(elements) for index, elements in tables.items()})

    def load(self, index: Index, element: Element) -> Contexts:
        """One more occurrence of the element."""
        return self._with(index, element, 1)

    def unload(self, index: Index, element: Element) -> Contexts | None:
        """One occurrence less; None when there is none. An unbounded context is read, not emptied."""
        if not self.count(index, element):
            return None
        return self if index.unbounded else self._with(index, element, -1)

    def count(self, index: Index, element: Element) -> int:
        """How many occurrences of the element the context holds."""
        return self._tables.get(index, {}).get(element, 0)

    def distinct(self, index: Index) -> Iterator[Element]:
        """The different elements of a context, in the order in which they were added."""
        yield from self._tables.get(index, {})

    def elements(self, index: Index) -> Iterator[Element]:
        """The elements of a context with repetitions, in the order in which they were added."""
        for element in self.distinct(index):
            yield from [element] * self.count(index, element)

    def empty(self, index: Index) -> bool:
        """Whether the context holds nothing."""
        return index not in self._tables

    def indexes(self) -> tuple[Index, ...]:
        """The indexes whose contexts hold something, sorted."""
        return tuple(sorted(self._tables))

    def _with(self, index: Index, element: Element, change: int) -> Contexts:
        table = dict(self._tables.get(index, {}))
        table[element] = table.get(element, 0) + change
        if not table[element]:
            del table[element]
        return Contexts({**self._tables, index: table})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contexts) and self._tables == other._tables

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset((i, e, n) for i, table in self._tables.items() for e, n in table.items()))
        return self._hash

    def __repr__(self) -> str:
        shown = "; ".join(f"{i}: {', '.join(map(repr, self.elements(i)))}" for i in self.indexes())
        return f"Contexts({shown})"
