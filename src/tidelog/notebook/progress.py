"""A line below a cell while an epoch runs: the elapsed time and the number of facts.

Law: the line appears only after a moment, is removed when the work is done, and never delays it.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

PATIENCE = 0.5  # seconds before anything shows
INTERVAL = 0.5


class Handle(Protocol):
    """A line below a cell that can be replaced."""

    def update(self, text: str, /) -> None:
        """Show another text."""


Open = Callable[[str], Handle]


@contextmanager
def progress(work: str, count: Callable[[], int], show: Open) -> Iterator[None]:
    """Show the progress of the block while it runs; ``show`` opens a line."""
    done = threading.Event()
    context = contextvars.copy_context()  # determines the cell that the line belongs to
    reporter = threading.Thread(target=context.run, args=(_report, work, count, show, done), daemon=True)
    reporter.start()
    try:
        yield
    finally:
        done.set()
        reporter.join()


def _report(work: str, count: Callable[[], int], show: Open, done: threading.Event) -> None:
    began = time.perf_counter()
    if done.wait(PATIENCE):
        return
    handle = show(_line(work, count, began))
    while not done.wait(INTERVAL):
        handle.update(_line(work, count, began))
    handle.update("")


def _line(work: str, count: Callable[[], int], began: float) -> str:
    seconds = time.perf_counter() - began
    return f"{work}: {count():,} facts, {seconds:.0f} s"
