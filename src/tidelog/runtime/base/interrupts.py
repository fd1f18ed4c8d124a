"""Ctrl-C at a safe place: an epoch is interrupted between slices, never inside one.

Law: while an epoch runs in the main thread, SIGINT is only remembered; `Interrupts.check` turns it into
KeyboardInterrupt where the state can be undone.
"""

from __future__ import annotations

import signal
import threading
from _signal import signal as set_handler  # type: ignore[import-not-found]  # `signal.signal` looks up two enumerations
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Protocol

from tidelog.partition.code.machine import nothing
from tidelog.partition.phases.running_rule import OutOfMemory
from tidelog.runtime.base import runtime_failures as failures

SIGINT = int(signal.SIGINT)


class Interrupts:
    """A context in which SIGINT waits for `check`; at its end, an unchecked signal becomes KeyboardInterrupt."""

    def __init__(self) -> None:
        self._is_signalled = False
        self._before: Any = None
        self._active = False

    def __enter__(self) -> Interrupts:
        self._is_signalled = False
        self._active = threading.get_ident() == threading.main_thread().ident
        if self._active:
            self._before = set_handler(SIGINT, self._signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._active:
            set_handler(SIGINT, self._before if self._before is not None else signal.default_int_handler)
        if self._is_signalled and kind is None:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Raise KeyboardInterrupt if SIGINT was received."""
        if self._is_signalled:
            self._is_signalled = False
            raise KeyboardInterrupt

    def _signal(self, number: int, frame: FrameType | None) -> None:
        self._is_signalled = True


class Interruption:
    """Whether a node must abandon its current epoch: another process requests that by the number of the run."""

    def __init__(self) -> None:
        self._given_up = 0
        self._stopping = threading.Event()

    def begin(self, run: int) -> None:
        """Begin a run, unless it was already abandoned: the call that starts it may arrive late."""
        self._stopping.clear()
        if run <= self._given_up:
            raise failures.INTERRUPTED.error()

    def give_up(self, run: int) -> None:
        """Abandon a run and all before it."""
        self._given_up = run
        self._stopping.set()

    def check(self) -> None:
        """Raise EvaluationError if the run was abandoned."""
        if self._stopping.is_set():
            raise failures.INTERRUPTED.error()


class SlicedWork(Protocol):
    """Work that is done in slices, with a callback between them."""

    on_slice: Callable[[], None]


class Guard:
    """While a runtime works, Ctrl-C waits for the end of a slice, and running out of memory is reported as a limit."""

    def __init__(self, machine: SlicedWork) -> None:
        self._machine = machine
        self._interrupts = Interrupts()

    def __enter__(self) -> None:
        self._interrupts.__enter__()
        self._machine.on_slice = self._interrupts.check

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._machine.on_slice = nothing
        self._interrupts.__exit__(kind, error, trace)
        if isinstance(error, MemoryError):
            limit = failures.OUT_OF_MEMORY.error()
            raise limit.reworded(f"{limit}{error if isinstance(error, OutOfMemory) else ''}") from error
