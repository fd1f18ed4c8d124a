"""The memory that a partition may still allocate: of its machine or container, and of its budget (`session.memory`).

Law: all memory that a process holds is counted; if the system reports nothing, there is no limit.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

from tidelog.runtime.base.headroom import bytes_left


def left_of(budget: int | None, used: Callable[[], int | None] | None = None) -> int | None:
    """The bytes that this process may still allocate: of the machine or container, or of its budget if fewer.

    >>> left_of(1 << 20, lambda: 1 << 19)
    524288
    """
    there, held = bytes_left(), (used or resident_bytes)()
    if budget is None or held is None:
        return there
    return budget - held if there is None else min(there, budget - held)


def resident_bytes() -> int | None:
    """The memory of this process; None if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * resource.getpagesize()
