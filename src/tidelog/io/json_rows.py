"""Rows as JSON: one object or list of values per line, or one list of rows.

Law: reading what was written gives the same values. An object's fields are the columns of the relation by their names,
a list's elements by their order. The format of values is defined in `json_values`. A row that does not fit is reported
with its line, and then nothing of the file is used; nulls are refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tidelog.errors import DataError
from tidelog.io import io_failures as failures
from tidelog.io.bad_rows import BadRows
from tidelog.io.delimited import not_text
from tidelog.io.json_path import NotApplicable, Step, read_path, select_values
from tidelog.io.json_values import NON_FINITE, json_value
from tidelog.io.match_names import find_names, other_names, report_ignored
from tidelog.io.texts import read_list, read_text
from tidelog.io.values import column_type, show_value
from tidelog.program.values.shape import Shape
from tidelog.program.values.term import NAN

_WHITE = " \t\r\n"
SHOWN_FIELDS = 12
_NON_FINITE = {**NON_FINITE, "nan": NAN, "inf": math.inf, "-inf": -math.inf}


@dataclass(frozen=True, slots=True)
class JsonShape:
    """The layout of a text: the relation's columns, and the name of the file."""

    where: str
    relation: str
    names: tuple[str, ...]
    types: tuple[str | None, ...]
    nulls: tuple[int, ...] = ()  # the columns that may be null
    path: str | None = None  # which values of a document are rows; None if each is one


def read_json(data: bytes, shape: JsonShape) -> list[tuple[Any, ...]]:
    """The rows of a text; columns of open type are typed by their values.

    >>> shape = JsonShape("p.json", "p", ("x", "y"), ("number", "symbol"))
    >>> read_json(b'{"x": 1, "y": "a"}\\n[2, "b"]\\n', shape)
    [(1, 'a'), (2, 'b')]
    """
    bad, rows = BadRows(), []
    lines: list[int | str] = []
    matcher = _Matcher(shape)
    text = _decode(data, shape)
    found: Iterator[tuple[int | str, Any]] = (
        _values(text, shape) if shape.path is None else _selected_values(text, shape.path, shape)
    )
    for line, value in found:
        try:
            rows.append(_row(value, line, shape, matcher))
            lines.append(line)
        except DataError as error:
            bad.add(error)
    bad.raise_if_any()
    matcher.report()
    _check_open(rows, lines, shape)
    return rows


def _decode(data: bytes, shape: JsonShape) -> str:
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_text(error, data, shape.where) from None


def _values(text: str, shape: JsonShape) -> Iterator[tuple[int, Any]]:
    """The rows with their lines: consecutive values, or those of one list of rows."""
    decoder = json.JSONDecoder(parse_constant=_NON_FINITE.__getitem__)
    at, line = _skip(text, 0, 1)
    inside = shape.path is None and at < len(text) and text[at] == "[" and _begins_a_row(text, at)
    if inside:
        at, line = _skip(text, at + 1, line)
        if text[at : at + 1] == "]":
            at, line, inside = *_skip(text, at + 1, line), False
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise _not_json(error, text, at, line, shape) from None
        yield line, value
        line += text.count("\n", at, end)
        at, line = _skip(text, end, line)
        if inside:
            at, line, inside = _after(text, at, line, shape)
    if inside:
        raise failures.NOT_JSON.error(where=shape.where, line=line, error="the list of rows is not closed")


def _selected_values(text: str, path: str, shape: JsonShape) -> Iterator[tuple[str, Any]]:
    """The rows that a path selects, with their places; a path that no document has is refused.

    In a relation with one column, a value that is not an object or a list is a row, too.
    """
    steps, matched = read_path(path), False
    without_match: list[Any] = []  # the documents before the first match
    for line, document in _values(text, shape):
        if not matched:
            without_match.append(document)
        try:
            for found in select_values(document, steps):
                matched = True
                is_value = len(shape.names) == 1 and not isinstance(found.value, dict | list)
                yield f"{line}, {found.place or 'document'}", [found.value] if is_value else found.value
        except NotApplicable as error:
            place, expected = error.args
            at = f"{line}, {place or 'document'}"
            raise failures.JSON_PATH_STEP.error(where=shape.where, line=at, path=path, expected=expected) from None
    if not matched and (missing := _missing_step(without_match, steps)) is not None:
        raise failures.JSON_PATH.error(where=shape.where, path=path, missing=missing)


def _missing_step(documents: list[Any], steps: tuple[Step, ...]) -> str | None:
    """A description of the step that no document has; None if all were found and only lists and objects were empty."""
    for count in range(1, len(steps) + 1):
        before = [found.value for document in documents for found in select_values(document, steps[: count - 1])]
        step = steps[count - 1]
        if step is not None and before and not any(_has_step(value, step) for value in before):
            if isinstance(step, int):
                return f"no list there has an element {step}"
            fields = list(dict.fromkeys(name for value in before for name in value))
            return f"no object there has a field `{step}`; the fields are {_list_fields(fields[:SHOWN_FIELDS])}"
    return None


def _has_step(value: Any, step: str | int) -> bool:
    return step < len(value) if isinstance(step, int) else step in value


def _skip(text: str, at: int, line: int) -> tuple[int, int]:
    while at < len(text) and text[at] in _WHITE:
        line += text[at] == "\n"
        at += 1
    return at, line


def _begins_a_row(text: str, at: int) -> bool:
    """Whether a list is a list of rows: it is empty, or its first element is an object or a list."""
    first, _ = _skip(text, at + 1, 1)
    return text[first : first + 1] in ("{", "[", "]")


def _after(text: str, at: int, line: int, shape: JsonShape) -> tuple[int, int, bool]:
    """Move past the comma between two rows of a list, or past its end."""
    mark = text[at : at + 1]
    if mark == "]":
        at, line = _skip(text, at + 1, line)
        if at < len(text):
            raise failures.NOT_JSON.error(where=shape.where, line=line, error="something follows the list of rows")
        return at, line, False
    if mark != ",":
        raise failures.NOT_JSON.error(where=shape.where, line=line, error="expected `,` or `]` after a row")
    at, line = _skip(text, at + 1, line)
    return at, line, True


def _holds_row(text: str, at: int) -> bool:
    """Whether a whole row follows a line break."""
    start, _ = _skip(text, at, 1)
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict | list)


def _not_json(error: Exception, text: str, at: int, line: int, shape: JsonShape) -> DataError:
    place = getattr(error, "pos", at)
    end = text.find("\n", at, place)
    if end >= 0 and _holds_row(text, end):  # one row per line: the mistake is in the line where the row began
        place = end
    message = getattr(error, "msg", None) or ("nested too deeply" if isinstance(error, RecursionError) else str(error))
    return failures.NOT_JSON.error(where=shape.where, line=line + text.count("\n", at, place), error=message)


class _Matcher:
    """Matches the fields of objects with the columns of a relation; most objects of a file have the same fields."""

    def __init__(self, shape: JsonShape) -> None:
        self._shape = shape
        self._fields_by_names: dict[tuple[str, ...], list[str] | None] = {}

    def fields(self, value: dict[str, Any]) -> list[str] | None:
        """The fields in the order of the columns; None if the object lacks one."""
        names = tuple(value)
        if names not in self._fields_by_names:
            places = find_names(self._shape.names, names) if self._shape.names else ()
            self._fields_by_names[names] = None if places is None else [names[place] for place in places]
        return self._fields_by_names[names]

    def report(self) -> None:
        """Warn of the fields that are not columns."""
        ignored = tuple(
            dict.fromkeys(name for own in self._fields_by_names for name in other_names(self._shape.names, own))
        )
        report_ignored(self._shape.where, self._shape.relation, ignored)


def _row(value: Any, line: int | str, shape: JsonShape, matcher: _Matcher) -> tuple[Any, ...]:
    if isinstance(value, dict):
        fields = matcher.fields(value)
        if fields is None:
            raise _misfit(line, shape, f"an object with {_list_fields(value)}")
        cells = [value[name] for name in fields]
    elif isinstance(value, list) and len(value) == len(shape.names):
        cells = value
    else:
        raise _misfit(line, shape, f"{show_value(value)}")
    return tuple(_cell(cell, place, line, shape) for place, cell in enumerate(cells))


def _list_fields(fields: Any) -> str:
    return ", ".join(f"`{name}`" for name in fields) or "no fields"


def _misfit(line: int | str, shape: JsonShape, row_text: str) -> DataError:
    return failures.JSON_ROW.error(
        where=shape.where, line=line, relation=shape.relation, names=", ".join(shape.names), found=row_text
    )


def _cell(value: Any, place: int, line: int | str, shape: JsonShape) -> Any:
    type_ = shape.types[place]
    if value is None and place in shape.nulls:
        return None
    if value is None:
        raise failures.NULL_IN_JSON.error(where=shape.where, line=line, name=shape.names[place])
    try:
        return _to_tuples(value) if type_ is None else _reader(type_)(value)
    except (TypeError, ValueError, DataError):
        raise _no_value(line, shape.names[place], value, type_ or "any", shape) from None


def _no_value(line: int | str, name: str, value: Any, type_: str, shape: JsonShape) -> DataError:
    return failures.JSON_VALUE.error(where=shape.where, line=line, name=name, value=show_value(value), type=type_)


def _exactly(*kinds: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) not in kinds:
            raise TypeError
        return value

    return read


def _whole(least: int, end: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is bool:
            return int(value)
        if type(value) is not int or not least <= value < end:
            raise TypeError
        return value

    return read


def _float(value: Any) -> float:
    if isinstance(value, str) and value in _NON_FINITE:
        return _NON_FINITE[value]
    if type(value) not in (int, float):
        raise TypeError
    return float(value)


def _boolean(value: Any) -> bool:
    if value not in (0, 1) or isinstance(value, float | str):
        raise TypeError
    return bool(value)


def _to_tuples(value: Any) -> Any:
    """Convert lists to tuples; their elements have no declared type."""
    if isinstance(value, dict):
        raise TypeError
    if not isinstance(value, list):
        return value
    if any(part is None or isinstance(part, dict | bool) for part in value):
        raise TypeError
    return tuple(_to_tuples(part) for part in value)


def _list(value: Any) -> tuple[Any, ...]:
    if isinstance(value, str):
        return read_list(value)
    if not isinstance(value, list):
        raise TypeError
    items: tuple[Any, ...] = _to_tuples(value)
    return items


def _from_text(type_: str) -> Callable[[Any], Any]:
    return lambda value: read_text(_exactly(str)(value), type_)


def _reader(type_: str) -> Callable[[Any], Any]:
    return _from_text(type_) if isinstance(type_, Shape) else _READERS[type_]


_READERS: dict[str, Callable[[Any], Any]] = {
    "number": _whole(-(1 << 63), 1 << 63),
    "unsigned": _whole(0, 1 << 64),
    "float": _float,
    "symbol": _exactly(str),
    "list": _list,
    "boolean": _boolean,
    "date": _from_text("date"),
    "timestamp": _from_text("timestamp"),
}


def _check_open(rows: list[tuple[Any, ...]], lines: Sequence[int | str], shape: JsonShape) -> None:
    """Check that the values of each column of open type have one common type."""
    bad = BadRows()
    for place, (name, type_) in enumerate(zip(shape.names, shape.types, strict=True)):
        if type_ is not None or not rows:
            continue
        present = [row[place] for row in rows if row[place] is not None]
        own = column_type(present, f"{shape.where}: column `{name}`") if present else "symbol"
        for line, row in zip(lines, rows, strict=True):
            if row[place] is None:
                continue
            try:
                _READERS[own](list(row[place]) if isinstance(row[place], tuple) else row[place])
            except TypeError:
                bad.add(_no_value(line, name, row[place], own, shape))
    bad.raise_if_any()


def write_json(table: pa.Table, types: Sequence[str | None]) -> bytes:
    """The rows of a table as objects, one per line; lists in the table may be texts.

    >>> write_json(pa.table({"x": [1], "y": [float("inf")]}), ("number", "float"))
    b'{"x": 1, "y": "Infinity"}\\n'
    """
    names = table.column_names if types else []
    columns = [_json_values(column.to_pylist(), type_) for column, type_ in zip(table.columns, types, strict=False)]
    rows = zip(*columns, strict=True) if names else [()] * table.num_rows
    lines = (json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows)
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")


def _json_values(values: list[Any], type_: str | None) -> list[Any]:
    if type_ == "list":
        values = [read_list(value) if isinstance(value, str) else value for value in values]
    return [json_value(value) for value in values] if type_ in ("float", "date", "timestamp", "list") else values
