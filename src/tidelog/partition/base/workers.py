"""A pool of threads that wait for work.

Law: a call is carried out by all threads at once, including the calling one, and returns when all have finished.
Threads are started when they are first needed, end with their pool, and never keep a process or the data they worked on
alive. After a fork, the child starts new threads.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeAlias

Task: TypeAlias = Callable[[int], int]
Answer: TypeAlias = "tuple[int, int | BaseException]"
Inbox: TypeAlias = "SimpleQueue[Task | None]"


class Workers:
    """A calling thread and as many others as needed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._inboxes: list[Inbox] = []
        self._answers: SimpleQueue[Answer] = SimpleQueue()
        self._process = os.getpid()
        self._end: weakref.finalize[..., Workers] | None = None

    def run(self, task: Task) -> list[int]:
        """The results of ``task`` for every number below the count; the calling thread is number 0."""
        self._start()
        for inbox in self._inboxes:
            inbox.put(task)
        found: list[int | BaseException] = [0] * self.count
        try:
            found[0] = task(0)
        finally:
            for _ in self._inboxes:
                number, answer = self._answers.get()
                found[number] = answer
        return [_unwrap(answer) for answer in found]

    def close(self) -> None:
        """End the threads; the next call starts new ones."""
        if self._end is not None:
            self._end()
        self._inboxes, self._end = [], None

    def _start(self) -> None:
        if self._process != os.getpid():
            self._inboxes, self._answers, self._process = [], SimpleQueue(), os.getpid()
        if len(self._inboxes) == self.count - 1:
            return
        inboxes: list[Inbox] = [SimpleQueue() for _ in range(1, self.count)]
        for number, inbox in enumerate(inboxes, 1):
            arguments = (number, inbox, self._answers)
            threading.Thread(target=_serve, args=arguments, name=f"tidelog-{number}", daemon=True).start()
        self._inboxes = inboxes
        self._end = weakref.finalize(self, _dismiss, inboxes)


def _unwrap(answer: int | BaseException) -> int:
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _dismiss(inboxes: list[Inbox]) -> None:
    for inbox in inboxes:
        inbox.put(None)


def _serve(number: int, inbox: Inbox, answers: SimpleQueue[Answer]) -> None:
    while (task := inbox.get()) is not None:
        try:
            answer: int | BaseException = task(number)
        except BaseException as error:  # raised again in the calling thread
            answer = error
        del task  # so that its data can be freed
        answers.put((number, answer))
