"""Bilinear operators on Z-sets: linear in each argument, weights multiply.

Law: for a bilinear operator × the incremental form is
``(a × b)^Δ == a × b + delay(I(a)) × b + a × delay(I(b))``: new with new, old with new, new with old. Everything that a
join has to remember is the integral of its two inputs.
The scalar joins here pair everything with everything or go through an index; they keep no state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from tidelog.lab.dbsp.indexed import IndexedZSet
from tidelog.lab.dbsp.integral import integrate
from tidelog.lab.dbsp.stream import Stream, add, delay, lift2
from tidelog.lab.dbsp.zset import ZSETS, ZSet

I = TypeVar("I", bound=Hashable)  # noqa: E741  # the customary letter for the type of an index
J = TypeVar("J", bound=Hashable)
K = TypeVar("K", bound=Hashable)
L = TypeVar("L", bound=Hashable)


def cross(left: ZSet[J], right: ZSet[K]) -> ZSet[tuple[J, K]]:
    """``×``: all pairs. ``cross(a + b, c) == cross(a, c) + cross(b, c)``, and the same on the right.

    >>> cross(ZSet({"a": 2}), ZSet({1: 3, 2: -1}))
    ZSet({('a', 1): 6, ('a', 2): -2})
    """
    return ZSet({(x, y): v * w for x, v in left.items() for y, w in right.items()})


def join(left: ZSet[J], right: ZSet[K], matches: Callable[[J, K], bool]) -> ZSet[tuple[J, K]]:
    """``⋈_p``: the pairs that satisfy a predicate. ``join(a + b, c, p) == join(a, c, p) + join(b, c, p)``.

    >>> edges = ZSet.of((1, 2), (2, 3))
    >>> join(edges, edges, lambda e, f: e[1] == f[0])
    ZSet({((1, 2), (2, 3)): 1})
    """
    return ZSet({(x, y): v * w for x, v in left.items() for y, w in right.items() if matches(x, y)})


def indexed_join(left: IndexedZSet[I, J], right: IndexedZSet[I, K]) -> ZSet[tuple[J, K]]:
    """The pairs with equal keys, found through the keys: the equality join at the cost of its matches.

    ``indexed_join(index(a, f), index(b, g)) == join(a, b, lambda x, y: f(x) == g(y))``.

    >>> from tidelog.lab.dbsp.indexed import index
    >>> edges = ZSet.of((1, 2), (2, 3))
    >>> indexed_join(index(edges, lambda e: e[1]), index(edges, lambda e: e[0]))
    ZSet({((1, 2), (2, 3)): 1})
    """
    return ZSet.counted(pair for key, z in left.items() for pair in cross(z, right[key]).items())


def incremental_bilinear(
    function: Callable[[ZSet[J], ZSet[K]], ZSet[L]], left: Stream[ZSet[J]], right: Stream[ZSet[K]]
) -> Stream[ZSet[L]]:
    """The incremental form of a lifted bilinear function: three products of changes and old states.

    ``incremental_bilinear(f, a, b) == D(↑f(I(a), I(b)))``.

    >>> from tidelog.lab.dbsp.stream import Stream
    >>> a = Stream.of(ZSETS, [ZSet.of("a"), ZSet.of("b")])
    >>> b = Stream.of(ZSETS, [ZSet.of(1), ZSet.of(2)])
    >>> incremental_bilinear(cross, a, b)[1] == ZSet.of(("b", 2), ("a", 2), ("b", 1))
    True
    """
    operator = lift2(function, ZSETS)
    old_left, old_right = delay(integrate(left)), delay(integrate(right))
    return add(operator(left, right), add(operator(old_left, right), operator(left, old_right)))
