"""Nulls of DataFrames: skipped or replaced by Spark, in the pass that sends the rows.

Law (D37): a policy means what it means in `io.nulls`. Skipped and replaced rows are counted by the same job (Spark's
observed metrics), so that the counts are those of the rows that were sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tidelog.errors import DataError
from tidelog.io.nulls import NullCounts, NullPolicy
from tidelog.io.texts import read_text, show_text
from tidelog.spark.rows.check import MatchedColumns
from tidelog.spark.rows.ids import ENCODED_LIST, Sql, literal

SKIPPED = "skipped"


def handle_nulls(
    matched: MatchedColumns, policy: NullPolicy, names: Sequence[str], types: Sequence[str], where: str
) -> tuple[MatchedColumns, Callable[[], NullCounts]]:
    """The columns after a policy, and a function that returns the counts once the rows have been sent."""
    fields = matched.fields
    replaced = {
        place: _literal(policy, value, fields[place].dataType, types[place], where)
        for place, value in policy.places(names, where).items()
    }
    columns = [
        f"coalesce({f.name}, {replaced[i]}) AS {f.name}" if i in replaced else f.name for i, f in enumerate(fields)
    ]
    columns += [f"`{name}`" for name in matched.aside]
    nulls = [_is_null(f) for i, f in enumerate(fields) if i not in replaced] if policy.skip else []
    metrics = {f"r{place}": f"count_if({_is_null(fields[place])})" for place in replaced}
    if nulls:
        metrics[SKIPPED] = f"count_if({' OR '.join(nulls)})"
    if not metrics:
        return matched, NullCounts
    observations: list[Observation] = []

    def make() -> DataFrame:
        observations.append(Observation())
        frame = matched.frame.observe(observations[-1], *(F.expr(test).alias(name) for name, test in metrics.items()))
        frame = frame.where(f"NOT ({' OR '.join(nulls)})") if nulls else frame
        return frame.selectExpr(*columns)

    def count() -> NullCounts:
        found = observations[-1].get if observations else {}
        return NullCounts(int(found.get(SKIPPED) or 0), {names[p]: int(found.get(f"r{p}") or 0) for p in replaced})

    return replace(matched, make=make), count


def _is_null(field: T.StructField) -> Sql:
    return f"({field.name}{'.__cell' if field.dataType == ENCODED_LIST else ''} IS NULL)"


def _literal(policy: NullPolicy, value: object, own: T.DataType, type_: str, where: str) -> Sql:
    """A replacement as a value of the column's Spark type."""
    if isinstance(own, T.ArrayType | T.StructType | T.BinaryType):
        raise policy.error(where, f"nulls cannot be replaced in a column of type {own.simpleString()}")
    try:
        text = str(value) if type_ == "symbol" else show_text(read_text(str(value), type_), type_)
    except DataError as error:
        raise policy.error(where, str(error)) from None
    return f"CAST({literal(text)} AS {own.simpleString()})"
