"""Operators that are neither linear nor bilinear: distinct and its relatives.

Law: ``distinct`` keeps the elements of positive weight, each once; it is idempotent, and on Z-sets without negative
weights it may be postponed: ``distinct(f(distinct(z))) == distinct(f(z))`` for a linear or bilinear f. Its incremental
form looks at the elements of the change only, with their old weights: without input there is no output.
(The stateful distinct of the DYRE paper's Figure 1 receives states and not changes: another operator.)
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from tidelog.lab.dbsp.integral import integrate
from tidelog.lab.dbsp.stream import Stream, delay, lift2
from tidelog.lab.dbsp.zset import ZSETS, ZSet

K = TypeVar("K", bound=Hashable)


def distinct(z: ZSet[K]) -> ZSet[K]:
    """The set of elements with positive weight. ``distinct(distinct(z)) == distinct(z)``. (``toset`` of the paper.)

    >>> distinct(ZSet({"a": 3, "b": -1}))
    ZSet({'a': 1})
    """
    return ZSet({element: 1 for element, weight in z.items() if weight > 0})


def to_diff(z: ZSet[K]) -> ZSet[K]:
    """Every weight replaced by its sign: the change of a set. (``todiff`` of the paper.)

    >>> to_diff(ZSet({"a": 3, "b": -2}))
    ZSet({'a': 1, 'b': -1})
    """
    return ZSet({element: 1 if weight > 0 else -1 for element, weight in z.items()})


def distinct_change(old: ZSet[K], change: ZSet[K]) -> ZSet[K]:
    """What ``distinct`` changes by when ``old`` does: ``distinct(old + change) - distinct(old)``, at the change's cost.

    >>> distinct_change(ZSet({"a": 1, "b": 1}), ZSet({"a": 1, "b": -1, "c": 2}))
    ZSet({'b': -1, 'c': 1})
    """
    return ZSet({x: int(old[x] + weight > 0) - int(old[x] > 0) for x, weight in change.items()})


def incremental_distinct(stream: Stream[ZSet[K]]) -> Stream[ZSet[K]]:
    """``(↑distinct)^Δ``: ``D(↑distinct(I(s)))``, looking at the changed elements only.

    >>> changes = Stream.of(ZSETS, [ZSet.of("a", "a"), ZSet({"a": -1}), ZSet({"a": -1})])
    >>> incremental_distinct(changes).prefix(4)
    [ZSet({'a': 1}), ZSet({}), ZSet({'a': -1}), ZSet({})]
    """
    return lift2(distinct_change, ZSETS)(delay(integrate(stream)), stream)
