"""What the aggregates make of a group's values.

Law (D12): the result depends on the values and how often each occurs, never on their order. Sums and means of floats
are exact: the sum as a fraction, rounded once. Min and max follow the order of values (NaN last, D11).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from tidelog.program import Value
from tidelog.program.functions.arithmetic import in_range, wrap
from tidelog.program.functions.table import order_key
from tidelog.program.values.term import NAN, NUMBER, SUM, UNSIGNED, WRAPPING_SUM, canonical_float
from tidelog.testing.values import Unsigned, Zero


def total(values: Sequence[Value]) -> Value:
    """The sum; that of nothing is a zero of whatever numeric type is wanted.

    >>> total([1e308, 1e308, -1e308]), total([0.1] * 10)
    (1e+308, 1.0)
    """
    if not values:
        return Zero()
    if isinstance(values[0], float):
        return _rounded(values, 1)
    integer = sum(value for value in values if isinstance(value, int))
    return Unsigned(in_range(integer, UNSIGNED)) if isinstance(values[0], Unsigned) else in_range(integer, NUMBER)


def wrapping_total(values: Sequence[Value]) -> Value:
    """The sum, of integers its low 64 bits.

    >>> wrapping_total([2**63 - 1, 1])
    -9223372036854775808
    """
    if not values or isinstance(values[0], float):
        return total(values)
    integer = sum(value for value in values if isinstance(value, int))
    return Unsigned(wrap(integer, UNSIGNED)) if isinstance(values[0], Unsigned) else wrap(integer, NUMBER)


def mean(values: Sequence[Value]) -> Value:
    """The float nearest to the exact sum divided by the number of values.

    >>> mean([1, 2])
    1.5
    """
    return _rounded(values, len(values))


def _rounded(values: Sequence[Value], divisor: int) -> float:
    """The sum divided, rounded once; infinities and NaN as IEEE addition gives them in any order."""
    numbers = [value for value in values if isinstance(value, int | float)]
    endless = {value for value in numbers if not math.isfinite(value)}
    if endless:
        return NAN if any(map(math.isnan, endless)) or len(endless) > 1 else float(endless.pop())
    exact = sum(map(Fraction, numbers), Fraction()) / divisor
    try:
        return canonical_float(float(exact))
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def least(values: Sequence[Value]) -> Value:
    return min(values, key=order_key)


def greatest(values: Sequence[Value]) -> Value:
    return max(values, key=order_key)


FOLDS: Mapping[str, Callable[[Sequence[Value]], Value]] = {
    "count": len,
    SUM: total,
    WRAPPING_SUM: wrapping_total,
    "min": least,
    "max": greatest,
    "mean": mean,
}
OF_NOTHING = ("count", SUM, WRAPPING_SUM)
