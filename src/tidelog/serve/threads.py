"""Work of the engine, on threads beside the server's loop.

Law: the loop never waits for the engine. Look-ups, questions and epochs have threads of their own each, so that those
who wait for an epoch (`why`, dry runs, other epochs) never keep a reader waiting.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio import to_thread

T = TypeVar("T")
LOOKING, ASKING, WRITING = 8, 8, 4


class Threads:
    """Three kinds of work, so many at a time of each."""

    def __init__(self) -> None:
        self._look, self._ask, self._write = (anyio.CapacityLimiter(count) for count in (LOOKING, ASKING, WRITING))

    async def look(self, act: Callable[[], T]) -> T:
        """Read something, which waits for nobody."""
        return await to_thread.run_sync(act, limiter=self._look)

    async def ask(self, act: Callable[[], T]) -> T:
        """Ask something that may take long, or wait for an epoch."""
        return await to_thread.run_sync(act, limiter=self._ask)

    async def write(self, act: Callable[[], T]) -> T:
        """Commit or try an epoch: what was begun is ended, whoever has gone meanwhile."""
        return await to_thread.run_sync(act, limiter=self._write)
