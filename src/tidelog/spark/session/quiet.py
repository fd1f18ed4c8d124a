"""Java's greeting, kept from the user's terminal.

Law: of what the Java process writes to standard error only the notices named here are dropped; all else arrives, in
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
    """A process that is started in this block writes its standard error through a filter, for as long as it lives."""
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
    """Until the last writer is gone."""
    with os.fdopen(reading, "rb") as stream, os.fdopen(writing, "wb", buffering=0) as target:
        for line in stream:
            if not line.startswith(DROPPED):
                with contextlib.suppress(OSError):  # the reader is gone
                    target.write(line)
