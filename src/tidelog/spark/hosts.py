"""Hosts that live in a resident stage on Spark.

Law: a lost partition is a `HostLost`, whatever was asked, and so is one that does not do in time what it is told;
`restart` gives new, empty hosts. Every wait has a limit but the work of an epoch itself, which has the limits of the
engine (D6) and Ctrl-C.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidelog.errors import EngineError
from tidelog.partition.shared_dictionary import Entry, SharedDictionary
from tidelog.program.functions import Function
from tidelog.program.term import Value
from tidelog.runtime.coordinator import Coordinator
from tidelog.runtime.request import HostLost
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
        self.spark = spark
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
        return max(1, slots(self.spark) - self.stage.held)

    @property
    def peers(self) -> tuple[Peer, ...]:
        """The ways to the partitions, which Spark tasks take along."""
        with losses():
            return tuple(endpoint.open() for endpoint in self.stage.endpoints)

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


def spark_hosts(runtime: Coordinator) -> SparkHosts:
    """The hosts of a runtime that is on Spark."""
    assert isinstance(runtime.hosts, SparkHosts), "the partitions are not on Spark"
    return runtime.hosts


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
