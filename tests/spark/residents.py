"""Residents for the tests of the resident stage; they do nothing of use."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tidelog.errors import EvaluationError
from tidelog.spark import Peer


class Unpicklable(Exception):
    """An error that does not survive pickling."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)


class Keeper:
    """Keeps the rows that it is given, by name, and does what the tests ask for."""

    def __init__(self, number: int, partitions: int) -> None:
        self.number = number
        self.partitions = partitions
        self.rows: dict[str, list[pa.Table]] = {}
        self.peers: Sequence[Peer] = ()
        self.closing = threading.Event()

    def call(self, method: str, args: tuple[Any, ...]) -> object:
        return getattr(self, method)(*args)

    def deliver(self, descriptor: dict[str, Any], table: pa.Table) -> None:
        if descriptor.get("refuse"):
            raise EvaluationError(f"partition {self.number} takes no {descriptor['name']}")
        self.rows.setdefault(descriptor["name"], []).append(table)

    def fetch(self, descriptor: dict[str, Any]) -> pa.Table | pa.RecordBatchReader:
        if descriptor["name"] not in self.rows:
            raise EvaluationError(
                f"partition {self.number} has no {descriptor['name']}" + "!" * descriptor.get("long", 0)
            )
        table = pa.concat_tables(self.rows[descriptor["name"]])
        return table.to_reader(10) if descriptor.get("reader") else table

    def connect(self, peers: Sequence[Peer]) -> None:
        self.peers = peers

    def close(self) -> None:
        self.closing.set()

    def whoami(self) -> tuple[int, int, int]:
        return self.number, self.partitions, os.getpid()

    def echo(self, value: object) -> object:
        return value

    def large(self, size: int) -> bytes:
        return bytes(size)

    def fail(self, kind: str) -> None:
        if kind == "unpicklable":
            raise Unpicklable("one", "two")
        raise EvaluationError(f"bad luck in partition {self.number}")

    def fail_if(self, number: int) -> int:
        if number == self.number:
            self.fail("plain")
        return self.number

    def sleep(self, seconds: float) -> str:
        return "stopped" if self.closing.wait(seconds) else "slept"

    def hang(self, seconds: float) -> None:
        time.sleep(seconds)

    def begin(self, mark: str, method: str, seconds: float) -> object:
        """Report by a file that the call has begun, and take this long for it, or until the file is gone."""
        Path(f"{mark}.{self.number}").touch()
        if method == "hang":
            return self.hang(seconds)
        until = time.monotonic() + seconds
        while Path(f"{mark}.{self.number}").exists() and time.monotonic() < until and not self.closing.wait(0.05):
            pass
        return "stopped" if self.closing.is_set() else "slept"

    def send(self, name: str, rows: int) -> int:
        """Send rows to every partition, this one included."""
        for peer in self.peers:
            peer.deliver({"name": name}, pa.table({"x": pa.array([self.number] * rows, pa.int64())}))
        return len(self.peers)

    def ask(self, number: int, method: str, *args: object) -> object:
        return self.peers[number].call(method, args)

    def borrow(self, number: int, name: str) -> int:
        return self.peers[number].fetch({"name": name}).num_rows

    def count(self, name: str) -> int:
        return sum(table.num_rows for table in self.rows.get(name, []))


def refusing(number: int, partitions: int) -> Keeper:
    """A factory that fails in the last partition."""
    if number == partitions - 1:
        raise EvaluationError(f"partition {number} of {partitions} cannot be made")
    return Keeper(number, partitions)


def slow(number: int, partitions: int) -> Keeper:
    """A factory that takes its time."""
    time.sleep(3)
    return Keeper(number, partitions)
