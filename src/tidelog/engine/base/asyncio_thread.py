"""What asyncio may not wait for, done on another thread, so that its loop goes on.

Law: what was begun is ended. A task that is cancelled in the middle is cancelled when the thread is through, so that
nobody believes an epoch undone that is then committed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def finished(act: Callable[[], T]) -> T:
    """What a function gives, done on another thread."""
    import asyncio  # only who uses it pays for the import

    running = asyncio.ensure_future(asyncio.to_thread(act))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            await asyncio.wait([running])
        raise
