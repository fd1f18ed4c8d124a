"""Streams: rules that change at a batch, several at once, slow epochs, batches of one's own, killed drivers."""

from __future__ import annotations

import json
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


def test_an_aggregate_in_update_mode_replaces_rows_by_key(spark: SparkSession, tmp_path: Path) -> None:
    for number, rows in enumerate([[(1, 5), (2, 6), (1, 7)], [(1, 9), (3, 4)]]):
        arrive(tmp_path / "in", number, rows)
    rules = "materialize(total, infinity, infinity, keys(1)). big(A) :- total(A, N), N > 15."
    sums = reading(spark, tmp_path / "in").groupBy("a").sum("b").toDF("a", "n")
    with Engine(rules, spark=spark, partitions=2, path=tmp_path / "s") as db:
        db.stream(sums, "total", output_mode="update", availableNow=True).awaitTermination(LIMIT)
        assert set(db["total"]) == {(1, 21), (2, 6), (3, 4)}
        assert set(db["big"]) == {(1,)}
        assert db.epoch_number == 3


@pytest.mark.parametrize("partitions", [0, 2])
def test_bad_rows_of_a_stream_are_put_aside(spark: SparkSession, tmp_path: Path, partitions: int) -> None:
    rows: list[list[tuple[int, int | None, str | None]]] = [
        [(1, 2, "insert"), (1, 3, "insert"), (2, None, "insert"), (4, 4, "come")],
        [(1, 3, "delete"), (5, 6, "insert")],
        [(7, 8, None), (8, 9, "insert")],
    ]
    (tmp_path / "in").mkdir()
    for number, batch in enumerate(rows):
        found = tmp_path / "in" / f"{number}.json"
        found.write_text("".join(json.dumps({"a": a, "b": b, "op": op, "note": "n"}) + "\n" for a, b, op in batch))
        os.utime(found, (number, number))
    source = spark.readStream.schema("a long, b long, op string, note string").option("maxFilesPerTrigger", 1)
    on_spark = {"spark": spark, "partitions": partitions} if partitions else {}
    with Engine(".decl edge(a: number, b: number)", path=tmp_path / "s", **on_spark) as db:
        stream = source.json(str(tmp_path / "in"))
        query = db.stream(stream, "edge", change="op", bad_rows=tmp_path / "bad", availableNow=True)
        query.awaitTermination(LIMIT)
        assert set(db["edge"]) == {(1, 2), (5, 6), (8, 9)}
        assert db.epoch_number == 4
    assert sorted(path.name for path in (tmp_path / "bad").iterdir()) == ["batch=0", "batch=2"]
    bad = spark.read.json(str(tmp_path / "bad"))
    assert {(row["batch"], row["row"], row["reason"]) for row in bad.collect()} == {
        (0, '{"a":2,"b":null}', "column 2 (`b`) is null; nulls are refused"),
        (0, '{"a":4,"b":4}', "the change column contains neither +1 nor -1 nor a kind of change"),
        (2, '{"a":7,"b":8}', "the change column contains neither +1 nor -1 nor a kind of change"),
    }


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
