"""Hosts that are begun anew when one of them is lost (D18).

Law: the loss of any host is the loss of all; new ones are told what they must know before anybody asks them anything,
so that nobody sees half an epoch. What was asked is then asked again, a bounded number of times. Two locks keep threads
apart. An epoch *has its turn* from its start to its commit or rollback, and whoever begins the hosts anew needs the
turn. Questions that must be answered out of one epoch are asked *together*: no commit and no beginning divides them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from tidelog.errors import EngineError
from tidelog.runtime.request import NodeLost

T = TypeVar("T")
ATTEMPTS = 4


class Recovery:
    """Watches over hosts: ``begin`` makes new ones and tells them all, ``standing`` says at what state they are."""

    def __init__(self, begin: Callable[[], None], standing: Callable[[], str]) -> None:
        self.generation = 0  # how often the hosts began anew
        self.together = threading.RLock()
        self._begin, self._standing = begin, standing
        self._lost = False
        self._turn = threading.RLock()
        self._taken = False
        self._asking = threading.local()

    def take_turn(self) -> None:
        """An epoch begins: until `end_turn` only this thread may begin the hosts anew."""
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
        """Do something that the loss of a host may prevent; then all hosts begin anew, and it is done again.

        What is asked in the middle of it is a part of it: hosts that began anew there would not know the half before.
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
                if asked in (None, self.generation):  # else another thread has begun them anew since
                    self._lost = True
                if not left:
                    raise EngineError(f"{lost}; given up after {ATTEMPTS} attempts; {self._standing()}") from lost
        raise AssertionError("every attempt returns or raises")

    def ask(self, act: Callable[[], T]) -> T:
        """The same for questions that must be answered out of one epoch."""

        def asked() -> T:
            with self.together:
                return act()

        return self.repeat(asked)

    def try_once(self, act: Callable[[], object]) -> None:
        """Do what hosts that begin anew need not be told: a commit or a rollback."""
        if not self._lost:
            try:
                act()
            except NodeLost:
                self._lost = True

    def mend(self) -> None:
        """Begin the hosts anew if they are lost."""
        if self._lost:
            with self._turn, self.together:
                if self._lost:
                    self._begin()
                    self._lost = False
                    self.generation += 1
