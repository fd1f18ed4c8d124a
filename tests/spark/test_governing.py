"""Constraints and lifetimes on Spark: what is refused where partitions live elsewhere, and event time of streams."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tidelog import ConstraintError, Engine, EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
PROGRAM = """
.decl owns(u: symbol, d: symbol)
.decl reads(u: symbol, d: symbol)
.decl secret(d: symbol)
.decl lock(x: number)
.decl ping(t: timestamp, x: number)
.decl total(t: timestamp, n: number)
.lifetime lock 10s
.lifetime ping 1h by t
reads(u, d) :- owns(u, d).
none: :- reads(u, d), secret(d).
total(s, n) :- ping(t, _), s = window(t, 5m), n = sum x : { ping(u, x), window(u, 5m) = s }.
"""


@pytest.fixture(scope="module")
def db(spark: SparkSession) -> Iterator[Engine]:
    with Engine(PROGRAM, spark=spark, partitions=2) as engine:
        yield engine


def minute(number: int) -> datetime:
    return datetime(2026, 1, 1) + timedelta(minutes=number)


def test_an_epoch_of_rows_of_spark_is_refused_with_its_proof(spark: SparkSession, db: Engine) -> None:
    with db.epoch() as e:
        e.insert("secret", [("plan",)])
    before = db.state()
    rows = spark.createDataFrame([("ann", "memo"), ("bob", "plan")], "u string, d string")
    with pytest.raises(ConstraintError) as raised, db.epoch() as e:
        e.insert("owns", rows)
    assert '  ├─ reads("bob", "plan")  by r1\n  │  └─ owns("bob", "plan")  asserted' in str(raised.value)
    assert db.state() == before


def test_rows_of_spark_end_as_others_do(spark: SparkSession, db: Engine) -> None:
    with db.epoch(at=1) as e:
        e.insert("lock", spark.createDataFrame([(1,), (2,)], "x long"))
    with db.epoch(at=5) as e:
        e.insert("lock", spark.createDataFrame([(2,)], "x long"))
        e.insert("lock", spark.createDataFrame([(3,)], "x long"), until=6)
    assert db.advance(6).ended == {"lock": 1}
    assert db.advance(11).ended == {"lock": 1}
    assert list(db["lock"]) == [(2,)]


def test_the_time_of_a_streams_epochs_is_that_of_its_latest_event(
    spark: SparkSession, db: Engine, tmp_path: Path
) -> None:
    files = tmp_path / "in"
    for batch in ([(minute(7), 1), (minute(8), 2)], [(minute(70), 5), (minute(9), 100)]):
        spark.createDataFrame(batch, "t timestamp_ntz, x long").coalesce(1).write.mode("append").parquet(str(files))
        rows = spark.readStream.schema("t timestamp_ntz, x long").parquet(str(files))
        query = db.stream(rows, "ping", event_time="t", checkpoint=str(tmp_path / "notes"), availableNow=True)
        query.awaitTermination(120)
        assert query.exception() is None
    with pytest.raises(EngineError, match="event_time"):
        db.stream(rows, "ping", event_time="moment")
    assert db.time == minute(70).timestamp() - datetime(1970, 1, 1).timestamp()
    assert sorted(db["total"]) == [(minute(70), 5)]  # 7 and 8 have ended, and 9 came too late
