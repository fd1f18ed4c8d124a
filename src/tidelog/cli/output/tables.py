"""Rows in the order in which they are shown and written: by all columns, with symbols and lists ordered by their text.

Law: the order depends only on the rows' content, so that two runs that find the same facts write the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa

from tidelog.engine.read.view import Table, text_table
from tidelog.io.late import compute
from tidelog.io.vectors import Vector, to_vector


def ordered_table(rows: Table, *, lists_as_text: bool = True, packed: bool = False) -> pa.Table:
    """The rows in order, as Arrow; lists as text, as in files, or unchanged.

    With ``packed``, a column of symbols holds each distinct text once.
    """
    texts = text_table(rows, packed=True)
    order = None if rows.is_ordered else _order(texts)
    table = texts if lists_as_text else rows.to_arrow()
    table = table if order is None else table.take(order)
    return table if packed else _unpacked(table)


def ordered_rows(rows: Table) -> list[tuple[Any, ...]]:
    """The rows in order, as Python values."""
    found = rows.rows()
    order = None if rows.is_ordered else _order(text_table(rows, packed=True))
    return found if order is None else [found[i] for i in order.to_pylist()]


def in_order(table: pa.Table) -> pa.Table:
    """A table sorted by all columns that have an order."""
    order = _order(table)
    return table if order is None else table.take(order)


def _unpacked(table: pa.Table) -> pa.Table:
    """The table with every text in its row."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(field.type.value_type))
    return table


def _order(table: pa.Table) -> pa.Array | None:
    columns = [column for column in table.columns if not pa.types.is_nested(column.type)]
    if not columns or table.num_rows < 2:
        return None
    if all(pa.types.is_dictionary(column.type) or column.type == pa.int64() for column in columns):
        return pa.array(_order_of_numbers([_numbers(column) for column in columns]))
    table = _unpacked(table)
    keys = [(f.name, "ascending") for f in table.schema if not pa.types.is_nested(f.type)]
    return compute.sort_indices(table, sort_keys=keys)


def _numbers(column: pa.ChunkedArray) -> Vector:
    """Numbers in the order of a column's values: for texts, the place of each among the distinct ones in order."""
    if not pa.types.is_dictionary(column.type):
        return to_vector(column, np.int64)
    chunk = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    order = to_vector(compute.sort_indices(chunk.dictionary), np.uint64)
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places[to_vector(chunk.indices, np.int64)]


def _order_of_numbers(columns: Sequence[Vector]) -> Vector:
    """The order of rows by all columns; those of few values are compared as one number."""
    least = [int(column.min()) for column in columns]
    widths = [int(column.max()) - low + 1 for column, low in zip(columns, least, strict=True)]
    if prod(widths) >= 1 << 63:
        return np.lexsort(columns[::-1])
    key = np.zeros(len(columns[0]), np.int64)
    for column, low, width in zip(columns, least, widths, strict=True):
        key *= width
        key += column - low
    return np.argsort(key)
