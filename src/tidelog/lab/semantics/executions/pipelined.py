"""Pipelined semi-naive execution: one update at a time, at any node, in any order (PPDP 2011, Algorithm 1).

Law (Theorem 14): for programs without recursion it ends in the tables of the synchronous execution.
It does not terminate on cyclic data; `derivation_sets` does.
"""

from __future__ import annotations

from tidelog.lab.semantics.algorithm import Message, Schedule
from tidelog.lab.semantics.commands import choices
from tidelog.lab.semantics.configuration import Configuration, Semantics
from tidelog.lab.semantics.executions.execution import Execution, complete_iteration
from tidelog.lab.semantics.fact import order
from tidelog.lab.semantics.semantics_failures import NO_PICK, PIPELINED_LIMIT
from tidelog.lab.semantics.trace import RunTrace, TraceStep


class PipelinedExecution(Execution):
    """The corrected pipelined algorithm with multisets."""

    name = "psn"


def pipelined_trace(
    semantics: Semantics, configuration: Configuration, schedule: Schedule, limit: int = 10_000
) -> RunTrace:
    """A pipelined execution from a configuration to its end, as a trace.

    The schedule sees the updates in a fixed order, numbered again at every iteration.
    """
    start, steps = configuration, list[TraceStep]()
    while not configuration.final:
        if len(steps) >= 3 * limit:
            raise PIPELINED_LIMIT.error(limit=limit)
        open_updates = sorted(choices(semantics, configuration), key=order)
        if not open_updates:
            raise NO_PICK.error(waiting=repr(configuration.waiting()))
        messages = [Message(i, None, node, update) for i, (node, update) in enumerate(open_updates)]
        chosen = schedule.choose(messages).update
        configuration, done = complete_iteration(semantics, configuration, [chosen])
        steps += done
    return RunTrace(semantics, start, tuple(steps))
