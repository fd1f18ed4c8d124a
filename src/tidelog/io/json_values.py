"""Values as JSON.

Law: reading what was written into a column of the same type gives the same value. Numbers are exact, lists are lists,
dates and timestamps are texts in ISO 8601, records and algebraic values are texts as in files, and floats without a
JSON number are the texts `Infinity`, `-Infinity` and `NaN`. A list that contains such a float is written as text, too,
because inside a list `Infinity` could not be distinguished from a symbol.
"""

from __future__ import annotations

import datetime
import math
from typing import Any

from tidelog.io.texts import show_text
from tidelog.program.values.shape import Shape
from tidelog.program.values.term import NAN
from tidelog.program.values.variant import Variant

_NAMES = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
NON_FINITE = {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": NAN}


def json_value(value: Any, type_: str | None = None) -> Any:
    """A value as JSON; if the type of its column is known, a record needs fewer quotes.

    >>> json_value((1, ("a",))), json_value(datetime.date(2026, 11, 17)), json_value(Variant("A", 1))
    ([1, ['a']], '2026-11-17', '$A(1)')
    >>> json_value(float("-inf")), json_value((1, (float("inf"), "inf")))
    ('-Infinity', '[1, [inf, "inf"]]')
    """
    if isinstance(type_, Shape) or value is None or isinstance(value, Variant) or hasattr(value, "_fields"):
        return show_text(value, type_)  # named tuples are records, None is nil
    if isinstance(value, tuple | list):
        return show_text(value, None) if _holds_non_finite(value) else [json_value(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return _NAMES[str(value)]
    return value.isoformat() if isinstance(value, datetime.date) else value


def _holds_non_finite(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_holds_non_finite, value))
    return isinstance(value, float) and not math.isfinite(value)
