"""Old epochs, read from the state folder.

Law: reading at an epoch returns the state of that epoch. A few old epochs are kept open, those requested last, and
they are read by one request at a time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tidelog.engine.engine import Engine

HELD = 2


class PastEngines:
    """Engines at old epochs; ``open_at`` opens one."""

    def __init__(self, open_at: Callable[[int], Engine]) -> None:
        self._open_at = open_at
        self._engines: OrderedDict[int, Engine] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def at(self, epoch: int) -> Iterator[Engine]:
        """The engine of an epoch for the duration of the block."""
        with self._lock:
            db = self._engines.pop(epoch, None) or self._open_at(epoch)
            self._engines[epoch] = db
            while len(self._engines) > HELD:
                self._engines.popitem(last=False)[1].close()
            yield db

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            while self._engines:
                self._engines.popitem()[1].close()
