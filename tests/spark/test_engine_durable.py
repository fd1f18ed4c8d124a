"""State folders of engines on Spark: closed and opened again, read at an epoch, and left behind by a killed driver."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.law.repartition_cases import SHAPES, UNGROUPED, random_graph
from tests.spark.conftest import ROOT, WORKER_PATH
from tests.spark.fragile import Beside
from tests.spark.processes import descendants, runs, wait_for
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.errors import StateError
from tidelog.spark import PreflightError
from tidelog.store.folder.durable import Durable

PROGRAM = """
reach(X,Y) :- edge(X,Y).
reach(X,Z) :- edge(X,Y), reach(Y,Z).
two(X,Z) :- reach(X,Y), reach(Y,Z).
label(X, cat(S, "!")) :- name(X,S), !edge(X,_).
"""
FIRST = "+edge(1,2). +edge(2,3). +edge(3,4). +name(4, end). +name(3, mid)."
SECOND = "-edge(2,3). +edge(2,5)."
LIMIT = 120.0


def made(spark: SparkSession, path: Path) -> Beside:
    """A state of three epochs on two partitions; the engine is closed."""
    with Engine(PROGRAM, spark=spark, partitions=2, path=path) as db:
        beside = Beside(db, PROGRAM)
        beside.epoch(FIRST)
        beside.epoch(SECOND)
    return beside


def test_state_is_closed_and_opened_again_and_its_past_is_read(spark: SparkSession, tmp_path: Path) -> None:
    beside = made(spark, tmp_path)
    expected = {name: sorted(rows) for name, rows in beside.model().items()}
    with Engine(path=tmp_path, spark=spark, partitions=2) as beside.db:
        assert {name: sorted(beside.db[name]) for name in expected} == expected
        assert beside.db.epoch_number == 3
        beside.check()
        beside.epoch("+edge(5,1). +name(5, late).")
        beside.db.snapshot()
        beside.epoch("-edge(3,4).")
    with Engine(path=tmp_path, spark=spark) as beside.db:  # as many partitions as the state has
        beside.check()
        assert core_of(beside.db).runtime.partitions == 2  # type: ignore[union-attr]  # on Spark
        beside.epoch("+edge(3,4). -name(5, late).")
        assert [entry.epoch for entry in beside.db.log()] == [1, 2, 3, 4, 5, 6]
        output: set[tuple[object, ...]] = set()
        for _, sign, fact in beside.db.changes("label"):
            (output.add if sign > 0 else output.remove)(fact)
        assert output == set(beside.db["label"])
    with Engine(path=tmp_path, at=3) as past:
        assert {name: sorted(past[name]) for name in expected} == expected
    with Engine(path=tmp_path, partitions=2) as beside.db:  # the same state in this process
        beside.check()
        beside.epoch("+edge(9,9).")
    with Engine(path=tmp_path, spark=spark) as beside.db:
        beside.check()


def test_a_state_opens_with_another_number_of_partitions_there_and_here(spark: SparkSession, tmp_path: Path) -> None:
    beside = made(spark, tmp_path)
    for session, count in ((spark, 3), (None, 1), (spark, 2), (spark, 1), (None, 3)):
        with Engine(path=tmp_path, spark=session, partitions=count) as beside.db:
            assert core_of(beside.db).runtime.partitions == count
            beside.check()
            beside.epoch(f"+edge({count},{count + 5}). +name({count + 50}, n{count}).")
    past = Engine(path=tmp_path, at=3)
    assert sorted(past["label"]) == [(4, "end!")]


def test_a_running_engine_gets_another_number_of_partitions(spark: SparkSession, tmp_path: Path) -> None:
    with Engine(PROGRAM, spark=spark, partitions=2, path=tmp_path) as db:
        beside = Beside(db, PROGRAM)
        beside.epoch(FIRST)
        view = db["label"]
        e = beside.epoch("+name(77, held).")
        for count in (3, 1, 2):
            db.repartition(count)
            assert core_of(db).runtime.partitions == count
            assert (77, "held!") in view
            assert list(e.changes["label"].inserted) == [(77, "held!")]
            beside.check()
            beside.epoch(f"+edge({count},9). +name({90 + count}, later).")
            assert (90 + count, "later!") in view


@pytest.mark.spark
@pytest.mark.parametrize(
    "shape", ["best path", *(pytest.param(s, marks=pytest.mark.long) for s in ("all pairs", "subsumption"))]
)
def test_groups_of_several_columns_go_to_other_numbers_of_partitions(spark: SparkSession, shape: str) -> None:
    graph = random_graph(6)
    with Engine(SHAPES[shape]) as judge, Engine(SHAPES[shape], spark=spark, partitions=2) as db:
        for one in (judge, db):
            with one.epoch() as e:
                e.insert("w", graph)
        for count in (1, 3):
            db.repartition(count)
            for one in (judge, db):
                with one.epoch() as e:
                    e.delete("w", [graph[count]])
            assert {name: sorted(db[name]) for name in db.relations} == {n: sorted(judge[n]) for n in judge.relations}
        assert db.verify()


@pytest.mark.spark
def test_a_rule_that_comes_back_after_other_numbers_of_partitions_derives_all(spark: SparkSession) -> None:
    with Engine("", spark=spark, partitions=2) as db:
        with db.epoch() as e:
            e.add_rule(UNGROUPED, label="L")
            e.insert("v", [(i,) for i in range(10)])
        with db.epoch() as e:
            e.remove_rule("L")
        db.repartition(1)
        db.repartition(3)
        with db.epoch() as e:
            e.add_rule(UNGROUPED, label="L")
        assert len(db["d"]) == 10
        assert db.verify()


def test_a_repartition_that_fails_leaves_the_old_partitions(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine(PROGRAM, spark=spark, partitions=2, path=tmp_path) as db:
        beside = Beside(db, PROGRAM)
        beside.epoch(FIRST)
        with pytest.raises(PreflightError, match="slots"):
            db.repartition(60)
        with monkeypatch.context() as patched:
            patched.setattr(Durable, "record_anew", _full)
            with pytest.raises(StateError, match="full"):
                db.repartition(3)
        assert core_of(db).runtime.partitions == 2
        beside.check()
        beside.epoch(SECOND)
        db.repartition(3)
        beside.check()


def _full(*_: object, **__: object) -> None:
    raise StateError("the disk is full")


DRIVER = """
import sys, time
from tests.spark.test_engine_durable import FIRST, PROGRAM, SECOND
from tests.spark.fragile import Beside
from tidelog import Engine
from tidelog.spark import open_session

spark = open_session(2, settings={"spark.executorEnv.PYTHONPATH": sys.argv[1]})
db = Engine(PROGRAM, spark=spark, partitions=2, path=sys.argv[2])
beside = Beside(db, PROGRAM)
beside.epoch(FIRST)
beside.epoch(SECOND)
print("done", flush=True)
time.sleep(600)
"""


@pytest.mark.long  # starts a second JVM; a crash at every write: tests/store/test_faults.py
def test_state_of_a_killed_driver_is_opened_again(spark: SparkSession, tmp_path: Path) -> None:
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    environment = {**os.environ, "PYTHONPATH": WORKER_PATH}
    command = [sys.executable, str(script), WORKER_PATH, str(tmp_path / "state")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    below: list[int] = []
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
        below = descendants(process.pid)
        process.kill()
        process.wait(LIMIT)
        wait_for(lambda: not any(runs(number) for number in below), LIMIT)
    finally:
        for number in below or descendants(process.pid):
            if runs(number):
                os.kill(number, signal.SIGKILL)
        process.kill()
        process.communicate()
    with Engine(path=tmp_path / "state", spark=spark) as db:
        beside = Beside(db, PROGRAM)
        for output in (FIRST, SECOND):
            beside.note(output)
        beside.check()
        assert db.epoch_number == 3
        beside.epoch("+edge(5,6).")
