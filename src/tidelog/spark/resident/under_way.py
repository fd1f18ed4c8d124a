"""Work in progress on residents, and the answers received so far, while the stage is watched.

Law: waiting for an answer also ends with a loss, at its time limit and with Ctrl-C; work that was started before a
stage was restarted is never answered by the new one. A wait that was interrupted can be resumed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import inf
from queue import Empty, SimpleQueue
from typing import Any

from tidelog.spark.errors import NoAnswer
from tidelog.spark.resident import resident_failures as failures
from tidelog.spark.resident.client import Peer
from tidelog.spark.resident.job import Job
from tidelog.spark.resident.waiters import Answer, Waiters

LOOK = 0.1  # seconds between two checks of the job while waiting


@dataclass(frozen=True, slots=True)
class Watch:
    """What waiting needs from a stage: threads, connections, and the check to run meanwhile."""

    waiters: Waiters
    peer: Callable[[int], Peer]
    on_wait: Callable[[], None]
    check: Callable[[Job], None]
    note_loss: Callable[[Answer, Job], None]


@dataclass(slots=True)
class RunningWork:
    """The work of one job; ``limit`` is the maximum number of seconds in total."""

    watch: Watch
    job: Job
    limit: float | None
    numbers: set[int] = field(default_factory=set)
    answers: SimpleQueue[Answer] = field(default_factory=SimpleQueue)
    found: dict[int, Answer] = field(default_factory=dict)
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        seconds = inf if self.limit is None else self.limit + 1.0  # in case Flight does not enforce the limit
        self.deadline = time.monotonic() + seconds

    def add(self, number: int, work: Callable[[], Any]) -> None:
        """Do another piece of work in another thread."""
        self.numbers.add(number)
        self.watch.waiters.submit(number, work, self.answers)

    def call(self, number: int, method: str, args: tuple[Any, ...]) -> None:
        """Call another resident without waiting for it."""
        self.add(number, partial(self.watch.peer(number).call, method, args, limit=self.limit))

    def end(self) -> dict[int, Any]:
        """Collect the answers; the error of the lowest partition is raised. May be called again if interrupted."""
        while len(self.found) < len(self.numbers):
            answer = self.next_answer()
            self.found[answer.number] = answer
        for _, answer in sorted(self.found.items()):
            if answer.error is not None:
                raise answer.error
        return {number: answer.value for number, answer in self.found.items()}

    def next_answer(self) -> Answer:
        """The next answer to arrive, which may be an error; a loss is raised, and so is an exceeded limit."""
        while True:
            try:
                answer = self.answers.get(timeout=LOOK)
            except Empty:
                self.watch.on_wait()
                self.watch.check(self.job)
                if time.monotonic() > self.deadline:
                    first = min(self.numbers - self.found.keys())
                    raise failures.LATE.mark(NoAnswer(first, "call", self.limit or 0.0)) from None
                continue
            self.watch.note_loss(answer, self.job)
            return answer
