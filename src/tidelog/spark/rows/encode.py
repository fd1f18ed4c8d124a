"""Encode DataFrames as rows of cells, lazily: Spark evaluates the encoding when the rows are sent.

Law: encoding is one projection of the DataFrame, in Catalyst; a row is either encoded or has a description of its
problem. The values behind ids are in further columns next to the cells, so that rows and dictionary entries are
produced by one pass over the source and agree even if the source returns different rows each time it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame

from tidelog.io.nulls import NullCounts, NullPolicy
from tidelog.program.values.schema import numbered_columns
from tidelog.spark.rows.check import MatchedColumns, Types, bad_row, learn_types, match_columns
from tidelog.spark.rows.decode import outside_of
from tidelog.spark.rows.ids import Sql, cell_column, entry_value, literal
from tidelog.spark.rows.nulls import handle_nulls
from tidelog.spark.rows.plain import Plain, plain_columns
from tidelog.spark.rows.tables import BAD, EXAMPLE, LINE, SIGN, cell_names

HASHED = ("symbol", "list")


@dataclass(frozen=True, slots=True)
class EncodedArrival:
    """Rows of a relation: c0, c1, ... are cells; v1 is the value behind the ids in c1; `bad` is the problem with the
    row.

    `example` is the original row, if it is bad; `sign` is +1 or -1. ``types`` are the relation's types, with unknown
    ones set to those of the DataFrame. ``source`` is the DataFrame before encoding; ``exact`` reads it again, in
    Python, and raises at the first row that is wrong, with its place. ``plain`` is how to use the columns as they are.
    """

    relation: str
    types: tuple[str, ...]
    project: Callable[[], DataFrame]
    source: DataFrame
    exact: Callable[[], object] | None = None
    plain: Plain | None = None
    names: tuple[str, ...] | None = None  # the original names, in the order of the relation
    outside: tuple[str, ...] | None = None  # the original types; None for texts of files
    leaving: tuple[str, ...] | None = None  # the types of deleted rows, which are not remembered
    ignored: tuple[str, ...] = ()  # columns of the source that the relation does not have
    count_nulls: Callable[[], NullCounts] | None = None

    @property
    def frame(self) -> DataFrame:
        """The projection."""
        return self.project()

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
    typed: bool = True,
    nulls: NullPolicy | None = None,
) -> EncodedArrival:
    """Encode the rows of a DataFrame for a relation; raises a DataError if its schema does not fit.

    ``column_names`` and ``types`` are those of the relation (None: not known yet); a type is None while it is unknown.
    All rows have the ``sign`` +1 or -1, or the column ``change`` contains the sign of each row; it is not part of the
    relation. ``nulls`` sets how nulls are handled, if they are not refused. The names and types of deleted rows, and of
    rows that are not ``typed`` (texts of files), are not remembered.
    """
    if column_names is None and types is not None:
        column_names = numbered_columns(len(types))
    matched = match_columns(df, relation, column_names, change)
    learned_types = learn_types(matched, relation, types)
    signs = f"`{SIGN}`" if change is not None else f"CAST({sign} AS BIGINT)"
    outside = tuple(outside_of(field.dataType) for field in matched.fields) if typed else None
    names = matched.names if typed and sign > 0 else None
    plain = plain_columns(df, matched, learned_types, sign, change) if nulls is None else None
    called = column_names or matched.names
    matched, count = (matched, None) if nulls is None else handle_nulls(matched, nulls, called, learned_types, relation)
    make = partial(_projected, matched, learned_types, signs)
    came, went = (outside, None) if sign > 0 else (None, outside)
    return EncodedArrival(relation, learned_types, make, df, exact, plain, names, came, went, matched.ignored, count)


def _projected(matched: MatchedColumns, types: Sequence[str], signs: Sql) -> DataFrame:
    fields = matched.fields
    cells = [cell_column(f.name, f.dataType, t) for f, t in zip(fields, types, strict=True)] or ["1L"]
    good = dict(zip(cell_names(len(fields)), cells, strict=True))
    good |= {f"v{i}": entry_value(f.name, f.dataType, types[i]) for i, f in enumerate(fields) if types[i] in HASHED}
    return matched.frame.selectExpr("*", f"{bad_row(matched, types)} AS `{BAD}`").selectExpr(
        # A cell of a bad row is never read, and computing it could fail.
        *(f"CASE WHEN `{BAD}` IS NULL THEN {column} END AS {name}" for name, column in good.items()),
        f"{signs} AS `{SIGN}`",
        f"make_valid_utf8(`{BAD}`) AS `{BAD}`",  # the text of a bad row may be invalid UTF-8
        f"CASE WHEN `{BAD}` IS NOT NULL THEN make_valid_utf8({row_text(matched)}) END AS `{EXAMPLE}`",
    )


def row_text(matched: MatchedColumns) -> Sql:
    """The row as readable text."""
    if LINE in matched.aside:
        return f"concat('`', `{LINE}`, '`')"
    pairs = ", ".join(f"{literal(name)}, {f.name}" for f, name in zip(matched.fields, matched.names, strict=True))
    return f"to_json(named_struct({pairs}), map('ignoreNullFields', 'false'))" if pairs else "'()'"
