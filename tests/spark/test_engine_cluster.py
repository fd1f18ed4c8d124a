"""An engine on a real standalone cluster: an executor and then a worker are killed in the middle of an epoch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.spark.apart import run_apart
from tests.spark.cluster import Cluster, standalone_cluster
from tests.spark.fragile import Beside, waiting
from tests.spark.processes import wait_for
from tidelog import Engine
from tidelog.spark import PreflightError

PROGRAM = """
reach(X,Y) :- edge(X,Y).
reach(X,Z) :- edge(X,Y), reach(Y,Z).
two(X,Z) :- reach(X,Y), reach(Y,Z).
slow(X, Y) :- two(X, Z), Y = wait(Z).
"""
LIMIT = 120.0


@pytest.mark.long  # killed partitions: test_engine_failure.py
def test_engine_on_a_cluster_survives_a_killed_executor_and_a_killed_worker() -> None:
    with standalone_cluster(workers=2, cores=3) as cluster:  # one worker alone has room for two partitions
        run_apart(survive, cluster, seconds=600.0)


def survive(cluster: Cluster) -> None:
    shared = Path(cluster.shared)
    shared.mkdir(parents=True, exist_ok=True)
    wait = waiting(shared)
    with cluster.session() as spark:
        with pytest.raises(PreflightError, match=r"needs a state folder that all of them can access; pass"):
            Engine(PROGRAM, spark=spark, partitions=2, functions=[wait])
        with Engine(PROGRAM, spark=spark, partitions=2, functions=[wait], path=shared / "state") as db:
            beside = Beside(db, PROGRAM, [wait])
            with meanwhile(shared, cluster.kill_executor):
                beside.epoch(" ".join(f"+edge({i}, {i + 1})." for i in range(6)))
            wait_for(lambda: len(cluster.executors()) == 2, LIMIT)
            beside.epoch("-edge(2, 3). +edge(2, 4).")
            with meanwhile(shared, cluster.kill_worker):
                beside.epoch("+edge(5, 0). + more: slow(X, Y) :- reach(X, Z), Y = wait(Z + 100).")
            beside.epoch("-edge(5, 0). - more.")


@contextmanager
def meanwhile(shared: Path, kill: Callable[[], object]) -> Iterator[None]:
    """While the block runs: as soon as a partition is at the slow function, something is killed; then it may go on."""
    begun, go = shared / "begun", shared / "go"
    for mark in (begun, go):
        mark.unlink(missing_ok=True)

    def act() -> None:
        wait_for(begun.exists, LIMIT)
        kill()
        go.touch()

    thread = threading.Thread(target=act)
    thread.start()
    yield
    thread.join(LIMIT)
    assert go.exists()
