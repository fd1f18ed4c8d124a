"""The resident stage on a real standalone cluster: two executors as separate processes, one of them killed."""

from __future__ import annotations

import os
import signal
import time

import pytest

from tests.spark.apart import run_apart
from tests.spark.cluster import Cluster
from tests.spark.processes import parent_of, runs, wait_for
from tests.spark.residents import Keeper
from tidelog.spark import PartitionLost, PreflightError, ResidentStage
from tidelog.spark.session.access import access
from tidelog.spark.session.preflight import preflight


@pytest.mark.long
def test_stage_on_a_cluster_survives_a_killed_executor_and_a_killed_worker_process(cluster: Cluster) -> None:
    run_apart(survive, cluster)


def survive(cluster: Cluster) -> None:
    with cluster.session() as spark:
        refuse(cluster, spark)
        with ResidentStage(spark, 3, Keeper, folder=cluster.shared) as stage:
            assert access(spark).slots() == 4
            assert stage.call_all("send", ("mail", 5)) == [3, 3, 3]
            assert stage.call_all("count", ("mail",)) == [15, 15, 15]
            assert {executor_of(process) for process in stage.processes} == set(cluster.executors()), "both are used"
            victim = cluster.executors()[0]
            held = [process for process in stage.processes if executor_of(process) == victim]
            assert held
            lose(stage, cluster.kill_executor)
            wait_for(lambda: not any(runs(process) for process in held), 30)
            wait_for(lambda: len(cluster.executors()) == 2, 60)
            stage.restart()
            assert stage.call_all("count", ("mail",)) == [0, 0, 0]
            lose(stage, lambda: os.kill(stage.processes[1], signal.SIGKILL))
            stage.restart()
            assert stage.call_all("send", ("mail", 5)) == [3, 3, 3]


def executor_of(process: int) -> int:
    """A resident's process is forked by a daemon that its executor started."""
    return parent_of(parent_of(process))


def lose(stage: ResidentStage, kill: object) -> None:
    assert callable(kill)
    kill()
    began = time.monotonic()
    with pytest.raises(PartitionLost):
        stage.call_all("sleep", (120.0,))
    assert time.monotonic() - began < 30


def refuse(cluster: Cluster, spark: object) -> None:
    """What only a session that is not local is asked for."""
    for folder, words in (
        (None, "needs a state folder that all of them can access"),
        ("mock:///state", r"cannot access the state folder .*use a folder that the driver and all executors share"),
        ("/proc/nowhere", "the state folder /proc/nowhere cannot be written"),
    ):
        with pytest.raises(PreflightError, match=words) as refused:
            preflight(spark, 2, folder=folder)
        assert refused.value.code in {"TL6010", "TL6011", "TL6018"}
    with pytest.raises(PreflightError, match=r"4 resident partitions need 5 task slots.*has 4.*spark.executor.cores"):
        preflight(spark, 4, folder=cluster.shared, limit=1.0)
