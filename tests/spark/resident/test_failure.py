"""The resident stage when things go wrong: killed workers, cancelled jobs, Ctrl-C, a driver that dies."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.spark.conftest import ROOT, WORKER_PATH
from tests.spark.processes import descendants, runs, wait_for
from tests.spark.residents import Keeper
from tidelog.spark import Endpoint, PartitionLost, PreflightError, ResidentStage, StageError


@pytest.fixture(scope="module")
def breakable(spark: SparkSession) -> Iterator[ResidentStage]:
    with ResidentStage(spark, 2, Keeper) as stage:
        yield stage


@pytest.fixture
def stage(breakable: ResidentStage) -> ResidentStage:
    """A stage for the test to break: whole at its beginning."""
    if not breakable.alive:
        breakable.restart()
    return breakable


LIMIT = 60.0  # seconds that anything may take on a loaded machine; calls would take longer if it were not noticed
LONG = 10 * LIMIT


class Begun:
    """Marks of calls that have begun: what is to happen meanwhile happens then, however loaded the machine is."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "begun"

    def call(self, method: str = "sleep") -> tuple[str, str, float]:
        """The arguments of a call of `Keeper.begin`."""
        return str(self.path), method, LONG

    def marks(self) -> list[Path]:
        """One of each partition that has begun."""
        return list(self.path.parent.glob(f"{self.path.name}.*"))

    def then(self, action: Callable[[], object], partitions: int) -> None:
        """Act once when this many partitions have started."""

        def wait_and_act() -> None:
            wait_for(lambda: len(self.marks()) == partitions, LIMIT)
            action()

        threading.Thread(target=wait_and_act).start()

    def over(self) -> None:
        """Let the calls return."""
        for mark in self.marks():
            mark.unlink()


@pytest.fixture
def begun(tmp_path: Path) -> Begun:
    return Begun(tmp_path)


def press() -> None:
    """Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)


@contextlib.contextmanager
def busy(spark: SparkSession, tasks: int, mark: Path) -> Iterator[None]:
    """A job of the user that holds this many slots while the block runs."""
    mark.touch()

    def hold(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        while mark.exists():
            time.sleep(0.1)
        yield from batches

    job = spark.range(0, tasks, 1, tasks).mapInArrow(hold, "id long")
    thread = threading.Thread(target=job.collect, daemon=True)
    thread.start()
    tracker = spark.sparkContext.statusTracker()

    def all_run() -> bool:
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        return any(stage.numTasks == stage.numActiveTasks == tasks for stage in stages if stage)

    wait_for(all_run, LIMIT)
    try:
        yield
    finally:
        mark.unlink()
        thread.join(LIMIT)


def is_stopped(process: int) -> bool:
    """Whether every thread of a process stands still."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return all((task / "stat").read_text().rpartition(")")[2].split()[0] in "Tt" for task in tasks)


def listens(endpoint: Endpoint) -> bool:
    """Whether anybody takes connections there."""
    try:
        socket.create_connection((endpoint.host, endpoint.port), 1).close()
    except OSError:
        return False
    return True


def test_worker_killed_in_the_middle_of_a_call_is_noticed_and_replaced(stage: ResidentStage, begun: Begun) -> None:
    killed, before = stage.processes[1], stage.endpoints
    begun.then(lambda: os.kill(killed, signal.SIGKILL), 2)
    began = time.monotonic()
    with pytest.raises(PartitionLost) as caught:
        stage.call_all("begin", begun.call())
    assert time.monotonic() - began < LIMIT
    assert caught.value.number in (0, 1)
    assert not stage.alive
    with pytest.raises(PartitionLost):
        stage.call_all("echo", (1,))
    stage.restart()
    assert stage.call_all("count", ("rows",)) == [0, 0]
    assert stage.call(0, "send", ("mail", 3)) == 2
    begun.over()
    wait_for(lambda: not any(map(listens, before)), LIMIT)  # Spark may keep the other's process for later tasks


def test_worker_killed_between_calls_is_noticed(stage: ResidentStage) -> None:
    os.kill(stage.processes[0], signal.SIGKILL)
    wait_for(lambda: not stage.alive, LIMIT)
    with pytest.raises(PartitionLost):
        stage.call(1, "echo", (1,))


def test_partition_that_asks_a_killed_one_learns_who_is_lost(stage: ResidentStage, begun: Begun) -> None:
    killed = stage.processes[1]
    begun.then(lambda: os.kill(killed, signal.SIGKILL), 1)
    with pytest.raises(PartitionLost) as caught:
        stage.call(0, "ask", (1, "begin", *begun.call()))
    assert caught.value.number in (0, 1)


def test_worker_that_stands_still_is_noticed_by_its_silence(spark: SparkSession) -> None:
    with ResidentStage(spark, 1, Keeper, silence=3.0) as stage:
        (process,) = stage.processes
        os.kill(process, signal.SIGSTOP)
        wait_for(lambda: is_stopped(process), LIMIT)  # a signal is delivered when the system comes to it
        try:
            began = time.monotonic()
            with pytest.raises(PartitionLost, match="no heartbeat for 3 s") as lost:
                stage.call(0, "echo", (1,))
            assert lost.value.code == "TL6111"
            assert time.monotonic() - began < LIMIT
        finally:
            os.kill(process, signal.SIGCONT)


def test_job_that_is_cancelled_from_outside_is_noticed(stage: ResidentStage, begun: Begun) -> None:
    assert stage._job is not None
    begun.then(stage._job.cancel, 2)
    began = time.monotonic()
    with pytest.raises(PartitionLost):
        stage.call_all("begin", begun.call())
    assert time.monotonic() - began < LIMIT
    stage.restart()
    assert stage.call_all("echo", (1,)) == [1, 1]


def test_interrupt_ends_the_wait_and_leaves_the_stage_whole(stage: ResidentStage, begun: Begun) -> None:
    begun.then(press, 2)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        stage.call_all("begin", begun.call())
    assert time.monotonic() - began < LIMIT
    begun.over()
    assert stage.call_all("echo", (1,)) == [1, 1]


def test_stage_is_stopped_within_seconds_while_a_call_hangs(spark: SparkSession, begun: Begun) -> None:
    stage = ResidentStage(spark, 1, Keeper).start()
    begun.then(press, 1)
    with pytest.raises(KeyboardInterrupt):
        stage.call(0, "begin", begun.call("hang"))
    (process,) = stage.processes
    began = time.monotonic()
    stage.stop()
    assert time.monotonic() - began < LIMIT
    wait_for(lambda: not runs(process), LIMIT)


def test_start_that_finds_no_room_says_so(
    spark: SparkSession, kept_stage: ResidentStage, stage: ResidentStage, tmp_path: Path
) -> None:
    """Of eight slots the kept stage holds two, the one that is lost none, and a job of the user's the others."""
    assert kept_stage.alive
    os.kill(stage.processes[0], signal.SIGKILL)
    wait_for(lambda: not stage.alive, LIMIT)
    with busy(spark, 6, tmp_path / "busy"):
        with pytest.raises(StageError, match="0 of 2 tasks started within 2 s") as late:
            stage.restart(limit=2.0)
        assert late.value.code == "TL6110"
        with pytest.raises(PreflightError, match="a probe task did not finish within 2 s") as refused:
            ResidentStage(spark, 2, Keeper, start_limit=2.0).start()
        assert refused.value.code == "TL6012"
    stage.restart()
    assert stage.call_all("echo", (1,)) == [1, 1]


DRIVER = """
import sys, time
from tests.spark.residents import Keeper
from tidelog.spark import ResidentStage, open_session

spark = open_session(2, settings={"spark.executorEnv.PYTHONPATH": sys.argv[1]})
stage = ResidentStage(spark, 2, Keeper, patience=3.0).start()
print(*stage.processes, flush=True)
if sys.argv[2] == "leave":
    sys.exit()
stage.call_all("hang", (600.0,))
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Starts a driver in a separate process."""
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    started: list[subprocess.Popen[str]] = []

    def start(how: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": WORKER_PATH}
        command = [sys.executable, str(script), WORKER_PATH, how]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
        started.append(process)
        return process

    yield start
    for process in started:
        below = descendants(process.pid)
        process.kill()
        process.wait(10)
        assert process.stdout is not None
        process.stdout.close()
        for number in below:
            if runs(number):
                os.kill(number, signal.SIGKILL)


@pytest.mark.long  # the driver that test_engine_durable.py kills takes its workers with it, too
def test_driver_that_is_killed_takes_its_workers_with_it(driver: Callable[[str], subprocess.Popen[str]]) -> None:
    process = driver("stay")
    assert process.stdout is not None
    residents = [int(word) for word in process.stdout.readline().split()]
    below = descendants(process.pid)
    assert set(residents) <= set(below)
    process.kill()
    process.wait(LIMIT)
    wait_for(lambda: not any(runs(number) for number in below), LIMIT)


def test_driver_that_leaves_without_stopping_leaves_nothing_behind(
    driver: Callable[[str], subprocess.Popen[str]],
) -> None:
    process = driver("leave")
    assert process.stdout is not None
    residents = [int(word) for word in process.stdout.readline().split()]
    below = descendants(process.pid)
    assert set(residents) <= set(below)
    assert process.wait(2 * LIMIT) == 0
    wait_for(lambda: not any(runs(number) for number in below), LIMIT)
