"""Ctrl-C at a safe place: an epoch is interrupted between slices, never inside one.

Law: while an epoch runs in the main thread, SIGINT only leaves a note; `Interrupts.check` turns it into
KeyboardInterrupt where the state can be undone.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """A context in which SIGINT waits for `check`; after it, a note that nobody checked becomes KeyboardInterrupt."""

    def __init__(self) -> None:
        self._noted = False
        self._before: Any = None
        self._active = False

    def __enter__(self) -> Interrupts:
        self._noted = False
        self._active = threading.current_thread() is threading.main_thread()
        if self._active:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._active:
            signal.signal(signal.SIGINT, self._before if self._before is not None else signal.default_int_handler)
        if self._noted and kind is None:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Raise KeyboardInterrupt if SIGINT came."""
        if self._noted:
            self._noted = False
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted = True
