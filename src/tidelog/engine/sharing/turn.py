"""Access to the partitions: an epoch or a query that runs rules, one at a time, or look-ups between them.

Law (D24): no reader waits here for an epoch, except for the moments that `pace` reserves. If no thread has the turn, a
look-up runs at once; otherwise it must look elsewhere (`replica`). It delays an epoch by microseconds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from types import TracebackType

from tidelog.engine.sharing.pace import Pace

LATELY = 0.05  # seconds


class Turn:
    """The turn to touch the partitions; a context manager that waits for it."""

    def __init__(self) -> None:
        self.pace = Pace()
        self._turn = threading.RLock()
        self._looking = threading.RLock()
        self._depth = 0
        self._ended = -LATELY
        self._entering = 0  # threads that have the turn and wait for look-ups that are under way
        self._brief: int | None = None  # the thread whose look-ups do not wait

    def __enter__(self) -> None:
        if self.pace.writer == threading.get_ident():
            self._turn.acquire()
            self._depth += 1
            return
        self.pace.acquire(self._turn)
        self._entering += 1
        with self._looking:  # until a look-up that is under way has found its rows
            self._depth += 1
        self._entering -= 1
        self.pace.begin()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._depth == 1:
            self.pace.end()
        self._give_back()

    def _give_back(self) -> None:
        self._ended = perf_counter()
        self._depth -= 1
        self._turn.release()

    @contextmanager
    def last(self, patience: float) -> Iterator[None]:
        """Take the final turn: wait for the thread that has the turn and for a look-up, but not too long."""
        held = self._turn.acquire(timeout=patience)
        looking = self._looking.acquire(timeout=patience)
        try:
            yield
        finally:
            if looking:
                self._looking.release()
            if held:
                self._turn.release()

    @property
    def was_taken_lately(self) -> bool:
        """Whether a thread has the turn or had it a moment ago."""
        return self._depth > 0 or perf_counter() - self._ended < LATELY

    def read(self) -> None:
        """Begin a read, after any time reserved for epochs."""
        if self.was_taken_lately and self._brief != threading.get_ident():
            self.pace.read()

    def take(self) -> bool:
        """Take the turn if no thread, including this one, has it; `give_back` ends it."""
        if not self._turn.acquire(blocking=False):
            return False
        if self._depth:
            self._turn.release()
            return False
        with self._looking:
            self._depth += 1
        return True

    def give_back(self) -> None:
        """End what `take` began."""
        self._give_back()

    @contextmanager
    def brief_look_ups(self) -> Iterator[bool]:
        """A block whose look-ups do not wait; yields false, and is not such a block, if they would have to.

        No epoch begins during the block, so it must be brief.
        """
        if self._entering or self.pace.is_wanted or not self._looking.acquire(blocking=False):
            yield False
            return
        if self._depth:
            self._looking.release()
            yield False
            return
        self._brief = threading.get_ident()
        try:
            yield True
        finally:
            self._brief = None
            self._looking.release()

    def look(self) -> bool:
        """Begin a look-up if no thread has the turn; `end_look_up` ends it."""
        self._looking.acquire()
        if self._depth:
            self._looking.release()
            return False
        return True

    def end_look_up(self) -> None:
        """End a look-up."""
        self._looking.release()
