"""Run the engine's work on threads outside the server's loop.

Law: the loop never waits for the engine, except for look-ups that are brief (`brief`). Look-ups, queries and epochs
have separate threads, so that requests that wait for an epoch (`why`, dry runs, other epochs) never delay a reader.
Small epochs share one thread, in the order of their requests; brief look-ups that arrive meanwhile run between two of
them. Requests that wait for a process that checks their text have separate threads, too; if there are more of those
than threads, they are refused at once.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import anyio
from anyio import to_thread

from tidelog.serve import serve_failures as failures

T = TypeVar("T")
Results = list[tuple["asyncio.Future[Any]", Any, "BaseException | None"]]
SmallEpoch = tuple[Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]
LOOKING, ASKING, WRITING, CHECKING = 8, 8, 4, 32
SOON = 0.01  # seconds that a brief look-up waits for the end of an epoch
TOGETHER = 0.002  # seconds for which results of small epochs are collected


class Threads:
    """Four kinds of work, each with a limited number of threads."""

    def __init__(self) -> None:
        self.running = 0  # on threads, including those of aborted requests
        self._lock = threading.Lock()
        self._commits: SimpleQueue[SmallEpoch | None] = SimpleQueue()
        self._committer: threading.Thread | None = None
        self._is_committing = False
        self._looks: deque[list[tuple[Callable[[], Any], asyncio.Future[Any]]]] = deque()
        counts = (LOOKING, ASKING, WRITING, CHECKING)
        self._look, self._ask, self._write, self._check = (anyio.CapacityLimiter(count) for count in counts)

    async def look(self, act: Callable[[], T]) -> T:
        """Run a look-up, which never waits."""
        return await self._run(act, self._look)

    async def ask(self, act: Callable[[], T]) -> T:
        """Run a query that may take long or wait for an epoch."""
        return await self._run(act, self._ask)

    async def write(self, act: Callable[[], T]) -> T:
        """Commit or preview an epoch: it is completed even if the client has disconnected."""
        return await self._run(act, self._write)

    async def commit(self, act: Callable[[], T]) -> T:
        """Commit a small epoch, also if the client has disconnected; all that wait are committed in order."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._commits.put((act, loop, done))
        if self._committer is None:
            self._committer = threading.Thread(target=self._commit_in_turn, name="commits", daemon=True)
            self._committer.start()
        return await done

    async def look_between(self, act: Callable[[], T]) -> T | None:
        """Run a brief look-up between two small epochs; None if none run, or the next one does not end soon."""
        if not self._is_committing:
            return None
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T | None] = loop.create_future()
        waiting = [(act, done)]
        self._looks.append(waiting)
        patience = loop.call_later(SOON, _give_up, waiting)
        try:
            return await done
        finally:
            patience.cancel()

    def _look_now(self, results: Results) -> None:
        """Run the look-ups that wait."""
        while self._looks:
            with suppress(IndexError):  # it has given up
                act, done = self._looks.popleft().pop()
                results.append(_outcome(act, done))

    def close(self) -> None:
        """End the thread of small epochs."""
        self._commits.put(None)

    def _commit_in_turn(self) -> None:
        """Commit what arrives; results are passed on together, because the loop has to be woken for it."""
        while (first := self._commits.get()) is not None:
            commits, began = [first], time.perf_counter()
            results: Results = []
            self._is_committing = True
            while commits:
                act, loop, done = commits.pop()
                with self._lock:
                    self.running += 1
                try:
                    results.append(_outcome(act, done))
                    self._look_now(results)
                finally:
                    with self._lock:
                        self.running -= 1
                if time.perf_counter() - began < TOGETHER:
                    with suppress(Empty):
                        if (following := self._commits.get_nowait()) is None:
                            self._commits.put(None)
                        else:
                            commits.append(following)
            self._is_committing = not self._commits.empty()
            self._look_now(results)
            with suppress(RuntimeError):  # the loop has been closed
                loop.call_soon_threadsafe(_pass_on, results)

    async def check(self, act: Callable[[], T]) -> T:
        """Wait for a process that checks a text."""
        if self._check.available_tokens < 1:
            raise failures.NO_PROCESS.error(seconds=0)
        return await self._run(act, self._check)

    async def _run(self, act: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
        def counted() -> T:
            with self._lock:
                self.running += 1
            try:
                return act()
            finally:
                with self._lock:
                    self.running -= 1

        return await to_thread.run_sync(counted, limiter=limiter)


def _outcome(act: Callable[[], T], done: asyncio.Future[T]) -> tuple[asyncio.Future[T], Any, BaseException | None]:
    """What to complete a future with."""
    try:
        return done, act(), None
    except BaseException as error:
        return done, None, error


def _give_up(waiting: list[tuple[Callable[[], Any], asyncio.Future[Any]]]) -> None:
    """Let a look-up that still waits run elsewhere."""
    with suppress(IndexError):  # it runs
        _, done = waiting.pop()
        if not done.done():
            done.set_result(None)


def _pass_on(results: Results) -> None:
    """Complete futures, on their loop."""
    for done, value, error in results:
        if done.done():
            continue
        if error is None:
            done.set_result(value)
        else:
            done.set_exception(error)
