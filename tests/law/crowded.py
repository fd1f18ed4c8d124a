"""Threads that share out even the smallest work.

An engine shares out work when there is much of it; random programs are tiny. `threads`: every batch and every load goes
to the team, a few items, free records and journal entries at a time, all threads taking part from the beginning.
`stragglers`: runs begin in the middle of a batch, end after a few, and one thread comes late.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

from tidelog.engine.open import open as opening
from tidelog.partition.base.workers import Workers
from tidelog.partition.code import machine, team

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def threads(count: int, handful: int = 3) -> Iterator[None]:
    """Engines made meanwhile have this many threads by default, and use them for everything."""
    with _set(count, {"WORTH": 1, "LEAST": 0, "HANDFUL": handful, "WAITS_FOR_ALL": True}):
        yield


@contextmanager
def stragglers(count: int, late: int, worth: int = 8, seconds: float = 0.0005) -> Iterator[None]:
    """As `threads`, but thread ``late`` comes when the others are at work, and small batches end a run.

    A run begins where this many rows are probably visited; in the middle of a batch where that is found out there.
    """
    run = Workers.run

    def delayed(self: Workers, task: team.Part) -> list[int]:
        def part(number: int) -> int:
            if number == late:
                time.sleep(seconds)
            return task(number)

        return run(self, part)

    settings = {"WORTH": worth, "LEAST": worth // 2, "HANDFUL": 3, "FIRST_RATE": 1}
    with _set(count, settings), patch.object(Workers, "run", delayed), patch.object(machine, "FIRST_BUDGET", 9):
        yield


@contextmanager
def _set(count: int, settings: dict[str, int]) -> Iterator[None]:
    with ExitStack() as patches:
        patches.enter_context(patch.object(opening, "all_cores", lambda: count))
        for name, value in settings.items():
            patches.enter_context(patch.object(team, name, value))
        yield
