"""Python's garbage collector, which runs less often in an epoch of a program of many rules.

Rules, plans and their code are small objects by the hundred thousand that all stay: a collection walks them and frees
none. Law: the collector goes on, so garbage stays bounded; once no such epoch runs, it runs as often as before.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

MANY_RULES = 500
SELDOM = 50_000  # new objects between two collections; Python's own number is 700


class _Pace:
    """How often the collector runs while epochs of many rules do, in any thread."""

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
    """During an epoch of a program of many rules, the collector runs seldom.

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
