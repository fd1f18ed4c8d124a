"""Rows in any form that is common in Python, as a matrix of cells.

Accepted: tuples, lists or dicts one by one, and the tables of other libraries (`tables`).
Law: rows become cells all together or not at all; the types of a relation's columns are the known ones, or those of the
first data. A value means the same in every container and in every order of the rows.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from tidelog.errors import DataError
from tidelog.io import io_failures as failures
from tidelog.io.columns import arrow_column_type, encode_arrow, encode_column, float_cells
from tidelog.io.match_names import list_names, match_names
from tidelog.io.nulls import NullCounts, NullPolicy, handle_nulls
from tidelog.io.tables import read_table
from tidelog.io.unread import UnreadRows
from tidelog.io.values import column_type
from tidelog.kernel.cells import Cells
from tidelog.partition.base.block import Block
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.types.ground import in_column

Types = Sequence[str | None]
SHOWN = 80


@dataclass(frozen=True, slots=True)
class Data:
    """Rows as columns: Python lists or Arrow columns, with names where they came with names.

    ``by_name``: columns are identified by name, so that names which the relation does not have are refused.
    """

    columns: tuple[Any, ...]
    length: int
    names: tuple[str, ...] | None = None
    by_name: bool = False
    until: int | None = None  # when the facts expire, if they do
    typed: bool = True  # whether Arrow columns have explicit types
    nulls: NullPolicy | None = None  # how nulls are handled, unless they are refused
    written: bool = False  # whether values were written in the language, and get the types of their columns
    unread: UnreadRows | None = None  # rows that are read when they are encoded; the columns are empty until then


def read_rows(relation: str, data: object, nulls: NullPolicy | None = None) -> Data:
    """Convert rows in any accepted form to columns; ``nulls`` is applied when their types are known."""
    if isinstance(data, UnreadRows):
        return Data(data.columns(), 1, data.names, typed=False, nulls=nulls, unread=data)
    table = None if type(data) is list else read_table(relation, data, missing=nulls is not None)
    if table is not None:
        return Data(table.columns, table.length, table.names, typed=table.typed, nulls=nulls)
    if isinstance(data, str | bytes | dict) or not isinstance(data, Iterable):
        raise failures.NOT_ROWS.error(relation=relation, found=_kind(data))
    rows = data if isinstance(data, list | tuple) else list(data)
    if not rows:
        return Data((), 0)
    rows_data = _read_dicts(relation, rows) if isinstance(rows[0], dict) else _read_tuples(relation, rows)
    return rows_data if nulls is None else replace(rows_data, nulls=nulls)


def _kind(data: object) -> str:
    """What was passed instead of rows."""
    name = type(data).__name__
    return f"a {name}: call its `collect()` first" if hasattr(data, "collect") else name


def _read_tuples(relation: str, rows: Sequence[Any]) -> Data:
    even = {tuple, list}.issuperset(map(type, rows)) and len(set(map(len, rows))) == 1
    for number, row in enumerate(() if even else rows, 1):
        if not isinstance(row, tuple | list):
            single = isinstance(rows, tuple) and not any(isinstance(each, tuple | list) for each in rows)
            advice = (
                "Put a single row into a list: `[(1, 2)]`." if single else "Write a row of one value as `(value,)`."
            )
            raise failures.NOT_A_ROW.error(relation=relation, number=number, shown=f"{row!r}"[:SHOWN], advice=advice)
        if len(row) != len(rows[0]):
            abbreviated, columns = f"{row!r}"[:SHOWN], len(rows[0])
            raise failures.UNEVEN_ROW.error(relation=relation, number=number, shown=abbreviated, columns=columns)
    return Data(tuple(list(map(itemgetter(place), rows)) for place in range(len(rows[0]))), len(rows))


def _read_dicts(relation: str, rows: Sequence[Any]) -> Data:
    """Convert dicts, which must all have the same keys."""
    names = tuple(rows[0])
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or row.keys() != rows[0].keys():
            abbreviated, listed = f"{row!r}"[:SHOWN], ", ".join(f"`{name}`" for name in names)
            raise failures.UNEVEN_NAMES.error(relation=relation, number=number, shown=abbreviated, names=listed)
    return Data(tuple([row[name] for row in rows] for name in names), len(rows), tuple(map(str, names)), True)


def order_columns(rows: Data, names: Sequence[str], relation: str) -> Data:
    """The columns in the order of the relation's columns: by name or by position (`match_names`)."""
    if rows.names is None:
        return rows
    places = match_names(relation, names, rows.names) if names else None
    if places is None:
        if rows.by_name:
            own, names_found = list_names(names), list_names(rows.names)
            raise failures.OTHER_NAMES.error(relation=relation, names=names_found, own=own or "not known yet")
        return rows
    unread = None if rows.unread is None else rows.unread.select(places)
    columns = tuple(rows.columns[place] for place in places)
    return replace(rows, columns=columns, names=tuple(names), by_name=False, unread=unread)


def without_nulls(rows: Data, names: Sequence[str], types: Types, relation: str) -> tuple[Data, NullCounts]:
    """Apply the null policy of the rows; returns the rows and the counts."""
    if rows.nulls is None or not rows.length or len(rows.columns) != len(names):
        return rows, NullCounts()
    columns, length, counts = handle_nulls(rows.nulls, rows.columns, names, types, relation)
    return replace(rows, columns=tuple(columns), length=length, nulls=None), counts


def data_types(relation: str, rows: Data, declared: Types) -> tuple[str, ...]:
    """The types of columns: the declared ones, otherwise those of their values."""
    types = []
    for number, (column, type_) in enumerate(zip(rows.columns, declared, strict=True), 1):
        where = f"{relation}, column {number}"
        if type_ is not None:
            types.append(type_)
        elif isinstance(column, pa.ChunkedArray):
            types.append(arrow_column_type(column.type, where))
        else:
            types.append(column_type(_decisive_values(column) if rows.written else column, where))
    return tuple(types)


def _decisive_values(column: Sequence[Any]) -> Sequence[Any]:
    """The written values that determine the type of their column: next to dates, a quoted text is a date, too.

    >>> _decisive_values(["2026-06-01", datetime.date(2026, 6, 2)]), _decisive_values([True, "a"])
    ([datetime.date(2026, 6, 2)], ['a'])
    """
    texts = [value for value in column if isinstance(value, str)]
    others = [value for value in column if not isinstance(value, str)]
    if texts and others and all(isinstance(value, datetime.date) for value in others):
        return others
    return texts if texts and all(isinstance(value, bool) for value in others) else column


def encode_rows(relation: str, rows: Data, types: Sequence[str], dictionary: Dictionary) -> Cells:
    """The cells of all rows: one line per row."""
    if rows.unread is not None:
        return _encode_tables(relation, rows.unread, types, dictionary)
    matrix: Cells = np.empty((rows.length, len(types)), np.int64)
    for place, (column, type_) in enumerate(zip(rows.columns, types, strict=True)):
        where = f"{relation}, column {place + 1}"
        column = _convert_values(column, type_, where) if rows.written else column
        if isinstance(column, pa.ChunkedArray):
            matrix[:, place] = encode_arrow(column, type_, dictionary, where)
        elif isinstance(column, np.ndarray):
            matrix[:, place] = _encode_numpy(column, type_, dictionary, where)
        else:
            matrix[:, place] = encode_column(column, type_, dictionary, where)
    return matrix


def _encode_tables(relation: str, rows: UnreadRows, types: Sequence[str], dictionary: Dictionary) -> Cells:
    """The cells of rows that are read now, in memory that the system gets back as soon as they are facts."""
    block, length = Block(np.empty((0, len(types)), np.int64)), 0
    for table in rows.tables():
        cells = encode_rows(relation, Data(tuple(table.columns), table.num_rows), types, dictionary)
        first, length = length, length + len(cells)
        block.resize(length)[first:] = cells
    pa.default_memory_pool().release_unused()
    found: Cells = block.array
    return found


def _convert_values(column: Sequence[Any], type_: str, where: str) -> list[Any]:
    """Convert written values to values of the column's type."""
    values = []
    for row, value in enumerate(column, 1):
        try:
            values.append(in_column(value, type_))
        except DataError as error:
            raise error.reworded(f"{where}: row {row}: {error}") from error
    return values


def _encode_numpy(column: Any, type_: str, dictionary: Dictionary, where: str) -> Cells:
    if type_ == "number" and column.dtype.kind == "i":
        cells: Cells = column.astype(np.int64)
        return cells
    if type_ == "float" and column.dtype.kind == "f":
        return float_cells(np.ascontiguousarray(column, np.float64))
    return encode_column(column.tolist(), type_, dictionary, where)
