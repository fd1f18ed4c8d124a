"""Hosts that live in a resident stage on Spark.

Law: a lost partition is a `HostLost`, whatever was asked, and so is one that does not do in time what it is told;
`restart` gives new, empty hosts. Every wait has a limit but the work of an epoch itself, which has the limits of the
engine (D6) and Ctrl-C.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from tidelog.errors import EngineError
from tidelog.partition.shared_dictionary import Entry, SharedDictionary
from tidelog.plan.work import Staged
from tidelog.program.functions import Function, Functions
from tidelog.program.term import Value
from tidelog.rewrite.place.placement import SINGLE, Placement
from tidelog.runtime.coordinator import Coordinator
from tidelog.runtime.request import HostLost
from tidelog.runtime.runtime import Arriving
from tidelog.spark import NoAnswer, PartitionLost, ResidentStage, StageError
from tidelog.spark.residence import MakeResidence
from tidelog.spark.session.master import slots

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidelog.spark.resident.client import Peer

UNLIMITED = frozenset({"start", "resume", "load_piece", "write_piece", "snapshot_piece", "write_view"})
READING = frozenset(
    {"rows", "counts", "changes", "rows_with_keys", "distinct_keys", "image", "memory", "known_entries"}
)
ENDING = frozenset({"commit", "rollback"})  # what must be done, or the partitions are begun anew
LIMIT = 120.0  # seconds for a question that costs no evaluation
GIVE_UP = 60.0  # seconds that a partition gets to leave an epoch; one that does not is begun anew


class SparkHosts:
    """P partitions in P barrier tasks."""

    def __init__(self, spark: SparkSession, partitions: int, functions: Sequence[Function], folder: str | None) -> None:
        self.partitions = partitions
        self.session = spark
        self._closed = False
        self._stage = ResidentStage(spark, partitions, MakeResidence(tuple(functions)), folder=folder)
        self.repeat: Callable[[Callable[[], Any]], Any] = lambda act: act()  # until there is a coordinator
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
            raise EngineError("the engine is closed; what its partitions hold has to be read before")
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
        from tidelog.spark.rows.encode import EncodedFrame
        from tidelog.spark.rows.send import send

        frames = [frame for frame in arriving if isinstance(frame, EncodedFrame)]
        stages = [uuid.uuid4().hex for _ in frames]
        homes = [Placement(places.get(frame.relation, 0 if frame.types else SINGLE)) for frame in frames]
        with losses():
            peers, room = self.peers, self.room
            sends = [
                partial(send, frame, home, peers, stage, room)
                for frame, home, stage in zip(frames, homes, stages, strict=True)
            ]
            sent = self.stage.beside(sends)
        return tuple(
            Staged(frame.relation, len(frame.types), stage, tuple(key for key, _ in attempts))
            for frame, stage, attempts in zip(frames, stages, sent, strict=True)
        )

    def ask(self, method: str, *args: Any) -> list[Any]:
        """The same question to every desk."""
        with losses(method):
            return self.stage.call_all(method, args, limit=_limit(method))

    def ask_each(self, method: str, args: Sequence[tuple[Any, ...]]) -> list[Any]:
        """A question to every desk, with arguments of its own."""
        if method == "start":
            self.dictionary.tell_owners()
        with losses(method):
            return self.stage.call_all(method, each=args, limit=_limit(method))

    def ask_one(self, number: int, method: str, *args: Any) -> Any:
        """A question to one desk."""
        with losses(method):
            return self.stage.call(number, method, args, limit=_limit(method))

    def has_mail(self) -> bool:
        """Mail is delivered when a step ends; the requests themselves tell whether there was any."""
        return False

    def start_epoch(self, run: int) -> None:
        """Mail carries the number of its run."""
        self._run = run

    def watch(self, on_slice: Callable[[], None]) -> None:
        """What to call while this thread waits for partitions."""
        thread = threading.get_ident()
        self.stage.on_wait = lambda: on_slice() if threading.get_ident() == thread else None

    def interrupt(self) -> None:
        """Ask the partitions to give up the epoch that they are at."""
        self.ask("interrupt", self._run)

    def restart(self) -> None:
        """New, empty hosts."""
        try:
            self.stage.restart()
        except StageError as error:
            raise HostLost(0, str(error)) from error
        self.dictionary.tell_all_again()

    def close(self) -> None:
        """End the stage."""
        self._closed = True
        self._stage.stop()

    def _ask_owner(self, owner: int, cells: list[int]) -> dict[int, Value]:
        found: dict[int, Value] = self.repeat(lambda: self.ask_one(owner, "known_entries", cells))
        return found

    def _tell_owner(self, owner: int, entries: list[Entry]) -> None:
        self.ask_one(owner, "take_entries", entries)


def spark_runtime(
    spark: SparkSession, partitions: int, functions: Functions, own: Sequence[Function], folder: str | None
) -> Coordinator:
    """A runtime whose partitions live on Spark; ``own`` are the user's functions, which their tasks take along."""
    hosts = SparkHosts(spark, partitions, own, folder)
    runtime = Coordinator(functions, hosts, hosts.dictionary)
    hosts.repeat = runtime.repeat
    return runtime


def _limit(method: str) -> float | None:
    return None if method in UNLIMITED else GIVE_UP if method == "rollback" else LIMIT


@contextmanager
def losses(method: str = "") -> Iterator[None]:
    """What the stage calls a lost partition is a lost host."""
    try:
        yield
    except PartitionLost as lost:
        raise HostLost(lost.number, lost.reason) from lost
    except NoAnswer as late:
        if method in READING:
            raise
        raise HostLost(late.number, str(late)) from late
    except Exception as error:
        if method not in ENDING:
            raise
        raise HostLost(0, f"{method}: {error}") from error
