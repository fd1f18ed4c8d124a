"""Restart nodes when one of them is lost (D18).

Law: the loss of any node is the loss of all; new ones receive all they need before any other request, so that no reader
sees half an epoch. The interrupted request is then repeated, a bounded number of times. Two locks separate threads. An
epoch *has its turn* from its start to its commit or rollback, and a thread that restarts the nodes needs the turn.
Requests that must be answered from one epoch are made *together*: no commit and no restart happens between them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from tidelog.runtime.base import runtime_failures as failures
from tidelog.runtime.base.request import NodeLost

T = TypeVar("T")
ATTEMPTS = 4


class Recovery:
    """Monitors nodes: ``restart`` makes new ones with all they need, ``position`` describes the state they are in."""

    def __init__(self, restart: Callable[[], None], position: Callable[[], str]) -> None:
        self.generation = 0  # how often the nodes were restarted
        self.is_over = False  # the nodes are closed
        self.together = threading.RLock()
        self._restart, self._position = restart, position
        self._lost = False
        self._turn = threading.RLock()
        self._taken = False
        self._asking = threading.local()

    def take_turn(self) -> None:
        """Begin an epoch: until `end_turn` only this thread may start the nodes again."""
        self._turn.acquire()
        if self._taken:  # it was not ended
            self._turn.release()
        self._taken = True

    def end_turn(self) -> None:
        """End an epoch, whatever its result."""
        if self._taken:
            self._taken = False
            self._turn.release()

    def repeat(self, act: Callable[[], T]) -> T:
        """Do something that the loss of a node may prevent; after a loss, restart all nodes and repeat it.

        Nested requests are part of it: nodes restarted in the middle would not know the first half.
        """
        if getattr(self._asking, "inside", False):
            return act()
        self._asking.inside = True
        try:
            return self._repeated(act)
        finally:
            self._asking.inside = False

    def _repeated(self, act: Callable[[], T]) -> T:
        for left in reversed(range(ATTEMPTS)):
            generation: int | None = None
            try:
                self.mend()
                generation = self.generation
                return act()
            except NodeLost as lost:
                if generation in (None, self.generation):  # otherwise another thread has restarted them since
                    self._lost = True
                if not left:
                    raise failures.GIVEN_UP.error(lost=lost, attempts=ATTEMPTS, position=self._position()) from lost
        raise AssertionError("every attempt returns or raises")

    def ask(self, act: Callable[[], T]) -> T:
        """Do the same with requests that must be answered from one epoch."""

        def ask_alone() -> T:
            with self.together:
                return act()

        return self.repeat(ask_alone)

    def try_once(self, act: Callable[[], object]) -> None:
        """Do something that restarted nodes do not need: a commit or a rollback."""
        if not self._lost:
            try:
                act()
            except NodeLost:
                self._lost = True

    def lose(self) -> None:
        """Mark the nodes as lost: they are restarted with the next request."""
        self._lost = True

    def mend(self) -> None:
        """Restart the nodes if they are lost."""
        if self._lost:
            with self._turn, self.together:
                if self._lost:
                    self._restart()
                    self._lost = False
                    self.generation += 1
