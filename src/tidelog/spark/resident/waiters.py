"""Threads that wait for answers on behalf of the driver.

Law: a caller never waits inside Flight itself, where neither Ctrl-C nor the loss of a partition would reach it; it
waits for a queue. A thread that is blocked by a dead connection delays nothing else, not even the exit of the process.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a piece of work for a partition."""

    number: int
    value: Any = None
    error: BaseException | None = None


Work = tuple[int, Callable[[], Any], "SimpleQueue[Answer]"]


class Waiters:
    """As many waiting threads as there are pending answers; idle threads are reused."""

    def __init__(self) -> None:
        self._idle: deque[SimpleQueue[Work | None]] = deque()
        self._closed = False

    def submit(self, number: int, work: Callable[[], Any], answers: SimpleQueue[Answer]) -> None:
        """Do the work in another thread and put its outcome into the queue."""
        try:
            waiter = self._idle.pop()
        except IndexError:
            waiter = SimpleQueue()
            threading.Thread(target=self._run, args=(waiter,), name="tidelog-waiter", daemon=True).start()
        waiter.put((number, work, answers))

    def close(self) -> None:
        """End the idle threads; the others end after their work."""
        self._closed = True
        while self._idle:
            self._idle.pop().put(None)

    def _run(self, waiter: SimpleQueue[Work | None]) -> None:
        while (work := waiter.get()) is not None:
            number, function, answers = work
            answer = _outcome(number, function)
            if self._closed:
                answers.put(answer)
                return
            self._idle.append(waiter)  # before the answer, so that the next caller finds this thread
            answers.put(answer)


def _outcome(number: int, function: Callable[[], Any]) -> Answer:
    try:
        return Answer(number, function())
    except BaseException as error:
        return Answer(number, error=error)
