"""Old epochs: the state folder read as it was.

Law: what is read at an epoch is what the state was then. A few old epochs are held open, those asked for last, and are
read by one request at a time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tidelog.engine.engine import Engine

HELD = 2


class Past:
    """Engines of old epochs; ``open_at`` opens one."""

    def __init__(self, open_at: Callable[[int], Engine]) -> None:
        self._open_at = open_at
        self._held: OrderedDict[int, Engine] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def at(self, epoch: int) -> Iterator[Engine]:
        """The engine of an epoch, for as long as the block runs."""
        with self._lock:
            db = self._held.pop(epoch, None) or self._open_at(epoch)
            self._held[epoch] = db
            while len(self._held) > HELD:
                self._held.popitem(last=False)[1].close()
            yield db

    def close(self) -> None:
        """Let go of all of them."""
        with self._lock:
            while self._held:
                self._held.popitem()[1].close()
