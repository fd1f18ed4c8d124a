"""The body of a task: a resident behind its endpoint, for as long as the driver needs it.

Law: a task ends when the driver asks it to, when the driver could not be reached for `patience` seconds, when the
process that started it no longer exists, or when Spark kills it; whichever happens first, even during a call. So no
task outlives its driver. A partition has one task at a time: Spark may start another attempt of a task that it
considers slow or lost, and such an attempt waits until it becomes the holder or the stage ends. It does not end
earlier, because Spark would then end the first one. A resident does not depend on Spark: it is called, receives rows
and returns rows.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from tidelog.spark.errors import NoAnswer
from tidelog.spark.resident.client import Address, Descriptor, Endpoint, Peer
from tidelog.spark.resident.rendezvous import LEAVE, REPLACED, STAY, WAIT
from tidelog.spark.resident.resident_failures import NOT_READABLE
from tidelog.spark.resident.server import Action, Server
from tidelog.spark.resident.wire import CALL, CONNECT, LOOPBACK, STOP, encode_error
from tidelog.spark.session.listen import own_address
from tidelog.spark.session.master import own_version
from tidelog.spark.session.ports import Ports, free_port
from tidelog.spark.session.session_failures import WORKER_VERSION

BUSY = 600.0  # seconds that a driver may be busy with other work
GRACE = 5.0  # seconds that running calls get after the stage is asked to stop


class Resident(Protocol):
    """One partition's state, served to the driver and to the other partitions.

    Methods are called from several threads at once. After `connect` has returned, ``peers[i]`` reaches partition i
    (including its own number). `close` is called when the stage ends and should make running calls return soon.
    """

    def call(self, method: str, args: tuple[Any, ...]) -> object:
        """Answer a call of the driver or of another partition."""

    def deliver(self, descriptor: Descriptor, table: pa.Table) -> None:
        """Receive rows from another partition or a Spark task."""

    def fetch(self, descriptor: Descriptor) -> pa.Table | pa.RecordBatchReader:
        """Return rows."""

    def connect(self, peers: Sequence[Peer]) -> None:
        """Receive the addresses of the other partitions; called once, before any `call`."""

    def close(self) -> None:
        """Called when the stage ends."""


Factory = Callable[[int, int], Resident]


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a task needs to know: how to create its resident, and where the driver is."""

    factory: Factory
    partitions: int
    driver: Endpoint
    generation: int
    sockets: str | None  # the folder of the sockets; None: partitions listen on ports
    patience: float
    version: str  # of the driver's Tidelog
    ports: Ports | None = None  # on which partitions may listen


def reside(assignment: Assignment) -> Iterator[pa.RecordBatch]:
    """The body of a task; yields no rows."""
    from pyspark import TaskContext  # not available where nothing runs on Spark

    context = TaskContext.get()
    assert context is not None, "this is a task"
    number = context.partitionId()
    connection = _Connection(assignment, number, context.taskAttemptId())
    if not connection.arrive():
        return iter(())
    threading.Thread(target=connection.keep, name="tidelog-beat", daemon=True).start()
    try:
        _check_version(assignment)
        resident = assignment.factory(number, assignment.partitions)
        host = _host(assignment, number)
        server = _serve(resident, number, host, connection)
    except BaseException as error:
        connection.report("fail", encode_error(error))
        connection.stopping.set()
        raise
    connection.report("ready", server.endpoint.address)
    connection.stopping.wait()
    _end(resident, server)
    return iter(())


class _Connection:
    """A task's connection to the driver."""

    def __init__(self, assignment: Assignment, number: int, attempt: int) -> None:
        self.assignment = assignment
        self.number = number
        self.attempt = attempt
        self.driver = assignment.driver.open()
        self.stopping = threading.Event()

    def report(self, method: str, *more: object) -> str:
        """Report to the driver; returns what this task must do."""
        args = (self.assignment.generation, self.number, self.attempt, *more)
        return str(self.driver.call(method, args, limit=self.assignment.patience))

    def arrive(self) -> bool:
        """Wait until this attempt may hold the partition; returns False if the stage is over."""
        parent = os.getppid()
        while (answer := self.report("arrive", os.getpid())) == WAIT:
            time.sleep(self.assignment.patience / 10)
            if os.getppid() != parent:
                os._exit(1)
        return answer == STAY

    def keep(self) -> None:
        """Send heartbeats until asked to leave; exit if the parent process has ended or another attempt holds the
        partition.

        A task whose driver is gone ends normally, because Spark would repeat a failed task. A driver that does not
        answer but accepts connections is busy, not gone: one long call in its interpreter is enough for that.
        """
        parent, last_answer = os.getppid(), time.monotonic()
        while not self.stopping.wait(self.assignment.patience / 10):
            if os.getppid() != parent:
                os._exit(1)
            try:
                answer, last_answer = self.report("beat"), time.monotonic()
            except Exception as error:  # not reached this time, for whatever reason
                limit = BUSY if isinstance(error, NoAnswer) else self.assignment.patience
                answer = STAY if time.monotonic() - last_answer <= limit else LEAVE
            if answer == REPLACED:
                os._exit(1)
            if answer == LEAVE:
                self.stopping.set()
        self.driver.close()


def _serve(resident: Resident, number: int, host: str, connection: _Connection) -> Server:
    own = connection.assignment.driver.credentials

    def connect(addresses: Sequence[Address]) -> None:
        if [address[0] for address in addresses] != list(range(connection.assignment.partitions)):
            raise NOT_READABLE.error(what="it does not contain the addresses of all partitions")
        resident.connect([Endpoint(*address, own).open() for address in addresses])

    actions: dict[str, Action] = {CALL: resident.call, CONNECT: connect, STOP: connection.stopping.set}
    assignment = connection.assignment
    port = free_port(assignment.ports, host, 1 + number, 1 + assignment.partitions)
    return Server(number, host, own, actions, resident, port)


def _end(resident: Resident, server: Server) -> None:
    """Leave the process clean, because Spark reuses it; a call that does not end terminates the process."""
    try:
        resident.close()
    finally:
        if not server.close_within(GRACE):
            os._exit(1)


def _check_version(assignment: Assignment) -> None:
    """Raise unless driver and partitions have the same version."""
    if own_version() != assignment.version:
        home = str(sys.modules["tidelog"].__file__)
        raise WORKER_VERSION.error(
            host=socket.gethostname(), found=own_version(), home=home, version=assignment.version
        )


def _host(assignment: Assignment, number: int) -> str:
    """Where a partition listens: on a socket that only this user can access, or on one address of its machine."""
    if assignment.sockets is not None:
        return f"{assignment.sockets}/{assignment.generation}-{number}"
    return own_address(assignment.driver.host, LOOPBACK)
