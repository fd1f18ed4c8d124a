"""Traces: what a nested operator remembers of one input, per element and inner time.

Law: a stream of streams of changes, summed over the outer times so far, is a map from elements to *histories*: the
inner times at which the element's weight changes, with the amounts. Its state in round r of the loop is the sum of the
history up to r. A history is a sorted tuple of pairs (time, weight) without zeros; most have one pair, and equal ones
are shared.
Elements are pairs (key, value); a trace groups them by key, so it is also the index that joins look into.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from typing import Generic, TypeAlias, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)

History: TypeAlias = tuple[tuple[int, int], ...]


@cache
def once(time: int, weight: int) -> History:
    """The history of one change; the same object for the same change.

    >>> once(3, 1), once(3, 1) is once(3, 1)
    (((3, 1),), True)
    """
    return ((time, weight),)


def amend(history: History, time: int, weight: int) -> History:
    """The history with one more change; changes at one time add up and vanish at zero.

    >>> amend(((0, 1), (4, 2)), 4, -2), amend(((1, 1),), 0, 1)
    (((0, 1),), ((0, 1), (1, 1)))
    """
    if history is once(time, -weight):
        return ()
    place = bisect_left(history, (time,))
    rest = place
    if place < len(history) and history[place][0] == time:
        weight += history[place][1]
        rest += 1
    middle = once(time, weight) if weight else ()
    return history[:place] + middle + history[rest:]


def weight_at(history: History, time: int) -> int:
    """The element's weight in round ``time``: the sum of its changes up to then.

    >>> [weight_at(((0, 1), (4, -1)), time) for time in (0, 3, 4)]
    [1, 1, 0]
    """
    return sum(weight for t, weight in history if t <= time)


def next_change(history: History, time: int) -> int | None:
    """The first time after ``time`` at which the history changes.

    >>> next_change(((0, 1), (4, -1)), 0), next_change(((0, 1), (4, -1)), 4)
    (4, None)
    """
    return next((t for t, _ in history if t > time), None)


class Trace(Generic[K, V]):
    """Histories of pairs (key, value), grouped by key.

    >>> trace = Trace()
    >>> trace.update(0, {("P", 1): 1, ("P", 2): 1})
    >>> trace.update(3, {("P", 1): -1})
    >>> trace.groups
    {'P': {1: ((0, 1), (3, -1)), 2: ((0, 1),)}}
    """

    __slots__ = ("groups",)

    def __init__(self) -> None:
        self.groups: dict[K, dict[V, History]] = {}

    def update(self, time: int, delta: Mapping[tuple[K, V], int]) -> None:
        """Takes in the changes of one inner time."""
        groups = self.groups
        for (key, value), weight in delta.items():
            group = groups.get(key)
            if group is None:
                groups[key] = {value: once(time, weight)}
            elif value not in group:
                group[value] = once(time, weight)
            else:
                self._amend(key, value, time, weight)

    def _amend(self, key: K, value: V, time: int, weight: int) -> None:
        group = self.groups[key]
        history = amend(group[value], time, weight)
        if history:
            group[value] = history
            return
        del group[value]
        if not group:
            del self.groups[key]

    def history(self, key: K, value: V) -> History:
        """The element's history; empty if it has none.

        >>> Trace().history("P", 1)
        ()
        """
        return self.groups.get(key, {}).get(value, ())

    def elements(self) -> Iterator[tuple[K, V]]:
        """All pairs that have a history."""
        return ((key, value) for key, group in self.groups.items() for value in group)

    def __len__(self) -> int:
        return sum(map(len, self.groups.values()))
