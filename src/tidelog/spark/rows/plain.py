"""Little DataFrames of whole numbers, taken through the driver: their cells are their values.

Law: what is taken here is what the projection of `encode` would give, row by row; whatever needs more than a copy (a
null, a text, a sign that is none, more rows than Catalyst took them for) is left to it. Catalyst's estimate only says
where it is worth a try: it takes the rows of a generator, and of files with runs of equal values, for far too few. So
no more than `FEW` bytes are ever read here, whatever it says. Spark needs some tenths of a second to start a job of
Python tasks, and milliseconds to hand over a few rows as Arrow batches.
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
from tidelog.spark.rows.check import Matched
from tidelog.spark.rows.tables import SIGN
from tidelog.spark.session.access import access

FEW = 4 << 20  # bytes that pass through the driver rather than start Python tasks
CELL_BYTES = 8
Signed = list[tuple[int, Cells]]


@dataclass(frozen=True, slots=True)
class Plain:
    """Where the columns of a relation stand in a DataFrame, and the sign of its rows, or where that stands."""

    places: tuple[int, ...]
    sign: int
    sign_place: int | None


def plain_columns(df: DataFrame, matched: Matched, types: Sequence[str], sign: int, change: str | None) -> Plain | None:
    """How to take the columns as they are; None if some value is not its own cell, or there are no columns."""
    whole = all(isinstance(field.dataType, T.IntegralType) for field in matched.fields)
    if not types or not whole or any(type_ != "number" for type_ in types) or set(matched.aside) - {SIGN}:
        return None
    return Plain(matched.places, sign, None if change is None else df.columns.index(change))


def few_rows(df: DataFrame, plain: Plain) -> Signed | None:
    """The rows by sign, through the driver; None if they are not few, or not all of them are taken as they are."""
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
    """All rows, if they are no more than few bytes; None where they are more, or may well be."""
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
