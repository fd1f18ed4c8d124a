"""Identifiers on a ring: numbers of 160 bits with arithmetic that wraps, and intervals between them.

Law: for a != b, every x that is not a or b is in exactly one of (a, b) and (b, a).
"""

from __future__ import annotations

BITS = 160
SIZE = 1 << BITS


class Id(int):
    """A number modulo 2^160, written in hexadecimal; the type of `f_sha1` and of literals such as `0x1I`.

    >>> Id(1) - 2 == SIZE - 1, Id(SIZE + 3), (Id(1) << 3) + 1
    (True, 0x3, 0x9)
    """

    __slots__ = ()

    def __new__(cls, value: int) -> Id:
        """The number modulo the size of the ring."""
        return super().__new__(cls, value % SIZE)

    def __add__(self, other: int) -> Id:
        return Id(int(self) + int(other))

    def __radd__(self, other: int) -> Id:
        return Id(int(other) + int(self))

    def __sub__(self, other: int) -> Id:
        return Id(int(self) - int(other))

    def __rsub__(self, other: int) -> Id:
        return Id(int(other) - int(self))

    def __mul__(self, other: int) -> Id:
        return Id(int(self) * int(other))

    def __lshift__(self, other: int) -> Id:
        return Id(int(self) << int(other))

    def __rshift__(self, other: int) -> Id:
        return Id(int(self) >> int(other))

    def __mod__(self, other: int) -> Id:
        return Id(int(self) % int(other))

    def __repr__(self) -> str:
        return f"0x{int(self):x}"

    __str__ = __repr__


def is_between(value: int, low: int, high: int, *, with_low: bool, with_high: bool) -> bool:
    """Whether a value is met on the way up from one bound to the other; equal bounds enclose the whole ring.

    >>> [is_between(x, 8, 3, with_low=False, with_high=True) for x in (8, 9, 1, 3, 5)]
    [False, True, True, True, False]
    >>> is_between(5, 2, 2, with_low=False, with_high=True)
    True
    """
    if low == high:
        return value != low or with_low or with_high
    if value == low:
        return with_low
    if value == high:
        return with_high
    return low < value < high if low < high else value > low or value < high
