"""DataFrames in and out of an engine on Spark: rows go to their owners, views come back, nothing passes the driver."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pyarrow as pa
import pytest

from tests.engine.test_forks import code_of, in_child
from tests.spark.apart import run_apart
from tests.spark.conftest import WORKER_PATH, needs_classic
from tests.spark.processes import wait_for
from tidelog import Engine
from tidelog.errors import DataError, EngineError
from tidelog.spark import local_session
from tidelog.spark.arrivals import Arrival
from tidelog.spark.streams import Stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
REACH = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z)."


@pytest.fixture(scope="module")
def db(spark: SparkSession):
    with Engine(REACH + ' call(X, cat(S, "!")) :- name(X, S).', spark=spark, partitions=2) as engine:
        yield engine


def test_rows_of_dataframes_are_inserted_and_deleted(spark: SparkSession, db: Engine) -> None:
    edges = spark.createDataFrame([(i, i + 1) for i in range(30)], "a long, b long")
    with db.epoch() as e:
        e.insert("edge", edges)
        e.insert("name", spark.createDataFrame([(1, "one"), (2, "")], "n long, text string"))
    assert len(db["reach"]) == 465
    assert set(db["call"]) == {(1, "one!"), (2, "!")}
    with db.epoch() as e:
        e.delete("edge", edges.where("a >= 10"))
        e.insert("edge", [(100, 101)])
    assert set(db["edge"]) == {(i, i + 1) for i in range(10)} | {(100, 101)}
    assert len(e.changes["reach"].deleted) == 465 - 55


@needs_classic
def test_pages_of_spark_tell_which_partitions_and_epochs_jobs_belong_to(spark: SparkSession, db: Engine) -> None:
    rows = spark.range(9000, 9003).selectExpr("id AS a", "id AS b").repartition(2)
    with db.epoch() as e:
        e.insert("edge", rows)
    number = db.epoch_number
    with db.epoch() as e:
        e.delete("edge", rows)
    store = spark.sparkContext._jsc.sc().statusStore()
    jobs = store.jobsList(None)
    said = {jobs.apply(n).description().toString() for n in range(jobs.size())}
    assert any("Some(tidelog: partitions 0 to 1, start " in text for text in said)
    assert {f"Some(tidelog: epoch {each}, rows of edge)" for each in (number, number + 1)} <= said


def test_source_that_was_deleted_meanwhile_is_reported_in_a_line(
    spark: SparkSession, db: Engine, tmp_path: Path
) -> None:
    spark.range(3).selectExpr("id AS a", "id AS b").coalesce(1).write.parquet(f"{tmp_path}/edges")
    edges, before = spark.read.parquet(f"{tmp_path}/edges"), db.epoch_number
    for file in (tmp_path / "edges").glob("*.parquet"):
        file.unlink()
    with Engine("") as embedded:
        for each in (db, embedded):
            with pytest.raises(DataError, match="edge") as caught, each.epoch() as e:
                e.insert("edge", edges)
            assert len(str(caught.value)) < 800
            assert "\n" not in str(caught.value)
    assert db.epoch_number == before


def test_signs_of_python_rows_and_dataframes_are_summed(spark: SparkSession, db: Engine) -> None:
    both = spark.createDataFrame([(7001, 1), (7002, 1)], "a long, b long")
    with db.epoch() as e:
        e.insert("edge", [(7001, 1), (7001, 1)])
        e.delete("edge", both)
    present = {row for row in db["edge"] if row[0] > 7000}
    assert present == {(7001, 1)}  # two against one; (7002, 1) was absent and stays so
    with db.epoch() as e:
        e.delete("edge", both)


def test_a_column_says_whether_a_row_comes_or_goes(spark: SparkSession, db: Engine) -> None:
    with db.epoch() as e:
        e.change("edge", spark.createDataFrame([(8001, 1, 1), (100, 101, -1)], "a long, b long, op int"), "op")
    assert (8001, 1) in set(db["edge"])
    assert (100, 101) not in set(db["edge"])


def test_bad_rows_are_counted_with_an_example_and_nothing_is_applied(spark: SparkSession, db: Engine) -> None:
    with db.epoch() as e:
        e.insert("edge", [(9000, 1)])
    before = set(db["edge"])
    rows = spark.createDataFrame([(9001, 1), (None, 2), (9002, None)], "a long, b long")
    with pytest.raises(DataError, match="2 rows do not fit; for example"), db.epoch() as e:
        e.insert("edge", rows)
    assert set(db["edge"]) == before
    with pytest.raises(DataError, match="string"), db.epoch() as e:
        e.insert("edge", spark.createDataFrame([("a", "b")], "a string, b string"))
    assert set(db["edge"]) == before


def test_ctrl_c_is_heard_while_spark_reads_the_rows(spark: SparkSession, db: Engine, tmp_path: Path) -> None:
    begun, before, pressed = tmp_path / "begun", set(db["edge"]), []

    def slow(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        begun.touch()
        time.sleep(300)
        yield from batches

    def press() -> None:
        wait_for(begun.exists, 120)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt), db.epoch() as e:
        e.insert("edge", spark.range(0, 1, 1, 1).selectExpr("id as a", "id as b").mapInArrow(slow, "a long, b long"))
    thread.join()
    assert time.monotonic() - pressed[0] < 60
    with db.epoch() as e:
        e.insert("edge", spark.createDataFrame([(6001, 6002)], "a long, b long"))
    assert set(db["edge"]) == before | {(6001, 6002)}


def test_a_view_as_dataframe_shows_its_epoch_for_ever(spark: SparkSession) -> None:
    with Engine(REACH, spark=spark, partitions=2) as db:
        with db.epoch() as e:
            e.insert("edge", [(1, 2), (2, 3)])
        view, changes = db["reach"].to_spark(), e.changes["reach"].to_spark()
        with db.epoch() as e:
            e.delete("edge", [(1, 2)])
        later = e.changes["reach"].to_spark()
        assert view.count() == 3
    with pytest.raises(EngineError, match="the engine is closed") as gone:
        list(e.changes["edge"].deleted)
    assert gone.value.code == "TL4701"
    assert sorted(map(tuple, view.collect())) == [(1, 2), (1, 3), (2, 3)]
    assert sorted(map(tuple, changes.collect())) == [(1, 2, 1), (1, 3, 1), (2, 3, 1)]
    assert sorted(map(tuple, later.collect())) == [(1, 2, -1), (1, 3, -1)]
    assert later.columns == ["X", "Y", "change"]


@pytest.mark.parametrize("durable", [False, True])
def test_files_of_views_are_removed_at_the_age_that_a_session_allows(
    spark: SparkSession, tmp_path: Path, durable: bool
) -> None:
    session = spark.newSession()
    with Engine(REACH, spark=session, partitions=2, path=tmp_path / "s" if durable else None) as db:
        with db.epoch() as e:
            e.insert("edge", [(1, 2), (2, 3)])
        files = [Path(each.removeprefix("file:")) for each in db["reach"].to_spark().inputFiles()]
        for each in {*files, *(file.parent for file in files)}:
            os.utime(each, (1, 1))
        db["reach"].to_spark()
        assert all(each.exists() for each in files)  # no age is set
        session.conf.set("spark.tidelog.viewAge", "3600s")
        young = db["reach"].to_spark()
        assert [each.exists() for each in files] == [False] * len(files)
        assert young.count() == 3


def test_types_come_back_as_they_were(spark: SparkSession) -> None:
    row = (1, 2.5, "x", True, date(2026, 11, 16), datetime(2026, 11, 16, 7, 30), [1, 2])
    frame = spark.createDataFrame([row], "a long, b double, c string, d boolean, e date, f timestamp, g array<bigint>")
    with Engine("copy(A,B,C,D,E,F,G) :- base(A,B,C,D,E,F,G).", spark=spark, partitions=2) as db:
        with db.epoch() as e:
            e.insert("base", frame)
        found = db["copy"].to_spark()
    assert [tuple(r) for r in found.collect()] == [row]
    assert [f.dataType.simpleString() for f in found.schema] == [f.dataType.simpleString() for f in frame.schema]


def test_an_embedded_engine_takes_and_gives_dataframes(spark: SparkSession) -> None:
    for partitions in (1, 2):
        with Engine(REACH, partitions=partitions) as db:
            with db.epoch() as e:
                e.insert("edge", spark.createDataFrame([(1, 2), (2, 3)], "a long, b long"))
                e.change("edge", spark.createDataFrame([(3, 4, 1)], "a long, b long, change int"))
            assert len(db["reach"]) == 6
            assert db["reach"].to_spark(spark).count() == 6
            assert e.changes["reach"].to_spark(spark).where("change = 1").count() == 6


def test_relations_with_a_key_take_dataframes(spark: SparkSession) -> None:
    program = "materialize(route, infinity, infinity, keys(1)). best(D, N) :- route(D, N)."
    with Engine(program, spark=spark, partitions=2) as db:
        with db.epoch() as e:
            e.insert("route", [(1, 10), (2, 20)])
        with db.epoch() as e:
            e.insert("route", spark.createDataFrame([(1, 11)], "d long, n long"))
        assert set(db["best"]) == {(1, 11), (2, 20)}


def test_a_relation_without_columns_takes_dataframes_on_one_partition_too(spark: SparkSession) -> None:
    for partitions in (1, 2):
        with Engine(".decl go()  .decl went()  went() :- go().", spark=spark, partitions=partitions) as db:
            with db.epoch() as e:
                e.insert("go", spark.createDataFrame([(1,)], "present long"))
            assert list(db["went"]) == [()]


def test_rows_replace_those_with_their_key_where_they_live(spark: SparkSession) -> None:
    program = "materialize(route, infinity, infinity, keys(1)). best(D, N) :- route(D, N)."
    with Engine(program, spark=spark, partitions=2) as db:
        with patch.object(Arrival, "collected", side_effect=AssertionError("rows came through this process")):
            with db.epoch() as e:
                e.insert("route", spark.createDataFrame([(n, "a") for n in range(20)], "d long, n string"))
            with db.epoch() as e:
                e.insert("route", spark.createDataFrame([(n, "b") for n in range(5, 9)], "d long, n string"))
                e.insert("route", [(19, "c")])
            assert sorted(e.changes["best"].deleted) == [(5, "a"), (6, "a"), (7, "a"), (8, "a"), (19, "a")]
            before = set(db["best"])
            output = (
                r"the key of `route` is column 1, but route\(30, .*\) and route\(30, .*\) are inserted in one epoch"
            )
            with pytest.raises(DataError, match=output), db.epoch() as e:
                e.insert("route", spark.createDataFrame([(30, "x"), (31, "y")], "d long, n string"))
                e.insert("route", [(30, "z")])
        assert set(db["best"]) == before


def test_keys_of_rows_with_a_location_are_those_of_their_node(spark: SparkSession) -> None:
    program = "materialize(route, infinity, infinity, keys(1)). best(@N, D, C) :- route(D, @N, C)."
    with Engine(program, spark=spark, partitions=2) as db:
        for change in range(3):
            with db.epoch() as e:
                rows = [(n, change % 2, n + change) for n in range(9)]
                e.insert("route", spark.createDataFrame(rows, "d long, n long, c long"))
        assert set(db["best"]) == {(1, n, n + 1) for n in range(9)} | {(0, n, n + 2) for n in range(9)}


def test_a_stream_goes_on_where_it_was_stopped(spark: SparkSession, tmp_path: Path) -> None:
    arriving = str(tmp_path / "arriving")

    def arrive(rows: list[tuple[int, int, int]]) -> None:
        spark.createDataFrame(rows, "a long, b long, op int").coalesce(1).write.mode("append").json(arriving)

    def run_stream() -> tuple[int, set[tuple[int, int]]]:
        with Engine(REACH, spark=spark, partitions=2, path=tmp_path / "state") as db:
            db.write_feed("reach", folder=str(tmp_path / "feed"))
            rows = spark.readStream.schema("a long, b long, op int").option("maxFilesPerTrigger", 1).json(arriving)
            db.stream(rows, "edge", change="op", availableNow=True).awaitTermination(120)
            return db.epoch_number, set(db["reach"])

    arrive([(1, 2, 1), (2, 3, 1)])
    assert run_stream() == (2, {(1, 2), (2, 3), (1, 3)})
    assert run_stream() == (2, {(1, 2), (2, 3), (1, 3)})  # nothing is repeated
    arrive([(3, 4, 1), (1, 2, -1)])
    assert run_stream() == (3, {(2, 3), (3, 4), (2, 4)})
    feed = [tuple(row) for row in spark.read.parquet(str(tmp_path / "feed")).collect()]
    assert sorted(feed) == sorted(
        [(1, 2, 1, 2), (2, 3, 1, 2), (1, 3, 1, 2), (1, 2, -1, 3), (1, 3, -1, 3), (3, 4, 1, 3), (2, 4, 1, 3)]
    )
    (tmp_path / "state" / "streams" / "edge").rename(tmp_path / "elsewhere")
    with pytest.raises(EngineError, match=r"the checkpoint .* is new"):
        run_stream()


def test_a_feed_goes_to_a_table_once_per_epoch(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("drop table if exists feed_of_reach")
    for edges in ([(1, 2)], [(2, 3)]):
        with Engine(REACH, spark=spark, partitions=2, path=tmp_path / "state") as db:
            db.write_feed("reach", table="feed_of_reach")
            with db.epoch() as e:
                e.insert("edge", edges)
    found = sorted(map(tuple, spark.table("feed_of_reach").collect()))
    assert found == [(1, 2, 1, 2), (1, 3, 1, 3), (2, 3, 1, 3)]
    assert list((tmp_path / "state" / "views").iterdir()) == []  # what went to the table is not kept twice
    spark.sql("drop table feed_of_reach")


def test_rules_and_the_dataframe_of_a_relation_that_they_make_known_come_in_one_epoch(spark: SparkSession) -> None:
    with Engine(spark=spark, partitions=2) as db:
        with db.epoch() as e:
            e.insert("edge", spark.createDataFrame([("a", "b"), ("b", "c")], "x string, y string"))
            for rule in REACH.replace(". ", ".\n").splitlines():
                e.add_rule(rule)
        assert set(db["reach"]) == {("a", "b"), ("b", "c"), ("a", "c")}


@pytest.mark.parametrize("on_spark", [False, True])
def test_rows_whose_sign_is_none_are_refused_wherever_the_engine_lives(spark: SparkSession, on_spark: bool) -> None:
    rows = "(1L, 2L, 1), (3L, 4L, 2), (5L, 6L, NULL), (7L, 8L, 0), (9L, 10L, -1)"
    signs = f"SELECT * FROM VALUES {rows} AS t(a, b, change)"
    where = {"spark": spark, "partitions": 1} if on_spark else {}
    with Engine("p(X) :- e(X, _).", **where) as db:
        refused = pytest.raises(DataError, match=r"e: 3 rows do not fit; .* the change column contains neither")
        with refused as error, db.epoch() as epoch:
            epoch.change("e", spark.sql(signs))
        assert error.value.code == "TL1510"
        stream = Stream(spark.sql(signs), "e", "s", change="change")
        with pytest.raises(DataError, match="e: 3 rows do not fit"):  # a micro-batch goes the same way
            stream.take(db.epoch(), stream.rows, 0)
        with db.epoch() as epoch:
            epoch.change("e", spark.sql(signs).where("change IN (1, -1)"))
        assert db["e"].rows() == [(1, 2)]


def test_a_source_that_moves_is_read_once_by_an_embedded_engine(spark: SparkSession) -> None:
    moving = spark.range(200).selectExpr("id", "IF(rand() < 0.5, 1, -1) AS change")
    db = Engine("p(X) :- e(X).")
    with db.epoch() as epoch:
        epoch.insert("e", [(i,) for i in range(200)])
    with db.epoch() as epoch:
        epoch.change("e", moving)
        output = {sign: {int(v) for v in part.columns[0].to_pylist()} for sign, _, part in epoch.collected.facts}
    assert output[1] | output[-1] == set(range(200))
    assert not output[1] & output[-1]


def leave_spark_alone() -> None:
    """In a separate process: what other tests left behind is not collected in the child."""
    settings = {"spark.executorEnv.PYTHONPATH": WORKER_PATH}
    with (
        local_session(1, settings=settings) as spark,
        Engine("p(X) :- e(X).", spark=spark, partitions=1) as db,
    ):
        with db.epoch() as epoch:
            epoch.insert("e", [(1,)])
        view = db["p"]

        def end() -> list[str]:
            found = [code_of(view.rows), code_of(db.verify), code_of(lambda: epoch.changes["p"].inserted.rows())]
            db.close()
            gc.collect()
            return found

        assert in_child(end) == ["TL4061"] * 3
        assert in_child(atexit._run_exitfuncs) is None  # the finalizers of whatever is there: none waits for the parent
        with db.epoch() as epoch:
            epoch.insert("e", [(2,)])
        assert sorted(db["p"]) == [(1,), (2,)]
        assert spark.range(3).count() == 3


@pytest.mark.long  # a JVM of its own; forked children without Spark: tests/engine
@needs_classic
def test_the_end_of_a_forked_child_leaves_spark_alone() -> None:
    run_apart(leave_spark_alone)
