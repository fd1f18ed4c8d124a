"""The position of an epoch that is about to be abandoned: the running rule, its plan, and its progress.

Law: a rule is shown as the user wrote it, its plan with the atoms in order and the columns they are looked up by. The
numbers are those of one partition since the epoch began; they may be read while a kernel runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.errors.counts import counted
from tidelog.kernel import layout as at
from tidelog.partition.code.stratum import RuleCode
from tidelog.partition.phases.partition import Partition
from tidelog.plan.plan_text import RuleNames, plan_in_words, users_text

MARK = "\n  rule    "


class OutOfMemory(MemoryError):
    """No memory is left for the results of a rule; the text is the position of the epoch."""


@dataclass(frozen=True, slots=True)
class RunningRule:
    """The rule that runs on a partition, its plan, and the work done so far.

    >>> print(RunningRule("r1: p(X) :- q(X).", "on q(X)", 2, 1000, 5000, 1, 1))
    <BLANKLINE>
      rule    r1: p(X) :- q(X).
      plan    on q(X)
      so far  this rule visited 5,000 rows and found 1 support; 2 batches fired, 1,000 facts wait in the queue
    """

    rule: str
    plan: str
    batches: int
    queued: int
    visited: int
    supports: int
    partition: int
    partitions: int = 1

    def __str__(self) -> str:
        where = f" (partition {self.partition} of {self.partitions})" if self.partitions > 1 else ""
        own = f"this rule visited {counted(self.visited, 'row')} and found {counted(self.supports, 'support')}"
        waits = f"{counted(self.queued, 'fact')} wait{'s' if self.queued == 1 else ''} in the queue"
        fired = f"{counted(self.batches, 'batch')} fired"
        return f"{MARK}{self.rule}{where}\n  plan    {self.plan}\n  so far  {own}; {fired}, {waits}"


def running_rule(partition: Partition) -> RunningRule | None:
    """The position of the epoch of a partition; None while no rule runs."""
    machine = partition.machine
    place = int(machine.state[at.PLAN])
    if not machine.firing or place < 0:
        return None
    code = partition.rules.numbered(int(machine.code[place]))
    if code is None:
        return None
    state, number = machine.state, code.number
    return RunningRule(
        users_text(code.rule),
        _plan_text(code, place),
        int(state[at.BATCHES]),
        int(state[at.QTAIL] - state[at.QHEAD]),
        int(machine.counters.visits[number]),
        int(machine.tally[number] + machine.losses[number]),
        partition.number,
        partition.partitions,
    )


def names_running_rule(error: BaseException) -> bool:
    """Whether an error already contains the position of its epoch."""
    return MARK in str(error)


def _plan_text(code: RuleCode, place: int) -> str:
    names = RuleNames()
    return next((plan_in_words(plan, names) for plan, start, _ in code.written if start == place), "unknown")
