"""Synchronous semi-naive execution: every iteration takes all updates that wait (PPDP 2011, Algorithm 2).

Law (Theorem 9): for programs without recursion it ends in the tables of evaluation from scratch, provided the deletions
are contained in base facts and insertions. It is the yardstick of the pipelined execution, not a thing to build: every
iteration is a synchronisation of all nodes.
"""

from __future__ import annotations

from tidelog.lab.semantics.algorithm import Event, Schedule
from tidelog.lab.semantics.configuration import Configuration, Semantics
from tidelog.lab.semantics.errors import IllegalStep
from tidelog.lab.semantics.executions.execution import Execution, run_all
from tidelog.lab.semantics.semantics_failures import NOT_ALL_PICKED, STUCK_ITERATION, SYNCHRONOUS_LIMIT
from tidelog.lab.semantics.trace import RunTrace, TraceStep


class SynchronousExecution(Execution):
    """Semi-naive evaluation in rounds."""

    name = "sn"

    def size(self) -> int:
        """All of them."""
        return len(self._mail.waiting)

    def step(self, schedule: Schedule) -> Event:
        """One iteration; updates that cannot be picked in it are a `StuckError`."""
        size = self.size()
        before = self.updates
        event = super().step(schedule)
        if self.updates - before < size:
            raise NOT_ALL_PICKED.error()
        return event


def synchronous_trace(semantics: Semantics, configuration: Configuration, limit: int = 1_000) -> RunTrace:
    """A synchronous execution from a configuration to its end, as a trace."""
    start, steps = configuration, list[TraceStep]()
    for _ in range(limit):
        if configuration.final:
            return RunTrace(semantics, start, tuple(steps))
        try:
            configuration, done = run_all(semantics, configuration)
        except IllegalStep as error:
            raise STUCK_ITERATION.error(error=error) from error
        steps += done
    raise SYNCHRONOUS_LIMIT.error(limit=limit)
