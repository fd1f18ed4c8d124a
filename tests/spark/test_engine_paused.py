"""A driver that is paused for longer than its partitions wait for one that is gone: it goes on with the same ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.spark.conftest import ROOT, WORKER_PATH
from tests.spark.processes import Process, descendants, runs, wait_for

LIMIT = 120.0
PAUSE = 35.0  # more than a partition waits for a driver that is gone, and more than the driver for a heartbeat
DRIVER = """
import sys

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.spark import local_session

with local_session(2) as spark:
    with Engine("p(X) :- q(X).", spark=spark, partitions=2) as db:
        for number, _ in enumerate(sys.stdin):
            with db.epoch() as epoch:
                epoch.insert("q", [(number, )])
            print(len(db["p"]), *core_of(db).runtime.nodes.stage.processes, flush=True)
"""


@pytest.mark.long
def test_driver_that_was_paused_goes_on_with_the_same_partitions(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": WORKER_PATH, "TMPDIR": str(tmp_path)}
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    below: list[Process] = []
    try:
        count, before = epoch(driver)
        assert count == 1
        driver.send_signal(signal.SIGSTOP)
        time.sleep(PAUSE)
        assert all(runs(process) for process in before)
        driver.send_signal(signal.SIGCONT)
        assert epoch(driver) == (2, before)
        below = descendants(driver.pid)
        assert set(before) <= set(below)
        assert epoch(driver) == (3, before)
        driver.communicate(timeout=LIMIT)
        assert driver.returncode == 0
        wait_for(lambda: not any(runs(process) for process in below), LIMIT, lambda: f"{below} still run")
        assert list(tmp_path.glob("tidelog-run-*")) == []
    finally:
        for process in below or descendants(driver.pid):
            if runs(process):
                os.kill(process, signal.SIGKILL)
        driver.kill()
        driver.communicate()


def epoch(driver: subprocess.Popen[str]) -> tuple[int, list[Process]]:
    """How many facts there are after one more epoch, and the processes of the partitions."""
    assert driver.stdin is not None
    assert driver.stdout is not None
    driver.stdin.write("go\n")
    driver.stdin.flush()
    count, *numbers = driver.stdout.readline().split()
    return int(count), [Process(number) for number in numbers]
