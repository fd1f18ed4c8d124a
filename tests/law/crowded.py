"""Threads that share out even the smallest work, all of them taking part from the beginning.

An engine shares out work when there is much of it; random programs are tiny. Here every batch and every load goes to
the team, a few items, free records and journal entries at a time.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

from tidelog.engine import open as opening
from tidelog.partition import team

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def threads(count: int, handful: int = 3) -> Iterator[None]:
    """Engines made meanwhile have so many threads unless they are told otherwise, and use them for everything."""
    settings = {"WORTH": 1, "LEAST": 0, "HANDFUL": handful, "WAITS_FOR_ALL": True}
    with ExitStack() as patches:
        patches.enter_context(patch.object(opening, "all_cores", lambda: count))
        for name, value in settings.items():
            patches.enter_context(patch.object(team, name, value))
        yield
