"""A node as a resident of a Spark task: its service behind an endpoint, and messages to the other nodes.

Law: the driver's calls are answered in turn; messages, sent rows and specially marked calls (dictionary entries,
committed facts) are accepted at any time, even while an epoch runs. Messages contain the number of their run, and those
of any other run are ignored.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from tidelog.io.vectors import from_vector, to_vector
from tidelog.kernel.cells import Cells
from tidelog.partition.base.owner import Messages
from tidelog.partition.texts.shared_dictionary import Entry, SharedDictionary
from tidelog.program.functions.table import FUNCTIONS, Function, Functions
from tidelog.program.values.term import Value
from tidelog.runtime.base.call import Arguments, Call, received
from tidelog.runtime.base.channel import Channel
from tidelog.runtime.base.headroom import Headroom
from tidelog.runtime.node.node import Node
from tidelog.runtime.node.node_state import MOST_ARRIVED
from tidelog.runtime.protocol.service import Service
from tidelog.spark import carried  # noqa: F401  # both sides of a call import this module, and then know what calls carry
from tidelog.spark.budget import left_of
from tidelog.spark.rows.tables import cells_of, entries_of

if TYPE_CHECKING:
    from tidelog.spark.resident.client import Peer

Descriptor = dict[str, Any]
PAUSE = 0.005  # seconds between two questions whether a partition has room for messages
MUCH = 16 << 20  # delivered bytes after which unused memory is returned to the system
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MakeResidentNode:
    """Creates the resident of a partition; a value that Spark sends to its tasks."""

    functions: tuple[Function, ...]
    budget: int | None = None  # of memory, in bytes

    def __call__(self, number: int, partitions: int) -> ResidentNode:
        """The resident of one partition, empty."""
        return ResidentNode(FUNCTIONS.with_functions(self.functions), number, partitions, self.budget)


class Arrival(NamedTuple):
    """Messages that have arrived, and are not collected."""

    exchange: tuple[int, int]  # the run and the exchange in which they were sent
    messages: Messages
    size: int  # bytes


class FlightChannel(Channel):
    """Messages over Arrow Flight: one delivery per partition at a time, for all relations."""

    def __init__(self, before_sending: Callable[[], None], look_up: Callable[[], None]) -> None:
        super().__init__()
        self.peers: Sequence[Peer] = ()
        self._look_up = look_up
        self._before_sending = before_sending
        self._arrived: list[Arrival] = []
        self._lock = threading.Lock()
        self._senders: ThreadPoolExecutor | None = None

    def deliver(self, leaving: Mapping[int, Messages]) -> None:
        """Send the outgoing messages."""
        self._before_sending()
        sent = [(self.peers[to], messages) for to, messages in sorted(leaving.items())]
        if len(sent) == 1:
            self._send(*sent[0])
        else:
            if self._senders is None:
                self._senders = ThreadPoolExecutor(min(16, len(self.peers)), "tidelog-send")
            list(self._senders.map(lambda pair: self._send(*pair), sent))

    def _send(self, peer: Peer, messages: Messages) -> None:
        parts = [(name, rows.shape) for name, rows in messages.items()]
        cells = np.concatenate([rows.reshape(-1) for rows in messages.values()])
        sent = {"kind": "messages", "run": self.run, "exchange": self.exchange, "parts": parts}
        peer.deliver(sent, _column(cells))

    def take(self, run: int, exchange: int, parts: Sequence[tuple[str, tuple[int, int]]], cells: Cells) -> None:
        """Receive messages."""
        messages, first = {}, 0
        for name, shape in parts:
            last = first + shape[0] * shape[1]
            messages[name] = cells[first:last].reshape(shape)
            first = last
        with self._lock:
            self._arrived.append(Arrival((run, exchange), messages, cells.nbytes))

    def collect(self) -> Iterable[Messages]:
        """The messages received for this exchange."""
        now = (self.run, self.exchange)
        with self._lock:
            found = [arrival.messages for arrival in self._arrived if arrival.exchange == now]
            self._arrived = [arrival for arrival in self._arrived if arrival.exchange > now]
        return found

    @property
    def arrived(self) -> int:
        """The bytes of messages that have arrived and are not collected."""
        return sum(arrival.size for arrival in self._arrived)

    def ease(self, receivers: Iterable[int], relieve: Callable[[], None]) -> None:
        """Wait until these partitions have room for more, and call ``relieve`` meanwhile."""
        run = self.run
        for to in sorted(receivers):
            while ask_peer(self.peers[to], Call(Service.relieve)) > MOST_ARRIVED and self.run == run:
                relieve()
                self._look_up()
                time.sleep(PAUSE)

    def close(self) -> None:
        """End the sending threads."""
        if self._senders is not None:
            self._senders.shutdown(wait=False)


class ResidentNode:
    """One partition, served over Arrow Flight."""

    def __init__(self, functions: Functions, number: int, partitions: int, budget: int | None = None) -> None:
        self._peers: Sequence[Peer] = ()
        self.dictionary = SharedDictionary(partitions, number, self._ask_owner, self._report_to_owner)
        self.channel = FlightChannel(self.dictionary.report_to_owners, self._look_up)
        self.service = Service(Node(functions, number, partitions, self.dictionary, self.channel))
        self._headroom = Headroom(self.service.node.partition.memory, partial(left_of, budget))
        self.service.node.partition.machine.on_slice = self._look_up
        self._delivered = 0  # bytes delivered since memory was last released

    def call(self, method: str, arguments: Arguments) -> object:
        """Answer the driver's calls in turn, and those of other nodes at any time."""
        call = received(Service, method, arguments)
        if call.mark.any_time:
            return call.on(self.service)
        with self.service.working:
            answer = call.on(self.service)
        if self._delivered > MUCH:
            self._delivered = 0
            release_memory()
        return answer

    def _look_up(self) -> None:
        """Check between slices of work whether the epoch may continue."""
        self.service.interruption.check()
        self._headroom.check()

    def deliver(self, descriptor: Descriptor, table: pa.Table) -> None:
        """Accept messages of another node, or rows that a Spark task sends."""
        kind = descriptor["kind"]
        self._delivered += table.nbytes
        if kind == "messages":
            cells = to_vector(table.column("cells"), np.int64)
            self.channel.take(descriptor["run"], descriptor["exchange"], descriptor["parts"], cells)
        elif kind == "entries":
            self.dictionary.enter(entries_of(table))
        else:
            stage, attempt, sign = descriptor["stage"], descriptor["attempt"], descriptor["sign"]
            self.service.staged.put(stage, attempt, sign, cells_of(table))

    def fetch(self, descriptor: Descriptor) -> pa.Table:
        """The cells of a relation, as one column."""
        return _column(self.service.rows(descriptor["relation"]).reshape(-1))

    def connect(self, peers: Sequence[Peer]) -> None:
        """Receive the connections to the other nodes."""
        self._peers = self.channel.peers = peers

    def close(self) -> None:
        """Called when the stage ends: a running epoch is aborted."""
        self.service.interrupt(sys.maxsize)
        self.channel.close()

    def _ask_owner(self, owner: int, cells: list[int]) -> dict[int, Value]:
        return ask_peer(self._peers[owner], Call(Service.known_entries, cells))

    def _report_to_owner(self, owner: int, entries: list[Entry]) -> None:
        ask_peer(self._peers[owner], Call(Service.take_entries, entries))


def ask_peer(peer: Peer, call: Call[Service, T]) -> T:
    """Call another node and return its answer."""
    answer: T = peer.call(call.name, call.arguments)
    return answer


def release_memory() -> None:
    """Return unused memory of Arrow, and of the C library where it can, to the system."""
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc: Flight receives into memory of the C library
    if trim is not None:
        trim(0)


def _column(cells: Cells) -> pa.Table:
    """Cells as one column that shares their memory."""
    return pa.Table.from_arrays([from_vector(cells, pa.int64())], names=["cells"])
