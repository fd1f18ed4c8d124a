"""Streams: a value of a group for every time 0, 1, 2, ...

Law: streams over a group form a group, time by time, so streams nest. ``lift`` turns a function of values into an
operator on streams that works on each time alone; ``delay`` shifts by one and is the only operator here that is strict
(its output at a time depends on earlier times only). DYRE paper, section 4.
A stream is computed when it is read, in order of time, and remembers what it has computed: it is made for understanding
and for small circuits. The operators that keep only what the next step needs are in ``nested``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from tidelog.lab.dbsp.dbsp_failures import NO_DELAY, NOT_SENT
from tidelog.lab.dbsp.group import Group

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


class Stream(Generic[A]):
    """An infinite sequence of values of a group.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> squares = Stream(INTEGERS, lambda time: time * time)
    >>> squares.prefix(5)
    [0, 1, 4, 9, 16]
    """

    def __init__(self, group: Group[A], at: Callable[[int], A]) -> None:
        self.group = group
        self._at = at
        self._known: list[A] = []
        self._busy = False

    @classmethod
    def of(cls, group: Group[A], values: Iterable[A]) -> Stream[A]:
        """The given values, then zero forever.

        >>> from tidelog.lab.dbsp.group import INTEGERS
        >>> Stream.of(INTEGERS, [3, 1]).prefix(4)
        [3, 1, 0, 0]
        """
        known = list(values)
        return Stream(group, lambda time: known[time] if time < len(known) else group.zero)

    def __getitem__(self, time: int) -> A:
        while len(self._known) <= time:
            if self._busy:
                raise NO_DELAY.error()
            self._busy = True
            try:
                self._known.append(self._at(len(self._known)))
            finally:
                self._busy = False
        return self._known[time]

    def prefix(self, length: int) -> list[A]:
        """The first values."""
        return [self[time] for time in range(length)]


class Source(Stream[A]):
    """A stream whose values arrive from outside, one by one.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> source = Source(INTEGERS)
    >>> source.send(4)
    0
    >>> source.send(5)
    1
    >>> source.prefix(2)
    [4, 5]
    """

    def __init__(self, group: Group[A]) -> None:
        super().__init__(group, self._missing)

    def send(self, value: A) -> int:
        """Append a value and return its time."""
        self._known.append(value)
        return len(self._known) - 1

    def _missing(self, time: int) -> A:
        raise NOT_SENT.error(time=time)


def streams(group: Group[A]) -> Group[Stream[A]]:
    """The group of streams over a group: the operations work time by time.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> both = streams(INTEGERS)
    >>> both.add(Stream.of(INTEGERS, [1, 2]), Stream.of(INTEGERS, [5])).prefix(3)
    [6, 2, 0]
    """
    return Group(
        zero=Stream(group, lambda time: group.zero),
        add=lambda a, b: Stream(group, lambda time: group.add(a[time], b[time])),
        negate=lambda a: Stream(group, lambda time: group.negate(a[time])),
    )


def lift(function: Callable[[A], B], group: Group[B]) -> Callable[[Stream[A]], Stream[B]]:
    """The operator that applies a function at each time: ``lift(f)(s)[t] == f(s[t])``. Causal, not strict.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> lift(abs, INTEGERS)(Stream.of(INTEGERS, [-2, 3])).prefix(3)
    [2, 3, 0]
    """
    return lambda stream: Stream(group, lambda time: function(stream[time]))


def lift2(function: Callable[[A, B], C], group: Group[C]) -> Callable[[Stream[A], Stream[B]], Stream[C]]:
    """``lift`` for functions of two arguments: ``lift2(f)(a, b)[t] == f(a[t], b[t])``.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> ones = Stream(INTEGERS, lambda time: 1)
    >>> lift2(lambda a, b: a * b, INTEGERS)(ones, Stream.of(INTEGERS, [7])).prefix(2)
    [7, 0]
    """
    return lambda left, right: Stream(group, lambda time: function(left[time], right[time]))


def delay(stream: Stream[A]) -> Stream[A]:
    """``z⁻¹``: zero first, then the stream one time later: ``delay(s)[t] == s[t - 1]``. Linear and strict.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> delay(Stream.of(INTEGERS, [3, 1])).prefix(4)
    [0, 3, 1, 0]
    """
    return Stream(stream.group, lambda time: stream[time - 1] if time else stream.group.zero)


def add(left: Stream[A], right: Stream[A]) -> Stream[A]:
    """The sum of two streams, time by time: ``add(a, b)[t] == a[t] + b[t]``.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> add(Stream.of(INTEGERS, [1]), Stream.of(INTEGERS, [1, 1])).prefix(2)
    [2, 1]
    """
    return streams(left.group).add(left, right)
