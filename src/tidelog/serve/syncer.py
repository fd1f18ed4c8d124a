"""Group commit: the epochs of several requests are made durable by one sync.

Law: no response and no feed contains anything of an epoch that is not durable. Epochs are applied and written one by
one; a thread syncs all that were written since its last sync, and then releases the responses that wait. After a sync
that failed, nothing more is answered: the server stops, and the state folder has all epochs that were acknowledged.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable

from tidelog.engine.core.core import Core
from tidelog.engine.write.commit import sync_epochs
from tidelog.errors import TidelogError

LOG = logging.getLogger("tidelog.serve")


class Syncer:
    """The thread that syncs, and the responses that wait for it; without a state folder no response waits."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._wanted = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reached = core.number
        self._lost: TidelogError | None = None
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self.on_loss: Callable[[], None] = lambda: None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Sync epochs from now on; to be called on the loop."""
        if self._core.durable is None:
            return
        self._loop, self._reached = loop, self._core.number
        self._thread = threading.Thread(target=self._run, name="sync", daemon=True)
        self._thread.start()
        self._core.sync_later = self._wanted.set

    def stop(self) -> None:
        """Sync for the last time."""
        if self._thread is None:
            return
        self._stopping = True
        self._wanted.set()
        self._thread.join()
        with self._core.writing:  # an epoch that runs still counts on the thread
            self._core.sync_later = None
            if self._lost is None:
                sync_epochs(self._core)

    def _run(self) -> None:
        assert self._loop is not None
        while not self._stopping:
            self._wanted.wait()
            self._wanted.clear()
            try:
                reached = sync_epochs(self._core)
            except TidelogError as error:
                LOG.critical("%s", error)
                self._pass(self._lose, error)
                self.on_loss()
                return
            self._pass(self._release, reached)

    def _pass(self, act: Callable[..., None], what: object) -> None:
        assert self._loop is not None
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act, what)

    def _release(self, reached: int) -> None:
        self._reached = reached
        while self._waiting and self._waiting[0][0] <= reached:
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)

    def _lose(self, error: TidelogError) -> None:
        self._lost = error
        for _, future in self._waiting:
            if not future.done():
                future.set_exception(error)
        self._waiting.clear()

    async def reached(self, epoch: int) -> None:
        """Wait until an epoch is durable, and listeners have been called; raises if that has failed."""
        if self._thread is None or (epoch <= self._reached and self._lost is None):
            return
        if self._lost is not None:
            raise self._lost
        assert self._loop is not None
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append((epoch, future))
        await future
