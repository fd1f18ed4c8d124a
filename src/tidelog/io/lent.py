"""Memory of Python's that is lent to Arrow's threads, and taken back before anybody goes on.

Law: when `read_lent` has returned, no thread of Arrow's holds the memory any more. A reader of Arrow's returns when it
has all rows, and a thread of its pool may still be about to drop what it read from; to free memory of Python's that
thread takes the interpreter's lock. If the interpreter ends meanwhile the thread is ended in the middle of a
destructor, and the process with it (`terminate called without an active exception`, SIGABRT).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pyarrow as pa

PATIENCE = 10.0  # seconds; a thread needs microseconds, on a loaded machine milliseconds
T = TypeVar("T")


def read_lent(data: bytes, read: Callable[[pa.BufferReader], T]) -> T:
    """What is read from a stream of Arrow's over the bytes, which are not copied; nothing of the stream is kept.

    ``read`` raises nothing: the trace of an exception keeps the stream, and with it the memory.
    """
    memory = np.frombuffer(data, np.uint8)
    back = threading.Event()
    weakref.finalize(memory, back.set)
    found = read(pa.BufferReader(pa.py_buffer(memory)))
    del memory
    back.wait(PATIENCE)
    return found
