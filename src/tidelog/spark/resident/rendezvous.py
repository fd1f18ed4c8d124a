"""The driver's endpoint: where tasks register, and learn whether they may stay.

Law: a task belongs to one start of the stage (its *generation*). A heartbeat of another generation is answered with
"leave", so that a task that outlived its stage ends. A partition belongs to the first attempt that arrives, until
`release`; others wait. This module only records what tasks reported; `stage` decides.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import pyarrow as pa

from tidelog.spark.resident.client import DRIVER, Address, Descriptor
from tidelog.spark.resident.credentials import Credentials
from tidelog.spark.resident.resident_failures import NO_DELIVERY, NO_FETCH
from tidelog.spark.resident.server import Server
from tidelog.spark.resident.wire import CALL

STAY, WAIT, LEAVE, REPLACED = "stay", "wait", "leave", "replaced"  # what an attempt must do

MOMENT = 3.0  # seconds between the first suspicion and the decision that a partition is silent


class Rendezvous:
    """The tasks of the current generation: which have arrived, are ready or failed, and when each last reported."""

    def __init__(self, bind: str, host: str, credentials: Credentials, port: int = 0) -> None:
        self._server = Server(DRIVER, bind, credentials, {CALL: self.call}, self, port)
        self.endpoint = replace(self._server.endpoint, host=host)
        self.news = threading.Condition()
        self.generation = 0
        self.ready: dict[int, Address] = {}
        self.processes: dict[int, int] = {}
        self.failures: dict[int, bytes] = {}
        self._last_heartbeat: dict[int, float] = {}
        self._suspects: dict[int, float] = {}  # partitions that were found silent, and since when
        self._holders: dict[int, int] = {}  # the attempts that hold the partitions

    def renew(self) -> int:
        """Discard the old generation and begin the next."""
        with self.news:
            self.generation += 1
            for state in (
                self.ready,
                self.processes,
                self.failures,
                self._last_heartbeat,
                self._suspects,
                self._holders,
            ):
                state.clear()
            return self.generation

    def dismiss(self) -> None:
        """Ask tasks to leave from now on."""
        with self.news:
            self.generation += 1

    def silent(self, seconds: float) -> int | None:
        """A partition that has reported, but not within that time.

        This process may have been busy itself, with heartbeats still to be recorded: it first gets a moment to do so.
        """
        now = time.monotonic()
        with self.news:
            late = {number for number, last_seen in self._last_heartbeat.items() if last_seen < now - seconds}
            self._suspects = {number: self._suspects.get(number, now) for number in late}
            return next((number for number, since in sorted(self._suspects.items()) if now - since >= MOMENT), None)

    def quietest(self) -> int:
        """The partition that has not reported for the longest time."""
        with self.news:
            return min(self._last_heartbeat, key=self._last_heartbeat.__getitem__, default=0)

    def call(self, method: str, args: tuple[Any, ...]) -> str:
        """Record a report of a task attempt; returns what it must do."""
        generation, number, attempt, *more = args
        with self.news:
            if generation != self.generation:
                return LEAVE
            holder = self._holders.setdefault(number, attempt) if method == "arrive" else self._holders.get(number)
            if holder != attempt:
                return WAIT if method == "arrive" else REPLACED
            self._last_heartbeat[number] = time.monotonic()
            self._note(method, number, *more)
            self.news.notify_all()
            return STAY

    def deliver(self, descriptor: Descriptor, table: pa.Table) -> None:
        """Not supported: the driver accepts no rows."""
        raise NO_DELIVERY.error()

    def fetch(self, descriptor: Descriptor) -> pa.Table:
        """Not supported: the driver has no rows to fetch."""
        raise NO_FETCH.error()

    def close(self) -> None:
        """Stop listening."""
        self._server.close_within(2.0)

    def _note(self, method: str, number: int, *more: Any) -> None:
        if method == "arrive":
            (self.processes[number],) = more
        elif method == "ready":
            (self.ready[number],) = more
        elif method == "fail":
            (self.failures[number],) = more
