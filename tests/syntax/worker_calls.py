"""Functions that are called in another process."""

from __future__ import annotations

import signal
import time


def fill(size: int) -> int:
    """Take memory."""
    return len("x" * size)


def wait(seconds: float) -> None:
    """Take time."""
    time.sleep(seconds)


def fail() -> None:
    """Have a defect."""
    raise ValueError("a defect")


def die() -> None:
    """End the process."""
    signal.raise_signal(signal.SIGKILL)
