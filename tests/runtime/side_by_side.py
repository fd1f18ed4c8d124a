"""Residents that work side by side in threads of this process, with the channel that they have on Spark."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

import pyarrow as pa

from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.functions.table import FUNCTIONS
from tidelog.runtime.base.call import Arguments, Call
from tidelog.runtime.many.local import LocalNodes
from tidelog.runtime.protocol.service import Service
from tidelog.spark.resident_node import ResidentNode

T = TypeVar("T")


@dataclass(frozen=True)
class Neighbour:
    """The connection to a resident of this process."""

    node: ResidentNode

    def call(self, method: str, given: Arguments) -> Any:
        return self.node.call(method, given)

    def deliver(self, descriptor: dict[str, Any], table: pa.Table) -> None:
        self.node.deliver(descriptor, table)


class ThreadRace(Generic[T]):
    """Calls that are carried out at the same time, each in a thread."""

    def __init__(self, nodes: SideBySide, calls: Sequence[Call[Service, T]]) -> None:
        self._nodes, self._answers = nodes, SimpleQueue[tuple[int, Any, BaseException | None]]()
        for number, call in enumerate(calls):
            self.call(number, call)

    def call(self, number: int, call: Call[Service, T]) -> None:
        self._nodes.threads.submit(self._answer, number, call)

    def _answer(self, number: int, call: Call[Service, T]) -> None:
        try:
            self._answers.put((number, self._nodes.residents[number].call(call.name, call.arguments), None))
        except BaseException as error:
            self._answers.put((number, None, error))

    def take(self) -> tuple[int, T]:
        number, answer, error = self._answers.get(timeout=120)
        if error is not None:
            raise error
        return number, answer


class SideBySide(LocalNodes):
    """Nodes that work at the same time; facts have no texts, since each has a separate dictionary."""

    def __init__(self, partitions: int) -> None:
        super().__init__(FUNCTIONS, partitions, Dictionary())
        self.residents = [ResidentNode(FUNCTIONS, number, partitions) for number in range(partitions)]
        for resident in self.residents:
            resident.connect([Neighbour(other) for other in self.residents])  # type: ignore[misc]  # as peers
        self.services = [resident.service for resident in self.residents]
        self.dictionary, self.last_run = Dictionary(), 0
        self.threads = ThreadPoolExecutor(partitions)

    def ask_each(self, calls: Sequence[Call[Service, T]]) -> list[T]:
        """The answers of all nodes, each of which answers in turn."""
        pairs = zip(self.residents, calls, strict=True)
        return [resident.call(call.name, call.arguments) for resident, call in pairs]  # type: ignore[misc]  # any object

    def race(self, calls: Sequence[Call[Service, T]]) -> ThreadRace[T]:  # type: ignore[override]  # a race like any
        return ThreadRace(self, calls)

    def watch(self, on_slice: object) -> None:
        """Each resident looks up for itself."""

    def start_epoch(self, run: int, epoch: int) -> None:
        self.last_run = run

    def interrupt(self) -> None:
        for resident in self.residents:
            resident.service.interrupt(self.last_run)

    def close(self) -> None:
        for resident in self.residents:
            resident.close()
        self.threads.shutdown()
        super().close()
