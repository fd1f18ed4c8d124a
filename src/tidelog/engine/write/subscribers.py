"""Subscribers in the process: feeds that are iterated over, and callbacks.

Law: a subscriber receives every epoch after its starting point that changes its view, in order, each once: as a change,
or within a gap if it was too slow. Epochs that were committed before it subscribed are read from the history of the
state folder. Epochs never wait for subscribers, and an engine without subscribers does no work for them.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from inspect import iscoroutinefunction
from itertools import groupby

from tidelog.engine.base.asyncio_thread import finished
from tidelog.engine.base.feed_change import FeedChange, Gap
from tidelog.engine.base.meter import LOG
from tidelog.engine.core.core import Core
from tidelog.engine.read.forked_core import ForkedCore
from tidelog.engine.read.view import open_view
from tidelog.engine.write.change_queue import ChangeQueue, PendingChange
from tidelog.engine.write.durable import changes_in_turn, log, state_folder
from tidelog.engine.write.epoch import Epoch
from tidelog.errors import StateError
from tidelog.partition.texts.shared_dictionary import SharedDictionary
from tidelog.program.functions.arguments import argument_error, must_be, must_be_amount
from tidelog.store.base.header import COLUMNS

SMALL = 1_000  # rows that are decoded on the event loop
MUCH = 50_000  # rows of the history that are read together, in whole epochs
MANY = 1_000  # epochs that are read together


class Subscribers:
    """The queues of an engine, and the threads that run callbacks."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._boxes: tuple[ChangeQueue, ...] = ()
        self._subscriptions: tuple[Subscription, ...] = ()
        self._lock = threading.Lock()

    def add(self, box: ChangeQueue) -> int:
        """Put all epochs after the last committed one into a queue; returns that epoch."""
        with self._lock:
            # An epoch that is published, but not noted yet, counts as committed before.
            box.since = self._core.number
            self._boxes = (*self._boxes, box)
            return box.since

    def add_thread(self, subscription: Subscription) -> None:
        """Register a subscription, which `end` waits for when the engine is closed."""
        with self._lock:
            kept = (each for each in self._subscriptions if each.is_open)
            self._subscriptions = (*kept, subscription)

    def note(self, epoch: Epoch) -> None:
        """Put what an epoch changed into the queues; called by the committing thread, one epoch at a time."""
        with self._lock:
            self._boxes = boxes = tuple(box for box in self._boxes if box.is_open)
        assert epoch.number is not None
        for box in boxes if epoch.breaks_feeds else ():
            box.put_gap(epoch.number)
        for box in boxes:
            if epoch.number > box.since and box.view in epoch.changes:
                box.put(epoch.number, partial(_read, self._core, epoch, box.view))

    def end(self, seconds: float) -> None:
        """Accept no more epochs, and wait until the callbacks have handled those before, but not too long."""
        with self._lock:
            boxes, self._boxes = self._boxes, ()
            subscriptions = self._subscriptions
        for box in boxes:
            box.end()
        until = time.monotonic() + seconds
        for each in subscriptions:
            each.wait(max(0.0, until - time.monotonic()))


def _read(core: Core, epoch: Epoch, view: str) -> PendingChange | None:
    """Only what an epoch changed in a view; None if nothing."""
    assert epoch.number is not None
    change = epoch.changes[view]
    if not change:
        return None
    found = PendingChange(epoch.number, view, change.inserted, change.deleted, epoch.signature)
    if isinstance(core.dictionary, SharedDictionary):  # later its owners may have forgotten the values, or ended
        read = found.read()
        return PendingChange(epoch.number, view, read.inserted, read.deleted, epoch.signature)
    len(found)  # reads the cells
    return found


class Feed:
    """The changes of a view, epoch by epoch, as `FeedChange` or `Gap`: iterate with ``for`` or ``async for``.

    The iteration waits for the next epoch, and ends when the feed or the engine is closed. A feed has one consumer.
    """

    def __init__(self, core: Core, box: ChangeQueue, since: int, start: int) -> None:
        self._core, self._box = core, box
        self._past: Iterator[Sequence[FeedChange | Gap]] | None = None
        if since < start:
            self._past = _history(core, box.view, since, start)
        self._ready: deque[FeedChange | Gap] = deque()
        self._epoch = since
        self._is_closed = False
        weakref.finalize(self, setattr, box, "is_open", False).atexit = False

    @property
    def view(self) -> str:
        """The name of the view."""
        return self._box.view

    @property
    def epoch(self) -> int:
        """The last epoch that was received, or the one that the feed started from: a later feed may continue here."""
        return self._epoch

    def close(self) -> None:
        """End the feed; changes that were not received yet are dropped."""
        if isinstance(self._core, ForkedCore):  # a thread of the parent may have held the lock
            return
        self._is_closed = True
        self._box.end(drop=True)

    def __enter__(self) -> Feed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Feed:
        return self

    def __next__(self) -> FeedChange | Gap:
        while not self._is_closed:
            if self._ready:
                return self._take()
            self._must_be_here()
            if not self._fetch():
                if self._box.is_over:
                    break
                self._box.wait()
        raise StopIteration

    def __aiter__(self) -> Feed:
        return self

    async def __anext__(self) -> FeedChange | Gap:
        while not self._is_closed:
            if self._ready:
                return self._take()
            self._must_be_here()
            if self._past is not None or self._box.next_size > SMALL:
                await finished(self._fetch)  # a task that is cancelled meanwhile finds the changes the next time
            elif not self._fetch():
                if self._box.is_over:
                    break
                await self._box.arrival()
        raise StopAsyncIteration

    def _must_be_here(self) -> None:
        """Refuse to wait in a forked child, where no epoch is ever committed."""
        if isinstance(self._core, ForkedCore):
            self._core.must_be_open()  # raises, as every use of the engine does there

    def _fetch(self) -> bool:
        """Make the next changes ready; returns whether there may have been any."""
        past = self._past
        if past is not None:
            batch = next(past, None)
            if batch is None:
                self._past = None
            self._ready.extend(batch or ())
            return True
        item = self._box.take()
        if item is not None:
            self._ready.append(item.read() if isinstance(item, PendingChange) else item)
        return item is not None

    def _take(self) -> FeedChange | Gap:
        item = self._ready.popleft()
        self._epoch = item.last if isinstance(item, Gap) else item.epoch
        return item


class Subscription:
    """A callback that is called with the changes of a view on a separate thread; `close` ends it."""

    def __init__(self, feed: Feed, box: ChangeQueue, callback: Callable[[FeedChange | Gap], object]) -> None:
        self._feed, self._box, self._callback = feed, box, callback
        self._thread = threading.Thread(target=self._run, name=f"tidelog on_change {feed.view}", daemon=True)

    def start(self) -> None:
        """Start the thread that runs the callback."""
        self._thread.start()

    @property
    def view(self) -> str:
        """The name of the view."""
        return self._feed.view

    @property
    def epoch(self) -> int:
        """The last epoch that the callback was called with, or the one that the subscription started from."""
        return self._feed.epoch

    @property
    def is_open(self) -> bool:
        """Whether the callback may still be called."""
        return self._thread.is_alive()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the callback has handled all changes, at most a number of seconds; returns whether it has."""
        must_be_amount(seconds, "seconds", "a number of seconds, or None", whole=False)
        self._feed._must_be_here()
        if threading.current_thread() is self._thread:  # it would wait for itself
            return False
        return self._box.wait_until_idle(seconds)

    def close(self) -> None:
        """Unsubscribe: no further call begins, and changes that wait are dropped."""
        self._feed.close()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        try:
            for change in self._feed:
                try:
                    self._callback(change)
                except Exception:
                    LOG.exception("the callback for `%s` failed at epoch %d", self.view, self.epoch)
        except Exception:  # the history could not be read
            LOG.exception("the subscription to `%s` ended after epoch %d", self.view, self.epoch)
        finally:
            self._box.subscriber_ended()


def open_feed(core: Core, view: str, since: int | None, capacity: int) -> Feed:
    """The changes of a view after an epoch, or after the last committed one."""
    return _open(core, view, since, capacity)[0]


def subscribe(
    core: Core, view: str, callback: Callable[[FeedChange | Gap], object], since: int | None, capacity: int
) -> Subscription:
    """Call back with the changes of a view after an epoch, or after the last committed one."""
    if not callable(callback) or iscoroutinefunction(callback):
        raise argument_error(callback, "callback", "a function of a change; coroutines read `feed` instead")
    subscription = Subscription(*_open(core, view, since, capacity), callback)
    subscription.start()
    _subscribers(core).add_thread(subscription)
    return subscription


def _open(core: Core, view: str, since: int | None, capacity: int) -> tuple[Feed, ChangeQueue]:
    box = ChangeQueue(open_view(core, view).name, capacity)
    must_be(since, (int, type(None)), "since", "the number of an epoch, or None")
    must_be(capacity, int, "capacity", "the number of changes that may wait, at least 1")
    if capacity < 1:
        raise argument_error(capacity, "capacity", "the number of changes that may wait, at least 1")
    if since is not None and not 0 <= since <= core.number:
        raise argument_error(since, "since", f"the number of an epoch, from 0 to {core.number}")
    start = _subscribers(core).add(box)
    try:
        if since is not None and since < start:
            state_folder(core, "a feed that starts from an earlier epoch").frames(since)  # raises if it is not kept
        return Feed(core, box, start if since is None else since, start), box
    except BaseException:
        box.end()
        raise


def _subscribers(core: Core) -> Subscribers:
    """The subscribers of an engine, which is notified of epochs from the first one on."""
    with core.subscribing:
        if core.subscribers is None:
            made = Subscribers(core)
            core.listeners.append(made.note)
            core.subscribers = made
    found: Subscribers = core.subscribers
    return found


def _history(core: Core, view: str, since: int, until: int) -> Iterator[Sequence[FeedChange | Gap]]:
    """The changes of the epochs after one, up to another, in batches; a gap if they are no longer kept."""
    last = _last_rebuild(core, since)
    if since < last <= until:  # an epoch that changed columns: rows before it are not those of the view
        yield [Gap(since + 1, last)]
        since = last
    while since < until:
        core.must_be_open()
        try:
            batch, since = _some_history(core, view, since, until)
        except (StateError, OSError):
            if _is_kept(core, since):
                raise
            yield [Gap(since + 1, until)]  # removed since the feed was opened
            return
        yield batch


def _last_rebuild(core: Core, since: int) -> int:
    """The last epoch after one that changed columns; 0 if none did, or if its frames are no longer kept."""
    try:
        frames = state_folder(core, "a feed").frames(since)
        return max((frame.epoch for frame in frames if COLUMNS in frame.header), default=0)
    except (StateError, OSError):
        return 0


def _is_kept(core: Core, since: int) -> bool:
    try:
        state_folder(core, "a feed").frames(since)
    except StateError:
        return False
    return True


def _some_history(core: Core, view: str, since: int, until: int) -> tuple[list[FeedChange], int]:
    """The next changes after an epoch, and the epoch up to which they are complete."""
    until = min(until, since + MANY)
    signed = {entry.epoch: (entry.author, entry.note) for entry in log(core, since, until)}
    found: list[FeedChange] = []
    rows = 0
    for epoch, facts in groupby(changes_in_turn(core, view, since), key=lambda change: change.epoch):
        if epoch > until:
            break
        if rows >= MUCH:
            return found, found[-1].epoch
        change = FeedChange(epoch, view, [], [], *signed[epoch])
        for _, sign, fact in facts:
            (change.inserted if sign > 0 else change.deleted).append(fact)
        found.append(change)
        rows += len(change.inserted) + len(change.deleted)
    return found, until
