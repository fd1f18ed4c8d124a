"""An engine over Spark Connect, and what a client must have: a server in its own process, on this machine."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.apart import run_apart
from tests.spark.connect.server import connect_server, connect_session, require_connect
from tests.spark.processes import wait_for
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.spark import PreflightError
from tidelog.spark.session.access import access
from tidelog.spark.session.connect import HOST_SETTING

RULES = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."
CHAIN = [(a, b) for a in range(1, 6) for b in range(a + 1, 6)]  # reach over 1 -> 2 -> ... -> 5


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server with five slots."""
    require_connect()
    with connect_server(5) as found:
        yield found


def test_engine_with_data_frames_both_ways_why_verify_and_a_lost_partition(address: str) -> None:
    run_apart(use_engine, address)


def use_engine(address: str) -> None:
    with connect_session(address) as spark, Engine(RULES, spark=spark, partitions=2) as db:
        assert core_of(db).runtime.partitions == 2
        with db.epoch() as epoch:
            epoch.insert("edge", spark.sql("SELECT id AS a, id + 1 AS b FROM range(1, 5)"))
            epoch.insert("name", spark.sql("SELECT id AS n, concat('node ', id) AS text FROM range(1, 3)"))
        assert sorted(db["reach"]) == CHAIN
        assert sorted(map(tuple, db["reach"].to_spark().collect())) == CHAIN
        assert sorted(map(tuple, db["name"].to_spark().collect())) == [(1, "node 1"), (2, "node 2")]
        assert "edge(2, 3)  asserted" in str(db.why("reach(1, 3)"))
        assert db.verify()
        assert db.verify(spark=spark)
        kill_partition(db)
        with db.epoch() as epoch:
            epoch.change("edge", spark.sql("SELECT 4L AS a, 5L AS b, -1 AS change"))
        assert sorted(db["reach"]) == [pair for pair in CHAIN if pair[1] < 5]
        assert sorted(map(tuple, epoch.changes["reach"].to_spark().selectExpr("change").collect())) == [(-1,)] * 4
        assert db.verify()


def kill_partition(db: Engine) -> None:
    """SIGKILL of the process of partition 1."""
    stage = core_of(db).runtime.nodes.stage  # type: ignore[attr-defined]  # the runtime on Spark
    os.kill(stage.processes[1], signal.SIGKILL)
    wait_for(lambda: not stage.alive, 60)


@pytest.mark.long  # Spark gives the worker of a stream 10 s to start, which a busy machine may exceed
def test_streams_into_engines_of_both_kinds(address: str) -> None:
    run_apart(use_streams, address)


def use_streams(address: str) -> None:
    with connect_session(address) as spark, tempfile.TemporaryDirectory() as folder:
        source = f"{folder}/source"
        spark.sql("SELECT id AS a, id + 1 AS b FROM range(1, 3)").write.parquet(source)
        for place in ({}, {"spark": spark, "partitions": 2}):
            state = f"{folder}/state{len(place)}"
            with Engine(RULES, path=state, **place) as db:
                run_stream(spark, db, source)
                assert len(db["edge"]) == 2
        spark.sql("SELECT id AS a, id + 1 AS b FROM range(3, 5)").write.mode("append").parquet(source)
        with Engine(path=state, spark=spark, partitions=2) as db:
            run_stream(spark, db, source)  # the first batch is not taken again
            assert sorted(db["reach"]) == CHAIN
            assert list(core_of(db).offsets) == ["stream edges"]


def run_stream(spark: SparkSession, db: Engine, source: str) -> None:
    """Take what there is."""
    rows = spark.readStream.schema("a bigint, b bigint").parquet(source)
    query = db.stream(rows, "edge", name="edges", availableNow=True)
    assert query.awaitTermination(300)
    assert query.exception() is None


@pytest.mark.long
def test_error_of_the_engine_ends_the_stream_with_its_text(address: str) -> None:
    run_apart(refuse_batch, address)


def refuse_batch(address: str) -> None:
    with connect_session(address) as spark, tempfile.TemporaryDirectory() as folder, Engine(RULES) as db:
        spark.sql("SELECT 1L AS a, CAST(NULL AS BIGINT) AS b").write.parquet(f"{folder}/source")
        rows = spark.readStream.schema("a bigint, b bigint").parquet(f"{folder}/source")
        query = db.stream(rows, "edge", name="edges", availableNow=True)
        with pytest.raises(Exception, match="null"):  # of Spark, with the words of Tidelog
            query.awaitTermination(300)
        assert len(db["edge"]) == 0


@pytest.mark.long
def test_views_of_embedded_engines_are_sent(address: str) -> None:
    run_apart(send_views, address)


def send_views(address: str) -> None:
    with connect_session(address) as spark, Engine("v(X, L, F) :- t(X, L, F).") as db:
        rows = spark.sql("SELECT 'a' AS x, array(1, 2) AS l, 1.5D AS f")
        with db.epoch() as epoch:
            epoch.insert("t", rows)
        assert db["v"].to_spark(spark).exceptAll(rows).count() == 0
        assert db["v"].to_spark(spark).count() == 1
        assert epoch.changes["v"].to_spark(spark).count() == 1


@pytest.mark.long
def test_client_that_tasks_cannot_reach_is_refused(address: str) -> None:
    """TL6006 names the address."""
    run_apart(refuse_client, address)


def refuse_client(address: str) -> None:
    with connect_session(address, {HOST_SETTING: "tidelog.invalid"}) as spark:
        with pytest.raises(PreflightError, match=r"cannot connect to this process at tidelog\.invalid") as refused:
            Engine(RULES, spark=spark, partitions=1)
        assert refused.value.code == "TL6006"


def test_slots_are_those_of_the_server(address: str) -> None:
    run_apart(count_slots, address)


def count_slots(address: str) -> None:
    with connect_session(address) as spark:
        session = access(spark)
        assert session.slots() == 5
        assert session.estimated_size(spark.range(100)) == 800
        with pytest.warns(UserWarning, match=r"local\[5\] has 5 task slots, but 9 partitions need 10"):
            db = Engine(RULES, spark=spark, partitions=9)
        assert core_of(db).runtime.partitions == 4
        db.close()
    with pytest.raises(PreflightError, match="the Spark session was stopped"):
        access(spark)


@pytest.mark.long
def test_state_of_a_client_is_kept(address: str, tmp_path: Path) -> None:
    run_apart(keep_state, address, str(tmp_path / "state"))


def keep_state(address: str, state: str) -> None:
    with connect_session(address) as spark:
        with Engine(RULES, spark=spark, partitions=2, path=state) as db, db.epoch() as epoch:
            epoch.insert("edge", spark.sql("SELECT 1L AS a, 2L AS b"))
        with Engine(path=state, spark=spark, partitions=2) as db:
            assert sorted(db["reach"]) == [(1, 2)]
