"""DataFrames as rows of cells, lazily: what Spark evaluates when the rows are sent.

Law: encoding is one projection of the DataFrame, in Catalyst; a row is either encoded or carries what is wrong with it.
The values behind ids stand beside the cells, so that rows and dictionary entries come from one pass over the source
and agree even where the source gives other rows each time it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tidelog.io.spark.check import Matched, Types, bad_row, learn_types, match_columns
from tidelog.io.spark.ids import cell_column, entry_value
from tidelog.io.spark.wire import BAD, EXAMPLE, LINE, SIGN, cell_names

HASHED = ("symbol", "list")


@dataclass(frozen=True, slots=True)
class EncodedFrame:
    """Rows of a relation: c0, c1, ... are cells; v1 is the value behind the ids in c1; `bad` tells what is wrong.

    `example` is the row as it came, where it is bad; `sign` is +1 or -1. ``types`` are the relation's types with
    those that were open as the DataFrame has them. ``exact`` reads the source again, in Python, and raises at the
    first row that is wrong, with its place.
    """

    relation: str
    types: tuple[str, ...]
    frame: DataFrame
    exact: Callable[[], object] | None = None

    @property
    def hashed(self) -> tuple[int, ...]:
        """The columns whose cells are ids of dictionary entries."""
        return tuple(i for i, type_ in enumerate(self.types) if type_ in HASHED)


def encode(
    df: DataFrame,
    relation: str,
    column_names: Sequence[str] | None,
    types: Types | None,
    *,
    sign: int = 1,
    change: str | None = None,
    exact: Callable[[], object] | None = None,
) -> EncodedFrame:
    """The rows of a DataFrame for a relation; a DataError if its schema does not fit.

    ``column_names`` and ``types`` are those of the relation (None: not known yet), a type is None while it is open.
    All rows have the ``sign`` +1 or -1, or the column ``change`` says it of each; it is none of the relation's.
    """
    if column_names is None and types is not None:
        column_names = [f"c{place}" for place in range(1, len(types) + 1)]
    matched = match_columns(df, relation, column_names, change)
    learnt = learn_types(matched, relation, types)
    signs = F.col(SIGN) if change is not None else F.lit(sign).cast("bigint")
    return EncodedFrame(relation, learnt, _projected(matched, learnt, signs), exact)


def _projected(matched: Matched, types: Sequence[str], signs: Column) -> DataFrame:
    fields = matched.fields
    bad = matched.frame.withColumn(BAD, bad_row(matched, types))
    cells = [cell_column(F.col(f.name), f.dataType, t) for f, t in zip(fields, types, strict=True)]
    values = {
        f"v{i}": entry_value(F.col(f.name), f.dataType, types[i]) for i, f in enumerate(fields) if types[i] in HASHED
    }
    # A cell of a bad row is never looked at, and computing it could fail.
    good = {name: F.when(F.col(BAD).isNull(), column) for name, column in {**_numbered(cells), **values}.items()}
    return bad.select(
        *(column.alias(name) for name, column in good.items()),
        signs.alias(SIGN),
        F.make_valid_utf8(F.col(BAD)).alias(BAD),  # what a bad row holds need not be text that Python can read
        F.when(F.col(BAD).isNotNull(), F.make_valid_utf8(_shown(matched))).alias(EXAMPLE),
    )


def _numbered(cells: Sequence[Column]) -> dict[str, Column]:
    return dict(zip(cell_names(len(cells)), cells or [F.lit(1).cast("bigint")], strict=True))


def _shown(matched: Matched) -> Column:
    """The row as text, for the eye."""
    if LINE in matched.frame.columns:
        return F.concat(F.lit("`"), F.col(LINE), F.lit("`"))
    pairs = [F.col(f.name).alias(name) for f, name in zip(matched.fields, matched.names, strict=True)]
    return F.to_json(F.struct(*pairs), {"ignoreNullFields": "false"}) if pairs else F.lit("()")
