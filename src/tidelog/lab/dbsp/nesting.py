"""Streams of streams: how a loop is entered and left.

Law: ``introduce`` makes of a value the stream that has it at time 0 and zero afterwards; ``eliminate`` sums a stream
that is zero from some time on; ``eliminate(introduce(v)) == v``. In a stream of streams the outer time is the arrival
of a change and the inner time the round of the loop (DYRE paper, section 4.2).
The end of an inner stream cannot be seen by looking for its first zero: inside an incremental loop a change may pass
many empty rounds before it meets an old fact of a late round. ``eliminate`` therefore takes the round before which it
must not stop; the circuits of this package know that round exactly (``nested``).
"""

from __future__ import annotations

from typing import TypeVar

from tidelog.lab.dbsp.group import Group
from tidelog.lab.dbsp.stream import Stream

A = TypeVar("A")


def introduce(group: Group[A], value: A) -> Stream[A]:
    """``δ₀``: the value at time 0, zero afterwards. Linear.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> introduce(INTEGERS, 7).prefix(3)
    [7, 0, 0]
    """
    return Stream.of(group, [value])


def eliminate(stream: Stream[A], least: int = 0) -> A:
    """``∫``: the sum of the stream up to its first zero at or after the time ``least``. Linear where it ends.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> gap = Stream.of(INTEGERS, [3, 1, 0, 5])
    >>> eliminate(gap), eliminate(gap, least=3)
    (4, 9)
    """
    group, total, time = stream.group, stream.group.zero, 0
    while time < least or not group.is_zero(stream[time]):
        total = group.add(total, stream[time])
        time += 1
    return total
