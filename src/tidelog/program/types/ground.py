"""The value of a term without variables, in general and in a column.

Law: constants are themselves and functions are pure, so that a ground term has one value wherever it occurs. A written
value gets the type of its column as it would in a rule: a quoted text may be a date, `true` may be a symbol, and a
number is not a date.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from tidelog.program.functions.calendar import EXAMPLES, TRUTH, read_date, read_timestamp, to_python
from tidelog.program.functions.table import Function, resolve, resolve_value_types
from tidelog.program.messages import program_failures as failures
from tidelog.program.types.literal_types import retyped
from tidelog.program.values.shape import Shape
from tidelog.program.values.structure import is_structural
from tidelog.program.values.term import (
    BOOLEAN,
    DATE,
    FLOAT,
    LIST,
    NUMBER,
    SYMBOL,
    TIMESTAMP,
    UNSIGNED,
    Call,
    Const,
    Term,
    Value,
)
from tidelog.program.values.variant import Variant

Functions = Mapping[str, tuple[Function, ...]]


def ground_value(term: Term, functions: Functions) -> Any:
    """The value of a term without variables, in the form used in Python rows: dates are dates.

    >>> from tidelog.program.functions.table import FUNCTIONS
    >>> ground_value(Call("date_add", (Const(0, "date"), Const(1, "number"))), FUNCTIONS)
    datetime.date(1970, 1, 2)
    """
    value, type_ = _value_and_type(term, functions)
    return to_python(value, type_, isinstance(term, Const) and term.zoned)


def _value_and_type(term: Term, functions: Functions) -> tuple[Value, str]:
    if isinstance(term, Const):
        return term.value, term.type
    if not isinstance(term, Call):
        raise failures.FACT_VARIABLE.error()
    if term.function == LIST or is_structural(term.function):  # its parts get the types of fields, if it has any
        made = resolve(term.function, ["any"] * len(term.args), functions)
        assert made is not None, "it takes any number of parts"
        return made.evaluate(*(ground_value(arg, functions) for arg in term.args)), made.result
    parts = [_value_and_type(arg, functions) for arg in term.args]
    for text, number in product(
        (SYMBOL, DATE, TIMESTAMP), (NUMBER, FLOAT, UNSIGNED)
    ):  # a literal gets its place's type
        typed = [_taking(arg, part, number, text) for arg, part in zip(term.args, parts, strict=True)]
        function = resolve_value_types(term.function, [own for _, own in typed], functions)
        if function is not None:
            return function.evaluate(*(_in_lists(value) for value, _ in typed)), function.result
    raise failures.NO_FUNCTION.error(name=term.function, types=", ".join(t for _, t in parts))


def _taking(arg: Term, part: tuple[Value, str], number: str, text: str) -> tuple[Value, str]:
    """An argument with its type, if integers are of one type and quoted texts of another."""
    if not isinstance(arg, Const):
        return part
    if arg.type == NUMBER and isinstance(arg.value, int):
        return (float(arg.value) if number == FLOAT else arg.value), number
    try:
        taken = retyped(arg, text) if arg.type == SYMBOL else arg
    except ValueError:
        return part
    return taken.value, taken.type


def in_column(value: Any, type_: str | None) -> Any:
    """A written value as a value of a column's type; anything else is left unchanged and refused like data.

    >>> in_column("2026-06-01", "date"), in_column(True, "symbol"), in_column(7, "number")
    (datetime.date(2026, 6, 1), 'true', 7)
    """
    if isinstance(type_, Shape):
        return _in_fields(value, type_)
    if type_ == LIST:
        return _in_lists(value)
    if type_ == SYMBOL:
        return TRUTH[value] if isinstance(value, bool) else value
    if type_ not in (DATE, TIMESTAMP, BOOLEAN):
        if isinstance(value, bool):
            raise failures.NOT_WRITTEN_SO.error(value=TRUTH[value], type=type_, example=int(value))
        return value
    if isinstance(value, str) and type_ != BOOLEAN:
        return _from_text(value, type_)
    fits = {DATE: datetime.date, TIMESTAMP: datetime.datetime, BOOLEAN: int}[type_]
    if not isinstance(value, fits) or (type_ == DATE and isinstance(value, datetime.datetime)):
        raise failures.NOT_WRITTEN_SO.error(value=value, type=type_, example=EXAMPLES[type_])
    return value


def column_type(column: Iterable[Any]) -> str | None:
    """The type of a column, if the values written in it determine it.

    >>> column_type(["2026-06-01"]), column_type(["2026-06-01", "a"]), column_type([True]), column_type([1])
    (None, 'symbol', None, None)
    """
    for value in column:
        if isinstance(value, datetime.date):
            return TIMESTAMP if isinstance(value, datetime.datetime) else DATE
        if not isinstance(value, str | bool):
            return None
        if isinstance(value, str) and not value[:1].isdigit():  # neither a date nor a timestamp
            return SYMBOL
    return None


def _from_text(text: str, type_: str) -> Any:
    try:
        if type_ == DATE:
            return to_python(read_date(text), DATE)
        moment, zoned = read_timestamp(text)
        return to_python(moment, TIMESTAMP, zoned)
    except ValueError as error:
        raise failures.NO_SUCH_TIME.error(text=text, type=type_, reason=error, example=EXAMPLES[type_]) from None


def _in_fields(value: Any, shape: Shape) -> Any:
    """A structure whose parts get the types of their fields; `nil` is the record, not the symbol."""
    if shape.is_record and value == "nil":
        return None
    name = value.constructor if isinstance(value, Variant) else ""
    parts = value.parts if isinstance(value, Variant) else value
    fields = shape.constructors.get(name)
    if fields is None or not isinstance(parts, tuple) or len(parts) != len(fields):
        return value
    taken = [in_column(part, field.type) for part, field in zip(parts, fields, strict=True)]
    return Variant(name, *taken) if isinstance(value, Variant) else tuple(taken)


def _in_lists(value: Any) -> Any:
    """Refuse dates, timestamps and booleans in lists, where they would be numbers."""
    if not isinstance(value, tuple):
        return value
    for part in value:
        if isinstance(part, bool | datetime.date):
            raise failures.NOT_WRITTEN_SO.error(value=part, type="list", example='its text, such as ["2026-06-01"]')
    return tuple(map(_in_lists, value))
