"""Nodes that live in a resident stage on Spark.

Law: a lost partition is a `NodeLost`, whatever was asked, and so is one that does not do in time what it is told;
`restart` gives new, empty nodes. Every wait has a limit but the work of an epoch itself, which has the limits of the
engine (D6) and Ctrl-C.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

from tidelog.partition.shared_dictionary import Entry, SharedDictionary
from tidelog.plan.work import Staged
from tidelog.program.functions import Function, Functions
from tidelog.program.term import Value
from tidelog.rewrite.place.placement import SINGLE, Placement
from tidelog.runtime.call import Call
from tidelog.runtime.coordinator import Coordinator
from tidelog.runtime.request import NodeLost
from tidelog.runtime.runtime import Arriving
from tidelog.runtime.service import Service
from tidelog.spark import NoAnswer, PartitionLost, ResidentStage, StageError
from tidelog.spark.failures import PARTITIONS_CLOSED
from tidelog.spark.resident_node import MakeResidentNode
from tidelog.spark.session.master import slots

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidelog.spark.resident.client import Peer

T = TypeVar("T")
P = ParamSpec("P")


class Repeat(Protocol):
    """Does something that the loss of a node may prevent, as often as is needed."""

    def __call__(self, act: Callable[[], T]) -> T: ...


def _once(act: Callable[[], T]) -> T:
    return act()


class SparkNodes:
    """P partitions in P barrier tasks."""

    def __init__(self, spark: SparkSession, partitions: int, functions: Sequence[Function], folder: str | None) -> None:
        self.partitions = partitions
        self.session = spark
        self._closed = False
        self._stage = ResidentStage(spark, partitions, MakeResidentNode(tuple(functions)), folder=folder)
        self.repeat: Repeat = _once  # until there is a coordinator
        self._run = 0
        try:
            self._stage.start()
        except BaseException:
            self._stage.stop()
            raise
        self.dictionary = SharedDictionary(partitions, None, self._ask_owner, self._tell_owner)

    @property
    def stage(self) -> ResidentStage:
        """The stage that the partitions live in."""
        if self._closed:
            raise PARTITIONS_CLOSED.error()
        return self._stage

    @property
    def room(self) -> int:
        """How many tasks can run beside the partitions."""
        return max(1, slots(self.session) - self.stage.held)

    @property
    def peers(self) -> tuple[Peer, ...]:
        """The ways to the partitions, which Spark tasks take along."""
        with losses():
            return tuple(endpoint.open() for endpoint in self.stage.endpoints)

    def send(self, arriving: Sequence[Arriving], places: Mapping[str, int]) -> tuple[Staged, ...]:
        """Send the rows of DataFrames, side by side, to the partitions that own them."""
        from tidelog.spark.rows.encode import EncodedArrival
        from tidelog.spark.rows.send import send

        frames = [frame for frame in arriving if isinstance(frame, EncodedArrival)]
        stages = [uuid.uuid4().hex for _ in frames]
        placements = [Placement(places.get(frame.relation, 0 if frame.types else SINGLE)) for frame in frames]
        with losses():
            peers, room = self.peers, self.room
            sends = [
                partial(send, frame, placement, peers, stage, room)
                for frame, placement, stage in zip(frames, placements, stages, strict=True)
            ]
            sent = self.stage.beside(sends)
        return tuple(
            Staged(frame.relation, len(frame.types), stage, tuple(key for key, _ in attempts))
            for frame, stage, attempts in zip(frames, stages, sent, strict=True)
        )

    def ask(self, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> list[T]:
        """What all nodes answer to the same call."""
        return self.ask_each([Call(method, *args, **named)] * self.partitions)

    def ask_each(self, calls: Sequence[Call[Service, T]]) -> list[T]:
        """What all nodes answer, each to a call of its own."""
        call = calls[0]
        assert {each.name for each in calls} == {call.name}, "nodes are called by one method at a time"
        if call.mark.entries_first:
            self.dictionary.tell_owners()
        with losses(call):
            return self.stage.call_all(call.name, each=[each.given for each in calls], limit=call.mark.limit)

    def ask_one(self, number: int, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> T:
        """What one node answers."""
        call = Call(method, *args, **named)
        with losses(call):
            answer: T = self.stage.call(number, call.name, call.given, limit=call.mark.limit)
        return answer

    def has_messages(self) -> bool:
        """Messages are delivered when a step ends; the requests themselves tell whether there were any."""
        return False

    def start_epoch(self, run: int) -> None:
        """Messages carry the number of their run."""
        self._run = run

    def watch(self, on_slice: Callable[[], None]) -> None:
        """What to call while this thread waits for partitions."""
        thread = threading.get_ident()
        self.stage.on_wait = lambda: on_slice() if threading.get_ident() == thread else None

    def interrupt(self) -> None:
        """Ask the partitions to give up the epoch that they are at."""
        self.ask(Service.interrupt, self._run)

    def restart(self) -> None:
        """New, empty nodes."""
        try:
            self.stage.restart()
        except StageError as error:
            raise NodeLost(0, str(error)) from error
        self.dictionary.tell_all_again()

    def close(self) -> None:
        """End the stage."""
        self._closed = True
        self._stage.stop()

    def _ask_owner(self, owner: int, cells: list[int]) -> dict[int, Value]:
        return self.repeat(lambda: self.ask_one(owner, Service.known_entries, cells))

    def _tell_owner(self, owner: int, entries: list[Entry]) -> None:
        self.ask_one(owner, Service.take_entries, entries)


def spark_runtime(
    spark: SparkSession, partitions: int, functions: Functions, own: Sequence[Function], folder: str | None
) -> Coordinator:
    """A runtime whose partitions live on Spark; ``own`` are the user's functions, which their tasks take along."""
    nodes = SparkNodes(spark, partitions, own, folder)
    runtime = Coordinator(functions, nodes, nodes.dictionary)
    nodes.repeat = runtime.repeat
    return runtime


@contextmanager
def losses(call: Call[Service, T] | None = None) -> Iterator[None]:
    """What the stage calls a lost partition is a lost node; so is one that does not do what it is told."""
    try:
        yield
    except PartitionLost as lost:
        raise NodeLost(lost.number, lost.reason) from lost
    except NoAnswer as late:
        if call is not None and call.mark.reading:
            raise
        raise NodeLost(late.number, str(late)) from late
    except Exception as error:
        if call is None or not call.mark.ending:
            raise
        raise NodeLost(0, f"{call.name}: {error}") from error
