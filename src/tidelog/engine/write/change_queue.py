"""Changes on their way from the committing thread to one subscriber.

Law: a queue contains the epochs that changed its view in order, each once. It holds a limited number of changes;
later ones become one gap, which grows until the subscriber reaches it. The committing thread never waits for a
subscriber.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidelog.engine.base.feed_change import FeedChange, Gap, Row

if TYPE_CHECKING:
    import asyncio

    from tidelog.engine.base.signature import Signature
    from tidelog.engine.read.view import Rows


@dataclass(frozen=True, slots=True)
class PendingChange:
    """A change whose rows may still be cells, which the subscriber decodes."""

    epoch: int
    view: str
    inserted: Rows | list[Row]
    deleted: Rows | list[Row]
    signature: Signature

    def __len__(self) -> int:
        return len(self.inserted) + len(self.deleted)

    def read(self) -> FeedChange:
        """The change, with its rows as tuples."""
        signature = self.signature
        return FeedChange(
            self.epoch, self.view, list(self.inserted), list(self.deleted), signature.author, signature.note
        )


class ChangeQueue:
    """The changes of a view after the epoch ``since``, at most ``capacity`` of them."""

    def __init__(self, view: str, capacity: int) -> None:
        self.view = view
        self.since = 0
        self.is_open = True  # set to False without the lock when a feed is collected
        self._capacity = capacity
        self._items: deque[PendingChange | Gap] = deque()
        self._news = threading.Condition()
        self._gap_grows = False  # whether the last item is a gap because the queue is full
        self._is_idle = False  # whether the subscriber waits for a change
        self._waiter: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None

    # The committing thread

    def put(self, epoch: int, read: Callable[[], PendingChange | None]) -> None:
        """Add a change, which is only read if there is room for it; one that cannot be read becomes a gap."""
        change: PendingChange | Gap | None = Gap(epoch, epoch)
        if len(self._items) < self._capacity and not self._ends_with_gap:
            try:
                change = read()
            except Exception:  # the epoch is committed, and its author did not ask for the rows
                from tidelog.engine.base.meter import LOG

                LOG.exception("the changes of `%s` in epoch %d could not be read for a subscriber", self.view, epoch)
        if change is None:
            return
        with self._news:
            if not self.is_open:
                return
            if isinstance(change, Gap) and self._ends_with_gap:
                change = Gap(self._items.pop().first, epoch)  # type: ignore[union-attr]  # it is one
            self._gap_grows = isinstance(change, Gap)
            self._items.append(change)
            self._wake()

    def put_gap(self, epoch: int) -> None:
        """Add a gap for an epoch whose changes cannot be listed."""
        with self._news:
            if self.is_open:
                grows = self._gap_grows and bool(self._items) and isinstance(self._items[-1], Gap)
                first = self._items.pop().first if grows else epoch  # type: ignore[union-attr]  # it is one
                self._gap_grows = grows
                self._items.append(Gap(first, epoch))
                self._wake()

    @property
    def _ends_with_gap(self) -> bool:
        with self._news:
            return self._gap_grows and bool(self._items) and isinstance(self._items[-1], Gap)

    # The subscriber

    @property
    def next_size(self) -> int:
        """The number of rows of the next change; 0 if there is none."""
        with self._news:
            first = self._items[0] if self._items else None
            return len(first) if isinstance(first, PendingChange) else 0

    @property
    def is_over(self) -> bool:
        """Whether nothing more will arrive."""
        with self._news:
            return not self.is_open and not self._items

    def take(self) -> PendingChange | Gap | None:
        """The next change, if there is one."""
        with self._news:
            return self._items.popleft() if self._items else None

    def wait(self) -> None:
        """Wait until there is a change, or nothing more will arrive."""
        with self._news:
            self._is_idle = True
            self._news.notify_all()
            try:
                self._news.wait_for(lambda: self._items or not self.is_open)
            finally:
                self._is_idle = False

    async def arrival(self) -> None:
        """The same for asyncio."""
        import asyncio

        arrived = asyncio.Event()
        with self._news:
            if self._items or not self.is_open:
                return
            self._waiter = asyncio.get_running_loop(), arrived
        await arrived.wait()

    # Both

    def end(self, *, drop: bool = False) -> None:
        """Accept no more changes; ``drop`` those that wait, too."""
        with self._news:
            self.is_open = False
            if drop:
                self._items.clear()
            self._wake()

    def wait_until_idle(self, seconds: float | None) -> bool:
        """Wait until the subscriber has handled everything and waits for more, or has ended; returns whether it has."""
        with self._news:
            return self._news.wait_for(lambda: self._is_idle and not self._items, seconds)

    def subscriber_ended(self) -> None:
        """Note that the subscriber accepts no more changes."""
        with self._news:
            self.is_open = False
            self._items.clear()
            self._is_idle = True
            self._news.notify_all()

    def _wake(self) -> None:
        """Wake the subscriber; the caller has the lock."""
        self._news.notify_all()
        if self._waiter is not None:
            (loop, arrived), self._waiter = self._waiter, None
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(arrived.set)
