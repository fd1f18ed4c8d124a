"""Python memory that is lent to Arrow's threads and returned before the caller continues.

Law: when `read_lent` has returned, no Arrow thread holds the memory any more. Arrow's reader returns when it
has all rows, but a thread of its pool may still be about to release its input; to free Python memory, that
thread acquires the interpreter's lock. If the interpreter exits meanwhile, the thread is terminated in the middle of a
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
    """The result of reading an Arrow stream over the bytes, which are not copied; the stream must not be kept.

    ``read`` must not raise: the traceback of an exception would keep the stream, and with it the memory.
    """
    memory = np.frombuffer(data, np.uint8)
    back = threading.Event()
    weakref.finalize(memory, back.set)
    result = read(pa.BufferReader(pa.py_buffer(memory)))
    del memory
    back.wait(PATIENCE)
    return result
