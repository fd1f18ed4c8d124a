"""Readers in other threads while an epoch runs on Spark (D5): they see a committed epoch, whole, or wait for one."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.apart import run_apart
from tests.spark.conftest import needs_classic
from tests.spark.fragile import Beside, waiting
from tests.spark.processes import wait_for
from tidelog import Engine, TidelogError
from tidelog.engine.engine import core_of
from tidelog.spark import open_session

PROGRAM = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z).  slow(Y) :- edge(X,_), Y = wait(X)."
LIMIT = 120.0


@pytest.fixture
def beside(spark: SparkSession, tmp_path: Path) -> Iterator[Beside]:
    wait = waiting(tmp_path)
    with Engine(PROGRAM, spark=spark, partitions=2, functions=[wait]) as db:
        beside = Beside(db, PROGRAM, [wait])
        (tmp_path / "go").touch()
        beside.epoch(" ".join(f"+edge({i}, {i + 1})." for i in range(6)))
        yield beside


@contextmanager
def while_an_epoch_waits(folder: Path, act: Callable[[], None]) -> Iterator[None]:
    """Something is done in another thread while partitions are in the middle of a round; then they go on."""
    for mark in ("begun", "go"):
        (folder / mark).unlink(missing_ok=True)
    failures: list[BaseException] = []

    def acting() -> None:
        try:
            wait_for((folder / "begun").exists, LIMIT)
            act()
        except BaseException as error:
            failures.append(error)
        finally:
            (folder / "go").touch()

    thread = threading.Thread(target=acting)
    thread.start()
    yield
    thread.join()
    assert failures == []


def test_reader_sees_the_last_committed_epoch_while_another_runs(beside: Beside, tmp_path: Path) -> None:
    seen = []
    last = beside.epoch("+edge(9, 0).").changes
    before, lasting = beside.model()["reach"], frozenset(last["reach"].inserted)

    def read() -> None:
        seen.append(frozenset(beside.db["reach"]))
        seen.append(frozenset((row[0], row[1]) for row in beside.db["reach"].to_pandas().to_numpy().tolist()))
        seen.append(frozenset((row[0], row[1]) for row in beside.db["reach"].to_spark().collect()))
        changed = last["reach"].to_spark().where("change = 1").collect()
        assert lasting == {(row[0], row[1]) for row in changed}

    with while_an_epoch_waits(tmp_path, read):
        beside.epoch("-edge(2, 3). +edge(10, 0).")
    assert set(seen) == {before}
    assert frozenset(beside.db["reach"]) != before


def test_reader_waits_while_lost_partitions_begin_anew(beside: Beside, tmp_path: Path) -> None:
    stage = core_of(beside.db).runtime.nodes.stage  # type: ignore[union-attr]  # on Spark
    before, seen = beside.model()["reach"], []

    lost = stage.processes

    def is_gone() -> bool:
        """Whether the loss was noticed, or is mended already."""
        try:
            return not stage.alive or stage.processes != lost
        except (KeyError, TidelogError):
            return True

    def read() -> None:
        os.kill(lost[0], signal.SIGKILL)
        wait_for(is_gone, LIMIT)
        (tmp_path / "go").touch()
        seen.append(frozenset(beside.db["reach"]))

    with while_an_epoch_waits(tmp_path, read):
        beside.epoch("-edge(2, 3). +edge(11, 0).")
    assert set(seen) <= {before, beside.model()["reach"]}
    beside.epoch("+edge(2, 3).")


def test_a_copy_of_the_state_is_given_up_while_an_epoch_runs(beside: Beside, tmp_path: Path) -> None:
    copy, over = core_of(beside.db).runtime.facts.freeze(["reach"]), threading.Event()

    def read() -> None:
        before = sum(len(counts[0]) for counts in copy.batches("reach"))
        assert before == len(beside.db["reach"])
        copy.close()
        assert not over.is_set(), "it waited for the epoch"

    with while_an_epoch_waits(tmp_path, read):
        beside.epoch("-edge(2, 3). +edge(12, 0).")
        over.set()


def test_readers_are_answered_while_the_number_of_partitions_changes(spark: SparkSession) -> None:
    with Engine('label(X, cat(S, "!")) :- name(X, S).', spark=spark, partitions=2) as db:
        with db.epoch() as epoch:
            epoch.insert("name", [(number, f"n{number}") for number in range(50)])
        expected, failures, reads, over = set(db["label"]), [], [0, 0, 0], threading.Event()

        def read(place: int, right: Callable[[], bool]) -> None:
            while not over.is_set():
                try:
                    assert right()
                except BaseException as error:
                    failures.append(error)
                reads[place] += 1

        acts = (
            lambda: set(db["label"]) == expected,
            lambda: (7, "n7!") in db["label"],
            lambda: len(list(db.query("label(7, S)"))) == 1,
        )
        threads = [threading.Thread(target=read, args=item) for item in enumerate(acts)]
        for thread in threads:
            thread.start()
        for count in (3, 1, 2):
            before = list(reads)
            assert db.repartition(count)
            wait_for(lambda before=before: all(map(int.__gt__, reads, before)), LIMIT)
        over.set()
        for thread in threads:
            thread.join(LIMIT)
        assert failures == []
        assert set(db["label"]) == expected


@pytest.mark.long  # a JVM of its own, which is stopped
@needs_classic
def test_session_that_its_user_stops_is_an_error_and_the_engine_can_be_closed() -> None:
    run_apart(stop_below)


def stop_below() -> None:
    spark = open_session(2)
    with Engine("p(X) :- q(X).", spark=spark, partitions=2) as db:
        with db.epoch() as e:
            e.insert("q", [(1,)])
        spark.stop()
        with pytest.raises(TidelogError, match="the Spark session was stopped"), db.epoch() as e:
            e.insert("q", [(2,)])
        assert db.epoch_number == 2
