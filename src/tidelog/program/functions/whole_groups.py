"""Aggregates that need all values of a group at once: quantiles, variances, lists, joined texts, argmin and argmax.

Law (D12): the result depends on the values and how often each occurs, never on their order. Quantiles and variances are
exact and rounded once, to the nearest float. Variances are NaN if a value is not finite; a quantile next to an infinity
is infinite. Of several values with the best key, argmin and argmax return the least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from tidelog.program.functions.arithmetic import float_order
from tidelog.program.functions.table import order_key
from tidelog.program.values.term import NAN, Value, canonical_float

Columns = Sequence[Sequence[Value]]
ROOT_BITS = 70  # of a root, before it is rounded to the 53 of a float


def of_group(kind: str, columns: Columns, parameter: Value = None) -> Value:
    """The aggregate of a group that has values; None if it has no result (the variance of a single value).

    >>> of_group("median", [(1, 2)]), of_group("collect", [("b", "a", "b")]), of_group("variance", [(7,)])
    (1.5, ('a', 'b', 'b'), None)
    """
    return WHOLE_GROUPS[kind](columns, parameter)


def _median(columns: Columns, _parameter: Value) -> Value:
    return quantile(columns[0], Fraction(1, 2))


def _quantile(columns: Columns, parameter: Value) -> Value:
    return quantile(columns[0], Fraction(repr(parameter)))


def quantile(values: Sequence[Value], share: Fraction) -> float:
    """The value at this share of the way from the least to the greatest; between two values, their weighted mean.

    >>> quantile([10, 20, 40], Fraction(1, 2)), quantile([10, 20, 40], Fraction(3, 4))
    (20.0, 30.0)
    """
    ordered = sorted(_numbers(values), key=_order)
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    low, part = ordered[below], place - below
    if not part or low == (high := ordered[below + 1]) or (math.isnan(low) and math.isnan(high)):
        return canonical_float(float(low))
    if not (math.isfinite(low) and math.isfinite(high)):
        return canonical_float(low * float(1 - part) + high * float(part))
    return nearest(Fraction(low) * (1 - part) + Fraction(high) * part)


def _order(number: int | float) -> tuple[bool, int | float]:
    return float_order(number) if isinstance(number, float) else (False, number)


def variance(values: Sequence[Value], less: int) -> Fraction | float | None:
    """The sum of squared distances to the mean, over the number of values ``less`` 1 (a sample) or 0; None over 0.

    >>> variance([1, 2, 3, 4], 1), variance([1, 2, 3, 4], 0), variance([5], 1)
    (Fraction(5, 3), Fraction(5, 4), None)
    """
    numbers = _numbers(values)
    if len(numbers) <= less:
        return None
    if not all(map(math.isfinite, numbers)):
        return NAN
    exact = list(map(Fraction, numbers))
    total = sum(exact, Fraction())
    squares = sum((number * number for number in exact), Fraction())
    return (squares - total * total / len(exact)) / (len(exact) - less)


def root(square: Fraction) -> float:
    """The float nearest to the square root.

    >>> root(Fraction(2)), root(Fraction(9, 4)), root(Fraction(0))
    (1.4142135623730951, 1.5, 0.0)
    """
    bits = square.numerator.bit_length() - square.denominator.bit_length()
    shift = max(0, ROOT_BITS - bits // 2)
    scaled, rest = divmod(square.numerator << 2 * shift, square.denominator)
    whole = math.isqrt(scaled)
    odd = 1 if rest or whole * whole != scaled else 0  # the truncated part matters only if it is not zero
    return nearest(Fraction(2 * whole + odd, 1 << shift + 1))


def nearest(exact: Fraction) -> float:
    """The nearest float; an infinity beyond the range of floats."""
    try:
        return canonical_float(float(exact))
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _spread(less: int, *, rooted: bool) -> Callable[[Columns, Value], Value]:
    def result(columns: Columns, _parameter: Value) -> Value:
        found = variance(columns[0], less)
        if not isinstance(found, Fraction):
            return found
        return root(found) if rooted else nearest(found)

    return result


def _collect(columns: Columns, _parameter: Value) -> Value:
    return tuple(sorted(columns[0], key=order_key))


def _join(columns: Columns, parameter: Value) -> Value:
    return str(parameter).join(sorted(text for text in columns[0] if isinstance(text, str)))


def _chosen(columns: Columns, best: Callable[..., Value]) -> Value:
    values, by = columns
    wanted = order_key(best(by, key=order_key))
    return min((value for value, key in zip(values, by, strict=True) if order_key(key) == wanted), key=order_key)


def _numbers(values: Sequence[Value]) -> list[int | float]:
    return [value for value in values if isinstance(value, int | float)]


WHOLE_GROUPS: Mapping[str, Callable[[Columns, Value], Value]] = {
    "median": _median,
    "quantile": _quantile,
    "variance": _spread(1, rooted=False),
    "stddev": _spread(1, rooted=True),
    "var_pop": _spread(0, rooted=False),
    "stddev_pop": _spread(0, rooted=True),
    "collect": _collect,
    "string_agg": _join,
    "argmin": lambda columns, _: _chosen(columns, min),
    "argmax": lambda columns, _: _chosen(columns, max),
}
