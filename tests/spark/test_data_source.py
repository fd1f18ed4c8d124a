"""The data source `tidelog`: views at epochs, feeds with exact offsets, writes as epochs, a driver that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.conftest import ROOT
from tests.spark.processes import descendants
from tidelog import Engine
from tidelog.spark import local_session, register

RULES = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."


@pytest.fixture(scope="module")
def source(spark: SparkSession) -> SparkSession:
    """A session that knows the format."""
    register(spark)
    return spark


@pytest.fixture
def state(tmp_path: Path) -> str:
    """Three epochs: the rules, two edges, one of them replaced."""
    path = str(tmp_path / "state")
    with Engine(RULES, path=path) as db:
        with db.epoch() as epoch:
            epoch.insert("edge", [(1, 2), (2, 3)])
        with db.epoch() as epoch:
            epoch.delete("edge", [(2, 3)])
            epoch.insert("edge", [(2, 4)])
    return path


def rows_of(frame: object) -> list[tuple[object, ...]]:
    return sorted(map(tuple, frame.collect()))  # type: ignore[attr-defined]  # a DataFrame


def test_view_is_read_at_its_last_epoch_or_at_an_earlier_one(source: SparkSession, state: str) -> None:
    reader = source.read.format("tidelog").option("path", state).option("view", "reach")
    with Engine(path=state):  # a writer does not disturb readers
        assert rows_of(reader.load()) == [(1, 2), (1, 4), (2, 4)]
    assert rows_of(reader.option("epoch", 2).load()) == [(1, 2), (1, 3), (2, 3)]
    assert reader.load().dtypes == [("X", "bigint"), ("Y", "bigint")]


def test_later_epochs_do_not_disturb_a_query_of_an_earlier_one(source: SparkSession, state: str) -> None:
    planned = source.read.format("tidelog").option("path", state).option("view", "edge").option("epoch", 3).load()
    with Engine(path=state) as db, db.epoch() as epoch:
        epoch.insert("edge", [(9, 9)])
    assert len(rows_of(planned)) == 2
    assert len(rows_of(source.read.format("tidelog").option("path", state).option("view", "edge").load())) == 3


def test_types_come_as_they_are(source: SparkSession, tmp_path: Path) -> None:
    rows = source.sql("SELECT 1 AS i, 'a' AS s, 1.5D AS f, DATE'2026-06-01' AS d, array(1, 2) AS l, true AS b")
    rows.write.format("tidelog").option("path", str(tmp_path)).option("relation", "t").mode("append").save()
    found = source.read.format("tidelog").option("path", str(tmp_path)).option("view", "t").load()
    assert found.exceptAll(rows).count() == 0
    assert found.count() == 1


def test_feed_has_every_change_with_its_epoch(source: SparkSession, state: str) -> None:
    feed = source.read.format("tidelog").option("path", state).option("feed", "reach")
    assert rows_of(feed.option("startingEpoch", 2).load()) == [
        (1, 3, -1, 3),
        (1, 4, 1, 3),
        (2, 3, -1, 3),
        (2, 4, 1, 3),
    ]
    assert len(rows_of(feed.option("startingEpoch", 0).load())) == 7


def test_stream_of_a_feed_goes_on_where_it_stopped(source: SparkSession, state: str, tmp_path: Path) -> None:
    def follow() -> None:
        rows = source.readStream.format("tidelog").option("path", state).option("feed", "reach").load()
        query = (
            rows.writeStream.format("parquet")
            .option("path", str(tmp_path / "out"))
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(300)

    follow()
    with Engine(path=state) as db, db.epoch() as epoch:
        epoch.insert("edge", [(4, 5)])
    follow()
    found = rows_of(source.read.parquet(str(tmp_path / "out")))
    assert len(found) == len(set(found)) == 10
    balance = Counter()  # type: ignore[var-annotated]  # of rows
    for x, y, sign, _ in found:
        balance[x, y] += sign
    with Engine(path=state, at=-1) as db:
        assert sorted(row for row, count in balance.items() if count) == sorted(db["reach"])


def test_writes_are_epochs(source: SparkSession, state: str) -> None:
    writer = source.sql("SELECT id AS a, id + 1 AS b FROM range(4, 9)").repartition(3).write.format("tidelog")
    writer.option("path", state).option("relation", "edge").mode("append").save()
    with Engine(path=state, at=-1) as db:
        assert db.epoch_number == 4
        assert len(db["edge"]) == 7
    changes = source.sql("SELECT 1L AS a, 2L AS b, -1 AS sign").write.format("tidelog").option("path", state)
    changes.option("relation", "edge").option("change", "sign").mode("append").save()
    source.sql("SELECT 2L AS a, 4L AS b").write.format("tidelog").option("path", state).option("relation", "edge").mode(
        "overwrite"
    ).save()
    with Engine(path=state, at=-1) as db:
        assert (db.epoch_number, sorted(db["edge"])) == (6, [(2, 4)])
        assert sorted(db["reach"]) == [(2, 4)]
    assert not list(Path(state, "incoming").iterdir())


def test_bad_row_leaves_nothing(source: SparkSession, state: str) -> None:
    rows = source.sql("SELECT 1L AS a, CAST(NULL AS BIGINT) AS b").write.format("tidelog").option("path", state)
    with pytest.raises(Exception, match="null"):  # of Spark, with the words of Tidelog
        rows.option("relation", "edge").mode("append").save()
    with Engine(path=state, at=-1) as db:
        assert db.epoch_number == 3
    assert not list(Path(state, "incoming").iterdir())


def test_missing_option_is_refused(source: SparkSession, state: str) -> None:
    with pytest.raises(Exception, match=r"TL4705|needs the option `view`"):
        source.read.format("tidelog").option("path", state).load()


FILES, ROWS = 6, 5


def stream_files(folder: str) -> None:
    """In a separate process: all files into the state, one batch for each."""
    with local_session(1) as spark:
        register(spark)
        rows = spark.readStream.schema("a bigint, b bigint").option("maxFilesPerTrigger", 1).parquet(f"{folder}/in")
        query = (
            rows.writeStream.format("tidelog")
            .option("path", f"{folder}/state")
            .option("relation", "edge")
            .option("checkpointLocation", f"{folder}/checkpoint")
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()


@pytest.mark.long  # three JVMs; a crash at every write: tests/store/test_faults.py
def test_killed_driver_loses_and_repeats_nothing(source: SparkSession, tmp_path: Path) -> None:
    for number in range(FILES):
        first = number * ROWS
        source.sql(f"SELECT id AS a, id + 1 AS b FROM range({first}, {first + ROWS})").coalesce(1).write.mode(
            "append"
        ).parquet(str(tmp_path / "in"))
    code = f"from tests.spark.test_data_source import stream_files; stream_files({str(tmp_path)!r})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}
    kills = 0
    for _ in range(8):
        process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment)
        until = time.monotonic() + 300
        while process.poll() is None and time.monotonic() < until:
            if not kills and _epochs(tmp_path) >= 2:
                for number in [process.pid, *descendants(process.pid)]:
                    os.kill(number, signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.05)
        if process.wait(60) == 0:
            break
    assert kills == 1
    with Engine(path=tmp_path / "state", at=-1) as db:
        assert len(db["edge"]) == FILES * ROWS
        batches = [entry.offset for entry in db.log() if entry.asserted]
        assert batches == list(range(FILES)), "every batch is one epoch"


def _epochs(folder: Path) -> int:
    try:
        with Engine(path=folder / "state", at=-1) as db:
            return db.epoch_number
    except Exception:  # there is no state yet
        return 0
