"""Rows of a micro-batch that do not fit their relation, put aside.

Law: the rows that are put aside are those that would refuse the batch, each with its reason, as JSON in one folder per
batch; a batch that Spark repeats replaces its folder. All other rows remain. A problem of all rows of a DataFrame, such
as a missing column, still refuses the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pyspark.sql import DataFrame

from tidelog.spark.rows.check import Types, bad_row, learn_types, match_columns
from tidelog.spark.rows.encode import row_text
from tidelog.spark.rows.tables import BAD, SIGN


@contextmanager
def fitting_rows(
    batch: DataFrame, relation: str, names: Sequence[str] | None, types: Types | None, change: str | None, folder: str
) -> Iterator[DataFrame]:
    """The rows that fit, with the columns of the relation; the others, if there are any, are written to a folder."""
    matched = match_columns(batch, relation, names, change)
    reason = bad_row(matched, learn_types(matched, relation, types))
    tested = matched.frame.selectExpr("*", f"{reason} AS `{BAD}`").persist()  # read twice
    try:
        bad = tested.where(f"`{BAD}` IS NOT NULL")
        if not bad.isEmpty():
            row, why = f"make_valid_utf8({row_text(matched)}) AS row", f"make_valid_utf8(`{BAD}`) AS reason"
            bad.selectExpr(row, why).write.mode("overwrite").json(folder)
        kept = tested.where(f"`{BAD}` IS NULL").drop(BAD)
        yield kept.toDF(*matched.names, *(change or "" if name == SIGN else name for name in matched.aside))
    finally:
        tested.unpersist()
