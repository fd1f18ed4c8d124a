"""Types that go in come back: with their names and values, in any time zone, through rules too."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tidelog import Engine, ProgramError
from tidelog.engine.engine import core_of
from tidelog.engine.read.view import data_frame_maker
from tidelog.errors import DataError, EngineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
ZONES = ("UTC", "America/New_York")
# A zone without an offset is a case of one with it.
SAMPLED = ("America/New_York", pytest.param("UTC", marks=pytest.mark.long))
ZONE = "spark.sql.session.timeZone"
SCHEMA = """tiny tinyint, small smallint, whole int, long bigint, single float, double double, yes boolean,
    day date, clock timestamp_ntz, instant timestamp, price decimal(9,2), count decimal(12,0), raw binary, text string,
    flags array<boolean>, bytes array<tinyint>, halves array<float>, deep array<array<int>>, words array<string>"""


@contextmanager
def zone(spark: SparkSession, name: str) -> Iterator[None]:
    before = spark.conf.get(ZONE)
    spark.conf.set(ZONE, name)
    try:
        yield
    finally:
        spark.conf.set(ZONE, before or "UTC")


def random_row(rng: random.Random) -> tuple[Any, ...]:
    clock = datetime(1900, 1, 1) + timedelta(microseconds=rng.randrange(6 * 10**15))
    small = [rng.randrange(-128, 128) for _ in range(rng.randrange(3))]
    return (
        rng.randrange(-(2**7), 2**7),
        rng.randrange(-(2**15), 2**15),
        rng.randrange(-(2**31), 2**31),
        rng.randrange(-(2**63), 2**63),
        rng.choice((0.5, -1.25, float("inf"), 3.0e38)),
        rng.random(),
        rng.random() < 0.5,
        date(1900, 1, 1) + timedelta(days=rng.randrange(60_000)),
        clock,
        clock,
        Decimal(rng.randrange(-(10**9) + 1, 10**9)).scaleb(-2),
        Decimal(rng.randrange(-(10**12) + 1, 10**12)),
        rng.randbytes(rng.randrange(5)),
        rng.choice(("", "a", "ü", "\U0001f600")),
        [rng.random() < 0.5 for _ in range(rng.randrange(1, 3))],
        small,
        [0.5] * rng.randrange(3),
        [small, []],
        ["x", ""],
    )


def texts(df: DataFrame) -> list[str]:
    """The rows as Spark shows them: times as the clock of the session's zone has them."""
    shown = [f"hex({f.name})" if f.dataType.typeName() == "binary" else f"cast({f.name} as string)" for f in df.schema]
    return sorted(map(str, df.selectExpr(*shown).collect()))


@pytest.mark.parametrize("name", SAMPLED)
def test_types_that_go_in_come_back(spark: SparkSession, name: str) -> None:
    rng = random.Random(len(name))
    with zone(spark, name):
        df = spark.createDataFrame([random_row(rng) for _ in range(20)], SCHEMA)
        columns = ", ".join(f"V{n}" for n in range(len(df.columns)))
        with Engine(f"copy({columns}) :- t({columns}).", spark=spark, partitions=2) as db:
            with db.epoch() as e:
                e.insert("t", df)
            back, copy, changes = db["t"].to_spark(), db["copy"].to_spark(), e.changes["copy"].to_spark()
            assert [(f.name, f.dataType) for f in back.schema] == [(f.name, f.dataType) for f in df.schema]
            assert [f.dataType for f in copy.schema] == [f.dataType for f in df.schema]
            named = copy.toDF(*df.columns)
            assert texts(back) == texts(named) == texts(changes.drop("change").toDF(*df.columns)) == texts(df)
            with db.epoch() as e:
                e.delete("t", back)
            assert len(db["t"]) == 0


@pytest.mark.parametrize("name", ZONES)
def test_an_embedded_engine_gives_back_what_came_from_spark(spark: SparkSession, name: str) -> None:
    rng = random.Random(7)
    with zone(spark, name):
        df = spark.createDataFrame([random_row(rng) for _ in range(10)], SCHEMA)
        with Engine("") as db:
            with db.epoch() as e:
                e.insert("t", df)
            back = db["t"].to_spark(spark)
        assert back.schema.simpleString() == df.schema.simpleString()
        assert texts(back) == texts(df)


def test_times_with_and_without_a_zone_do_not_meet(spark: SparkSession) -> None:
    with zone(spark, "America/New_York"), Engine("both(T) :- a(T), b(T).", spark=spark, partitions=2) as db:
        local = spark.sql("select timestamp_ntz'2020-07-01 00:00:00' as t")
        zoned = spark.sql("select timestamp'2020-07-01 00:00:00' as t")
        with db.epoch() as e:
            e.insert("a", local)
        with pytest.raises(EngineError, match="without a zone"), db.epoch() as e:
            e.insert("b", zoned)
        with pytest.raises(EngineError, match="without a zone"), db.epoch() as e:
            e.insert("a", zoned)
        with db.epoch() as e:
            e.insert("b", zoned.selectExpr("cast(t as timestamp_ntz)"))
        assert texts(db["both"].to_spark()) == texts(local.toDF("T"))


LOCAL, INSTANT = "timestamp_ntz'2020-07-01 00:00:00'", "timestamp'2020-07-01 00:00:00'"


def refused(db: Engine, relation: str, df: DataFrame, *, delete: bool = False) -> None:
    with pytest.raises(EngineError, match="without a zone") as output, db.epoch() as e:
        (e.delete if delete else e.insert)(relation, df)
    assert output.value.code == "TL4585"


@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.parametrize("embedded", [True, False])
def test_datetimes_of_python_are_what_dataframes_are(spark: SparkSession, name: str, embedded: bool) -> None:
    with zone(spark, name):
        for output, other in ((LOCAL, INSTANT), (INSTANT, LOCAL)):
            df, against = spark.sql(f"select {output} as t"), spark.sql(f"select {other} as t")
            with Engine("copy(T) :- a(T).", **({} if embedded else {"spark": spark, "partitions": 2})) as db:
                with db.epoch() as e:
                    e.insert("a", [(datetime(2019, 7, 1),)])
                with db.epoch() as e:
                    e.insert("a", df)
                for delete in (False, True):
                    refused(db, "a", against, delete=delete)
                with db.epoch() as e:
                    e.delete("a", [(datetime(2019, 7, 1),)])
                for view in ("a", "copy"):
                    back = db[view].to_spark(spark)
                    assert back.toDF("t").dtypes == df.dtypes
                    assert texts(back.toDF("t")) == texts(df)
                with db.epoch() as e:
                    e.delete("a", df)
                assert len(db["a"]) == 0


@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.parametrize("embedded", [True, False])
def test_a_field_holds_times_of_one_kind(spark: SparkSession, name: str, embedded: bool) -> None:
    rules = """.type P = [t: timestamp, n: number]\n.type V = Dot {p: P} | None {}
        .decl a(p: P)\n.decl b(p: P)\n.decl p(p: P)\n.decl v(v: V)\n.decl q(t: timestamp)
        p(x) :- a(x).\np(x) :- b(x).\nv($Dot(x)) :- a(x).\nq(t) :- v($Dot([t, n]))."""
    with zone(spark, name):
        for output, other in ((LOCAL, INSTANT), (INSTANT, LOCAL)):
            df, against = (spark.sql(f"select named_struct('t', {t}, 'n', 1) as p") for t in (output, other))
            with Engine(rules, **({} if embedded else {"spark": spark, "partitions": 2})) as db:
                with db.epoch() as e:
                    e.insert("a", df)
                refused(db, "b", against)
                refused(db, "a", against, delete=True)
                wanted = texts(df.selectExpr("p.t as t"))
                for view, time in (("a", "p.t"), ("p", "p.t"), ("v", "v.Dot.p.t"), ("q", "t")):
                    assert texts(db[view].to_spark(spark).selectExpr(f"{time} as t")) == wanted, view
                assert db["a"].to_spark(spark).dtypes == df.dtypes


def test_times_are_in_no_list(spark: SparkSession) -> None:
    with Engine("p([A]) :- a(A).", spark=spark, partitions=2) as db:
        with pytest.raises(ProgramError, match="TL413"), db.epoch() as e:
            e.insert("a", spark.sql(f"select {LOCAL} as t"))
        assert "a" not in db or not len(db["a"])


@pytest.mark.parametrize("type_", ["", "number", "unsigned", "float"])
def test_long_decimals_are_taken_as_by_an_embedded_engine(spark: SparkSession, type_: str) -> None:
    rules = f".decl t(x: {type_})" if type_ else ""
    fitting = {"": (2**64 - 1,), "unsigned": (2**64 - 1,), "number": (-5,), "float": (-5, 2**64 - 1, 2**64)}[type_]
    frames = {value: spark.sql(f"select cast('{value}' as decimal(20,0)) as x") for value in (-5, 2**64 - 1, 2**64)}
    with Engine(rules) as embedded, Engine(rules, spark=spark, partitions=1) as partitioned:
        for db, refusal in ((embedded, "TL1005"), (partitioned, "TL1510")):
            for value in frames.keys() - set(fitting):
                with pytest.raises(DataError) as output, db.epoch() as e:
                    e.insert("t", frames[value])
                assert output.value.code == refusal
            for value in fitting:
                with db.epoch() as e:
                    e.insert("t", frames[value])
        assert sorted(embedded["t"]) == sorted(partitioned["t"])
        assert {row[0] for row in embedded["t"]} == {float(v) if type_ == "float" else v for v in fitting}
        assert embedded["t"].to_spark(spark).dtypes == partitioned["t"].to_spark().dtypes


def test_arrays_of_what_no_list_holds_are_refused(spark: SparkSession) -> None:
    for element in ("X'61'", "cast(1.5 as decimal(9,2))", LOCAL):
        df = spark.sql(f"select array({element}) as x")
        for options in ({}, {"spark": spark, "partitions": 1}):
            with Engine("", **options) as db, pytest.raises(DataError, match="is not supported"), db.epoch() as e:
                e.insert("t", df)


def test_structs_are_records_and_keep_the_types_of_their_fields(spark: SparkSession) -> None:
    df = spark.sql("select named_struct('x', cast(3 as int), 'y', 'a') as p, cast(1 as smallint) as n")
    with Engine(".type P = [x: number, y: symbol]\n.decl t(p: P, n: number)", spark=spark, partitions=2) as db:
        with db.epoch() as e:
            e.insert("t", df)
        assert db["t"].rows() == [((3, "a"), 1)]
        back = db["t"].to_spark()
    assert back.schema.simpleString() == df.schema.simpleString()
    assert back.collect() == df.collect()


def test_types_that_no_column_holds_are_refused_with_what_to_do(spark: SparkSession) -> None:
    rules = ".decl exact(x: symbol)\n.decl t(x: number)\n.decl u(x: number)"
    with Engine(rules, spark=spark, partitions=2) as db, Engine("") as open_:
        long = spark.sql("select cast('12345678901234567890.123' as decimal(23,3)) as x")
        with pytest.raises(DataError, match="declare the column as symbol"), db.epoch() as e:
            e.insert("t", long)
        with pytest.raises(DataError, match=r"\.type T = \[x: number, y: symbol\]"), db.epoch() as e:
            e.insert("u", spark.sql("select named_struct('x', 1, 'y', 'a') as p"))
        with pytest.raises(DataError, match="declare the column as symbol"), open_.epoch() as e:
            e.insert("t", long)
        with db.epoch() as e:
            e.insert("exact", long)
        assert db["exact"].rows() == [("12345678901234567890.123",)]
        assert db["exact"].to_spark().dtypes == [("x", "decimal(23,3)")]
        assert db["exact"].to_spark().collect() == long.collect()


def test_types_are_remembered_in_a_state_folder(spark: SparkSession, tmp_path: Any) -> None:
    df = spark.sql("select timestamp_ntz'2020-07-01 00:00:00' as t, cast(7 as tinyint) as n")
    with zone(spark, "America/New_York"):
        with Engine("copy(T, N) :- t(T, N).", spark=spark, partitions=2, path=str(tmp_path / "s")) as db:
            with db.epoch() as e:
                e.insert("t", df)
            db.write_feed("copy", folder=str(tmp_path / "feed"))
        with Engine(path=str(tmp_path / "s"), spark=spark, partitions=2) as db:
            assert db["t"].columns == ("t", "n")
            assert texts(db["copy"].to_spark()) == texts(df.toDF("T", "N"))
        fed = spark.read.parquet(str(tmp_path / "feed"))
        assert fed.dtypes[:2] == [("T", "timestamp_ntz"), ("N", "bigint")]
        assert texts(fed.select("T")) == texts(df.select("t").toDF("T"))


def test_released_files_are_gone_and_others_stay(spark: SparkSession, tmp_path: Any) -> None:
    from pathlib import Path

    for path in (None, str(tmp_path / "s")):
        with Engine("n(1).", spark=spark, partitions=1, path=path) as db, Engine("n(2).") as other:
            mine, kept = db["n"].to_spark(), other["n"].to_spark(spark)
            files = [Path(file.removeprefix("file://")) for file in mine.inputFiles()]
            assert files
            assert all(file.exists() for file in files)
            assert db.release() == 1
            assert not any(file.exists() for file in files)
            assert kept.collect() == [(2,)]
            assert other.release() == 1


def test_zones_stay_where_a_narrow_type_does_not_hold_all_values(spark: SparkSession) -> None:
    """Rows of an epoch whose rules let more in come back wider, and their times as they were."""
    rows = spark.sql("select 300L as x, timestamp_ntz'2020-07-01 00:00:00' as t")
    with zone(spark, "America/New_York"), Engine("u(X, T) :- t(X, T).", spark=spark, partitions=2) as db:
        with db.epoch() as epoch:
            epoch.insert("t", rows)
        make = data_frame_maker(core_of(db), "t", ("x", "t"), db["t"].types)
        assert make is not None
        frame = make(False, ("int8", "timestamp(us)"))
        assert frame.dtypes == [("x", "bigint"), ("t", "timestamp_ntz")]
        assert texts(frame) == texts(rows)
