"""Names of columns and null policies on Spark: what `tests/io/test_match_names.py` and `test_nulls.py` say of Python.

DataFrames and files come through Spark and through this process, and the two have to agree: on what is read by name,
by position or refused, and on what is skipped, replaced and counted.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.io.test_match_names import REFUSED, expected, random_case
from tests.io.test_nulls import DECLARED, NAMES, POLICIES, TYPES, judge, random_rows, write_csv, write_json
from tidelog import DataError, Engine, TidelogWarning
from tidelog.io.files import InputFile
from tidelog.io.nulls import NullCounts
from tidelog.io.parameters import Layout
from tidelog.spark.rows.check import match_columns
from tidelog.spark.rows.read import read_file, settle_types


@pytest.mark.parametrize("seed", range(20))
def test_a_data_frame_is_read_by_name_or_by_position_or_refused(seed: int, spark: SparkSession) -> None:
    names, found = random_case(random.Random(seed))
    df = spark.createDataFrame([tuple("v" for _ in found)], [f"f{i}" for i in range(len(found))]).toDF(*found)
    wanted = expected(names, found)
    if wanted == REFUSED:
        with pytest.raises(DataError):
            match_columns(df, "emp", names)
    else:
        matched = match_columns(df, "emp", names)
        assert ([*matched.places], [*matched.ignored]) == wanted


def test_a_refused_row_is_shown_with_the_names_of_the_data_frame(spark: SparkSession) -> None:
    df = spark.createDataFrame([("ann", None)], "customer string, city string")
    with Engine("p(X) :- q(X, _).", spark=spark, partitions=2) as db:
        with pytest.raises(DataError, match=r"column 2 \(`city`\) is null") as refused, db.epoch() as e:
            e.insert("q", df)
        assert '"customer":"ann"' in str(refused.value)


@pytest.fixture(scope="module")
def db(spark: SparkSession) -> Any:
    with Engine(DECLARED, spark=spark, partitions=2) as engine:
        yield engine


@pytest.mark.parametrize("seed", range(len(POLICIES)))
def test_nulls_of_a_data_frame_are_handled_as_the_policy_says(seed: int, db: Engine, spark: SparkSession) -> None:
    rng = random.Random(seed)
    rows, policy = random_rows(rng), POLICIES[seed % len(POLICIES)]
    df = spark.createDataFrame(rows, "name string, mgr string, pay bigint").select("pay", "mgr", "name")
    with db.epoch() as e:
        e.delete("emp", db["emp"].to_arrow())
    wanted = judge(rows, policy)
    try:
        with db.epoch() as e:
            e.insert("emp", df, nulls=policy)
    except DataError:
        assert wanted == REFUSED
        return
    counts = e.nulls.get("emp", NullCounts())
    replaced = {name: count for name, count in counts.replaced.items() if count}
    assert (set(db["emp"]), counts.skipped, replaced) == wanted


def test_extra_columns_and_nulls_of_a_change_are_reported(db: Engine, spark: SparkSession) -> None:
    schema = "pay bigint, note string, NAME string, mgr string, change int"
    df = spark.createDataFrame([(1, "n", "zoe", None, 1), (None, "n", "yan", "zoe", 1)], schema)
    with pytest.warns(TidelogWarning, match="ignored `note`"), db.epoch() as e:
        e.change("emp", df, nulls="skip,mgr=none")
    assert ("zoe", "none", 1) in db["emp"]
    assert e.ignored == {"emp": ("note",)}
    assert (e.nulls["emp"].skipped, e.nulls["emp"].replaced) == (1, {"mgr": 1})


@pytest.mark.parametrize("seed", range(4))
def test_nulls_of_files_are_handled_as_the_policy_says(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    rng = random.Random(seed)
    rows, policy = random_rows(rng), ["skip", "mgr=none,skip", "mgr=none,pay=0,name=x", "pay=-1, skip"][seed]
    left, skipped, _ = judge(rows, policy)  # type: ignore[misc]  # nothing is refused
    for name, write in {"emp.csv": write_csv, "emp.json": write_json}.items():
        write(tmp_path / name, rows)
        reading = read_file(spark, InputFile("emp", tmp_path / name, Layout(nulls=policy)), NAMES, TYPES)
        (reading,) = settle_types([reading], {"emp": TYPES}, lambda bound: {"emp": TYPES})
        encoded = reading.encoded(NAMES, TYPES)
        found = encoded.frame.collect()
        assert not [row for row in found if row.bad is not None], name
        assert len(found) == len(rows) - skipped
        assert {row.c2 for row in found} == {row[2] for row in left}
        assert encoded.count_nulls is not None
        assert encoded.count_nulls().skipped == skipped


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("from,to\na,b\n", "TL1018"),
        ("SRC,DST\na,b\n", "TL1018"),
        ("First Name,Zip\na b,1\nc d,2\n", "TL1018"),
        ("a,b\na,c\n", None),
        ("dst,src\nb,a\n", None),
        ("New York,b\nRome,c\n", None),
    ],
)
def test_a_possible_header_of_a_csv_file_is_refused(
    text: str, code: str | None, spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "edge.csv").write_text(text)
    file, types = InputFile("edge", tmp_path / "edge.csv", Layout()), (None, None)
    if code is None:
        found = read_file(spark, file, ("src", "dst"), types).frame.collect()
        assert len(found) == len(text.splitlines()) - text.startswith("dst")
        assert (found[0].src, found[0].dst)[:1] != ("dst",)
    else:
        with pytest.raises(DataError) as refused:
            read_file(spark, file, ("src", "dst"), types)
        assert refused.value.code == code


def test_json_is_matched_by_the_names_of_its_first_object(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "e.json").write_text('{"Dst": "b", "SRC ": "a", "w": 1}\n')
    file = InputFile("e", tmp_path / "e.json", Layout())
    with pytest.warns(TidelogWarning, match="ignored `w`"):
        (row,) = read_file(spark, file, ("src", "dst"), ("symbol", "symbol")).frame.collect()
    assert (row.src, row.dst) == ("a", "b")
