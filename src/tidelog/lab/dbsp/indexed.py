"""Indexed Z-sets: Z-sets grouped by a key, the form that joins require for their inputs.

Law: a map from keys to elements of a group is a group, key by key; indexing is linear and ``flatten`` undoes it:
``flatten(index(z, k)) == z`` and ``index(a + b, k) == index(a, k) + index(b, k)``.
It stores every element once more, under its key; it chooses no keys (``kit`` does, from the rules).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from tidelog.lab.dbsp.group import Group
from tidelog.lab.dbsp.zset import ZSet

I = TypeVar("I", bound=Hashable)  # noqa: E741  # the customary letter for the type of an index
K = TypeVar("K", bound=Hashable)


class IndexedZSet(Generic[I, K]):
    """A finite map from keys to Z-sets that are not empty.

    >>> edges = ZSet.of((1, 2), (1, 3), (2, 3))
    >>> by_source = index(edges, lambda edge: edge[0])
    >>> by_source[1] == ZSet.of((1, 2), (1, 3))
    True
    >>> by_source - by_source == IndexedZSet()
    True
    """

    __slots__ = ("_groups",)

    def __init__(self, groups: Mapping[I, ZSet[K]] | None = None) -> None:
        self._groups: dict[I, ZSet[K]] = {key: z for key, z in (groups or {}).items() if len(z)}

    def __getitem__(self, key: I) -> ZSet[K]:
        return self._groups.get(key, ZSet())

    def __len__(self) -> int:
        return len(self._groups)

    def items(self) -> Iterable[tuple[I, ZSet[K]]]:
        """Keys with their Z-sets."""
        return self._groups.items()

    def __add__(self, other: IndexedZSet[I, K]) -> IndexedZSet[I, K]:
        groups = dict(self._groups)
        for key, z in other._groups.items():
            groups[key] = groups[key] + z if key in groups else z
        return IndexedZSet(groups)

    def __neg__(self) -> IndexedZSet[I, K]:
        return IndexedZSet({key: -z for key, z in self._groups.items()})

    def __sub__(self, other: IndexedZSet[I, K]) -> IndexedZSet[I, K]:
        return self + -other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexedZSet) and self._groups == other._groups

    def __hash__(self) -> int:
        return hash(frozenset(self._groups.items()))

    def __repr__(self) -> str:
        return f"IndexedZSet({self._groups!r})"


INDEXED_ZSETS: Group[IndexedZSet[Any, Any]] = Group(IndexedZSet(), operator.add, operator.neg)


def index(z: ZSet[K], key: Callable[[K], I]) -> IndexedZSet[I, K]:
    """The Z-set grouped by a key of its elements. Linear: ``index(a + b) == index(a) + index(b)``.

    >>> index(ZSet.of("ant", "bee", "ape"), lambda word: word[0])["a"] == ZSet.of("ant", "ape")
    True
    """
    groups: dict[I, dict[K, int]] = {}
    for element, weight in z.items():
        groups.setdefault(key(element), {})[element] = weight
    return IndexedZSet({k: ZSet(weights) for k, weights in groups.items()})


def flatten(indexed: IndexedZSet[I, K]) -> ZSet[K]:
    """The Z-set that was indexed. Linear, and the inverse of ``index``.

    >>> flatten(index(ZSet.of("ant", "bee"), len)) == ZSet.of("ant", "bee")
    True
    """
    return ZSet.counted(pair for _, z in indexed.items() for pair in z.items())
