"""The nodes of an engine as its coordinator sees them, wherever they live.

Law: each partition lives on one node, which is asked through its `Service`; calls are typed (`call`). A node may be
lost at any time (`NodeLost`): then all of them are started again, empty. Messages go from node to node and never
through the coordinator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from tidelog.plan.work import ArrivedRows
from tidelog.runtime.base.call import Call
from tidelog.runtime.protocol.runtime import DirectRows
from tidelog.runtime.protocol.service import Service

T = TypeVar("T")
P = ParamSpec("P")


class Race(Protocol[T]):
    """Calls of nodes that answer one by one."""

    def call(self, number: int, call: Call[Service, T]) -> None:
        """Call a node whose last call was answered."""

    def take(self) -> tuple[int, T]:
        """The number of the next node that answers, and its answer."""


class Nodes(Protocol):
    """The nodes of one engine: one for each partition."""

    partitions: int

    @property
    def session(self) -> object | None:
        """The Spark session that they live in; None in this process."""

    def send(self, arriving: Sequence[DirectRows], places: Mapping[str, int]) -> ArrivedRows:
        """Send rows to the partitions that own them; returns which of them count. May be called again after a loss."""

    def ask(self, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> list[T]:
        """The answers of all nodes to the same call."""

    def ask_each(self, calls: Sequence[Call[Service, T]]) -> list[T]:
        """The answers of all nodes, each to a separate call; all are calls of one method."""

    def post(self, method: Callable[Concatenate[Service, P], None], *args: P.args, **named: P.kwargs) -> None:
        """Send a call to all nodes without waiting; they answer later calls after it.

        If a node is lost in it, perhaps only the next call notices that.
        """

    def ask_one(self, number: int, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> T:
        """The answer of one node."""

    def race(self, calls: Sequence[Call[Service, T]]) -> Race[T]:
        """Call all nodes; answers are taken one by one, and a node may be called again while others are at work."""

    def start_epoch(self, run: int, epoch: int) -> None:
        """Begin a run of an epoch, which may not be the first one; messages of earlier runs are void."""

    def watch(self, on_slice: Callable[[], None]) -> None:
        """Set the function that is called between slices of work."""

    def interrupt(self) -> None:
        """Ask nodes that are still working to abandon the epoch."""

    def restart(self) -> None:
        """Start new, empty nodes in place of the lost ones."""

    def rest(self) -> None:
        """Stop the nodes until `restart`, so that others can use their slots."""

    def go_on(self) -> None:
        """Become the nodes of the engine again, unless they are closed; they may be lost."""

    def close(self) -> None:
        """End the nodes."""
