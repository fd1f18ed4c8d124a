"""How threads that look things up beside epochs share the interpreter with it.

Law: a matter of speed alone. Python lets one thread run at a time, and a thread that always has something to do gives
way after an interval (`sys.getswitchinterval`, 5 ms). Among fifty readers an epoch would have its turn once in fifty
intervals. So all readers together take about one interval between two turns of the epoch: each gives way after its
share. One reader alone never does: it and the epoch take turns anyway.
"""

from __future__ import annotations

import sys
import time
from threading import get_ident

NAP = 50e-6  # seconds; a shorter one would end before another thread has woken up
RECENT = 0.1  # seconds for which a reader counts


class Pace:
    """The readers of an engine that were seen lately, and since when each of them has had the interpreter."""

    def __init__(self) -> None:
        self._since: dict[int, float] = {}
        self._counted = 0.0

    def read(self) -> None:
        """A reader begins to read beside epochs; it may have to give way first."""
        now, me = time.perf_counter(), get_ident()
        if now - self._counted > RECENT:
            self._counted = now
            self._since = {reader: since for reader, since in self._since.copy().items() if now - since < RECENT}
        began = self._since.setdefault(me, now)
        readers = len(self._since)
        if readers > 1 and now - began > sys.getswitchinterval() / readers:
            time.sleep(NAP)
            self._since[me] = time.perf_counter()
        elif now - began > RECENT / 2:
            self._since[me] = now
