"""Incremental operators on streams of streams: join and distinct inside a loop that is kept between changes.

Law: with both times in play, ``(↑(↑⋈)^Δ)^Δ`` sums the products of all pairs of changes, each pair at the later of its
two outer and the later of its two inner times. So a change that meets an old element of a later round has its effect in
that round: the product is kept as *pending* until the loop gets there. ``(↑(↑distinct)^Δ)^Δ`` outputs at each inner
time the difference between the correct output up to then and the actual one, and examines the element's later times
again. An epoch visits inner times in ascending order and ends when no operator has anything pending: an empty round is
not the end.
Cost: the changes and their matches. Nothing is scanned. (DYRE paper, section 4.2; the general form is in ``integral``.)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from tidelog.lab.dbsp.trace import History, Trace, amend, next_change, once, weight_at

I = TypeVar("I", bound=Hashable)  # noqa: E741  # the customary letter for the type of an index
K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
J = TypeVar("J", bound=Hashable)
L = TypeVar("L", bound=Hashable)
E = TypeVar("E", bound=Hashable)

Delta: TypeAlias = dict[E, int]
Pair: TypeAlias = tuple[I, J]


class NestedJoin(Generic[I, J, K, E]):
    """``↑↑π_f((↑(↑⋈)^Δ)^Δ(left, right))``: joins pairs by their keys and projects the matches with ``f``.

    ``project(key, left, right)`` returns the element of the output, or None where the pair does not match after all.
    Invariant 1: ``left`` is kept by its owner and holds the left change of the step already; ``right`` is kept here and
    holds it afterwards. So a pair of two new changes is found once: from the right.

    >>> left = Trace()
    >>> join = NestedJoin(left, lambda key, a, b: (a, b))
    >>> left.update(0, {("k", "a"): 1}); join.step(0, {("k", "a"): 1}, {})
    {}
    >>> join.step(2, {}, {("k", "b"): 1})
    {('a', 'b'): 1}

    A new change at inner time 0 that meets what came at inner time 2 has its effect at 2:

    >>> left.update(0, {("k", "c"): 1}); join.step(0, {("k", "c"): 1}, {}), join.next_time()
    ({}, 2)
    >>> join.step(2, {}, {})
    {('c', 'b'): 1}
    """

    def __init__(self, left: Trace[I, J], project: Callable[[I, J, K], E | None]) -> None:
        self.left = left
        self.right: Trace[I, K] = Trace()
        self._project = project
        self._pending: dict[int, Delta[E]] = {}

    def step(self, time: int, left: Mapping[Pair[I, J], int], right: Mapping[Pair[I, K], int]) -> Delta[E]:
        """The output's change at one inner time."""
        self._pending.setdefault(time, {})
        self._match(time, left, self.right.groups, from_left=True)
        self.right.update(time, right)
        self._match(time, right, self.left.groups, from_left=False)
        return without_zeros(self._pending.pop(time))

    def next_time(self) -> int | None:
        """The first inner time at which something is pending."""
        return min(self._pending, default=None)

    def _match(
        self, time: int, delta: Mapping[Pair[I, Any], int], groups: dict[I, dict[Any, History]], from_left: bool
    ) -> None:
        """Pairs each change with its matches on the other side; circuits spend their time here."""
        project, out = self._project, self._pending[time]
        for (key, value), weight in delta.items():
            group = groups.get(key)
            if group is None:
                continue
            for other, history in group.items():
                element = project(key, value, other) if from_left else project(key, other, value)
                if element is None:
                    continue
                for other_time, other_weight in history:
                    if other_time <= time:
                        out[element] = out.get(element, 0) + weight * other_weight
                    else:
                        later = self._pending.setdefault(other_time, {})
                        later[element] = later.get(element, 0) + weight * other_weight


class NestedDistinct(Generic[K, V]):
    """``(↑(↑distinct)^Δ)^Δ``: of the elements that go in, those of positive weight in a round come out in it, once.

    Invariant 2: between epochs the sum of an element's output history up to any time is 1 if that of its input history
    is positive, and 0 otherwise. ``output`` is a trace that joins may share.

    >>> distinct = NestedDistinct()
    >>> distinct.step(3, {("P", "a"): 2})
    {('P', 'a'): 1}

    In the next epoch the same element arrives earlier, so the change at inner time 3 must be reverted there:

    >>> distinct.step(1, {("P", "a"): 1}), distinct.next_time()
    ({('P', 'a'): 1}, 3)
    >>> distinct.step(3, {})
    {('P', 'a'): -1}
    """

    def __init__(self) -> None:
        self.output: Trace[K, V] = Trace()
        self._input: dict[tuple[K, V], History] = {}
        self._pending: dict[int, set[tuple[K, V]]] = {}

    def step(self, time: int, delta: Mapping[tuple[K, V], int]) -> Delta[tuple[K, V]]:
        """The output's change at one inner time."""
        out: Delta[tuple[K, V]] = {}
        revisit = self._pending.pop(time, set())
        for element, weight in delta.items():
            if element in self._input:
                self._amend(element, time, weight)
                revisit.add(element)
            else:
                self._input[element] = once(time, weight)
                if weight > 0:
                    out[element] = 1
        for element in revisit:
            change = self._correction(element, time)
            if change:
                out[element] = change
        self.output.update(time, out)
        return out

    def next_time(self) -> int | None:
        """The first inner time at which an element must be examined again."""
        return min(self._pending, default=None)

    def _amend(self, element: tuple[K, V], time: int, weight: int) -> None:
        history = amend(self._input[element], time, weight)
        if history:
            self._input[element] = history
        else:
            del self._input[element]

    def _correction(self, element: tuple[K, V], time: int) -> int:
        wanted, shown = self._input.get(element, ()), self.output.history(*element)
        later = [t for t in (next_change(wanted, time), next_change(shown, time)) if t is not None]
        if later:
            self._pending.setdefault(min(later), set()).add(element)
        return int(weight_at(wanted, time) > 0) - weight_at(shown, time)


class NestedDelay(Generic[E]):
    """``↑z⁻¹``: the input at one inner time is the output at the next; the outer time stays the same.

    >>> delay = NestedDelay()
    >>> delay.put(0, {"a": 1}); delay.step(0), delay.next_time(), delay.step(1)
    ({}, 1, {'a': 1})
    """

    def __init__(self) -> None:
        self._pending: dict[int, Delta[E]] = {}

    def put(self, time: int, delta: Delta[E]) -> None:
        """Takes the change of one inner time; an empty one leaves nothing pending."""
        if delta:
            self._pending[time + 1] = delta

    def step(self, time: int) -> Delta[E]:
        """The change that was put at the inner time before."""
        return self._pending.pop(time, {})

    def next_time(self) -> int | None:
        """The first inner time with output."""
        return min(self._pending, default=None)


def without_zeros(delta: Delta[E]) -> Delta[E]:
    """The change without elements of weight 0; the same object where there are none.

    >>> without_zeros({"a": 0, "b": 1})
    {'b': 1}
    """
    return {element: weight for element, weight in delta.items() if weight} if 0 in delta.values() else delta


def added(first: Delta[E], second: Delta[E]) -> Delta[E]:
    """``↑↑+`` at one inner time; an operand that is empty costs nothing.

    >>> added({"a": 1}, {"a": -1, "b": 1})
    {'b': 1}
    """
    if not first or not second:
        return first or second
    total = dict(first)
    for element, weight in second.items():
        total[element] = total.get(element, 0) + weight
    return without_zeros(total)
