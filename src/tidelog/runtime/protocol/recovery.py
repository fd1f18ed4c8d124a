"""Nodes that are started again when one of them is lost (D18).

Law: the loss of any node is the loss of all; new ones are told what they must know before anybody asks them anything,
so that nobody sees half an epoch. What was asked is then asked again, a bounded number of times. Two locks keep threads
apart. An epoch *has its turn* from its start to its commit or rollback, and whoever starts the nodes again needs the
turn. Questions that must be answered out of one epoch are asked *together*: no commit and no restart divides them.
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
    """Watches over nodes: ``restart`` makes new ones and tells them all, ``position`` says at what state they are."""

    def __init__(self, restart: Callable[[], None], position: Callable[[], str]) -> None:
        self.generation = 0  # how often the nodes were started again
        self.is_over = False  # the nodes are closed
        self.together = threading.RLock()
        self._restart, self._position = restart, position
        self._lost = False
        self._turn = threading.RLock()
        self._taken = False
        self._asking = threading.local()

    def take_turn(self) -> None:
        """An epoch begins: until `end_turn` only this thread may start the nodes again."""
        self._turn.acquire()
        if self._taken:  # it was not ended
            self._turn.release()
        self._taken = True

    def end_turn(self) -> None:
        """The epoch is over, however it ended."""
        if self._taken:
            self._taken = False
            self._turn.release()

    def repeat(self, act: Callable[[], T]) -> T:
        """Do something that the loss of a node may prevent; then all nodes are started again, and it is done again.

        What is asked in the middle of it is a part of it: nodes started again there would not know the half before.
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
            asked: int | None = None
            try:
                self.mend()
                asked = self.generation
                return act()
            except NodeLost as lost:
                if asked in (None, self.generation):  # else another thread has started them again since
                    self._lost = True
                if not left:
                    raise failures.GIVEN_UP.error(lost=lost, attempts=ATTEMPTS, position=self._position()) from lost
        raise AssertionError("every attempt returns or raises")

    def ask(self, act: Callable[[], T]) -> T:
        """The same for questions that must be answered out of one epoch."""

        def asked() -> T:
            with self.together:
                return act()

        return self.repeat(asked)

    def try_once(self, act: Callable[[], object]) -> None:
        """Do what nodes that are started again need not be told: a commit or a rollback."""
        if not self._lost:
            try:
                act()
            except NodeLost:
                self._lost = True

    def lose(self) -> None:
        """The nodes are gone: they are started again when something is asked of them."""
        self._lost = True

    def mend(self) -> None:
        """Start the nodes again if they are lost."""
        if self._lost:
            with self._turn, self.together:
                if self._lost:
                    self._restart()
                    self._lost = False
                    self.generation += 1
