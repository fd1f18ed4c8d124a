"""Single Python values: their meaning, and the type of a column of them.

Law: the type of a column depends on its values, not on their order. Booleans among whole numbers are the numbers
1 and 0, whole numbers among floats are floats; a column with only booleans has type boolean. NaN is a float. None and
what pandas calls missing are nulls, which relations cannot contain.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from tidelog.errors import DataError
from tidelog.io import io_failures as failures
from tidelog.partition.texts.dictionary import natural_type
from tidelog.program.functions.lists import DEEPEST, is_too_deep
from tidelog.program.values.term import canonical_float

SHOWN = 80
_MISSING = ("NAType", "NaTType")  # of pandas
_ADVICE: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (Decimal, "pass float(value) or str(value)"),
    ((bytes, bytearray, memoryview), "decode it to text, for example with value.decode()"),
    (datetime.timedelta, "pass value.total_seconds()"),
    (datetime.time, "pass value.isoformat()"),
    ((set, frozenset), "pass a tuple, which has an order"),
    (dict, "pass its fields as separate columns"),
    (complex, "pass its fields as separate columns"),
)
_TIMES = {
    "date": 'pass a `datetime.date`, or in JSON a string such as "2024-02-29"',
    "timestamp": 'pass a `datetime.datetime`, or in JSON a string such as "2024-02-29T12:00:00"',
}
_OTHER_TIMES = {
    "date": "pass `value.date()`, in pandas `column.dt.date`",
    "timestamp": "timestamps have a time of day and microseconds: in pandas `column.dt.floor('us')`",
}
_NUMBERS = {
    "number": "convert it with int(value)",
    "unsigned": "convert it with int(value)",
    "float": "convert it with float(value)",
}
_NAN = (
    "pandas represents missing values as NaN: `df.convert_dtypes()` makes them nulls, which `nulls=` skips or replaces"
)
_WHOLE = "convert it with int(value); in pandas, `df.convert_dtypes()` makes whole floats integers"
_TEXT = "convert it with str(value), in pandas with `column.astype(str)`"
_LONG = "whole numbers have 64 bits: pass float(value) or str(value)"


def plain(value: object) -> Any:
    """A numpy scalar as a Python value, a UUID as its text, a subclass of `str` as `str`.

    >>> plain(np.int8(3)), plain(UUID(int=1))
    (3, '00000000-0000-0000-0000-000000000001')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, UUID):
        return str(value)
    return str.__str__(value) if isinstance(value, str) and type(value) is not str else value


def is_null(value: object) -> bool:
    """Whether a value is a null."""
    if value is None:
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__name__ in _MISSING and type(value).__module__.partition(".")[0] == "pandas"


def show_value(value: object) -> str:
    """A value as it is shown in messages.

    >>> len(show_value("x" * 1000))
    80
    """
    try:
        text = repr(value)
    except RecursionError:
        return f"a {type(value).__name__} nested very deeply"
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def advice(value: object, type_: str | None = None) -> str:
    """The end of a message about a value that a column of this type does not accept: what to pass instead.

    >>> advice(2**64, "unsigned"), advice(-1, "unsigned")
    ('; whole numbers have 64 bits: pass float(value) or str(value)', '; an unsigned column has no negative values')
    """
    if type_ in _TIMES:
        if isinstance(value, str | int):
            return f"; {_TIMES[type_]}"
        if isinstance(value, datetime.date):
            return f"; {_OTHER_TIMES[type_]}"
    if isinstance(value, float) and type_ != "float":
        return f"; {_NAN if math.isnan(value) else _WHOLE}" if type_ != "symbol" or math.isnan(value) else f"; {_TEXT}"
    if isinstance(value, int) and not isinstance(value, bool):
        if type_ in ("number", "unsigned"):
            return f"; {_LONG}" if abs(value) >= 1 << 63 else "; an unsigned column has no negative values"
        return f"; {_TEXT}" if type_ == "symbol" else ""
    if isinstance(value, str) and type_ in _NUMBERS:
        return f"; {_NUMBERS[type_]}, in pandas with `pd.to_numeric(column)`"
    return next((f"; {text}" for kinds, text in _ADVICE if isinstance(value, kinds)), "")


def value_type(value: object) -> str:
    """The type of a column with only this value.

    >>> value_type(3), value_type("a"), value_type(True)
    ('number', 'symbol', 'boolean')
    """
    value = plain(value)
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, datetime.datetime):
        return "timestamp"
    return "date" if isinstance(value, datetime.date) else natural_type(value)


def as_list(value: Sequence[Any]) -> tuple[Any, ...]:
    """A list with the plain values inside it; DataError if it is nested too deeply."""
    if is_too_deep(value):
        raise failures.TOO_DEEP.error(deepest=DEEPEST)
    return _as_list(value)


def _as_list(value: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_as_list(v) if isinstance(v, tuple | list) else _part(plain(v)) for v in value)


def _part(value: Any) -> Any:
    return canonical_float(value) if isinstance(value, float) else value


def column_type(column: Any, where: str) -> str:
    """The type of a column of Python values or numpy numbers; ``where`` names it in errors.

    >>> column_type([True, 0], "p"), column_type([5, True], "p"), column_type([1, 2.5], "p"), column_type([True], "p")
    ('number', 'number', 'float', 'boolean')
    """
    if isinstance(column, np.ndarray):
        return "float" if column.dtype.kind == "f" else "number"
    classes = dict.fromkeys(map(type, column))
    if classes.keys() == {int}:
        kinds = {natural_type(min(column)), natural_type(max(column))}
    else:
        kinds = set().union(*(_kinds(column, class_, where) for class_ in classes))
    whole = {"boolean", "number", "unsigned"}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds <= whole:
        return "unsigned" if "unsigned" in kinds else "number"
    return "float" if kinds <= whole | {"float"} else value_type(column[0])


def _kinds(column: Sequence[Any], class_: type, where: str) -> set[str]:
    """The types of the values of one class in a column."""
    if class_ is int:
        return {natural_type(value) for value in column if type(value) is int}
    row, value = next((row, value) for row, value in enumerate(column, 1) if type(value) is class_)
    if is_null(value):
        raise failures.NULL.error(where=where, row=row)
    try:
        return {value_type(value)}
    except DataError as error:
        raise error.reworded(f"{where}: row {row}: {error}{advice(value)}") from error
