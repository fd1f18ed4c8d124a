"""Run Python's garbage collector less often during the epochs of programs with many rules.

Rules, plans and their code are hundreds of thousands of small objects that all stay: a collection visits them and frees
none. Law: the collector keeps running, so garbage stays bounded; once no such epoch runs, it runs as often as before.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

MANY_RULES = 500
SELDOM = 50_000  # new objects between two collections; Python's own number is 700


class _Pace:
    """The frequency of collections while epochs with many rules run, in any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._epochs = 0
        self._usual = (0, 0, 0)

    def slow_down(self) -> None:
        with self._lock:
            if self._epochs == 0:
                self._usual = gc.get_threshold()
                if 0 < self._usual[0] < SELDOM:  # 0: the application has switched it off
                    gc.set_threshold(SELDOM, *self._usual[1:])
            self._epochs += 1

    def restore(self) -> None:
        with self._lock:
            self._epochs -= 1
            if self._epochs == 0 and gc.get_threshold()[0] == SELDOM:  # not changed by others meanwhile
                gc.set_threshold(*self._usual)


_pace = _Pace()


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """A context for an epoch of a program with many rules, in which the collector seldom runs.

    >>> usual = gc.get_threshold()
    >>> with collecting_seldom():
    ...     gc.get_threshold()[0]
    50000
    >>> gc.get_threshold() == usual
    True
    """
    _pace.slow_down()
    try:
        yield
    finally:
        _pace.restore()
