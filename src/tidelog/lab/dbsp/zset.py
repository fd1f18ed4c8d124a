"""Z-sets: elements with integer weights, the group that replaces sets.

Law: under pointwise addition Z-sets over one set of elements form an Abelian group; a set is a Z-set whose weights are
all 1, a change of a set one whose weights are 1 or -1 (DYRE paper, Definition 4.1).
Sets under union are not a group (nothing undoes a union): that is why weights are needed at all.
Operators on Z-sets live in ``linear``, ``bilinear`` and ``nonlinear``; this file has the group only.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from tidelog.lab.dbsp.group import Group

K = TypeVar("K", bound=Hashable)


class ZSet(Generic[K]):
    """A finite map from elements to weights other than 0. A value: its operations return new Z-sets.

    >>> ZSet({"a": 1, "b": 2}) + ZSet({"b": -2, "c": 1}) == ZSet({"a": 1, "c": 1})
    True
    >>> ZSet({"a": 1, "b": 0})
    ZSet({'a': 1})
    """

    __slots__ = ("_weights",)

    def __init__(self, weights: Mapping[K, int] | None = None) -> None:
        self._weights: dict[K, int] = {k: w for k, w in (weights or {}).items() if w}

    @classmethod
    def of(cls, *elements: K) -> ZSet[K]:
        """Each element with the number of times it is named.

        >>> ZSet.of("a", "b", "a")
        ZSet({'a': 2, 'b': 1})
        """
        return cls.counted((element, 1) for element in elements)

    @classmethod
    def counted(cls, pairs: Iterable[tuple[K, int]]) -> ZSet[K]:
        """The sum of weighted elements, each of which may occur many times.

        >>> ZSet.counted([("a", 1), ("a", -1), ("b", 3)])
        ZSet({'b': 3})
        """
        weights: dict[K, int] = {}
        for element, weight in pairs:
            weights[element] = weights.get(element, 0) + weight
        return cls(weights)

    def __getitem__(self, element: K) -> int:
        return self._weights.get(element, 0)

    def __iter__(self) -> Iterator[K]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)

    def __contains__(self, element: object) -> bool:
        return element in self._weights

    def items(self) -> Iterable[tuple[K, int]]:
        """Elements with their weights."""
        return self._weights.items()

    def __add__(self, other: ZSet[K]) -> ZSet[K]:
        weights = dict(self._weights)
        for element, weight in other._weights.items():
            weights[element] = weights.get(element, 0) + weight
        return ZSet(weights)

    def __neg__(self) -> ZSet[K]:
        return ZSet({element: -weight for element, weight in self._weights.items()})

    def __sub__(self, other: ZSet[K]) -> ZSet[K]:
        return self + -other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ZSet) and self._weights == other._weights

    def __hash__(self) -> int:
        return hash(frozenset(self._weights.items()))

    def __repr__(self) -> str:
        return f"ZSet({self._weights!r})"

    def is_set(self) -> bool:
        """Whether every weight is 1.

        >>> ZSet.of("a").is_set(), ZSet.of("a", "a").is_set()
        (True, False)
        """
        return all(weight == 1 for weight in self._weights.values())


ZSETS: Group[ZSet[Any]] = Group(ZSet(), operator.add, operator.neg)
