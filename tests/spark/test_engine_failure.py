"""An engine on Spark when partitions are lost (D18), when it is interrupted, and when it ends.

Every epoch is checked against evaluation from scratch, with I1, I2 and the change feed. Partitions kill their own
processes at exactly chosen moments (`fragile`), so that nothing here depends on the speed of the machine.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from pyspark.sql import SparkSession

from tests.spark.conftest import ROOT, WORKER_PATH
from tests.spark.fragile import Beside, MakeFragile, Orders, waiting
from tests.spark.processes import descendants, runs, wait_for
from tidelog import Engine, EngineError, EvaluationError, user_function
from tidelog.engine.engine import core_of
from tidelog.runtime.base.call import MARK, mark_of
from tidelog.runtime.protocol.service import Service
from tidelog.spark import nodes as spark_nodes

PROGRAM = """
reach(X,Y) :- edge(X,Y).
reach(X,Z) :- edge(X,Y), reach(Y,Z).
two(X,Z) :- reach(X,Y), reach(Y,Z).
dead(X) :- edge(_,X), !edge(X,_).
ways(X, count<Y>) :- two(X,Y).
label(X, cat(S, "!")) :- name(X,S).
"""
LIMIT = 120.0


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Orders:
    return Orders(str(tmp_path_factory.mktemp("orders")))


@pytest.fixture(scope="module")
def engine(spark: SparkSession, orders: Orders) -> Iterator[Beside]:
    with patch.object(spark_nodes, "MakeResidentNode", MakeFragile(orders)):
        db = Engine(PROGRAM, spark=spark, partitions=2)
    with db:
        yield Beside(db, PROGRAM)


@pytest.fixture
def beside(engine: Beside, orders: Orders) -> Iterator[Beside]:
    """An engine with a few facts, whatever tests did before."""
    orders.live()
    if not engine.state.facts:
        names = " ".join(f'+name({i}, "n{i}").' for i in range(0, 12, 2))
        engine.epoch(" ".join(f"+edge({i}, {i + 1})." for i in range(8)) + names)
    yield engine
    orders.live()


def change(beside: Beside) -> str:
    """An epoch that derives and retracts, and is not the one before."""
    there = ("edge", (3, 4)) in beside.state.facts
    return "-edge(3, 4). +edge(7, 0)." if there else "+edge(3, 4). -edge(7, 0)."


MOMENTS = [
    *((method, after) for method in ("start", "resume", "write_piece", "commit") for after in (False, True)),
    *((method, False) for method in ("rows", "counts", "changes", "take_entries", "known_entries")),
]


# The others are long; a partition is lost at "start" in the tests below, too.
SOONEST = {("resume", True), ("write_piece", False), ("commit", True)}


@pytest.mark.parametrize(
    ("method", "after"), [pytest.param(*m, marks=() if m in SOONEST else pytest.mark.long) for m in MOMENTS]
)
def test_partition_lost_at_any_moment_of_an_epoch_is_survived(
    beside: Beside, orders: Orders, method: str, after: bool
) -> None:
    new = " ".join(f'+name({i}, "{method}{after}{i}").' for i in range(8))  # entries that no partition knows yet
    orders.die(method, after=after)
    beside.epoch(change(beside) + new)
    assert orders.left == 0, "nobody died"
    beside.epoch(change(beside))


def test_partition_killed_between_epochs_is_survived(beside: Beside) -> None:
    stage = core_of(beside.db).runtime.nodes.stage  # type: ignore[union-attr]  # on Spark
    os.kill(stage.processes[0], signal.SIGKILL)
    beside.epoch(change(beside))
    os.kill(stage.processes[1], signal.SIGKILL)
    wait_for(lambda: not stage.alive, LIMIT)
    beside.check()
    assert str(beside.db.why(("edge", (0, 1)))).startswith("edge(0, 1)")
    beside.epoch(change(beside))


def test_changes_of_epochs_before_a_loss_can_still_be_read(beside: Beside, orders: Orders) -> None:
    before = beside.model()
    first = beside.try_epoch(change(beside))
    between = beside.model()
    orders.die("start")
    second = beside.try_epoch(change(beside))
    assert orders.left == 0
    for epoch, old, new in ((first, before, between), (second, between, beside.model())):
        assert frozenset(epoch.changes["two"].inserted) == new["two"] - old["two"]
        assert frozenset(epoch.changes["two"].deleted) == old["two"] - new["two"]


@pytest.mark.long
def test_rules_changed_by_an_epoch_that_is_lost_are_changed_when_it_is_repeated(beside: Beside, orders: Orders) -> None:
    for method in ("resume", "write_piece", "commit"):
        orders.die(method)
        beside.epoch(f"{change(beside)} + x{method}: back_{method}(Y,X) :- two(X,Y), reach(X,Y).")
        orders.die(method)
        beside.epoch(f"-x{method}. {change(beside)}")
        assert orders.left == 0


@pytest.mark.long
def test_question_and_preview_survive_a_loss(beside: Beside, orders: Orders) -> None:
    two = beside.model()["two"]
    for method, after in (("start", True), ("rollback", False)):  # its rule is run
        orders.die(method, after=after)
        assert sorted(beside.db.query("two(X, Y), two(Y, X)")) == sorted((x, y) for x, y in two if (y, x) in two)
        assert orders.left == 0
    orders.die("find")  # it names a value and is walked
    assert sorted(beside.db.query("two(0, Y), two(_, Y)")) == sorted((y,) for x, y in two if x == 0)
    assert orders.left == 0
    orders.die("resume")
    epoch = beside.db.epoch()
    epoch.insert("edge", [(0, 0)])
    beside.db.preview(epoch)
    assert (0, 0) in frozenset(epoch.changes["two"].inserted)
    assert orders.left == 0
    beside.check()


def test_partition_that_fails_to_commit_or_to_roll_back_begins_anew(beside: Beside, orders: Orders) -> None:
    orders.fail("commit")
    beside.epoch(change(beside))
    assert orders.left == 0
    orders.fail("rollback")
    assert sorted(beside.db.query("edge(X, X), edge(X, _)")) == []
    beside.epoch(change(beside))
    assert orders.left == 0


@pytest.mark.parametrize("method", ["start", pytest.param("write_piece", marks=pytest.mark.long)])
def test_repeated_loss_ends_with_an_error_and_the_engine_goes_on_afterwards(
    beside: Beside, orders: Orders, method: str
) -> None:
    number = beside.db.epoch_number
    orders.die(method, times=100)
    output = (
        "was lost: .*; stopped after 4 attempts; the last known position is round .*; the state is that of "
        f"epoch {number}$"
    )
    with pytest.raises(EngineError, match=output):
        beside.try_epoch(change(beside))
    assert orders.left == 96
    orders.live()
    beside.check()
    beside.epoch(change(beside))
    assert beside.db.epoch_number == number + 1


@pytest.mark.long
def test_epoch_that_is_on_disk_is_committed_though_partitions_cannot_be_loaded(beside: Beside, orders: Orders) -> None:
    orders.die("commit", after=True)
    beside.try_epoch(change(beside))
    wait_for(lambda: orders.left == 0, LIMIT)  # no call waits for a commit
    orders.die("load_piece", times=100)
    with pytest.raises(EngineError, match=r"stopped after 4 attempts"):
        beside.check()
    orders.live()
    beside.check()
    beside.epoch(change(beside))


def test_user_function_that_kills_its_process_is_survived_once(spark: SparkSession, tmp_path: Path) -> None:
    driver, mark = os.getpid(), tmp_path / "died"

    @user_function("deadly", ("number",), "number")
    def deadly(value: int) -> int:
        if os.getpid() != driver and value == 5 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return value * 2

    program = PROGRAM + "twice(X, Y) :- two(X, Z), Y = deadly(Z)."
    with Engine(program, spark=spark, partitions=2, functions=[deadly]) as db:
        beside = Beside(db, program, [deadly])
        beside.epoch(" ".join(f"+edge({i}, {i + 1})." for i in range(8)))
        assert mark.exists()
        beside.epoch("-edge(4, 5).")


# Ctrl-C


@pytest.fixture(params=[60.0, 1.0], ids=["gives way", "does not give way"])
def patience(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> float:
    """How long partitions get to leave an epoch."""
    seconds: float = request.param
    monkeypatch.setitem(vars(Service.rollback), MARK, replace(mark_of(Service.rollback), limit=seconds))
    return seconds


def test_interrupt_leaves_the_epoch_before_and_an_engine_that_can_be_used(
    spark: SparkSession, tmp_path: Path, patience: float
) -> None:
    """Partitions run a user function: it returns when they were interrupted, or they are restarted."""
    wait, go = waiting(tmp_path), tmp_path / "go"
    program = PROGRAM + "slow(Y) :- two(X, Z), Y = wait(Z)."

    def press() -> None:
        wait_for((tmp_path / "begun").exists, LIMIT)
        os.kill(os.getpid(), signal.SIGINT)
        if patience > 1:
            time.sleep(0.5)
            go.touch()

    with Engine(program, spark=spark, partitions=2, functions=[wait]) as db:
        beside = Beside(db, program, [wait])
        thread = threading.Thread(target=press)
        thread.start()
        with pytest.raises(KeyboardInterrupt) as raised:
            beside.try_epoch(" ".join(f"+edge({i}, {i + 1})." for i in range(8)))
        assert "slow(Y) :- two(X, Z), Y = wait(Z). (partition " in str(raised.value)
        assert "\n  plan    on two(X, Z)\n  so far  this rule visited 0 rows" in str(raised.value)
        thread.join()
        go.touch()
        beside.check()
        beside.epoch(" ".join(f"+edge({i}, {i + 1})." for i in range(5)))


def test_interrupt_while_an_epoch_is_committed_does_not_divide_it(beside: Beside, orders: Orders) -> None:
    nodes = core_of(beside.db).runtime.nodes  # type: ignore[union-attr]  # on Spark
    post = nodes.post

    def pressed(method: Callable[..., object], *args: object, **named: object) -> None:
        if method is Service.commit:
            os.kill(os.getpid(), signal.SIGINT)
            orders.die("commit", after=True)  # and what is more: partitions that answer late
        post(method, *args, **named)

    number, script = beside.db.epoch_number, change(beside)
    with patch.object(nodes, "post", pressed), pytest.raises(KeyboardInterrupt):
        beside.try_epoch(script)
    assert beside.db.epoch_number == number + 1
    beside.note(script)
    beside.check()
    beside.epoch(change(beside))


DRIVER = """
import sys, time
from pathlib import Path
from tests.spark.fragile import Beside, waiting
from tidelog import Engine
from tidelog.spark import local_session

folder = Path(sys.argv[2])
program = "p(X) :- q(X).  r(Y) :- p(X), Y = wait(X)."
wait = waiting(folder)
with local_session(2, settings={"spark.executorEnv.PYTHONPATH": sys.argv[1]}) as spark:
    with Engine(program, spark=spark, partitions=2, functions=[wait]) as db:
        beside = Beside(db, program, [wait])
        try:
            beside.try_epoch("+q(1). +q(2). +q(3).")
        except KeyboardInterrupt:
            beside.check()
            beside.epoch("+q(4).")
            print("went on", *db["r"], flush=True)
    print(spark.range(10).count(), flush=True)
"""


@pytest.mark.long
def test_ctrl_c_at_a_terminal_reaches_the_engine_and_nothing_else(tmp_path: Path) -> None:
    """SIGINT to the whole process group, as a terminal sends it: Java and the workers must not mind."""
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    environment = {**os.environ, "PYTHONPATH": WORKER_PATH}
    process = subprocess.Popen(
        [sys.executable, str(script), WORKER_PATH, str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment, start_new_session=True,
    )  # fmt: skip
    below: list[int] = []
    try:
        wait_for(lambda: (tmp_path / "begun").exists() or process.poll() is not None, 2 * LIMIT)
        below = descendants(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
        (tmp_path / "go").touch()
        output, errors = process.communicate(timeout=LIMIT)
        assert (output, process.returncode) == ("went on (4,)\n10\n", 0), errors[-2000:]
        wait_for(lambda: not any(runs(number) for number in below), LIMIT)
    finally:
        for number in (*below, process.pid):
            if runs(number):
                os.kill(number, signal.SIGKILL)
        process.communicate()


# The end


def test_end_of_an_engine_ends_its_stage_and_leaves_the_session(spark: SparkSession) -> None:
    running = set(spark.sparkContext.statusTracker().getActiveStageIds())

    def ended() -> bool:
        return set(spark.sparkContext.statusTracker().getActiveStageIds()) <= running

    db = Engine(PROGRAM, spark=spark, partitions=2)
    folder = Path(core_of(db).opened.folder.name)  # type: ignore[union-attr]  # on Spark there is one
    assert not ended()
    db.close()
    db.close()
    assert not folder.exists()
    with pytest.raises(EngineError, match="closed"):
        db["reach"]
    with pytest.raises(ZeroDivisionError), Engine(PROGRAM, spark=spark, partitions=2) as db, db.epoch() as e:
        e.insert("edge", [(1, 2)])
        _ = 1 // 0
    with pytest.raises(EvaluationError, match="division by zero"):
        Engine("p(X) :- q(Y), X = 1 / Y.  q(0).", spark=spark, partitions=2)
    wait_for(ended, LIMIT)
    assert spark.range(10).repartition(2).count() == 10


def test_engine_that_cannot_be_opened_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    running = set(spark.sparkContext.statusTracker().getActiveStageIds())
    with patch.object(spark_nodes.SparkNodes, "ask", side_effect=EngineError("no")), pytest.raises(EngineError):
        Engine(PROGRAM, spark=spark, partitions=2, path=tmp_path)
    wait_for(lambda: set(spark.sparkContext.statusTracker().getActiveStageIds()) <= running, LIMIT)
    with Engine(PROGRAM, path=tmp_path) as db:  # and the folder is not locked
        assert db.epoch_number == 1
