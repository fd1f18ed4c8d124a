"""Arithmetic of the three numeric types on Python values: the meaning of the operators, and when they have no value.

Law (D11): a number is an int64, an unsigned lies in 0 .. 2^64 - 1, and a result outside is an error, never a wrapped
value; so is a division by zero, of floats too. Integer division drops the fraction, the remainder has the sign of the
dividend. Floats follow IEEE 754, except that there is one zero and one NaN, and NaN sorts last.
The types of arguments are not checked here; that is done by the caller (the type check, or `functions.resolve`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Context, Decimal

from tidelog.program.messages import program_failures as failures
from tidelog.program.values.term import NAN, NUMBER, UNSIGNED, canonical_float

BITS = 64
RANGES = {NUMBER: (-(2**63), 2**63 - 1), UNSIGNED: (0, 2**64 - 1)}
_MASK: int = 2**BITS - 1
MOST_DIGITS = 400  # before or after the point; a float has fewer
_EXACT = Context(prec=2 * MOST_DIGITS + 20)


def in_range(value: int, type_: str) -> int:
    """The value itself if its type can hold it.

    >>> in_range(2**63, "unsigned")
    9223372036854775808
    """
    low, high = RANGES[type_]
    if not low <= value <= high:
        raise failures.OVERFLOW.error(value=value, type=type_)
    return value


def wrap(bits: int, type_: str) -> int:
    """The low 64 bits read as a value of the type: two's complement for numbers.

    >>> wrap(2**64 - 1, "number")
    -1
    """
    bits &= _MASK
    return bits - 2**BITS if type_ == NUMBER and bits >> (BITS - 1) else bits


def divide(left: int, right: int) -> int:
    """The quotient without its fraction: -7 / 2 is -3."""
    if right == 0:
        raise failures.DIVISION.error(left=left, operator="/", right=0)
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def remainder(left: int, right: int) -> int:
    """The remainder of a division, with the sign of the dividend: -7 % 2 is -1."""
    if right == 0:
        raise failures.DIVISION.error(left=left, operator="%", right=0)
    return left - right * divide(left, right)


def power(base: int, exponent: int) -> int:
    """An integer power; a negative exponent has no integer value."""
    if exponent < 0:
        raise failures.NEGATIVE_EXPONENT.error(base=base, exponent=exponent)
    if abs(base) > 1 and exponent >= BITS:
        raise failures.POWER_OVERFLOW.error(base=base, exponent=exponent)
    return int(base**exponent)


def power_wrapped(base: int, exponent: int) -> int:
    """The low 64 bits of an integer power."""
    if exponent < 0:
        raise failures.NEGATIVE_EXPONENT.error(base=base, exponent=exponent)
    return int(pow(base, exponent, 2**BITS))


def shift_left(value: int, count: int) -> int:
    """Shift left; bits shifted out at the top are lost, and the count is taken modulo 64."""
    return value << (count % BITS)


def shift_right(value: int, count: int) -> int:
    """Shift right; numbers keep their sign, and the count is taken modulo 64."""
    return value >> (count % BITS)


def shift_right_filling_zeros(value: int, count: int) -> int:
    """Shift the 64 bits right and fill with zeros, regardless of the sign."""
    return (value & _MASK) >> (count % BITS)


def divide_floats(left: float, right: float) -> float:
    """IEEE division, except that a divisor of zero is an error (D11)."""
    if right == 0:
        raise failures.DIVISION.error(left=left, operator="/", right=right)
    return canonical_float(left / right)


def power_floats(base: float, exponent: float) -> float:
    """IEEE power: too large is infinite, a root of a negative is NaN; zero to a negative power divides by zero."""
    if base == 0 and exponent < 0:
        raise failures.DIVISION.error(left=base, operator="^", right=exponent)
    try:
        return canonical_float(math.pow(base, exponent))
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:
        return NAN


def real_function(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function of the mathematical library as IEEE 754 has it: no value is NaN, too large is infinite.

    >>> real_function(math.sqrt)(-1.0), real_function(math.exp)(1e9), real_function(math.log)(0.0)
    (nan, inf, -inf)
    """

    def evaluate(value: float) -> float:
        try:
            return canonical_float(function(value))
        except OverflowError:
            return -math.inf if value < 0 and function is math.sinh else math.inf
        except ValueError:
            return _pole(function, value)

    return evaluate


def _pole(function: Callable[[float], float], value: float) -> float:
    """The infinite value of a function at its pole, NaN elsewhere."""
    if function is math.log and value == 0:
        return -math.inf
    if function is math.atanh and abs(value) == 1:
        return math.copysign(math.inf, value)
    return NAN


def round_half_away(value: float, digits: int = 0) -> float:
    """The value with that many digits after the point, as its shortest text is rounded; ties go away from zero.

    >>> round_half_away(2.5), round_half_away(-2.5), round_half_away(2.675, 2), round_half_away(1250.0, -2)
    (3.0, -3.0, 2.68, 1300.0)
    """
    if not math.isfinite(value) or digits > MOST_DIGITS:
        return value
    if digits < -MOST_DIGITS:
        return 0.0
    unit = Decimal(1).scaleb(-digits, _EXACT)
    return canonical_float(float(Decimal(repr(value)).quantize(unit, ROUND_HALF_UP, _EXACT)))


def round_down(value: float) -> float:
    """The greatest whole float that is not above the value; infinities and NaN stay as they are."""
    return float(math.floor(value)) if math.isfinite(value) else value


def round_up(value: float) -> float:
    """The least whole float that is not below the value."""
    return float(math.ceil(value)) if math.isfinite(value) else value


def float_order(value: float) -> tuple[bool, float]:
    """A key that sorts NaN after every other float.

    >>> sorted([NAN, 1.0, -math.inf], key=float_order)
    [-inf, 1.0, nan]
    """
    return (True, 0.0) if math.isnan(value) else (False, value)


def truncate(value: float) -> int:
    """A float without its fraction."""
    if not math.isfinite(value):
        raise failures.NOT_AN_INTEGER.error(value=value)
    return math.trunc(value)


def count_up_or_down(first: int | float, end: int | float, step: int | float) -> Iterator[int | float]:
    """The values of ``range(first, end, step)``: first included, end excluded; value i is first + i * step.

    >>> list(count_up_or_down(5, 0, -2)), list(count_up_or_down(0.0, 1.0, 0.5)), list(count_up_or_down(7, 9, 0))
    ([5, 3, 1], [0.0, 0.5], [7])
    """
    if step == 0:  # as in Soufflé: only the first value, unless it is the end
        yield from (first,) if first != end else ()
        return
    if not all(map(math.isfinite, (first, end, step))) or first + step == first:
        raise failures.ENDLESS_RANGE.error(first=first, end=end, step=step)
    steps, value = 0, first
    while value < end if step > 0 else value > end:
        yield value
        steps += 1
        value = first + steps * step


def default_step(first: int | float, end: int | float) -> int:
    """The default step of a range, which counts towards its end."""
    return 1 if first <= end else -1
