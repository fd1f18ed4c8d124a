"""Many engines on one resident stage, since starting one takes a second, and messages delivered unkindly.

Each task of the stage holds one node per engine that lives; an engine asks for its own by number. Everything else
is what a user gets: the same nodes, services, messages over Arrow Flight and dictionaries. What this cannot notice is
what starting and losing a stage does to an engine: `test_engine_failure` has separate stages.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, ParamSpec, TypeVar
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from tidelog.engine.base.location import EngineLocation
from tidelog.engine.open import alter  # noqa: F401  # keeps the partitions of users when these are patched
from tidelog.engine.open import open as opening
from tidelog.partition.base.owner import Messages
from tidelog.partition.texts.shared_dictionary import SharedDictionary
from tidelog.program.functions.table import Function
from tidelog.runtime.base.call import Arguments, Call
from tidelog.runtime.many.coordinator import Coordinator
from tidelog.runtime.protocol.runtime import Runtime
from tidelog.runtime.protocol.service import Service
from tidelog.spark import Peer, ResidentStage
from tidelog.spark.nodes import SparkNodes
from tidelog.spark.resident_node import FlightChannel, MakeResidentNode, ResidentNode

T = TypeVar("T")
P = ParamSpec("P")
LIMIT = 300.0  # seconds for any question: machines that run tests are busy


class UnkindChannel(FlightChannel):
    """Every row is a separate message; an arbitrary part of them arrives, in an arbitrary order, the others later."""

    def __init__(self, before_sending: Callable[[], None], rng: Random) -> None:
        super().__init__(before_sending, lambda: None)
        self._rng = rng
        self._held: list[tuple[int, str, Any]] = []  # run, relation, row

    def collect(self) -> Iterable[Messages]:
        """Some of what has arrived, or nothing."""
        single = [message for message in self._held if message[0] == self.run]
        for messages in super().collect():
            single += ((self.run, name, rows[i : i + 1]) for name, rows in messages.items() for i in range(len(rows)))
        self._rng.shuffle(single)
        count = self._rng.randint(0, len(single))
        self._held = single[count:]
        return [{name: np.ascontiguousarray(row)} for _, name, row in single[:count]]


class UnkindNode(ResidentNode):
    """A node that gets its messages late."""

    def hold_back(self, seed: int) -> None:
        """Use an unkind channel from now on."""
        self.channel = self.service.node.channel = UnkindChannel(self.dictionary.report_to_owners, Random(seed))


@dataclass(frozen=True)
class EnginePeer:
    """Another partition of the same engine."""

    peer: Peer
    engine: int

    def call(self, method: str, given: Arguments) -> Any:
        return self.peer.call("at", (self.engine, method, given))

    def deliver(self, descriptor: dict[str, Any], table: pa.Table) -> None:
        self.peer.deliver({**descriptor, "engine": self.engine}, table)


class Lodging:
    """A resident that has a node for each engine."""

    def __init__(self, number: int, partitions: int) -> None:
        self.number = number
        self._nodes: dict[int, UnkindNode] = {}
        self._peers: Sequence[Peer] = ()

    def call(self, method: str, args: tuple[Any, ...]) -> object:
        return getattr(self, method)(*args)

    def lodge(self, engine: int, partitions: int, functions: bytes, seed: int | None, left: Sequence[int]) -> None:
        """A new engine has this many partitions; some engines have left."""
        for old in left:
            if old in self._nodes:
                self._nodes.pop(old).close()
        if self.number >= partitions:
            return
        made = MakeResidentNode(cloudpickle.loads(functions))(self.number, partitions)
        node = UnkindNode(made.service.node.partition.functions, self.number, partitions)
        if seed is not None:
            node.hold_back(seed * 100 + self.number)
        node.connect([EnginePeer(peer, engine) for peer in self._peers[:partitions]])  # type: ignore[misc]  # as Peer
        self._nodes[engine] = node

    def at(self, engine: int, method: str, given: Arguments) -> object:
        """A call of the node of an engine; None where it has no partition."""
        node = self._nodes.get(engine)
        return None if node is None else node.call(method, given)

    def deliver(self, descriptor: dict[str, Any], table: pa.Table) -> None:
        self._nodes[descriptor["engine"]].deliver(descriptor, table)

    def fetch(self, descriptor: dict[str, Any]) -> pa.Table:
        return self._nodes[descriptor["engine"]].fetch(descriptor)

    def connect(self, peers: Sequence[Peer]) -> None:
        self._peers = peers

    def close(self) -> None:
        for node in self._nodes.values():
            node.close()


class Pool:
    """A running stage of lodgings."""

    def __init__(self, spark: SparkSession, most: int = 3) -> None:
        self.spark = spark
        self.stage = ResidentStage(spark, most, Lodging, start_limit=LIMIT, patience=60.0, silence=LIMIT).start()
        self._numbers = itertools.count()
        self._left: list[int] = []

    def lodge(self, partitions: int, functions: Sequence[Function], seed: int | None) -> int:
        """Room for an engine; its number."""
        engine = next(self._numbers)
        left, self._left = self._left, []
        given = (engine, partitions, cloudpickle.dumps(tuple(functions)), seed, left)
        self.stage.call_all("lodge", given, limit=LIMIT)
        return engine

    def leave(self, engine: int) -> None:
        """The engine is gone; its room is given back when the next one comes."""
        self._left.append(engine)

    def close(self) -> None:
        """End the stage."""
        self.stage.stop()


class PooledNodes(SparkNodes):
    """The partitions of one engine among others."""

    def __init__(self, pool: Pool, partitions: int, functions: Sequence[Function], seed: int | None) -> None:
        self.partitions = partitions
        self.session = pool.spark
        self._closed = False
        self._stage = pool.stage
        self.repeat = lambda act: act()
        self._run = 0
        self._pending, self._settling = None, threading.Lock()
        self.engine = pool.lodge(partitions, functions, seed)
        self.dictionary = SharedDictionary(partitions, None, self._ask_owner, self._report_to_owner)
        self._leave = weakref.finalize(self, pool.leave, self.engine)

    def ask_each(self, calls: Sequence[Call[Service, T]]) -> list[T]:
        self._settle()
        if calls[0].mark.entries_first:
            self.dictionary.report_to_owners()
        nothing = (self.engine, calls[0].name, ((), {}))
        each = [(self.engine, call.name, call.arguments) for call in calls]
        each += [nothing] * (self.stage.partitions - self.partitions)
        return self.stage.call_all("at", each=each, limit=LIMIT)[: self.partitions]

    def spoken(self, call: Call[Service, Any]) -> tuple[str, tuple[Any, ...]]:
        return "at", (self.engine, call.name, call.arguments)

    def restart(self) -> None:
        raise AssertionError("a stage that engines share is not started again")

    def close(self) -> None:
        self._leave()


@contextmanager
def engines_in(pool: Pool, partitions: int, seed: int | None = None) -> Iterator[None]:
    """Engines made meanwhile have this many partitions in the pool; with a seed messages are delivered unkindly."""

    def make(where: EngineLocation, durable: object, folder: object) -> Runtime:
        nodes = PooledNodes(pool, partitions, where.own, seed)
        return Coordinator(where.functions, nodes, nodes.dictionary)

    with patch.object(opening, "make_runtime", make):
        yield
