"""What an epoch has done so far on a partition, and what it is doing: numbers that the kernel keeps while it runs.

Law: the numbers only grow from the beginning of an epoch to its end, and may be read while a kernel runs.
"""

from __future__ import annotations

from typing import NamedTuple

from tidelog.kernel import layout as at
from tidelog.partition.code.machine import Machine
from tidelog.partition.phases.partition import Partition


class Progress(NamedTuple):
    """Batches fired, supports found or lost, facts suspended and revived."""

    batches: int
    supports: int
    suspended: int
    revived: int


def progress(machine: Machine) -> Progress:
    """What the epoch has done so far."""
    value = machine.state.item
    return Progress(value(at.BATCHES), int(machine.counted.sum()), value(at.SUSPENDED), value(at.REVIVED))


def work_done(machine: Machine) -> tuple[int, int, int]:
    """Batches fired, facts suspended and revived so far."""
    value = machine.state.item
    return value(at.BATCHES), value(at.SUSPENDED), value(at.REVIVED)


def facts_made(machine: Machine) -> int:
    """How many facts became present so far."""
    return machine.state.item(at.FACTS)


def running_rule(partition: Partition) -> str | None:
    """The label of the rule whose join runs now, if one does."""
    if partition.machine.state[at.PC] < 0:
        return None
    code = partition.rules.numbered(partition.machine.current_rule())
    return None if code is None else code.label
