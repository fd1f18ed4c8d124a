"""Convert JSON values to Python values, and back.

Law: the values are those that an engine would return: tuples, dates, floats that JSON numbers cannot express. Records,
algebraic values, and lists that contain such floats, are texts, as in files.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Row = tuple[Any, ...]
_ENDLESS = {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}
_NAMES = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
_ESCAPES = {ord(c): f"\\{e}" for c, e in (("\\", "\\"), ('"', '"'), ("\n", "n"), ("\t", "t"), ("\r", "r"))}
_READERS: dict[str, Callable[[Any], Any]] = {
    "float": lambda value: _ENDLESS.get(value, value),
    "date": datetime.date.fromisoformat,
    "timestamp": datetime.datetime.fromisoformat,
}


def to_rows(rows: Iterable[Sequence[Any]], types: Sequence[str] = ()) -> list[Row]:
    """The rows of an answer; without types, texts stay texts."""
    readers = [_READERS.get(type_) for type_ in types]
    if not any(readers):
        return [tuple(map(_tuples, row)) for row in rows]
    return [
        tuple(_tuples(value) if read is None else read(value) for value, read in zip(row, readers, strict=True))
        for row in rows
    ]


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def from_rows(rows: Iterable[Any]) -> list[Any]:
    """Rows for JSON: lists by position, objects by name."""
    return [
        {name: plain(value) for name, value in row.items()} if isinstance(row, Mapping) else [plain(v) for v in row]
        for row in rows
    ]


def plain(value: Any) -> Any:
    """A value for JSON.

    >>> plain((1, "a")), plain(float("inf")), plain((1, float("inf"))), plain(datetime.date(2026, 11, 17))
    ([1, 'a'], 'Infinity', '[1, inf]', '2026-11-17')
    """
    if _is_variant(value) or (isinstance(value, tuple | list) and _holds_endless(value)):
        return structure_text(value)
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return _NAMES[str(value)]
    return value.isoformat() if isinstance(value, datetime.date) else value


def _is_variant(value: Any) -> bool:
    """Whether a value is algebraic, a `tidelog.Variant`."""
    return hasattr(value, "constructor") and hasattr(value, "parts")


def _holds_endless(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_holds_endless, value))
    return isinstance(value, float) and not math.isfinite(value)


def structure_text(value: Any) -> str:
    """A list, a record or an algebraic value as text, as in files.

    >>> structure_text([float("inf"), 'a "b"', (1, None, datetime.date(2026, 6, 1))])
    '[inf, "a \\\\"b\\\\"", [1, nil, 2026-06-01]]'
    """
    if _is_variant(value):
        inner = ", ".join(map(structure_text, value.parts))
        return f"${value.constructor}({inner})" if value.parts else f"${value.constructor}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(structure_text, value))}]"
    if isinstance(value, str):
        return '"' + value.translate(_ESCAPES) + '"'
    if value is None:
        return "nil"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(int(value) if isinstance(value, bool) else value)


def as_text(value: Any) -> str:
    """A value as the parameter of a URL."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(plain(value))
