"""Connections to partitions: given up at any moment, by any thread."""

from __future__ import annotations

import subprocess
import sys

from tests.spark.conftest import ROOT

CLOSED_WHILE_CALLED = """
import threading

from tests.spark.residents import Keeper
from tidelog.spark.resident.credentials import Credentials
from tidelog.spark.resident.server import Server

keeper = Keeper(0, 1)
server = Server(0, "127.0.0.1", Credentials("token"), {"call": keeper.call}, keeper)


def call(peer, begun):
    begun.set()
    assert peer.call("echo", (1,), limit=60.0) == 1


for _ in range(600):
    peer, begun = server.endpoint.open(), threading.Event()
    callers = [threading.Thread(target=call, args=(peer, begun)) for _ in range(2)]
    for caller in callers:
        caller.start()
    begun.wait()
    peer.close()
    for caller in callers:
        caller.join()
print("whole")
"""


def test_connection_may_be_closed_while_other_threads_begin_calls() -> None:
    """In a separate process, since Flight answers a client that is closed under a call with a crash."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", CLOSED_WHILE_CALLED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "whole\n", "")
