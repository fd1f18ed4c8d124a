"""Views as DataFrames (D5, D14): types, names, empty views, lists, changes, and files that never change."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pytest

from tidelog.errors import StateError
from tidelog.io.columns import encode_value
from tidelog.io.parquet import write_changes, write_rows
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.spark.rows.decode import ViewSchema, read_view

NAMES = ("n", "u", "f", "s", "b", "d", "t")
TYPES = ("number", "unsigned", "float", "symbol", "boolean", "date", "timestamp")
ROWS = [
    (-1, 2**64 - 1, math.inf, "ä", True, datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 0, 0, 1)),
    (2**63 - 1, 0, 0.5, "", False, datetime.date(1, 1, 1), datetime.datetime(1969, 12, 31, 23, 59, 59)),
]


class Partition:
    """The rows of one partition, and its dictionary."""

    def __init__(self, rows, types):
        self.dictionary, self.types = Dictionary(), types
        cells = [[encode_value(v, t, self.dictionary) for v, t in zip(row, types, strict=True)] for row in rows]
        self.cells = np.array(cells, np.int64).reshape(len(rows), len(types))

    def write(self, path, names, **options):
        return write_rows(str(path), self.cells, self.types, names, self.dictionary, **options)


@pytest.fixture
def utc(spark):
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", before)


def test_every_type_comes_back_as_what_it_was(utc, tmp_path):
    for number, row in enumerate(ROWS):
        Partition([row], TYPES).write(tmp_path / "v" / f"part-{number}.parquet", NAMES)
    df = read_view(utc, str(tmp_path / "v"), ViewSchema(NAMES, TYPES))
    assert dict(df.dtypes) == {
        "n": "bigint", "u": "decimal(20,0)", "f": "double", "s": "string", "b": "boolean", "d": "date", "t": "timestamp"
    }  # fmt: skip
    expected = [tuple(Decimal(v) if i == 1 else v for i, v in enumerate(row)) for row in ROWS]
    assert sorted(rows_of(df), key=repr) == sorted(expected, key=repr)


def rows_of(df):
    columns = [column.to_pylist() for column in df.toArrow().columns]
    return [tuple(map(without_zone, row)) for row in zip(*columns, strict=True)]


def without_zone(value):
    return value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else value


def test_an_empty_view_has_its_schema(spark, tmp_path):
    Partition([], TYPES).write(tmp_path / "v" / "part-0.parquet", NAMES)
    df = read_view(spark, str(tmp_path / "v"), ViewSchema(NAMES, TYPES))
    assert df.count() == 0
    assert df.dtypes == read_view(spark, [], ViewSchema(NAMES, TYPES)).dtypes


def test_a_view_without_columns_tells_whether_it_holds(spark, tmp_path):
    Partition([()], ()).write(tmp_path / "v" / "part-0.parquet", ())
    assert [tuple(r) for r in read_view(spark, str(tmp_path / "v"), ViewSchema((), ())).collect()] == [(True,)]


LISTS = [
    ([((1, 2),), ((),)], [((3,),)], "array<bigint>", [[], [1, 2], [3]]),
    ([((1.5, math.inf),)], [((),)], "array<double>", [[], [1.5, math.inf]]),
    ([((("a", '"'), ()),)], [(((),),)], "array<array<string>>", [[["a", '"'], []], [[]]]),
    ([((1, 2**63),)], [((1,),)], "array<decimal(20,0)>", [[Decimal(1)], [Decimal(1), Decimal(2**63)]]),
    ([((1,),)], [(("a",),)], "string", ['["a"]', "[1]"]),
    ([((1, "a"),)], [], "string", ['[1, "a"]']),
    ([], [], "array<bigint>", []),
]


@pytest.mark.parametrize(("one", "other", "type_", "expected"), LISTS)
def test_lists_are_arrays_where_all_partitions_hold_one_kind_of_parts(spark, tmp_path, one, other, type_, expected):
    kinds = [
        Partition(rows, ("list",)).write(tmp_path / "v" / f"part-{number}.parquet", ("path",))
        for number, rows in enumerate((one, other))
    ]
    df = read_view(spark, str(tmp_path / "v"), ViewSchema(("path",), ("list",), kinds))
    assert dict(df.dtypes)["path"] == type_
    assert sorted((row.path for row in df.collect()), key=repr) == sorted(expected, key=repr)


def test_lists_are_text_where_text_is_asked_for(spark, tmp_path):
    kinds = [
        Partition([((1, "two words", ("2",)),)], ("list",)).write(tmp_path / "p.parquet", ("l",), lists_as_text=True)
    ]
    df = read_view(spark, str(tmp_path / "p.parquet"), ViewSchema(("l",), ("list",), kinds, lists_as_text=True))
    assert df.first().l == '[1, two words, ["2"]]'


def test_names_that_differ_only_in_capitals_are_kept(spark, tmp_path):
    Partition([(1, 2)], ("number", "number")).write(tmp_path / "v" / "part-0.parquet", ("x", "X"))
    df = read_view(spark, str(tmp_path / "v"), ViewSchema(("x", "X"), ("number", "number")))
    assert (df.columns, [tuple(row) for row in df.collect()]) == (["x", "X"], [(1, 2)])


def test_changes_tell_what_came_and_what_went(spark, tmp_path):
    rows = Partition([(1, "a"), (2, "b"), (3, "c")], ("number", "symbol"))
    path = str(tmp_path / "c" / "part-0.parquet")
    write_changes(path, rows.cells[:2], rows.cells[2:], rows.types, ("x", "change"), rows.dictionary)
    df = read_view(spark, str(tmp_path / "c"), ViewSchema(("x", "change"), rows.types, signed=True))
    assert sorted(map(tuple, df.collect())) == [(1, "a", 1), (2, "b", 1), (3, "c", -1)]
    assert df.columns == ["x", "change", "_change"]


def test_a_file_that_cannot_be_written_is_an_error_of_ours(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match="cannot write") as output:
        Partition([(1,)], ("number",)).write(tmp_path / "file" / "part-0.parquet", ("x",))
    assert output.value.code == "TL5003"
