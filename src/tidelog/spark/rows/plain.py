"""Small DataFrames of integers, read by the driver: their cells are their values.

Law: the cells read here are those that the projection of `encode` would produce, row by row; rows that need more than a
copy (a null, a text, an invalid sign, more rows than Catalyst estimated) are left to it. Catalyst's estimate only
decides whether an attempt is worthwhile: it is far too low for the rows of a generator and for files with runs of equal
values. So no more than `FEW` bytes are ever read here, whatever the estimate. Spark needs some tenths of a second to
start a job of Python tasks, and milliseconds to deliver a few rows as Arrow batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from tidelog.io.vectors import to_vector
from tidelog.kernel.cells import Cells
from tidelog.spark.rows.check import MatchedColumns
from tidelog.spark.rows.tables import SIGN
from tidelog.spark.session.access import access

FEW = 4 << 20  # bytes up to which rows pass through the driver instead of Python tasks
CELL_BYTES = 8
SignedCells = list[tuple[int, Cells]]


@dataclass(frozen=True, slots=True)
class Plain:
    """The positions of a relation's columns in a DataFrame, and the sign of its rows or the position of that column."""

    places: tuple[int, ...]
    sign: int
    sign_place: int | None


def plain_columns(
    df: DataFrame, matched: MatchedColumns, types: Sequence[str], sign: int, change: str | None
) -> Plain | None:
    """How to use the columns unchanged; None if a value is not its own cell, or there are no columns."""
    whole = all(isinstance(field.dataType, T.IntegralType) for field in matched.fields)
    if not types or not whole or any(type_ != "number" for type_ in types) or set(matched.aside) - {SIGN}:
        return None
    if change is None:
        return Plain(matched.places, sign, None)
    place = df.columns.index(change)
    whole = isinstance(df.schema.fields[place].dataType, T.IntegralType)  # otherwise the kind of change, as a text
    return Plain(matched.places, sign, place) if whole else None


def few_rows(df: DataFrame, plain: Plain) -> SignedCells | None:
    """The rows by sign, read by the driver; None if there are too many, or if some cannot be used unchanged."""
    table = _few(df)
    if table is None or any(column.null_count for column in table.columns):
        return None
    rows = np.empty((table.num_rows, len(plain.places)), np.int64)
    for to, place in enumerate(plain.places):
        rows[:, to] = _numbers(table, place)
    if plain.sign_place is None:
        return [(plain.sign, rows)]
    signs = _numbers(table, plain.sign_place)
    if not np.isin(signs, (1, -1)).all():
        return None
    return [(sign, np.ascontiguousarray(rows[signs == sign])) for sign in (1, -1)]


def _few(df: DataFrame) -> pa.Table | None:
    """All rows, if they have at most `FEW` bytes; None if they have more, or probably have."""
    session = access(df.sparkSession)
    if session.estimated_size(df) > FEW:
        return None
    most = FEW // (CELL_BYTES * max(1, len(df.columns)))
    known = session.most_rows(df)
    if known is not None and known <= most:
        return df.toArrow()
    found = df.limit(most + 1).toArrow()
    return found if found.num_rows <= most else None


def _numbers(table: pa.Table, place: int) -> Cells:
    return to_vector(table.column(place).cast(pa.int64()), np.int64)
