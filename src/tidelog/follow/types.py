"""The types of PostgreSQL and those of relations: how they correspond, and how values are read.

Law: a value of the snapshot and the same value of the stream are one value here, since both are read from the text that
PostgreSQL writes (dates in ISO form, times in UTC). A type that is not in the table is refused by its name. Two values
that a unique index distinguishes stay different, except numeric as float, which therefore cannot be a key. A value that
has no counterpart here is never changed into another one: `read_row` reports the column and the problem.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

Numeric: TypeAlias = Literal["text", "float"]
NUMERIC = 1700


@dataclass(frozen=True, slots=True)
class ColumnKind:
    """The type of a relation's column, and how its values are read; ``exact``: different values stay different."""

    type: str
    read: Callable[[str], Any]
    expected: str = ""
    exact: bool = True


class NotUtf8(str):
    """A text with invalid UTF-8, whose bytes are surrogates; only databases in SQL_ASCII contain such texts."""


def _text(text: str) -> str:
    if type(text) is NotUtf8:
        raise ValueError(text)
    return text


def _unsigned(text: str) -> int:
    if (number := int(text)) < 0:
        raise ValueError(text)
    return number


def _finite(text: str) -> float:
    """A number of any size as the nearest float; infinity is accepted only if the text is infinity."""
    number = float(text)
    if math.isinf(number) and "Infinity" not in text:
        raise ValueError(text)
    return number


def _boolean(text: str) -> bool:
    return {"t": True, "f": False}[text]


def _timestamp(text: str) -> datetime.datetime:
    moment = datetime.datetime.fromisoformat(text)
    return moment if moment.tzinfo is None else moment.astimezone(datetime.UTC).replace(tzinfo=None)


TEXT = ColumnKind("symbol", _text, "valid UTF-8")
NUMBER = ColumnKind("number", int, "a whole number")
FLOAT = ColumnKind("float", float, "a number")
UNSIGNED = ColumnKind("unsigned", _unsigned, "a non-negative whole number")
NUMERIC_AS_FLOAT = ColumnKind("float", _finite, "a number in the range of a 64-bit float", exact=False)
MOMENT = ColumnKind("timestamp", _timestamp, "a time in the years 1 to 9999")
KINDS = {
    16: ColumnKind("boolean", _boolean, "true or false"),
    19: TEXT,  # name
    20: NUMBER,  # bigint
    21: NUMBER,  # smallint
    23: NUMBER,  # integer
    25: TEXT,  # text
    700: FLOAT,  # real
    701: FLOAT,  # double precision
    1042: TEXT,  # character(n), with its blanks
    1043: TEXT,  # character varying
    1082: ColumnKind("date", datetime.date.fromisoformat, "a date in the years 1 to 9999"),
    1114: MOMENT,  # timestamp
    1184: MOMENT,  # timestamptz
    NUMERIC: TEXT,
    2950: TEXT,  # uuid
}


def kind_of(type_: int, declared: str | None, numeric: Numeric) -> ColumnKind | None:
    """How a type of PostgreSQL is read for a column of the type ``declared``, if that is known; None: not supported.

    >>> kind_of(1700, None, "text").type, kind_of(1700, "float", "text").type, kind_of(23, "float", "text").type
    ('symbol', 'float', 'float')
    >>> kind_of(17, None, "text") is None
    True
    """
    kind = KINDS.get(type_)
    if type_ == NUMERIC and (declared == "float" or (declared is None and numeric == "float")):
        return NUMERIC_AS_FLOAT
    if kind is NUMBER and declared == "float":
        return NUMERIC_AS_FLOAT if type_ == 20 else FLOAT
    return UNSIGNED if kind is NUMBER and declared == "unsigned" else kind


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a row cannot be converted to a fact: a column, and the problem with its value.

    >>> str(Reason("born", "is null"))
    'column `born` is null'
    """

    column: str
    problem: str

    def __str__(self) -> str:
        return f"column `{self.column}` {self.problem}"


class TypedColumn(Protocol):
    """A column that is followed."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def kind(self) -> ColumnKind:
        """How it is read."""


def read_row(columns: Sequence[TypedColumn], texts: Sequence[str | None]) -> tuple[Any, ...] | Reason:
    """The values of a row from the texts that PostgreSQL writes, or the reason why it cannot be converted."""
    values: list[Any] = []
    for column, text in zip(columns, texts, strict=True):
        if text is None:
            return Reason(column.name, "is null")
        try:
            values.append(column.kind.read(text))
        except (ValueError, KeyError, OverflowError):
            return Reason(column.name, f"is `{_abbreviate(text)}`, which is not {column.kind.expected}")
    return tuple(values)


def _abbreviate(text: str) -> str:
    raw = text.encode("utf-8", "backslashreplace").decode()  # bytes that are not text
    return raw if len(raw) <= 60 else raw[:57] + "..."
