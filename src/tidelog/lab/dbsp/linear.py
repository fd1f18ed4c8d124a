"""Linear operators on Z-sets: ``f(a + b) == f(a) + f(b)``.

Law: the lifted form of a linear operator is its own incremental form, ``(↑f)^Δ == ↑f``: it needs no state and its cost
is the size of the change. The same holds one level deeper, on streams of streams.
Projection may yield weights above 1 where several elements coincide; turning them back into a set is not linear
(``nonlinear.distinct``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from tidelog.lab.dbsp.zset import ZSet

K = TypeVar("K", bound=Hashable)
L = TypeVar("L", bound=Hashable)


def project(z: ZSet[K], function: Callable[[K], L]) -> ZSet[L]:
    """``π_f``: every element replaced by its image; the weights of equal images add up.

    ``project(a + b, f) == project(a, f) + project(b, f)``.

    >>> project(ZSet.of((1, 2), (1, 3)), lambda edge: edge[0])
    ZSet({1: 2})
    """
    return ZSet.counted((function(element), weight) for element, weight in z.items())


def select(z: ZSet[K], predicate: Callable[[K], bool]) -> ZSet[K]:
    """``σ_p``: the elements that satisfy the predicate. ``select(a + b, p) == select(a, p) + select(b, p)``.

    >>> select(ZSet({1: 2, 4: -1}), lambda n: n > 3)
    ZSet({4: -1})
    """
    return ZSet({element: weight for element, weight in z.items() if predicate(element)})


def scale(z: ZSet[K], factor: int) -> ZSet[K]:
    """Every weight times an integer. ``scale(a + b, n) == scale(a, n) + scale(b, n)``.

    >>> scale(ZSet.of("a"), -3)
    ZSet({'a': -3})
    """
    return ZSet({element: weight * factor for element, weight in z.items()})
