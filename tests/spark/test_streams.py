"""Streams: rules that change at a batch, several at once, slow epochs, batches of one's own, killed drivers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.spark.conftest import ROOT, WORKER_PATH
from tests.spark.processes import descendants, runs
from tidelog import Engine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
REACH = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z)."
LIMIT = 120


def arrive(folder: Path, number: int, rows: list[tuple[int, int]]) -> None:
    """A file that appears whole, as a stream of files wants it."""
    folder.mkdir(exist_ok=True)
    hidden = folder / f".{number}"
    hidden.write_text("".join(f'{{"a": {a}, "b": {b}}}\n' for a, b in rows))
    hidden.rename(folder / f"{number:04}.json")
    os.utime(folder / f"{number:04}.json", (number, number))  # the order in which Spark takes them


def reading(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.readStream.schema("a long, b long").option("maxFilesPerTrigger", 1).json(str(folder))


def test_rules_change_at_a_batch_and_the_feed_is_a_stream_itself(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(3):
        arrive(tmp_path / "in", number, [(number, number + 1)])
    feed = tmp_path / "feed"
    with Engine("reach(X,Y) :- edge(X,Y).", spark=spark, partitions=2, path=tmp_path / "s") as db:
        db.write_feed("reach", folder=feed)
        also = {1: lambda e: e.add_rule("far: reach(X,Z) :- edge(X,Y), reach(Y,Z).")}
        for _ in range(2):  # the second time nothing is left to do
            db.stream(reading(spark, tmp_path / "in"), "edge", also=also, availableNow=True).awaitTermination(LIMIT)
        assert set(db["reach"]) == {(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (0, 3)}
        assert db.epoch_number == 4
        with Engine(path=tmp_path / "s", at=2) as past:
            assert set(past["reach"]) == {(0, 1)}
    schema, copy = spark.read.parquet(str(feed)).schema, tmp_path / "copy"
    stream = spark.readStream.schema(schema).parquet(str(feed)).writeStream.format("parquet").option("path", str(copy))
    query = stream.option("checkpointLocation", str(tmp_path / "notes")).trigger(availableNow=True).start()
    query.awaitTermination(LIMIT)
    found, written = (sorted(map(tuple, spark.read.parquet(str(each)).collect())) for each in (copy, feed))
    assert found == written
    assert len(found) == 6


@pytest.mark.long
def test_several_streams_and_batches_of_ones_own_go_into_one_engine(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(3):
        for place, name in enumerate(("one", "two", "own")):
            arrive(tmp_path / name, number, [(number, place)])
    with Engine(
        "all(X, Y) :- one(X, Y). all(X, Y) :- two(X, Y). all(X, Y) :- own(X, Y).", spark=spark, partitions=1
    ) as db:

        def take(batch: DataFrame, number: int) -> None:
            with db.epoch(source="own", offset=number) as epoch:
                epoch.insert("own", batch)
            time.sleep(0.2)  # longer than its trigger: Spark waits for it

        notes = str(tmp_path / "notes")
        own = reading(spark, tmp_path / "own").writeStream.foreachBatch(take).trigger(processingTime="1 millisecond")
        queries = [
            db.stream(reading(spark, tmp_path / "one"), "one", checkpoint=notes + "1", availableNow=True),
            db.stream(reading(spark, tmp_path / "two"), "two", checkpoint=notes + "2", processingTime="1 millisecond"),
            own.option("checkpointLocation", notes + "3").start(),
        ]
        try:
            until = time.monotonic() + LIMIT
            while len(db["all"]) < 9 and time.monotonic() < until:
                time.sleep(0.05)
        finally:
            for query in queries:
                query.stop()
        assert len(db["all"]) == 9
        assert db.epoch_number == 10


DRIVER = """
import sys
from pathlib import Path
from tests.spark.test_streams import REACH, reading
from tidelog import Engine
from tidelog.spark import open_session

place = Path(sys.argv[2])
spark = open_session(2, settings={"spark.executorEnv.PYTHONPATH": sys.argv[1]})
db = Engine(REACH, spark=spark, partitions=2, path=place / "state")
db.write_feed("reach", folder=place / "feed")
print("open", db.epoch_number, flush=True)
db.stream(reading(spark, place / "in"), "edge", availableNow=True).awaitTermination()
print("done", db.epoch_number, flush=True)
db.close()
spark.stop()
"""


@pytest.mark.long
def test_every_batch_counts_once_however_often_the_driver_is_killed(spark: SparkSession, tmp_path: Path) -> None:
    batches, random = 20, Random(3)
    edges = [(random.randrange(12), random.randrange(12)) for _ in range(batches)]
    for number, edge in enumerate(edges):
        arrive(tmp_path / "in", number, [edge])
    (tmp_path / "driver.py").write_text(DRIVER)
    kills, done = 0, False
    while not done:
        done = _run_driver(tmp_path, None if kills == 4 else random.uniform(0.0, 4.0))
        kills += not done
    assert kills == 4
    expected = twin_rows(edges)
    with Engine(path=tmp_path / "state", partitions=2) as db:
        # Every batch is one epoch, and none is there twice. After a kill, Spark may take two files at once.
        assert db.epoch_number == 1 + len([*(tmp_path / "state" / "streams" / "edge" / "commits").glob("[0-9]*")])
        assert set(db["reach"]) == expected
    feed = spark.read.parquet(str(tmp_path / "feed"))
    counted = {(row[0], row[1]): row[2] for row in feed.groupBy("X", "Y").sum("change").collect()}
    assert {pair for pair, count in counted.items() if count} == expected
    assert set(counted.values()) <= {0, 1}


def twin_rows(edges: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """The output of an engine that is not killed."""
    with Engine(REACH) as db:
        with db.epoch() as e:
            e.insert("edge", edges)
        return set(db["reach"])


def _run_driver(place: Path, killed_after: float | None) -> bool:
    """Whether the driver completed; it is killed this many seconds after its start."""
    command = [sys.executable, str(place / "driver.py"), WORKER_PATH, str(place)]
    environment = {**os.environ, "PYTHONPATH": WORKER_PATH}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    assert process.stdout is not None
    try:
        assert process.stdout.readline().startswith("open")
        if killed_after is None:
            assert process.stdout.readline().startswith("done"), "the driver failed by itself"
            return True
        time.sleep(killed_after)
        return False
    finally:
        below = descendants(process.pid)
        process.kill()
        process.wait(LIMIT)
        process.stdout.close()
        for number in below:
            if runs(number):
                os.kill(number, signal.SIGKILL)
