"""Run the engine's work on threads outside the server's loop.

Law: the loop never waits for the engine. Look-ups, queries and epochs have separate threads, so that requests that wait
for an epoch (`why`, dry runs, other epochs) never delay a reader. Requests that wait for a process that checks their
text have separate threads, too; if there are more of those than threads, they are refused at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio import to_thread

from tidelog.serve import serve_failures as failures

T = TypeVar("T")
LOOKING, ASKING, WRITING, CHECKING = 8, 8, 4, 32


class Threads:
    """Four kinds of work, each with a limited number of threads."""

    def __init__(self) -> None:
        self.running = 0  # on threads, including those of aborted requests
        self._lock = threading.Lock()
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
