"""Rows in requests and responses: as JSON, and as Arrow streams.

Law: rows that are read and sent back are the same rows. In JSON a row is a list of values: numbers are exact, lists are
lists, dates and timestamps are texts in ISO 8601, records and algebraic values are texts as in files, and floats that
JSON numbers cannot express are the texts `Infinity`, `-Infinity` and `NaN`. The engine checks incoming rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from tidelog.engine.read.view import Rows, Table
from tidelog.errors import DataError
from tidelog.io.json_values import NON_FINITE, json_value
from tidelog.io.texts import read_text
from tidelog.program.values.shape import Part, Shape
from tidelog.serve import serve_failures as failures

ARROW = "application/vnd.apache.arrow.stream"
BATCH = 1 << 16  # rows of an Arrow batch
_LINE_ENDS = re.compile("[\x85\u2028\u2029]")  # many event readers treat them as line ends
Types = Sequence[str | None]
Cell = Callable[[Any], Any]


def type_names(types: Types) -> list[str]:
    """The names of types as in programs."""
    return [f"{type_ or 'any'}" for type_ in types]


def to_json(value: Any) -> bytes:
    """The text of plain values."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return _LINE_ENDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()
    except UnicodeEncodeError:  # lone surrogates
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def rows_to_json(rows: Sequence[tuple[Any, ...]], types: Types) -> list[Any]:
    """Rows as lists of plain values."""
    writers = [_writer(type_) for type_ in types]
    if not any(writers):
        return [list(row) for row in rows]
    return [
        [value if write is None else write(value) for value, write in zip(row, writers, strict=True)] for row in rows
    ]


def _writer(type_: str | None) -> Cell | None:
    return None if type_ in ("number", "unsigned", "symbol", "boolean") else lambda value: json_value(value, type_)


def rows_from_json(rows: Sequence[Any], names: Sequence[str], types: Types | None) -> list[Any]:
    """Rows in the form that the engine accepts: lists in the order of columns, objects by name.

    A value that does not fit its column stays unchanged: the engine refuses it, with relation, column and row.
    """
    readers = [] if types is None else [_reader(type_) for type_ in types]
    by_name = {_fold(name): read for name, read in zip(names, readers, strict=False)}
    return [_row(row, readers, by_name) for row in rows]


def _fold(name: str) -> str:
    """A name in the form in which it is compared with those of columns."""
    return name.strip().casefold()


def _row(row: Any, readers: Sequence[Cell], by_name: Mapping[str, Cell]) -> Any:
    if isinstance(row, dict):
        return {name: by_name.get(_fold(name), _nested)(value) for name, value in row.items()}
    if not isinstance(row, list):
        return row
    if len(row) != len(readers):
        return tuple(_nested(value) for value in row)
    return tuple(read(value) for value, read in zip(row, readers, strict=True))


def _nested(value: Any) -> Any:
    """Convert lists to tuples; the engine limits their depth."""
    return tuple(map(_nested, value)) if isinstance(value, list) else value


def _reader(type_: str | None) -> Cell:
    if type_ == "float":
        return lambda value: NON_FINITE.get(value, value) if isinstance(value, str) else value
    if type_ in ("date", "timestamp"):
        return partial(_moment, type_=type_)
    return partial(_structure, shape=type_) if isinstance(type_, Shape) else _nested


def _moment(value: Any, type_: str) -> Any:
    try:
        return read_text(value, type_) if isinstance(value, str) else value
    except DataError:
        return value


def _structure(value: Any, shape: Shape) -> Any:
    """A record from a list or an object of its parts; an algebraic value from an object as in Arrow."""
    if isinstance(value, list):
        return _parts(value, shape.constructors.get("", ()))
    if not isinstance(value, dict) or shape.is_record:
        return _parts(value, shape.fields) if isinstance(value, dict) else value
    inside = {name: _parts(value[name], parts) for name, parts in shape.constructors.items() if name in value}
    return {**value, **inside}


def _parts(values: Any, fields: Sequence[Part]) -> Any:
    if isinstance(values, dict):
        readers = {field.name: _reader(field.type) for field in fields}
        return {name: readers.get(name, _nested)(value) for name, value in values.items()}
    if not isinstance(values, list) or len(values) != len(fields):
        return _nested(values)
    return tuple(_reader(field.type)(value) for value, field in zip(values, fields, strict=True))


def value_from_text(text: str, type_: str | None) -> Any:
    """The value of a column from a query parameter."""
    if type_ is None or type_ == "symbol":
        return text
    if isinstance(type_, Shape):
        return text
    try:
        return NON_FINITE[text] if type_ == "float" and text in NON_FINITE else read_text(text, type_)
    except (ValueError, DataError):
        raise failures.NOT_AS_DESCRIBED.error(place=text[:80], what=f"is not of type {type_}") from None


def arrow_stream(table: Rows) -> Iterator[bytes]:
    """The rows as an Arrow stream, one batch at a time."""
    first = table_part(table, 0, BATCH).to_arrow()
    sink = _Parts()
    with pa.ipc.new_stream(sink, first.schema) as writer:
        for start in range(0, max(1, len(table)), BATCH):
            part = first if not start else table_part(table, start, BATCH).to_arrow()
            writer.write_table(part.cast(first.schema) if start else part)
            yield sink.taken()
    yield sink.taken()


def table_part(table: Table, first: int, count: int) -> Rows:
    """Some rows of a table, which later epochs do not change."""
    return Rows("rows", table.columns, table.types, table._dictionary, table._some_cells(first, count), table.outside)


class _Parts:
    """A sink that returns the bytes written to it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.closed = False

    def write(self, data: Any) -> int:
        """Append bytes."""
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def taken(self) -> bytes:
        """The bytes written since the last call."""
        found, self._parts = b"".join(self._parts), []
        return found

    def flush(self) -> None:
        """Do nothing: nothing is buffered."""

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
        self.closed = True

    def writable(self) -> bool:
        """True."""
        return True

    def readable(self) -> bool:
        """False."""
        return False

    def seekable(self) -> bool:
        """False."""
        return False


def table_from_arrow(body: bytes) -> pa.Table:
    """The rows of an Arrow stream; it is validated as a whole, because clients are not trusted."""
    try:
        with pa.ipc.open_stream(body) as reader:
            table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise failures.NOT_ARROW.error(error=str(error).partition("\n")[0][:200]) from None
    return table
