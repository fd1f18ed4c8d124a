"""Comparisons and arithmetic on single cells.

Law (D11): an integer result that does not fit 64 bits and a division by zero are faults, never wrong values, unless an
operation that wraps around was requested; floats are kept canonical (one zero, one NaN), so that equality of floats is
equality of bits, and NaN sorts last. Rare operations (unsigned arithmetic, powers, shifts, strings, lists) are not
here: they run as functions of distinct arguments.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from tidelog.kernel.memory import add, bits_to_float, compiled, float_to_bits, multiply, subtract

EQ, NE, LT, LE, GT, GE = range(6)
AS_NUMBER, AS_UNSIGNED, AS_FLOAT = range(3)
ADD, SUB, MUL, DIV, REM, NEG, BAND, BOR, BXOR, FADD, FSUB, FMUL, FDIV, FNEG = range(14)
WADD, WSUB, WMUL, WDIV, WNEG = range(14, 19)  # that wrap around
NAN_BITS = 0x7FF8000000000000
_SIGN = -(2**63)


@compiled
def below(kind, a, b):
    """Whether ``a`` comes before ``b`` among numbers, unsigned numbers or floats."""
    if kind == AS_NUMBER:
        return a < b
    if kind == AS_UNSIGNED:
        return (a ^ _SIGN) < (b ^ _SIGN)
    if a == NAN_BITS:
        return False
    if b == NAN_BITS:
        return True
    return bits_to_float(a) < bits_to_float(b)


@compiled
def compare(op, kind, a, b):
    """Whether ``a op b`` holds."""
    if op == EQ:
        return a == b
    if op == NE:
        return a != b
    if op == LT:
        return below(kind, a, b)
    if op == LE:
        return not below(kind, b, a)
    if op == GT:
        return below(kind, b, a)
    return not below(kind, a, b)


@compiled
def canonical_bits(value):
    """The bits of a float with one zero and one NaN."""
    if value != value:
        return NAN_BITS
    return float_to_bits(value + 0.0)


@compiled
def _divide(op, a, b):
    """Quotient or remainder, truncated towards zero; the caller has refused a zero divisor."""
    if b == -1:
        return -a if op == DIV else 0
    quotient = a // b
    if quotient * b != a and (a < 0) != (b < 0):
        quotient += 1
    return quotient if op == DIV else a - quotient * b


@compiled
def _compute_float(op, a, b):
    x, y = bits_to_float(a), bits_to_float(b)
    if op == FADD:
        return canonical_bits(x + y), True
    if op == FSUB:
        return canonical_bits(x - y), True
    if op == FMUL:
        return canonical_bits(x * y), True
    if op == FNEG:
        return canonical_bits(-x), True
    if y == 0.0:
        return 0, False
    return canonical_bits(x / y), True


@compiled
def _compute_wrapped(op, a, b):
    """The low 64 bits of the result; a division by zero has none."""
    if op == WADD:
        return add(a, b)[0], True
    if op == WSUB:
        return subtract(a, b)[0], True
    if op == WMUL:
        return multiply(a, b)[0], True
    if op == WNEG:
        return subtract(0, a)[0], True
    if b == 0:
        return 0, False
    if b == -1:
        return subtract(0, a)[0], True
    return _divide(DIV, a, b), True


@compiled
def compute(op, a, b):
    """The result of an operation, and whether it has one."""
    if op == ADD:
        return add(a, b)
    if op == SUB:
        return subtract(a, b)
    if op == MUL:
        return multiply(a, b)
    if op == NEG:
        return -a, a != _SIGN
    if op in (DIV, REM):
        if b == 0 or (op == DIV and b == -1 and a == _SIGN):
            return 0, False
        return _divide(op, a, b), True
    if op == BAND:
        return a & b, True
    if op == BOR:
        return a | b, True
    if op == BXOR:
        return a ^ b, True
    if op >= WADD:
        return _compute_wrapped(op, a, b)
    return _compute_float(op, a, b)


_SIGNS = {ADD: "+", SUB: "-", MUL: "*", DIV: "/", REM: "%", NEG: "-", FDIV: "/", WDIV: "/"}


class Fault(NamedTuple):
    """An operation that has no value: it divides by zero, or else its result does not fit 64 bits."""

    by_zero: bool
    left: int | float
    sign: str
    right: int | float | None  # None: the sign is before its only operand


def fault_of(op: int, left: int, right: int) -> Fault:
    """What failed in an operation on two cells that `compute` has no value for.

    >>> fault_of(DIV, 1, 0)
    Fault(by_zero=True, left=1, sign='/', right=0)
    """
    if op == FDIV:
        return Fault(True, struct.unpack("<d", struct.pack("<q", left))[0], _SIGNS[op], 0.0)
    return Fault(op in (DIV, REM, WDIV) and right == 0, left, _SIGNS[op], None if op == NEG else right)
