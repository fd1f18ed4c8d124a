"""The nodes of an engine as its coordinator sees them, wherever they live.

Law: each partition lives on one node, which is asked through its `Service`; calls are typed (`call`). A node may be
lost at any time (`NodeLost`): then all of them are started again, empty. Messages go from node to node and never
through the coordinator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from tidelog.plan.work import Staged
from tidelog.runtime.call import Call
from tidelog.runtime.runtime import Arriving
from tidelog.runtime.service import Service

T = TypeVar("T")
P = ParamSpec("P")


class Nodes(Protocol):
    """The nodes of one engine: one for each partition."""

    partitions: int

    @property
    def session(self) -> object | None:
        """The Spark session that they live in; None in this process."""

    def send(self, arriving: Sequence[Arriving], places: Mapping[str, int]) -> tuple[Staged, ...]:
        """Send rows to the partitions that own them; tells which of them count. May be called again after a loss."""

    def ask(self, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> list[T]:
        """What all nodes answer to the same call."""

    def ask_each(self, calls: Sequence[Call[Service, T]]) -> list[T]:
        """What all nodes answer, each to a call of its own; all are calls of one method."""

    def ask_one(self, number: int, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> T:
        """What one node answers."""

    def has_messages(self) -> bool:
        """Whether messages wait that no node was given yet."""

    def start_epoch(self, run: int) -> None:
        """Messages of epochs before are void."""

    def watch(self, on_slice: Callable[[], None]) -> None:
        """What to call between slices of work."""

    def interrupt(self) -> None:
        """Ask nodes that are still at work to give up."""

    def restart(self) -> None:
        """New, empty nodes in place of those that are lost."""

    def close(self) -> None:
        """End the nodes."""
