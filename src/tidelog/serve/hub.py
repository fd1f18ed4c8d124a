"""The changes of epochs, for feeds and other readers.

Law: an epoch is recorded once, in order, before the call that committed it returns. Records are kept within a number of
bytes; older ones are read from the state folder (`feeds`). Waiting readers are woken on the server's loop.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from tidelog.engine.read.view import ChangeSet
from tidelog.engine.write.epoch import Epoch
from tidelog.serve import serve_failures as failures
from tidelog.serve.changes import EpochChange

OVERHEAD = 2_000  # bytes of a note, and of each of its relations, beside their rows
CELL_BYTES = 100  # about, with the values and texts that are made of it for feeds


@dataclass(frozen=True, slots=True)
class Noted:
    """A committed epoch."""

    epoch: int
    time: float
    seconds: float
    changes: Mapping[str, ChangeSet]
    counts: dict[str, tuple[int, int]]  # rows that came and went, by relation
    size: int
    rules: bool = False  # whether rules changed too
    _made: dict[str, EpochChange] = field(default_factory=dict)

    def change(self, view: str) -> EpochChange:
        """What the epoch changed in a view; made once, for all feeds."""
        found = self._made.get(view)
        if found is None:
            change = self.changes[view]
            found = self._made[view] = EpochChange.of(self.epoch, change)
        return found


class Hub:
    """The epochs of late; ``last`` is the last that was noted."""

    def __init__(self, last: int, room: int) -> None:
        self.last = last
        self.closed = False
        self.changed: dict[str, tuple[int, int, int]] = {}  # by relation: its last change, rows that came, that went
        self._room, self._held = room, 0
        self._notes: deque[Noted] = deque()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event = asyncio.Event()
        self._is_waking = False

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """From now on wake those who wait on this loop."""
        self._loop = loop

    def note(self, epoch: Epoch) -> None:
        """An epoch was committed; called by the committing thread, one at a time."""
        assert epoch.number is not None
        changes = dict(epoch.changes)  # with their rows, which are read here, and nothing else of the epoch
        counts = {name: (len(change.inserted), len(change.deleted)) for name, change in changes.items()}
        cells = sum((plus + minus) * len(changes[name].inserted.types) for name, (plus, minus) in counts.items())
        size = cells * CELL_BYTES + OVERHEAD * (1 + len(changes))
        rules = epoch.collected.changes_rules
        noted = Noted(epoch.number, time.time(), epoch.statistics.seconds, changes, counts, size, rules)
        with self._lock:
            self._notes.append(noted)
            self._held += size
            while self._held > self._room and len(self._notes) > 1:
                self._held -= self._notes.popleft().size
            self.changed.update({name: (noted.epoch, *rows) for name, rows in counts.items()})
            self.last = noted.epoch
        self._wake_soon()

    def _wake_soon(self) -> None:
        with self._lock:
            if self._loop is None or self._is_waking or self._loop.is_closed():
                return
            self._is_waking = True
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._is_waking = False
        event, self._event = self._event, asyncio.Event()
        event.set()

    def since(self, epoch: int, view: str | None = None) -> list[Noted] | None:
        """The epochs after one (that changed a view), oldest first; None if some are no longer noted here."""
        with self._lock:
            if epoch >= self.last:
                return []
            if not self._notes or self._notes[0].epoch > epoch + 1:
                return None
            found: list[Noted] = []
            for noted in reversed(self._notes):
                if noted.epoch <= epoch:
                    break
                if view is None or view in noted.counts:
                    found.append(noted)
        return found[::-1]

    @property
    def held(self) -> int:
        """About the bytes of what is noted."""
        return self._held

    def lately(self, seconds: float) -> list[Noted]:
        """The epochs of the last seconds."""
        begin = time.time() - seconds
        with self._lock:
            return [noted for noted in self._notes if noted.time >= begin]

    async def wait(self, epoch: int, seconds: float) -> None:
        """Wait for an epoch after this one, for at most a number of seconds, or until the hub is closed."""
        end = time.monotonic() + seconds
        while self.last <= epoch and not self.closed and (left := end - time.monotonic()) > 0:
            try:
                await asyncio.wait_for(self._event.wait(), left)
            except TimeoutError:
                return

    def close(self) -> None:
        """Wake everybody for the last time; to be called on the loop."""
        self.closed = True
        self._wake()


class OpenFeeds:
    """The feeds that are open, within a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.open = 0

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """While a feed is open."""
        self.enter()
        try:
            yield
        finally:
            self.leave()

    def enter(self) -> None:
        """A feed is opened."""
        if self.open >= self._limit:
            raise failures.TOO_MANY_FEEDS.error(limit=self._limit)
        self.open += 1

    def leave(self) -> None:
        """A feed is closed."""
        self.open -= 1
