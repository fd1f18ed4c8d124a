"""Nodes that live in a resident stage on Spark.

Law: a lost partition raises `NodeLost`, whatever was called, and so does one that does not complete a call in time;
`restart` creates new, empty nodes. Every wait has a limit except the work of an epoch, to which the limits of the
engine (D6) and Ctrl-C apply.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.shared_dictionary import Entry, SharedDictionary
from tidelog.plan.work import ArrivedRows, StageReference
from tidelog.program.functions.table import Function, Functions
from tidelog.program.values.term import Value
from tidelog.rewrite.place.placement import SINGLE, Placement
from tidelog.runtime.base.call import Call
from tidelog.runtime.base.request import NodeLost
from tidelog.runtime.many.coordinator import Coordinator
from tidelog.runtime.protocol.runtime import DirectRows
from tidelog.runtime.protocol.service import Service
from tidelog.spark import NoAnswer, PartitionLost, ResidentStage, StageError
from tidelog.spark.resident_node import MakeResidentNode
from tidelog.spark.session.access import access
from tidelog.spark.session.memory import read_budget
from tidelog.spark.spark_failures import PARTITIONS_CLOSED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidelog.spark.resident.client import Peer
    from tidelog.spark.resident.under_way import RunningWork

T = TypeVar("T")
P = ParamSpec("P")


class Repeat(Protocol):
    """Repeats an action that the loss of a node may prevent, as often as needed."""

    def __call__(self, act: Callable[[], T]) -> T: ...


def _once(act: Callable[[], T]) -> T:
    return act()


EncodeCall = Callable[[Call[Service, Any]], tuple[str, tuple[Any, ...]]]
PendingCall = tuple[Call[Service, None], "RunningWork"]


class SparkRace(Generic[T]):
    """Calls to partitions, with answers in the order in which they arrive; a wait takes as long as the work."""

    def __init__(self, stage: ResidentStage, calls: Sequence[Call[Service, T]], spoken: EncodeCall) -> None:
        self._spoken = spoken
        with losses():
            self._under_way = stage.begin({})
        for number, call in enumerate(calls):
            self.call(number, call)

    def call(self, number: int, call: Call[Service, T]) -> None:
        """Call a partition whose last call has been answered."""
        with losses(call):
            self._under_way.call(number, *self._spoken(call))

    def take(self) -> tuple[int, T]:
        """Wait for the next answer; returns the number of the partition and its answer."""
        with losses():
            answer = self._under_way.next_answer()
            if answer.error is not None:
                raise answer.error
        return answer.number, answer.value


class SparkNodes:
    """P partitions in the P tasks of one stage."""

    def __init__(
        self,
        spark: SparkSession,
        partitions: int,
        functions: Sequence[Function],
        folder: str | None,
        tls: bool | None = None,
        dictionary: SharedDictionary | None = None,
    ) -> None:
        self.partitions = partitions
        self.session = spark
        self._closed = self._rests = False
        make = MakeResidentNode(tuple(functions), read_budget(spark))
        self._stage = ResidentStage(spark, partitions, make, folder=folder, tls=tls)
        self.repeat: Repeat = _once  # until there is a coordinator
        self._run = self._epoch = 0
        self._pending: PendingCall | None = None
        self._settling = threading.Lock()
        try:
            self._stage.start()
        except BaseException:
            self._stage.stop()
            raise
        if dictionary is None:
            dictionary = SharedDictionary(partitions, None, self._ask_owner, self._report_to_owner)
        self.dictionary = dictionary
        self._answer()

    @property
    def stage(self) -> ResidentStage:
        """The stage in which the partitions live."""
        if self._closed:
            raise PARTITIONS_CLOSED.error()
        return self._stage

    @property
    def room(self) -> int:
        """The number of tasks that can run in addition to the partitions."""
        return max(1, access(self.session).slots() - self.stage.held)

    @property
    def peers(self) -> tuple[Peer, ...]:
        """The connections to the partitions, which are sent to Spark tasks."""
        with losses():
            return tuple(endpoint.open() for endpoint in self.stage.endpoints)

    def send(self, arriving: Sequence[DirectRows], places: Mapping[str, int]) -> ArrivedRows:
        """Send the rows of DataFrames concurrently to the partitions that own them; a few rows are returned instead."""
        from tidelog.spark.rows.encode import EncodedArrival
        from tidelog.spark.rows.send import hand_over

        frames = [frame for frame in arriving if isinstance(frame, EncodedArrival)]
        stages = [uuid.uuid4().hex for _ in frames]
        placements = [Placement(places.get(frame.relation, 0 if frame.types else SINGLE)) for frame in frames]
        with losses():
            peers, room = self.peers, self.room
            sends = [
                (frame.source.sparkSession, partial(hand_over, frame, placement, peers, stage, room))
                for frame, placement, stage in zip(frames, placements, stages, strict=True)
            ]
            sent = self.stage.beside(sends, [f"tidelog: epoch {self._epoch}, rows of {f.relation}" for f in frames])
        staged, here = [], []
        for frame, stage, handed in zip(frames, stages, sent, strict=True):
            staged.append(StageReference(frame.relation, len(frame.types), stage, handed.attempts))
            here += [(frame.relation, sign, rows) for sign, rows in handed.rows]
        return ArrivedRows(tuple(staged), tuple(here))

    def ask(self, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> list[T]:
        """The answers of all nodes to the same call."""
        return self.ask_each([Call(method, *args, **named)] * self.partitions)

    def ask_each(self, calls: Sequence[Call[Service, T]]) -> list[T]:
        """The answers of all nodes, each to a separate call."""
        call = calls[0]
        self._settle()
        assert {each.name for each in calls} == {call.name}, "nodes are called by one method at a time"
        if call.mark.entries_first:
            self.dictionary.report_to_owners()
        with losses(call):
            return self.stage.call_all(call.name, each=[each.arguments for each in calls], limit=call.mark.limit)

    def post(self, method: Callable[Concatenate[Service, P], None], *args: P.args, **named: P.kwargs) -> None:
        """Call all nodes without waiting for the answers; later calls are answered after this one."""
        call = Call(method, *args, **named)
        self._settle()
        with losses(call):
            under_way = self.stage.begin({}, call.mark.limit)
            for number in range(self.partitions):
                under_way.call(number, *self.spoken(call))
        self._pending = (call, under_way)

    def _settle(self) -> None:
        """Wait for the pending call before calling nodes again, in any thread."""
        with self._settling:
            if self._pending is None:
                return
            pending = call, under_way = self._pending
            try:
                with losses(call):
                    under_way.end()
            except NodeLost:
                self._forget(pending)
                raise
            self._forget(pending)

    def _forget(self, pending: PendingCall) -> None:
        """Forget a completed or lost call; nodes that were restarted meanwhile may have another pending call."""
        if self._pending is pending:
            self._pending = None

    def ask_one(self, number: int, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> T:
        """The answer of one node."""
        call = Call(method, *args, **named)
        self._settle()
        with losses(call):
            answer: T = self.stage.call(number, *self.spoken(call), limit=call.mark.limit)
        return answer

    def spoken(self, call: Call[Service, Any]) -> tuple[str, tuple[Any, ...]]:
        """The message to a resident for a call of its node."""
        return call.name, call.arguments

    def race(self, calls: Sequence[Call[Service, T]]) -> SparkRace[T]:
        """Call all nodes, and then single ones while others are working."""
        self._settle()
        self.dictionary.report_to_owners()
        return SparkRace(self.stage, calls, self.spoken)

    def start_epoch(self, run: int, epoch: int) -> None:
        """Start an epoch: messages contain the number of their run; Spark's web pages show the epoch."""
        self._run, self._epoch = run, epoch

    def watch(self, on_slice: Callable[[], None]) -> None:
        """Set the function to call while this thread waits for partitions."""
        thread = threading.get_ident()
        self.stage.on_wait = lambda: on_slice() if threading.get_ident() == thread else None

    def interrupt(self) -> None:
        """Ask the partitions to abandon the running epoch."""
        self.ask(Service.interrupt, self._run)

    def restart(self) -> None:
        """Replace all nodes by new, empty ones."""
        self._pending = None  # the nodes that were called no longer exist
        try:
            if self._rests:
                self.stage.start()
            else:
                self.stage.restart()
        except StageError as error:
            raise NodeLost(0, str(error)) from error
        self._rests = False
        self._answer()

    def rest(self) -> None:
        """End the stage until `restart`, to free its slots for others."""
        self._rests = True
        self._stage.stop()

    def go_on(self) -> None:
        """Make the dictionary call these nodes again."""
        if not self._closed:
            self._answer()

    def _answer(self) -> None:
        """Make the driver's dictionary call these nodes, which first receive its entries."""
        self.dictionary.aim(self.partitions, self._ask_owner, self._report_to_owner)

    def close(self) -> None:
        """End the stage."""
        self._closed = True
        self._stage.stop()

    def _ask_owner(self, owner: int, cells: list[int]) -> dict[int, Value]:
        return self.repeat(lambda: self.ask_one(owner, Service.known_entries, cells))

    def _report_to_owner(self, owner: int, entries: list[Entry]) -> None:
        self.ask_one(owner, Service.take_entries, entries)


def spark_runtime(
    spark: SparkSession,
    partitions: int,
    functions: Functions,
    own: Sequence[Function],
    folder: str | None,
    *,
    tls: bool | None = None,
    dictionary: Dictionary | None = None,
) -> Coordinator:
    """A runtime whose partitions run on Spark; ``own`` are the user's functions, which are sent with their tasks.

    ``dictionary`` is that of the partitions that are replaced.
    """
    known = dictionary if isinstance(dictionary, SharedDictionary) else None
    nodes = SparkNodes(spark, partitions, own, folder, tls, known)
    runtime = Coordinator(functions, nodes, nodes.dictionary)
    nodes.repeat = runtime.repeat
    return runtime


@contextmanager
def losses(call: Call[Service, T] | None = None) -> Iterator[None]:
    """Convert a lost partition of the stage to a lost node, and a call that is not completed in time as well."""
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
