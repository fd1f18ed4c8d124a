"""Values as programs write them: the one form in which Tidelog prints a value (D35).

Law: every reader of terms reads a value written here as the same value. Dates, timestamps and booleans are written by
their literals, which show their type in any place; an unsigned number has its suffix if its type is known.
A Python date and the number of days that represents it in the language are written alike.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence

from tidelog.program import PROLOG, Variant
from tidelog.program.functions.calendar import TRUTH, date_text, from_python, tag_of, timestamp_text
from tidelog.program.values.shape import show_structure
from tidelog.program.values.term import BOOLEAN, DATE, FLOAT, NUMBER, TIMESTAMP, UNSIGNED
from tidelog.syntax.terms import AGGREGATE_NAMES, BINARY, RESERVED_AGGREGATES, UNARY
from tidelog.syntax.values import write_number, write_string

_AGGREGATES = (name for name, kind in AGGREGATE_NAMES.items() if kind in RESERVED_AGGREGATES)
RESERVED = frozenset({"true", "false", "nil", "not", *_AGGREGATES, *BINARY, *UNARY})
BARE_SYMBOL = re.compile(r"[a-z][A-Za-z0-9_]*")


def write_value(value: object, type_: str | None = None, convention: str | None = None, *, zoned: bool = False) -> str:
    """A value; in Prolog's convention a symbol is bare if possible. Inside lists and structures it is quoted.

    >>> write_value(True), write_value(20605, "date"), write_value(datetime.datetime(2026, 6, 1, 10))
    ('true', 'date("2026-06-01")', 'timestamp("2026-06-01T10:00:00")')
    >>> write_value(("a b", 1, None)), write_value(7, "unsigned"), write_value("a", "symbol", "prolog")
    ('["a b", 1, nil]', '7u', 'a')
    """
    if isinstance(value, str):
        bare = convention == PROLOG and value not in RESERVED and BARE_SYMBOL.fullmatch(value)
        return value if bare else write_string(value)
    if value is None or isinstance(value, tuple | list | Variant):
        return show_structure(value, type_, lambda part, kind: write_value(part, kind))
    if isinstance(value, float):
        return write_number(value, FLOAT)
    number = from_python(value)
    assert isinstance(number, int), f"{value!r} is not a value of the language"
    type_ = _natural_type(value) or type_
    if type_ == BOOLEAN:
        return TRUTH[number != 0]
    if type_ == DATE:
        return f'date("{date_text(number)}")'
    if type_ == TIMESTAMP:
        return f'timestamp("{timestamp_text(number, zoned or getattr(value, "tzinfo", None) is not None)}")'
    return write_number(number, UNSIGNED if type_ == UNSIGNED else NUMBER)


def write_fact(
    relation: str, row: Iterable[object], types: Sequence[str | None] | None = None, convention: str | None = None
) -> str:
    """A fact of a row of values, without its period.

    >>> write_fact("due", ("tea", datetime.date(2026, 6, 1)))
    'due("tea", date("2026-06-01"))'
    """
    values = list(row)
    kinds = types if types is not None else [None] * len(values)
    written = (write_value(value, kind, convention) for value, kind in zip(values, kinds, strict=True))
    return f"{relation}({', '.join(written)})"


def _natural_type(value: object) -> str | None:
    """The type that follows from the class of a value."""
    if isinstance(value, datetime.date):
        return TIMESTAMP if isinstance(value, datetime.datetime) else DATE
    return BOOLEAN if isinstance(value, bool) else tag_of(value)
