"""Notebook cells that create an engine and are run again.

Law: an engine on Spark or with a state folder occupies slots or a lock. If a cell of IPython that created one is run
again, the engine of the earlier run is closed before the new one opens: its variable still refers to it, so that the
new one would find neither slots nor the lock. Engines of other cells, and engines outside of IPython, are left alone.
"""

from __future__ import annotations

import re
import sys
import weakref
from types import FrameType
from typing import Any, Protocol

from tidelog.engine.base.meter import LOG

NUMBER = re.compile(r"^<ipython-input-\d+-")  # the name of a cell's code in a terminal


class Closable(Protocol):
    """An engine."""

    def close(self) -> None:
        """Release what it occupies."""


_MADE: dict[str, list[tuple[int, weakref.ref[Closable]]]] = {}  # by cell, with the number of the run


def replace_earlier(engine: Closable) -> None:
    """Close the engines that earlier runs of the calling cell created, and remember this one."""
    if "IPython" not in sys.modules or (run := _running_cell()) is None:
        return
    cell, number = run
    made = _MADE.setdefault(cell, [])
    for count, found in made:
        earlier = found()
        if count != number and earlier is not None:
            LOG.info("a cell is run again: closing the engine of its earlier run")
            earlier.close()
    made[:] = [(count, found) for count, found in made if count == number]
    made.append((number, weakref.ref(engine)))


def _running_cell() -> tuple[str, int] | None:
    """The cell that runs in this thread, and the number of its run; None if no cell runs."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_cell(frame):
        frame = frame.f_back
    if frame is None:
        return None
    shell: Any = frame.f_globals["get_ipython"]()
    return NUMBER.sub("<", frame.f_code.co_filename), int(shell.execution_count)


def _is_cell(frame: FrameType) -> bool:
    """Whether code of a cell runs at its top level: there, variables are those of the notebook."""
    names = frame.f_globals
    return frame.f_locals is names and names.get("__name__") == "__main__" and callable(names.get("get_ipython"))
