"""The results of aggregates over a group's values.

Law (D12): the result depends on the values and how often each occurs, never on their order. Sums and means of floats
are exact: the sum as a fraction, rounded once. Min and max follow the order of values (NaN last, D11).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from typing import Any

from tidelog.program import Value
from tidelog.program.functions.arithmetic import in_range, wrap
from tidelog.program.functions.table import order_key
from tidelog.program.values.term import NAN, NUMBER, SUM, UNSIGNED, WRAPPING_SUM, canonical_float
from tidelog.testing.values import Unsigned, Zero


def total(values: Sequence[Value]) -> Value:
    """The sum; the sum of nothing is a zero of any numeric type.

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
    """The sum; for integers, its low 64 bits.

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
    return _float(exact)


def least(values: Sequence[Value]) -> Value:
    return min(values, key=order_key)


def greatest(values: Sequence[Value]) -> Value:
    return max(values, key=order_key)


def quantile(pairs: Sequence[Any]) -> Value:
    """Values, each with the share at which their quantile lies: on the line through the two values around it.

    >>> quantile([(30, 0.25), (10, 0.25)])
    15.0
    """
    ordered: list[Any] = sorted((value for value, _ in pairs), key=order_key)
    place = Decimal(repr(pairs[0][1])) * (len(ordered) - 1)
    low, high = ordered[int(place)], ordered[min(int(place) + 1, len(ordered) - 1)]
    weight = Fraction(place) % 1
    if weight == 0 or low == high:
        return float(low)
    if math.isnan(high) or math.isinf(low) or math.isinf(high):
        return math.nan if math.isnan(high) or (math.isinf(low) and math.isinf(high)) else float(low + high)
    return _float((1 - weight) * Fraction(low) + weight * Fraction(high))


def spread(values: Sequence[Any], freedom: int) -> Value:
    """The mean of the squares of the distances to the mean; None if there are no degrees of freedom left.

    >>> spread([1, 3], 1), spread([1, 3], 0), spread([1], 1)
    (2.0, 1.0, None)
    """
    found = exact_spread(values, freedom)
    return found if found is None or isinstance(found, float) else _float(found)


def deviation(values: Sequence[Any], freedom: int) -> Value:
    """The root of the spread, to more digits than a float has."""
    found = exact_spread(values, freedom)
    if found is None or isinstance(found, float):
        return found
    with localcontext(prec=800, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return float((Decimal(found.numerator) / Decimal(found.denominator)).sqrt())


def exact_spread(values: Sequence[Any], freedom: int) -> Fraction | float | None:
    if len(values) <= freedom:
        return None
    if any(isinstance(value, float) and not math.isfinite(value) for value in values):
        return NAN
    middle = sum(map(Fraction, values), Fraction()) / len(values)
    return sum(((Fraction(value) - middle) ** 2 for value in values), Fraction()) / (len(values) - freedom)


def joined(pairs: Sequence[Any]) -> Value:
    """Texts in order, with the separator that accompanies each between them."""
    return str(pairs[0][1]).join(sorted(text for text, _ in pairs))


def chosen(pairs: Sequence[Any], best: Callable[[Sequence[Value]], Value]) -> Value:
    """The least of the values whose keys are the best."""
    key = best([key for _, key in pairs])
    return least([value for value, other in pairs if order_key(other) == order_key(key)])


def _float(exact: Fraction) -> float:
    try:
        return canonical_float(float(exact))
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


FOLDS: Mapping[str, Callable[[Sequence[Value]], Value]] = {
    "count": len,
    SUM: total,
    WRAPPING_SUM: wrapping_total,
    "min": least,
    "max": greatest,
    "mean": mean,
    "any": lambda values: int(1 in values),
    "all": lambda values: int(0 not in values),
    "median": lambda values: quantile([(value, 0.5) for value in values]),
    "quantile": quantile,
    "variance": lambda values: spread(values, 1),
    "var_pop": lambda values: spread(values, 0),
    "stddev": lambda values: deviation(values, 1),
    "stddev_pop": lambda values: deviation(values, 0),
    "collect": lambda values: tuple(sorted(values, key=order_key)),
    "string_agg": joined,
    "argmin": lambda pairs: chosen(pairs, least),
    "argmax": lambda pairs: chosen(pairs, greatest),
}
OF_NOTHING = ("count", SUM, WRAPPING_SUM, "any", "all")
