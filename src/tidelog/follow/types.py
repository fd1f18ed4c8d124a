"""Types of PostgreSQL and those of relations: which stands for which, and how a value is read.

Law: a value of the snapshot and the same value of the stream are one value here, since both are read from the text that
PostgreSQL writes (dates in ISO form, times in UTC). A type that is not in the table is refused by its name. Two values
that a unique index tells apart stay two, except numeric as float, which is therefore no key.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tidelog.follow import failures

Numeric: TypeAlias = Literal["text", "float"]
NUMERIC = 1700


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of a column here, and how its values are read; ``exact``: different values stay different."""

    type: str
    read: Callable[[str], Any]
    wanted: str = ""
    exact: bool = True


def _boolean(text: str) -> bool:
    return {"t": True, "f": False}[text]


def _timestamp(text: str) -> datetime.datetime:
    found = datetime.datetime.fromisoformat(text)
    return found if found.tzinfo is None else found.astimezone(datetime.UTC).replace(tzinfo=None)


TEXT = Kind("symbol", str)
NUMBER = Kind("number", int, "a whole number")
FLOAT = Kind("float", float, "a number")
NUMERIC_AS_FLOAT = Kind("float", float, "a number", exact=False)
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
    return Kind("unsigned", int, "a whole number") if found is NUMBER and wanted == "unsigned" else found


def read_value(kind: Kind, text: str, column: str, table: str) -> Any:
    """A value from the text that PostgreSQL writes."""
    try:
        return kind.read(text)
    except (ValueError, KeyError, OverflowError):
        shown = text if len(text) <= 60 else text[:57] + "..."
        raise failures.VALUE.error(column=column, table=table, value=f"`{shown}`", wanted=kind.wanted) from None
