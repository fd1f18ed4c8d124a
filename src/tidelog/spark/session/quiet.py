"""Keep Java's startup notices off the user's terminal.

Law: from the standard error of the Java process, only the notices named here are dropped; everything else arrives, in
order.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator

DROPPED = (b"WARNING: Using incubator modules", b"Using Spark's default log4j profile")


@contextlib.contextmanager
def without_java_notices() -> Iterator[None]:
    """A process started in this block writes its standard error through a filter for its whole lifetime."""
    try:
        terminal = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    reading, writing = os.pipe()
    os.dup2(writing, 2)
    os.close(writing)
    threading.Thread(target=_forward, args=(reading, terminal), name="tidelog-quiet", daemon=True).start()
    try:
        yield
    finally:
        with contextlib.suppress(AttributeError, OSError, ValueError):  # standard error of Python may be anything
            sys.stderr.flush()
        os.dup2(terminal, 2)


def _forward(reading: int, writing: int) -> None:
    """Forward lines until the last writer has closed the pipe."""
    with os.fdopen(reading, "rb") as stream, os.fdopen(writing, "wb", buffering=0) as target:
        for line in stream:
            if not line.startswith(DROPPED):
                with contextlib.suppress(OSError):  # the reader has closed it
                    target.write(line)
