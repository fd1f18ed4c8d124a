"""Rows in any form that Python people have them, as a matrix of cells.

Accepted: an iterable of tuples, an Arrow table or record batch, a pandas data frame, a two-dimensional numpy array.
Law: rows become cells all together or not at all; the types of a relation's columns are those known, or those of the
first data that comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from tidelog.errors import DataError
from tidelog.io import failures
from tidelog.io.columns import (
    arrow_column_type,
    encode_arrow,
    encode_column,
    float_cells,
    value_type,
)
from tidelog.kernel.cells import Cells
from tidelog.partition.dictionary import Dictionary

Types = Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Data:
    """Rows as columns: Python lists or Arrow columns, with names where they came with names."""

    columns: tuple[Any, ...]
    length: int
    names: tuple[str, ...] | None = None


def read_rows(relation: str, data: object) -> Data:
    """Take rows in any accepted form apart into columns."""
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if type(data).__module__.split(".")[0] == "pandas":
        data = pa.Table.from_pandas(data, preserve_index=False)
    if isinstance(data, pa.Table):
        return Data(tuple(data.columns), data.num_rows, tuple(data.column_names))
    if isinstance(data, np.ndarray):
        if data.ndim != 2:
            raise failures.ARRAY_DIMENSIONS.error(relation=relation, dimensions=data.ndim)
        return Data(tuple(data.T), len(data))
    if isinstance(data, str | bytes | dict) or not isinstance(data, Iterable):
        raise failures.NOT_ROWS.error(relation=relation, found=type(data).__name__)
    return _read_tuples(relation, data)


def _read_tuples(relation: str, data: Iterable[Any]) -> Data:
    rows = data if isinstance(data, list | tuple) else list(data)
    if not rows:
        return Data((), 0)
    even = {tuple, list}.issuperset(map(type, rows)) and len(set(map(len, rows))) == 1
    for number, row in enumerate(() if even else rows, 1):
        if not isinstance(row, tuple | list):
            raise failures.NOT_A_ROW.error(relation=relation, number=number, shown=f"{row!r}"[:80])
        if len(row) != len(rows[0]):
            shown, columns = f"{row!r}"[:80], len(rows[0])
            raise failures.UNEVEN_ROW.error(relation=relation, number=number, shown=shown, columns=columns)
    return Data(tuple(list(map(itemgetter(place), rows)) for place in range(len(rows[0]))), len(rows))


def in_order(rows: Data, names: Sequence[str], relation: str) -> Data:
    """Columns that come with exactly the names of the relation's columns are matched by name, others by position."""
    if rows.names is None or set(rows.names) != set(names) or len(rows.names) != len(names):
        return rows
    by_name = dict(zip(rows.names, rows.columns, strict=True))
    return Data(tuple(by_name[name] for name in names), rows.length, tuple(names))


def data_types(relation: str, rows: Data) -> tuple[str, ...]:
    """The types that the columns have by themselves."""
    found = []
    for number, column in enumerate(rows.columns, 1):
        where = f"{relation}, column {number}"
        if isinstance(column, pa.ChunkedArray):
            found.append(arrow_column_type(column.type, where))
        elif len(column) and column[0] is None:
            raise failures.NULL.error(where=where, row=1)
        else:
            found.append(_column_type(column, where))
    return tuple(found)


def _column_type(column: Any, where: str) -> str:
    try:
        kinds = {value_type(v) for v in (column[:1] if isinstance(column, np.ndarray) else column[:100])}
    except DataError as error:
        raise error.reworded(f"{where}: {error}") from error
    if kinds == {"number", "float"}:
        return "float"
    return "unsigned" if kinds == {"number", "unsigned"} else value_type(column[0])


def encode_rows(relation: str, rows: Data, types: Sequence[str], dictionary: Dictionary) -> Cells:
    """The cells of all rows: one line per row."""
    matrix: Cells = np.empty((rows.length, len(types)), np.int64)
    for place, (column, type_) in enumerate(zip(rows.columns, types, strict=True)):
        where = f"{relation}, column {place + 1}"
        if isinstance(column, pa.ChunkedArray):
            matrix[:, place] = encode_arrow(column, type_, dictionary, where)
        elif isinstance(column, np.ndarray):
            matrix[:, place] = _encode_numpy(column, type_, dictionary, where)
        else:
            matrix[:, place] = encode_column(column, type_, dictionary, where)
    return matrix


def _encode_numpy(column: Any, type_: str, dictionary: Dictionary, where: str) -> Cells:
    if type_ == "number" and column.dtype.kind == "i":
        cells: Cells = column.astype(np.int64)
        return cells
    if type_ == "float" and column.dtype.kind == "f":
        return float_cells(np.ascontiguousarray(column, np.float64))
    return encode_column(column.tolist(), type_, dictionary, where)
