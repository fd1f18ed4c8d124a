"""Integration and differentiation: between a stream of changes and the stream of states.

Law: ``integrate`` and ``differentiate`` are linear, causal and inverse to each other. The incremental form of an
operator Q is ``D ∘ Q ∘ I``: it maps changes to changes. Incremental forms compose (the chain rule:
``(P ∘ Q)^Δ = P^Δ ∘ Q^Δ``), which is what lets a circuit be made incremental one operator at a time.
The forms below compute states from changes and discard them; cheap forms are defined next to each operator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tidelog.lab.dbsp.feedback import feedback
from tidelog.lab.dbsp.stream import Stream, add, delay, streams

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


def integrate(stream: Stream[A]) -> Stream[A]:
    """``I``: the running sum, ``integrate(s)[t] == s[0] + ... + s[t]``: a sum fed back to itself through a delay.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> integrate(Stream.of(INTEGERS, [1, 2, 3])).prefix(5)
    [1, 3, 6, 6, 6]
    """
    return feedback(stream.group, lambda earlier: add(stream, earlier))


def differentiate(stream: Stream[A]) -> Stream[A]:
    """``D``: the change at each time, ``differentiate(s) == s - delay(s)``. ``D(I(s)) == I(D(s)) == s``.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> differentiate(integrate(Stream.of(INTEGERS, [1, 2, 3]))).prefix(4)
    [1, 2, 3, 0]
    """
    return streams(stream.group).subtract(stream, delay(stream))


def incremental(operator: Callable[[Stream[A]], Stream[B]]) -> Callable[[Stream[A]], Stream[B]]:
    """``Q^Δ = D ∘ Q ∘ I``: the operator on changes.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> from tidelog.lab.dbsp.stream import lift
    >>> square = lift(lambda n: n * n, INTEGERS)
    >>> incremental(square)(Stream.of(INTEGERS, [1, 1, 1])).prefix(4)
    [1, 3, 5, 0]
    """
    return lambda stream: differentiate(operator(integrate(stream)))


def incremental2(
    operator: Callable[[Stream[A], Stream[B]], Stream[C]],
) -> Callable[[Stream[A], Stream[B]], Stream[C]]:
    """``Q^Δ`` for operators of two arguments: ``D(Q(I(a), I(b)))``.

    >>> from tidelog.lab.dbsp.group import INTEGERS
    >>> from tidelog.lab.dbsp.stream import lift2
    >>> times = lift2(lambda a, b: a * b, INTEGERS)
    >>> incremental2(times)(Stream.of(INTEGERS, [2, 1]), Stream.of(INTEGERS, [5])).prefix(3)
    [10, 5, 0]
    """
    return lambda left, right: differentiate(operator(integrate(left), integrate(right)))
