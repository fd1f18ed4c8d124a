"""Rows in the order in which they are shown and written: by all columns, with symbols and lists ordered by their text.

Law: the order depends only on the rows' content, so that two runs that find the same facts write the same bytes.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tidelog.engine.read.view import Table, text_table
from tidelog.io.late import compute


def ordered_table(rows: Table, *, lists_as_text: bool = True) -> pa.Table:
    """The rows in order, as Arrow; lists as text, as in files, or unchanged."""
    texts = text_table(rows)
    table = texts if lists_as_text else rows.to_arrow()
    order = None if rows.is_ordered else _order(texts)
    return table if order is None else table.take(order)


def ordered_rows(rows: Table) -> list[tuple[Any, ...]]:
    """The rows in order, as Python values."""
    found = rows.rows()
    order = None if rows.is_ordered else _order(text_table(rows))
    return found if order is None else [found[i] for i in order.to_pylist()]


def in_order(table: pa.Table) -> pa.Table:
    """A table sorted by all columns that have an order."""
    order = _order(table)
    return table if order is None else table.take(order)


def _order(table: pa.Table) -> pa.Array | None:
    keys = [(f.name, "ascending") for f in table.schema if not pa.types.is_nested(f.type)]
    return compute.sort_indices(table, sort_keys=keys) if keys and table.num_rows > 1 else None
