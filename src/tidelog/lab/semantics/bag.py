"""Immutable multisets.

Law: a bag maps items to counts above zero; union adds counts, difference of one item takes one copy away and is refused
when there is none (the papers never let a count fall below zero). Two bags with the same counts are equal and hash
alike, so that configurations can be memoised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Bag(Generic[T]):
    """A multiset that never changes.

    >>> bag = Bag(["p", "p", "q"])
    >>> bag.count("p"), len(bag), bag.minus("p") == Bag(["p", "q"])
    (2, 3, True)
    """

    __slots__ = ("_counts", "_hash")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._counts: dict[T, int] = dict(Counter(items))
        self._hash: int | None = None

    @classmethod
    def of(cls, counts: Mapping[T, int]) -> Bag[T]:
        """The bag with these counts; those of zero are left out."""
        bag: Bag[T] = cls()
        bag._counts = {item: count for item, count in counts.items() if count > 0}
        return bag

    def plus(self, item: T, copies: int = 1) -> Bag[T]:
        """One copy (or several) more."""
        counts = self._counts.copy()
        counts[item] = counts.get(item, 0) + copies
        return self._adopt(counts)

    def minus(self, item: T) -> Bag[T]:
        """One copy less; an item that is not there is a KeyError."""
        counts = self._counts.copy()
        counts[item] -= 1
        if not counts[item]:
            del counts[item]
        return self._adopt(counts)

    def union(self, items: Iterable[T]) -> Bag[T]:
        """All copies of both."""
        counts = self._counts.copy()
        for item in items:
            counts[item] = counts.get(item, 0) + 1
        return self._adopt(counts)

    def count(self, item: T) -> int:
        """How many copies there are."""
        return self._counts.get(item, 0)

    def counts(self) -> Mapping[T, int]:
        """The items with their counts."""
        return self._counts

    def distinct(self) -> Iterable[T]:
        """The items, each once."""
        return self._counts.keys()

    def _adopt(self, counts: dict[T, int]) -> Bag[T]:
        bag: Bag[T] = Bag.__new__(Bag)  # no counting: the counts are known
        bag._counts, bag._hash = counts, None
        return bag

    def __deepcopy__(self, memo: object) -> Bag[T]:
        return self  # immutable, so copies may share it

    def __contains__(self, item: object) -> bool:
        return item in self._counts

    def __iter__(self) -> Iterator[T]:
        return iter([item for item, count in self._counts.items() for _ in range(count)])

    def __bool__(self) -> bool:
        return bool(self._counts)

    def __len__(self) -> int:
        return sum(self._counts.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bag) and self._counts == other._counts

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._counts.items()))
        return self._hash

    def __repr__(self) -> str:
        return "{" + ", ".join(sorted(map(str, self))) + "}"
