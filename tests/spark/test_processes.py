"""What tests must know about processes: those that descend from one, and which of them still run."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.spark.processes import Process, descendants, runs


def test_a_process_is_not_a_later_one_of_the_same_number() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        known = Process(child.pid)
        assert runs(known)
        assert known in descendants(os.getpid())
        known.began = "1"  # as if another process had had the number before
        assert runs(child.pid)
        assert not runs(known)
        child.communicate(b"\n")
    assert not runs(Process(child.pid))
