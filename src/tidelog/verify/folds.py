"""The results of aggregates over groups, for the checker.

Law (D11, D12): the result depends only on the values, never on their order; sums and means of floats are exact and
rounded once; a sum that leaves its type is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tidelog.program import Aggregate, Const, Value
from tidelog.program.functions.arithmetic import in_range, wrap
from tidelog.program.functions.table import order_key
from tidelog.program.functions.whole_groups import WHOLE_GROUPS, of_group
from tidelog.program.values.term import CHOSEN_BY, FLOAT, NAN, NUMBER, PARAMETRIC, SUM, WRAPPING_SUM, canonical_float
from tidelog.verify import verify_failures as failures

OVER_NOTHING = ("count", SUM, WRAPPING_SUM, "any", "all")


def fold(aggregate: Aggregate, values: Collection[Any], type_: str | None) -> Value:
    """The aggregate of the values, one (or a tuple of several) for each valuation; ``type_`` is theirs.

    None if a group of values has no result.

    >>> from dataclasses import replace
    >>> total = Aggregate("sum", None, None)
    >>> fold(total, [0.1] * 10, "float"), fold(total, [], "number"), fold(replace(total, kind="mean"), [1, 2], "number")
    (1.0, 0, 1.5)
    """
    kind = aggregate.kind
    if aggregate.distinct:
        values = list(dict.fromkeys(values))
    if kind not in WHOLE_GROUPS:
        return _FOLDS[kind](values, type_)
    columns = [list(column) for column in zip(*values, strict=True)] if kind in CHOSEN_BY else [list(values)]
    parameter = aggregate.arguments[1] if kind in PARAMETRIC else None
    return of_group(kind, columns, parameter.value if isinstance(parameter, Const) else None)


def is_better(kinds: Sequence[str], values: Sequence[Value], than: Sequence[Value]) -> bool:
    """Whether min or max prefers values to others; the first difference decides.

    >>> is_better(("max", "min"), (3, "b"), (3, "a")), is_better(("max", "min"), (4, "b"), (3, "a"))
    (False, True)
    """
    for kind, value, other in zip(kinds, values, than, strict=True):
        left, right = order_key(value), order_key(other)
        if left != right:
            return bool(left < right if kind == "min" else left > right)
    return False


def _count(values: Collection[Value], _type: str | None) -> Value:
    return len(values)


def _sum(values: Collection[Value], type_: str | None) -> Value:
    if type_ == FLOAT or any(isinstance(value, float) for value in values):
        return _exact(values, 1)
    return in_range(sum(value for value in values if isinstance(value, int)), type_ or NUMBER)


def _wrapping_sum(values: Collection[Value], type_: str | None) -> Value:
    if type_ == FLOAT or any(isinstance(value, float) for value in values):
        return _exact(values, 1)
    return wrap(sum(value for value in values if isinstance(value, int)), type_ or NUMBER)


def _mean(values: Collection[Value], _type: str | None) -> Value:
    return _exact(values, len(values))


def _least(values: Collection[Value], _type: str | None) -> Value:
    return min(values, key=order_key)


def _greatest(values: Collection[Value], _type: str | None) -> Value:
    return max(values, key=order_key)


def _exact(values: Collection[Value], divisor: int) -> float:
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(numbers) < len(values):
        raise failures.NO_SUM.error()
    endless = [value for value in numbers if not math.isfinite(value)]
    if endless:
        return endless[0] if len(set(endless)) == 1 and endless[0] == endless[0] else NAN
    total = sum(map(Fraction, numbers), Fraction()) / divisor
    try:
        return canonical_float(float(total))
    except OverflowError:
        return math.inf if total > 0 else -math.inf


_FOLDS: Mapping[str, Callable[[Collection[Value], str | None], Value]] = {
    "count": _count,
    SUM: _sum,
    WRAPPING_SUM: _wrapping_sum,
    "mean": _mean,
    "min": _least,
    "max": _greatest,
    "any": lambda values, _: int(any(values)),
    "all": lambda values, _: int(all(values)),
}
