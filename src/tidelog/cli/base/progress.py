"""Progress of long work: a line in the terminal that shows what is being done, for how long, and how much is done.

Law: the line is written to the standard error, only if that is a terminal, only after a moment, and is erased when the
work is done; a pipe or a file never receives any of it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tidelog.cli.base.show import console

if TYPE_CHECKING:
    from rich.console import Console

PATIENCE = 0.4  # seconds before anything shows
INTERVAL = 0.2


@contextmanager
def progress(work: str, count: Callable[[], int] | None = None, to: Console | None = None) -> Iterator[None]:
    """Show what the block does while it runs; ``count`` returns the number of facts so far."""
    if to is None and sys.stderr.isatty():
        to = console(stderr=True)
    if to is None or not to.is_terminal:
        yield
        return
    done = threading.Event()
    shower = threading.Thread(target=_show, args=(work, count, to, done), daemon=True)
    shower.start()
    try:
        yield
    finally:
        done.set()
        shower.join()


def _show(work: str, count: Callable[[], int] | None, to: Console, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # only where a line is shown

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=to, transient=True) as bar:
        task = bar.add_task(work, total=None)
        while not done.wait(INTERVAL):
            if count is not None:
                bar.update(task, description=f"{work}: {count():,} facts")
