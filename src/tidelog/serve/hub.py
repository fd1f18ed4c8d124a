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

OVERHEAD = 2_000  # bytes of a record, and of each of its relations, without their rows
CELL_BYTES = 100  # estimate, including the values and texts for feeds


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """A committed epoch."""

    epoch: int
    time: float
    seconds: float
    changes: Mapping[str, ChangeSet]
    counts: dict[str, tuple[int, int]]  # inserted and deleted rows, by relation
    size: int
    rules: bool = False  # whether rules changed, too
    _change_by_view: dict[str, EpochChange] = field(default_factory=dict)

    def change(self, view: str) -> EpochChange:
        """The changes of the epoch in a view; computed once for all feeds."""
        change = self._change_by_view.get(view)
        if change is None:
            change = self._change_by_view[view] = EpochChange.of(self.epoch, self.changes[view])
        return change


class Hub:
    """The recent epochs; ``last`` is the last recorded one."""

    def __init__(self, last: int, room: int) -> None:
        self.last = last
        self.closed = False
        self.changed: dict[
            str, tuple[int, int, int]
        ] = {}  # by relation: epoch of its last change, inserted and deleted rows
        self._room, self._size = room, 0
        self._records: deque[EpochRecord] = deque()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event = asyncio.Event()
        self._is_waking = False

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wake waiting readers on this loop from now on."""
        self._loop = loop

    def note(self, epoch: Epoch) -> None:
        """Record a committed epoch; called by the committing thread, one at a time."""
        assert epoch.number is not None
        changes = dict(epoch.changes)  # with their rows, which are read here; the rest of the epoch is not kept
        counts = {name: (len(change.inserted), len(change.deleted)) for name, change in changes.items()}
        cells = sum((plus + minus) * len(changes[name].inserted.types) for name, (plus, minus) in counts.items())
        size = cells * CELL_BYTES + OVERHEAD * (1 + len(changes))
        rules = epoch.collected.changes_rules
        record = EpochRecord(epoch.number, time.time(), epoch.statistics.seconds, changes, counts, size, rules)
        with self._lock:
            if epoch.breaks_feeds:  # earlier epochs are then missing here, and the history refuses them
                self._records.clear()
                self._size = 0
            else:
                self._records.append(record)
                self._size += size
            while self._size > self._room and len(self._records) > 1:
                self._size -= self._records.popleft().size
            self.changed.update({name: (record.epoch, *rows) for name, rows in counts.items()})
            self.last = record.epoch
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

    def since(self, epoch: int, view: str | None = None) -> list[EpochRecord] | None:
        """The epochs after one (that changed a view), oldest first; None if some are no longer recorded here."""
        with self._lock:
            if epoch >= self.last:
                return []
            if not self._records or self._records[0].epoch > epoch + 1:
                return None
            records: list[EpochRecord] = []
            for record in reversed(self._records):
                if record.epoch <= epoch:
                    break
                if view is None or view in record.counts:
                    records.append(record)
        return records[::-1]

    @property
    def held(self) -> int:
        """The approximate bytes of the records."""
        return self._size

    def lately(self, seconds: float) -> list[EpochRecord]:
        """The epochs of the last seconds."""
        begin = time.time() - seconds
        with self._lock:
            return [record for record in self._records if record.time >= begin]

    async def wait(self, epoch: int, seconds: float) -> None:
        """Wait for an epoch after this one, for at most a number of seconds, or until the hub is closed."""
        end = time.monotonic() + seconds
        while self.last <= epoch and not self.closed and (remaining := end - time.monotonic()) > 0:
            try:
                await asyncio.wait_for(self._event.wait(), remaining)
            except TimeoutError:
                return

    def close(self) -> None:
        """Wake all waiting readers for the last time; to be called on the loop."""
        self.closed = True
        self._wake()


class OpenFeeds:
    """The feeds that are open, within a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.open = 0

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count a feed as open during the block."""
        self.enter()
        try:
            yield
        finally:
            self.leave()

    def enter(self) -> None:
        """Count a feed that is opened."""
        if self.open >= self._limit:
            raise failures.TOO_MANY_FEEDS.error(limit=self._limit)
        self.open += 1

    def leave(self) -> None:
        """Stop counting a feed that is closed."""
        self.open -= 1
