"""Blocking work for asyncio, done on another thread, so that the event loop continues.

Law: work that has begun is finished. A task that is cancelled in the middle ends when the thread has finished, so that
no caller assumes that an epoch was rolled back which is then committed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def finished(act: Callable[[], T]) -> T:
    """The result of a function, called on another thread."""
    import asyncio  # an expensive import that few programs need

    running = asyncio.ensure_future(asyncio.to_thread(act))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            await asyncio.wait([running])
        raise
