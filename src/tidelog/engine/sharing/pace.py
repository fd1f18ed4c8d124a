"""How reading threads share the interpreter with the writing thread.

Law: this affects only speed, and waits are bounded. Python lets one thread run at a time, and a busy thread yields only
after an interval (`sys.getswitchinterval`, 5 ms), to any other thread: among fifty readers an epoch of a millisecond
would run once in fifty intervals. So readers and the writer take turns:

- while a short epoch runs, readers wait before they begin to read; a longer epoch runs concurrently with them, and each
  of them then yields after its share of an interval;
- when it has ended, they read for a fraction of the time that the epoch took; the next epoch waits for that.

No read waits longer than `WAIT` at a time, whatever epochs do, and a read that has begun is not delayed.
"""

from __future__ import annotations

import sys
import time
from threading import Event, RLock, get_ident

NAP = 50e-6  # seconds; a shorter one would end before another thread has woken up
RECENT = 0.1  # seconds for which a reader counts as recent after a read
SHORT = 0.01  # seconds from the beginning of an epoch for which readers wait
WAIT = 0.01  # the maximum number of seconds that a read waits
SHARE = 0.25  # of the time of an epoch, reserved for readers after it
LEAST, MOST = 0.0001, 0.005  # bounds of the reserved time in seconds


class Pace:
    """The recent readers of an engine, and when epochs and readers have their time."""

    def __init__(self) -> None:
        self._since: dict[int, float] = {}
        self._counted = 0.0
        self.writer: int | None = None  # the thread that has the turn
        self._waiting = 0  # writers that want it
        self._began = 0.0
        self._until = 0.0  # the end of the readers' time, if a writer wants the turn
        self._gated = False  # whether a reader had to wait since the last epoch
        self._ended = Event()
        self._is_heard = False  # whether a reader may wait for that

    @property
    def is_wanted(self) -> bool:
        """Whether a writer waits for the turn."""
        return self._waiting > 0

    # Writers

    def acquire(self, turn: RLock) -> None:
        """Wait for the turn; once the readers' time is over, readers wait, too."""
        self._waiting += 1
        try:
            if self._gated:
                left = self._until - time.perf_counter()
                if left > 0:
                    self._gated = False
                    time.sleep(left)
            turn.acquire()
        finally:
            self._waiting -= 1

    def begin(self) -> None:
        """Note that an epoch begins."""
        self.writer, self._began = get_ident(), time.perf_counter()

    def end(self) -> None:
        """Note that the epoch has ended, and reserve time for readers."""
        now = time.perf_counter()
        self._until = now + min(max(LEAST, SHARE * (now - self._began)), MOST)
        self.writer = None
        if self._is_heard:  # checked after the writer is cleared; readers check for a writer after they set this
            self._is_heard = False
            ended, self._ended = self._ended, Event()
            ended.set()

    # Readers

    def read(self) -> None:
        """Begin a read that may run concurrently with epochs; it may have to wait first, or to yield."""
        if self.writer is not None or self._waiting:
            self._wait()
        self._give_way()

    def _wait(self) -> None:
        """Wait until the epoch has ended, unless it is long or belongs to this thread."""
        ended, now, writer = self._ended, time.perf_counter(), self.writer
        if now < self._until or (writer is not None and now - self._began > SHORT) or writer == get_ident():
            return
        self._gated = self._is_heard = True
        if self.writer is not None or self._waiting:
            ended.wait(WAIT)

    def _give_way(self) -> None:
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
