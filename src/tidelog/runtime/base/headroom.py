"""The memory that is left on the machine, or in the container, in which a partition lives.

Law: an epoch that runs short of memory is stopped by a LimitError while there is enough left to undo it; otherwise the
system would kill the process, the epoch would be repeated, and the process killed again. If the system does not report
how much is left, no epoch is stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tidelog.runtime.base import runtime_failures as failures

SPARE = 256 << 20  # bytes that are always kept free
SHARE = 4  # bytes held by the partition per byte kept free: tables grow by half, and more
LOOK = 0.2  # seconds between two checks
Read = Callable[[str], str]


class Headroom:
    """Checks from time to time whether an epoch may continue; ``held`` returns the bytes that the partition holds."""

    def __init__(self, held: Callable[[], int], left: Callable[[], int | None] | None = None) -> None:
        self._held = held
        self._left = left or bytes_left
        self._next = 0.0

    def check(self) -> None:
        """Raise LimitError if memory runs short."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + LOOK
        left = self._left()
        held = 0 if left is None else self._held()
        wanted = SPARE + held // SHARE
        if left is not None and left < wanted:
            raise failures.MEMORY_SHORT.error(left=left, held=held, wanted=wanted)


def bytes_left(read: Read = lambda path: Path(path).read_text()) -> int | None:
    """The bytes that this process may still allocate: those of the machine, or of its container if fewer.

    >>> files = {"/proc/meminfo": "MemTotal: 900 kB\\nMemAvailable: 100 kB\\n"}
    >>> bytes_left(lambda path: files.get(path, "max"))
    102400
    >>> group = "/sys/fs/cgroup/memory."
    >>> files |= {group + "max": "5000", group + "current": "4000", group + "stat": "anon 1\\ninactive_file 500"}
    >>> bytes_left(files.__getitem__)
    1500
    """
    try:
        fields = dict(line.split(":", 1) for line in read("/proc/meminfo").splitlines())
        left = int(fields["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError, ValueError):
        return None
    inside = _left_in_container(read)
    return left if inside is None else min(left, inside)


def _left_in_container(read: Read) -> int | None:
    """What a control group (version 2) has left; inactive file pages can be reclaimed."""
    try:
        limit, used = read("/sys/fs/cgroup/memory.max"), read("/sys/fs/cgroup/memory.current")
        cached = dict(line.split(" ", 1) for line in read("/sys/fs/cgroup/memory.stat").splitlines())
        return int(limit) - int(used) + int(cached["inactive_file"])
    except (OSError, KeyError, ValueError):
        return None
