"""Cells made by Spark SQL are those made in Python (D15), on random values, empty and nested ones included."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import types as T

from tidelog.io.columns import encode_value
from tidelog.partition.base.owner import owners_of
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.spark.rows.check import own_type
from tidelog.spark.rows.ids import cell_column, entry_value, owner_column
from tidelog.spark.rows.tables import ENTRY_SCHEMA, entries_of, entry_owners

RNG = Random(7)
TEXTS = [
    "",
    " ",
    "a",
    "ä",
    "☃" * 11,
    "😀",
    "a\tb\n",
    '"quoted" \\ text',
    *("x" * n for n in (3, 4, 7, 8, 31, 32, 33, 100)),
]
FLOATS = [0.0, -0.0, 1.5, -1e300, 5e-324, math.inf, -math.inf, math.nan, 0.1, 1e16, 123456789.123]
LONGS = [0, 1, -1, 2**63 - 1, -(2**63), *(RNG.getrandbits(64) - 2**63 for _ in range(20))]
UNSIGNED = [0, 1, 2**63 - 1, 2**63, 2**64 - 1, *(RNG.getrandbits(64) for _ in range(20))]
TIMES = [
    datetime.datetime(1970, 1, 1),
    datetime.datetime(2024, 3, 31, 2, 30, 0, 123456),  # an hour that does not exist in Berlin
    datetime.datetime(1905, 7, 1, 23, 59, 59, 999999),
]


def some(values, count):
    return [RNG.choice(values) for _ in range(count)]


def lists(values):
    return [[], [values[0]], values, *(some(values, RNG.randrange(5)) for _ in range(10))]


def nested(values):
    return [[], [[]], [[], []], [[values[0]], []], *(some(lists(values), RNG.randrange(4)) for _ in range(10))]


CASES = [
    ("string", TEXTS + ["".join(some("aäx☃", RNG.randrange(40))) for _ in range(50)]),
    ("bigint", LONGS),
    ("tinyint", [-128, 0, 127]),
    ("boolean", [True, False]),
    ("double", FLOATS + [RNG.gauss(0, 1e9) for _ in range(50)]),
    ("decimal(20,0)", UNSIGNED),
    (
        "date",
        [datetime.date(1970, 1, 1), datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(2024, 2, 29)],
    ),
    ("timestamp_ntz", TIMES),
    ("timestamp", [t.replace(tzinfo=datetime.UTC) for t in TIMES]),
    ("array<string>", lists(TEXTS)),
    ("array<bigint>", lists(LONGS)),
    ("array<double>", lists(FLOATS)),
    ("array<boolean>", lists([True, False])),
    ("array<decimal(20,0)>", lists(UNSIGNED)),
    ("array<array<string>>", nested(TEXTS)),
    ("array<array<bigint>>", nested(LONGS)),
    ("array<array<array<double>>>", [[], [[]], [[[]]], *(some(nested(FLOATS), 2) for _ in range(5))]),
]


def in_python(value, type_, dictionary):
    if isinstance(value, list):
        value = tuple(plain(part) for part in value)
    return encode_value(value, type_, dictionary)


def plain(value):
    """Parts of lists as Python has them: tuples, and booleans as numbers."""
    if isinstance(value, list):
        return tuple(plain(part) for part in value)
    return int(value) if isinstance(value, bool) else value


def frame(spark, ddl, values):
    if "decimal" in ddl:
        values = [[Decimal(v) for v in value] if isinstance(value, list) else Decimal(value) for value in values]
    return spark.createDataFrame([(number, value) for number, value in enumerate(values)], f"n int, x {ddl}")


@pytest.mark.parametrize(("ddl", "values"), CASES, ids=[ddl for ddl, _ in CASES])
def test_spark_and_python_give_the_same_cells_and_entries(spark, ddl, values):
    df, dictionary = frame(spark, ddl, values), Dictionary()
    own = df.schema["x"].dataType
    type_ = own_type(own, "x")
    value = entry_value("x", own, type_) if type_ in ("symbol", "list") else "NULL"
    rows = df.selectExpr("n", f"{cell_column('x', own, type_)} AS cell", f"{value} AS value").collect()
    assert len(rows) == len(values)
    for row in rows:
        assert row.cell == in_python(values[row.n], type_, dictionary), values[row.n]
        if type_ in ("symbol", "list"):
            column = [[row.cell], [type_ == "list"], [bytes(row.value)]]
            (entry,) = entries_of(pa_table(column))
            # Entering it again raises if it differs from what Python entered under this id.
            dictionary.entries.enter(*entry)


def pa_table(columns):
    return pa.table(columns, schema=ENTRY_SCHEMA)


def test_a_time_is_its_instant_in_any_zone_of_the_session(spark):
    df = frame(spark, "timestamp_ntz", TIMES)
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        found = df.selectExpr("n", f"{cell_column('x', T.TimestampNTZType(), 'timestamp')} AS cell").collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    assert {r.n: r.cell for r in found} == {
        n: encode_value(time, "timestamp", Dictionary()) for n, time in enumerate(TIMES)
    }


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_spark_numpy_and_tasks_agree_on_owners(spark, partitions):
    found = frame(spark, "bigint", LONGS).selectExpr("n", f"{owner_column('x', partitions)} AS o").collect()
    in_spark = [row.o for row in sorted(found, key=lambda row: row.n)]
    assert in_spark == owners_of(np.array(LONGS, np.int64), partitions).tolist()
    assert in_spark == entry_owners(LONGS, partitions).tolist()


def test_columns_of_other_widths_make_the_same_cells(spark):
    df = spark.sql("SELECT CAST(3 AS TINYINT) a, CAST(3 AS SMALLINT) b, 3 c, 3L d, CAST(0.5 AS FLOAT) e, 0.5D f")
    fields = {field.name: field.dataType for field in df.schema}
    row = df.selectExpr(*(f"{cell_column(n, t, own_type(t, n))} AS {n}" for n, t in fields.items())).first()
    assert {row.a, row.b, row.c, row.d} == {3}
    assert row.e == row.f
