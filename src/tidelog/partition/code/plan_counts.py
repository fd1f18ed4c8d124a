"""What the plans of a rule did: how often each step was entered, how many rows it visited, and how many passed.

Law: plans of a rule with the same trigger, order and keys are one plan, wherever and however often its code was
written. The latest of the replaced plans are kept, too. The counts of several partitions are added up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.base.counters import CALLS, COLUMNS, MICROSECONDS
from tidelog.partition.code.machine import Machine
from tidelog.partition.code.stratum import RuleCode
from tidelog.plan.steps import Plan, Visit

MOST_KEPT = 8  # plans of a rule that are not in force and whose code has been removed
MOST_WRITTEN = 64  # plans of a rule whose code still exists


@dataclass(frozen=True, slots=True)
class PlanCounts:
    """A plan of the core rule ``label``; ``counts`` has a row for its trigger and each step (`counters`).

    ``current`` is False for a plan that has been replaced; one over the whole state is used once, and is current.
    """

    label: str
    plan: Plan
    counts: Cells
    current: bool = True

    @property
    def is_in_force(self) -> bool:
        """Whether changes of its trigger run the plan."""
        return self.current and self.plan.trigger is not None

    @property
    def visited(self) -> int:
        """The rows that all steps visited."""
        return int(self.counts[1:, 1].sum())

    @property
    def supports(self) -> int:
        """The supports that the plan found: what passed its last step."""
        return int(self.counts[-1, 2])

    def calls(self, step: int) -> tuple[int, float]:
        """How many results the function of a step computed, and in how many seconds."""
        row = self.counts[step + 1]
        return int(row[CALLS]), float(row[MICROSECONDS]) / 1e6

    @property
    def busiest(self) -> int:
        """The number of the step that visits the most rows, -1 if none visits any."""
        visited = self.counts[1:, 1]
        return int(visited.argmax()) if len(visited) and visited.max() else -1


def write_down(machine: Machine, code: RuleCode, plan: Plan, place: int, cells: int) -> None:
    """Record the code of a plan. The counts of older plans are read when there are many, or their code is removed.

    A walk in progress may still count at the place of the plan that was replaced last.
    """
    code.written.append((plan, place, cells))
    if len(code.written) > MOST_WRITTEN:
        old = [each for each in code.written if each[1] not in code.places][: len(code.written) // 2]
        code.written = [each for each in code.written if each not in old]
        _keep(machine, code, old)


def retire(machine: Machine, code: RuleCode) -> None:
    """Keep the counts of a rule's plans: all its code is about to be removed."""
    written, code.written = code.written, []
    _keep(machine, code, written)


def _keep(machine: Machine, code: RuleCode, written: Iterable[tuple[Plan, int, int]]) -> None:
    done = [(plan, machine.counters.read(machine.code, place, len(plan.steps))) for plan, place, _ in written]
    for _, place, cells in written:
        machine.counters.forget(place, cells)
    kept = _added_up([*code.past, *((plan, counts) for plan, counts in done if counts.any())])
    code.past = kept[-MOST_KEPT - len(code.plans) :]


def plan_counts(machine: Machine, code: RuleCode, plans: Iterable[Plan]) -> list[PlanCounts]:
    """What the plans of a rule did: those in force in the order of triggers, then the others that did anything."""
    read = [(plan, machine.counters.read(machine.code, place, len(plan.steps))) for plan, place, _ in code.written]
    done = {shape(plan): (plan, counts) for plan, counts in _added_up([*code.past, *read])}
    found = []
    for plan in plans:
        _, counts = done.pop(shape(plan), (plan, np.zeros((len(plan.steps) + 1, COLUMNS), np.int64)))
        found.append(PlanCounts(code.label, plan, counts))
    others = (each for each in done.values() if each[1][1:, 1].any())
    return found + [PlanCounts(code.label, plan, counts, plan.trigger is None) for plan, counts in others]


def _added_up(parts: Iterable[tuple[Plan, Cells]]) -> list[tuple[Plan, Cells]]:
    """Plans of one rule with their counts, each once: the latest represents all of its shape."""
    found: dict[tuple[object, ...], tuple[Plan, Cells]] = {}
    for plan, counts in parts:
        known = found.pop(shape(plan), None)
        found[shape(plan)] = (plan, counts if known is None else known[1] + counts)
    return list(found.values())


def add_up(parts: Iterable[PlanCounts]) -> list[PlanCounts]:
    """The counts of several partitions together, in the order of the first."""
    found: dict[tuple[object, ...], PlanCounts] = {}
    for part in parts:
        key = (part.label, part.current, shape(part.plan))
        known = found.get(key)
        found[key] = part if known is None else replace(known, counts=known.counts + part.counts)
    return list(found.values())


def by_label(parts: Iterable[PlanCounts]) -> dict[str, list[PlanCounts]]:
    """The counts of each core rule."""
    found: dict[str, list[PlanCounts]] = {}
    for part in parts:
        found.setdefault(part.label, []).append(part)
    return found


def shape(plan: Plan) -> tuple[object, ...]:
    """What equivalent plans of a rule have in common: trigger, order and keys."""
    return (plan.trigger, tuple(_shape(step) for step in plan.steps))


def _shape(step: object) -> tuple[object, ...]:
    if isinstance(step, Visit):
        return (step.position, step.columns, None if step.range is None else step.range.column)
    return (type(step).__name__, getattr(step, "position", None))
