"""Which look-ups run on the server's loop: those that need not wait, of a kind that has been brief so far.

Law: this affects only speed. The loop never waits for the engine: a look-up that would have to wait for an epoch or
another reader runs on a thread, and so does one of a kind that is new or took long lately. A kind is an operation with
the relations and columns that it names, so the values that are looked for do not matter.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import TypeVar

from tidelog.engine.core.core import Core

T = TypeVar("T")
BRIEF = 0.001  # seconds of processor time on a thread
LONG = 0.02  # seconds on the loop, with those of other processes
PROBATION = 100  # brief look-ups on threads, after a long one
KINDS = 1_000  # that are remembered


class BriefLookUps:
    """The kinds of look-ups, with the number of brief ones on threads until they may run on the loop."""

    def __init__(self) -> None:
        self._left: dict[Hashable, int] = {}

    def is_brief(self, kind: Hashable) -> bool:
        """Whether a look-up of this kind may run on the loop."""
        return self._left.get(kind) == 0

    def run(self, kind: Hashable, act: Callable[[], T]) -> T:
        """Run a look-up on a thread, and note how long it took."""
        began = time.thread_time()
        try:
            return act()
        finally:
            self._note(kind, time.thread_time() - began)

    def run_at_once(self, core: Core, kind: Hashable, act: Callable[[], T]) -> T | None:
        """Run a brief look-up on the loop; None if it would have to wait."""
        with core.writing.brief_look_ups() as possible:
            if not possible:
                return None
            began = time.perf_counter()  # the processor time of a thread takes as long to read as a look-up
            try:
                return act()
            finally:
                if time.perf_counter() - began > LONG:
                    self._left[kind] = PROBATION

    def _note(self, kind: Hashable, seconds: float) -> None:
        left = self._left.get(kind)
        if left == 0:  # it was not run on the loop because of an epoch, beside which it takes longer
            return
        if seconds > BRIEF:
            self._left[kind] = 1 if left is None else PROBATION  # the first one may have created an index
            return
        if left is None and len(self._left) >= KINDS:
            self._left.clear()
        self._left[kind] = 0 if left is None else left - 1
