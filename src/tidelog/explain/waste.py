"""Rules that visit far more rows than they find supports, with the plan and the step that visit them.

Law: a rule is reported if it visited more than `MANY` rows and more than `FACTOR` times as many as it found supports.
Plan and step are those that visited the most since the rule's plans were made; the numbers of partitions are added up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tidelog.explain.names import Names
from tidelog.partition.code.plan_counts import PlanCounts
from tidelog.plan.plan_text import plan_in_words, steps_in_words

MANY = 100_000
FACTOR = 1_000


@dataclass(frozen=True, slots=True)
class Waste:
    """A rule that visits far more rows than it finds supports; plan and step are empty where they are not known."""

    rule: str
    text: str
    visited: int
    supports: int
    plan: str = ""
    step: str = ""
    step_entered: int = 0
    step_visited: int = 0
    step_passed: int = 0


def is_wasteful(visited: int, supports: int) -> bool:
    """Whether this number of rows is too large for this number of supports.

    >>> is_wasteful(2_000_000, 1_000), is_wasteful(2_000_000, 3_000), is_wasteful(50_000, 0)
    (True, False, False)
    """
    return visited > MANY and visited > FACTOR * supports


def waste_of(label: str, visited: int, supports: int, parts: Sequence[PlanCounts], text: str, names: Names) -> Waste:
    """The waste of a rule, with the plan of it that visited the most."""
    part = max(parts, key=lambda part: part.visited, default=None)
    if part is None or part.busiest < 0:
        return Waste(label, text, visited, supports)
    step = steps_in_words(part.plan, names)[part.busiest]
    entered, seen, passed = part.counts[part.busiest + 1, :3].tolist()
    return Waste(label, text, visited, supports, plan_in_words(part.plan, names), step, entered, seen, passed)


def waste_lines(wastes: Collection[Waste]) -> Iterator[str]:
    """A paragraph for each."""
    if wastes:
        yield "  rules that visit more than 1,000 rows for each support they find"
    for waste in wastes:
        yield f"    {waste.text}"
        yield f"      {waste.visited:,} rows visited, {waste.supports:,} supports"
        if waste.plan:
            yield f"      plan  {waste.plan}"
            yield f"      step  {waste.step}"
            entered, visited, passed = waste.step_entered, waste.step_visited, waste.step_passed
            yield f"            entered {entered:,}, visited {visited:,}, passed {passed:,}"
