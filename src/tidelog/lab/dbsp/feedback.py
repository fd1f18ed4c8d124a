"""Feedback: a circuit whose output returns to its input through a delay, run to its fixed point.

Law: if ``body`` is causal then ``s = body(delay(s))`` has exactly one solution, because the delay makes the loop
strict (DYRE paper, section 4). A loop over changes has come to its fixed point when nothing new enters it.
Without a delay the loop has no meaning here and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tidelog.lab.dbsp.group import Group
from tidelog.lab.dbsp.stream import Stream, delay, lift, streams

A = TypeVar("A")


def feedback(group: Group[A], body: Callable[[Stream[A]], Stream[A]]) -> Stream[A]:
    """The only stream with ``s == body(delay(s))``.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> from tidelog.lab.dbsp.stream import add
    >>> ones = Stream(INTEGERS, lambda time: 1)
    >>> feedback(INTEGERS, lambda earlier: add(ones, earlier)).prefix(4)
    [1, 2, 3, 4]
    """
    loop: Stream[A] = Stream(group, lambda time: output[time])
    output = body(delay(loop))
    return loop


def nested_feedback(group: Group[A], body: Callable[[Stream[Stream[A]]], Stream[Stream[A]]]) -> Stream[Stream[A]]:
    """The only stream of streams with ``s == body(↑delay(s))``: a loop over inner times that outlives outer ones.

    Here is the reachability of a walk, incremental in its edges; nothing but the general forms is used:

    >>> from tidelog.lab.dbsp.integral import differentiate, integrate
    >>> from tidelog.lab.dbsp.nesting import introduce
    >>> from tidelog.lab.dbsp.nonlinear import distinct
    >>> from tidelog.lab.dbsp.stream import lift, lift2
    >>> from tidelog.lab.dbsp.zset import ZSETS, ZSet
    >>> inner = streams(ZSETS)
    >>> edges = lift(lambda z: introduce(ZSETS, z), inner)(Stream.of(ZSETS, [ZSet.of((1, 2)), ZSet.of((2, 3))]))
    >>> def reach(edges, seen):
    ...     return distinct(ZSet.of(1) + ZSet.counted((b, w) for (a, b), w in edges.items() if a in seen))
    >>> def states(changes):
    ...     return integrate(lift(integrate, inner)(changes))
    >>> loop = nested_feedback(ZSETS, lambda earlier: lift(differentiate, inner)(differentiate(
    ...     lift2(lift2(reach, ZSETS), inner)(states(edges), states(earlier)))))
    >>> [sorted(change.items()) for change in loop[1].prefix(4)]
    [[], [], [(3, 1)], []]
    """
    loop: Stream[Stream[A]] = Stream(streams(group), lambda outer: Stream(group, lambda inner: output[outer][inner]))
    output = body(lift(delay, streams(group))(loop))
    return loop


def fixed_point(stream: Stream[A], start: int = 0) -> int:
    """The first time, from ``start``, whose value is that of the time before: ``D(s)[t] == 0``.

    A stream that never repeats a value has no fixed point, and the search for it does not end.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> halves = feedback(INTEGERS, lambda s: Stream(INTEGERS, lambda time: s[time] // 2 if time else 20))
    >>> fixed_point(halves, start=1), halves.prefix(8)
    (6, [20, 10, 5, 2, 1, 0, 0, 0])
    """
    time = max(start, 1)
    while stream[time] != stream[time - 1]:
        time += 1
    return time
