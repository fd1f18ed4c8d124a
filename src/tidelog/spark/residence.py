"""A partition as a resident of a Spark task: a desk behind an endpoint, and mail to the other partitions.

Law: the driver's calls are answered one after the other; mail, sent rows and questions about dictionary entries and
committed facts are taken at any time, also while an epoch runs. Mail carries the number of its run, and mail of any
other run is void.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tidelog.errors import EvaluationError
from tidelog.kernel.cells import Cells
from tidelog.partition.owner import Parcel
from tidelog.partition.shared_dictionary import Entry, SharedDictionary
from tidelog.plan.work import EpochWork
from tidelog.program.functions import FUNCTIONS, Function, Functions
from tidelog.program.term import Value
from tidelog.runtime.desk import Ended
from tidelog.runtime.epoch_steps import Host
from tidelog.runtime.kept_desk import KeptDesk
from tidelog.runtime.mail import Mailbox
from tidelog.runtime.request import Answer, Request
from tidelog.spark.rows.tables import cells_of, entries_of

if TYPE_CHECKING:
    from tidelog.spark.resident.client import Peer

Descriptor = dict[str, Any]
GIVEN_UP = "the epoch was interrupted; nothing was changed"


@dataclass(frozen=True, slots=True)
class MakeResidence:
    """Makes the resident of a partition; a value that Spark sends to its tasks."""

    functions: tuple[Function, ...]

    def __call__(self, number: int, partitions: int) -> Residence:
        """The resident of one partition, empty."""
        return Residence(FUNCTIONS.with_functions(self.functions), number, partitions)


class FlightMailbox(Mailbox):
    """Mail over Arrow Flight: one delivery per partition and round, whatever its relations."""

    def __init__(self, before_mail: Callable[[], None]) -> None:
        self.run = 0
        self.peers: Sequence[Peer] = ()
        self._before_mail = before_mail
        self._arrived: list[tuple[int, Parcel]] = []
        self._lock = threading.Lock()
        self._senders: ThreadPoolExecutor | None = None

    def deliver(self, parcels: Mapping[int, Parcel]) -> int:
        """Send what leaves; returns how many supports that are."""
        if not parcels:
            return 0
        self._before_mail()
        sent = [(self.peers[to], parcel) for to, parcel in sorted(parcels.items())]
        if len(sent) == 1:
            self._send(*sent[0])
        else:
            if self._senders is None:
                self._senders = ThreadPoolExecutor(min(16, len(self.peers)), "tidelog-mail")
            list(self._senders.map(lambda pair: self._send(*pair), sent))
        return sum(int(rows[:, 1].sum()) for parcel in parcels.values() for rows in parcel.values())

    def _send(self, peer: Peer, parcel: Parcel) -> None:
        parts = [(name, rows.shape) for name, rows in parcel.items()]
        cells = np.concatenate([rows.reshape(-1) for rows in parcel.values()])
        peer.deliver({"kind": "mail", "run": self.run, "parts": parts}, pa.table({"cells": cells}))

    def take(self, run: int, parts: Sequence[tuple[str, tuple[int, int]]], cells: Cells) -> None:
        """Mail that arrives."""
        parcel, first = {}, 0
        for name, shape in parts:
            last = first + shape[0] * shape[1]
            parcel[name] = cells[first:last].reshape(shape)
            first = last
        with self._lock:
            self._arrived.append((run, parcel))

    def collect(self) -> Iterable[Parcel]:
        """What has arrived for this run."""
        with self._lock:
            found = [parcel for run, parcel in self._arrived if run == self.run]
            self._arrived = [(run, parcel) for run, parcel in self._arrived if run > self.run]
        return found

    def close(self) -> None:
        """End the threads that send."""
        if self._senders is not None:
            self._senders.shutdown(wait=False)


class Residence(KeptDesk):
    """One partition, served over Arrow Flight."""

    def __init__(self, functions: Functions, number: int, partitions: int) -> None:
        self._peers: Sequence[Peer] = ()
        self.dictionary = SharedDictionary(partitions, number, self._ask_owner, self._tell_owner)
        self._mailbox = FlightMailbox(self.dictionary.tell_owners)
        super().__init__(Host(functions, number, partitions, self.dictionary, self._mailbox))
        self._working = threading.Lock()
        self._stopping = threading.Event()
        self._given_up = 0
        self._free: dict[str, Any] = {
            "known_entries": self.dictionary.known,
            "take_entries": self.dictionary.enter,
            "interrupt": self._interrupt,
            "rows": self.rows,
            "counts": self.counts,
            "changes": self.changes,
        }

    # What the stage calls

    def call(self, method: str, args: tuple[Any, ...]) -> object:
        """Answer the driver, one call after the other, or another partition, at any time."""
        free = self._free.get(method)
        if free is not None:
            return free(*args)
        with self._working:
            return getattr(self, method)(*args)

    def deliver(self, descriptor: Descriptor, table: pa.Table) -> None:
        """Take mail of another partition, or what a Spark task sends."""
        kind = descriptor["kind"]
        if kind == "mail":
            self._mailbox.take(descriptor["run"], descriptor["parts"], table.column("cells").to_numpy())
        elif kind == "entries":
            self.dictionary.enter(entries_of(table))
        else:
            rows = (descriptor["relation"], descriptor["sign"], cells_of(table))
            self.stage(descriptor["stage"], descriptor["attempt"], rows)

    def fetch(self, descriptor: Descriptor) -> pa.Table:
        """The cells of a relation, as one column."""
        with self._working:
            cells: Cells = getattr(self, descriptor["method"])(*descriptor["args"])
        return pa.table({"cells": cells.reshape(-1)})

    def connect(self, peers: Sequence[Peer]) -> None:
        """Learn the other partitions."""
        self._peers = self._mailbox.peers = peers

    def close(self) -> None:
        """The stage ends: a running epoch is given up."""
        self._interrupt(sys.maxsize)
        self._mailbox.close()

    # Epochs

    def start(self, run: int, work: EpochWork, forgotten: Sequence[int] = ()) -> Request | Ended:
        """Begin the epoch ``run``, unless it was given up already: a call may come late."""
        self._stopping.clear()
        if run <= self._given_up:
            raise EvaluationError(GIVEN_UP)
        self.host.partition.machine.on_slice = self._look_up
        self._mailbox.run = run
        return self._finished(super().start(run, work, forgotten))

    def resume(self, answer: Answer, run: int) -> Request | Ended:
        """Go on with the answer to the last request of the epoch ``run``."""
        return self._finished(super().resume(answer, run))

    def _finished(self, step: Request | Ended) -> Request | Ended:
        if isinstance(step, Ended):
            self.dictionary.tell_owners()  # a clash refuses the epoch
        return step

    def _interrupt(self, run: int) -> None:
        self._given_up = run
        self._stopping.set()

    def _look_up(self) -> None:
        if self._stopping.is_set():
            raise EvaluationError(GIVEN_UP)

    # Entries

    def _ask_owner(self, owner: int, cells: list[int]) -> dict[int, Value]:
        found: dict[int, Value] = self._peers[owner].call("known_entries", (cells,))
        return found

    def _tell_owner(self, owner: int, entries: list[Entry]) -> None:
        self._peers[owner].call("take_entries", (entries,))
