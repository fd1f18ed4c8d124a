"""Types of PostgreSQL and those of relations: which stands for which, and how a value is read.

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
class Kind:
    """The type of a column here, and how its values are read; ``exact``: different values stay different."""

    type: str
    read: Callable[[str], Any]
    wanted: str = ""
    exact: bool = True


class NotUtf8(str):
    """A text whose bytes are not UTF-8, with surrogates in their place; only databases in SQL_ASCII have any."""


def _text(text: str) -> str:
    if type(text) is NotUtf8:
        raise ValueError(text)
    return text


def _unsigned(text: str) -> int:
    if (found := int(text)) < 0:
        raise ValueError(text)
    return found


def _finite(text: str) -> float:
    """A number of any size as a float, if one is near it; infinity stands for itself alone."""
    found = float(text)
    if math.isinf(found) and "Infinity" not in text:
        raise ValueError(text)
    return found


def _boolean(text: str) -> bool:
    return {"t": True, "f": False}[text]


def _timestamp(text: str) -> datetime.datetime:
    found = datetime.datetime.fromisoformat(text)
    return found if found.tzinfo is None else found.astimezone(datetime.UTC).replace(tzinfo=None)


TEXT = Kind("symbol", _text, "valid UTF-8")
NUMBER = Kind("number", int, "a whole number")
FLOAT = Kind("float", float, "a number")
UNSIGNED = Kind("unsigned", _unsigned, "a non-negative whole number")
NUMERIC_AS_FLOAT = Kind("float", _finite, "a number in the range of a 64-bit float", exact=False)
MOMENT = Kind("timestamp", _timestamp, "a time in the years 1 to 9999")
KINDS = {
    16: Kind("boolean", _boolean, "true or false"),
    19: TEXT,  # name
    20: NUMBER,  # bigint
    21: NUMBER,  # smallint
    23: NUMBER,  # integer
    25: TEXT,  # text
    700: FLOAT,  # real
    701: FLOAT,  # double precision
    1042: TEXT,  # character(n), with its blanks
    1043: TEXT,  # character varying
    1082: Kind("date", datetime.date.fromisoformat, "a date in the years 1 to 9999"),
    1114: MOMENT,  # timestamp
    1184: MOMENT,  # timestamptz
    NUMERIC: TEXT,
    2950: TEXT,  # uuid
}


def kind_of(type_: int, wanted: str | None, numeric: Numeric) -> Kind | None:
    """How a type of PostgreSQL is read for a column of the type ``wanted``, if that is known; None: not mapped.

    >>> kind_of(1700, None, "text").type, kind_of(1700, "float", "text").type, kind_of(23, "float", "text").type
    ('symbol', 'float', 'float')
    >>> kind_of(17, None, "text") is None
    True
    """
    found = KINDS.get(type_)
    if type_ == NUMERIC and (wanted == "float" or (wanted is None and numeric == "float")):
        return NUMERIC_AS_FLOAT
    if found is NUMBER and wanted == "float":
        return NUMERIC_AS_FLOAT if type_ == 20 else FLOAT
    return UNSIGNED if found is NUMBER and wanted == "unsigned" else found


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a row cannot become a fact: a column, and what is wrong with its value.

    >>> str(Reason("born", "is null"))
    'column `born` is null'
    """

    column: str
    problem: str

    def __str__(self) -> str:
        return f"column `{self.column}` {self.problem}"


class Column(Protocol):
    """A column that is followed."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def kind(self) -> Kind:
        """How it is read."""


def read_row(columns: Sequence[Column], texts: Sequence[str | None]) -> tuple[Any, ...] | Reason:
    """The values of a row from the texts that PostgreSQL writes, or why it has none here."""
    found: list[Any] = []
    for column, text in zip(columns, texts, strict=True):
        if text is None:
            return Reason(column.name, "is null")
        try:
            found.append(column.kind.read(text))
        except (ValueError, KeyError, OverflowError):
            return Reason(column.name, f"is `{_shown(text)}`, which is not {column.kind.wanted}")
    return tuple(found)


def _shown(text: str) -> str:
    raw = text.encode("utf-8", "backslashreplace").decode()  # bytes that are not text
    return raw if len(raw) <= 60 else raw[:57] + "..."
