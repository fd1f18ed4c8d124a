"""All schedules of messages of a small program, on the simulator.

Law: where the simulator can run the program (positive rules on nodes, facts alone change), every order in which the
messages of ranked support can arrive is explored; they all end in the same tables, or one is a counter-example.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tidelog.errors import TidelogError
from tidelog.lab.order.ways import Story
from tidelog.lab.semantics.explore import explore_algorithm, shown
from tidelog.lab.semantics.network import ground, prepare
from tidelog.lab.semantics.ranked import RankedAlgorithm
from tidelog.lab.semantics.schedule import Fifo
from tidelog.lab.semantics.traffic import localised
from tidelog.program import Program
from tidelog.syntax import FactChange

MOST_FACTS = 6
MOST_STATES = 3_000


@dataclass(frozen=True, slots=True)
class SchedulesResult:
    """How many states all schedules have, or why they were not explored; and a schedule that ends otherwise."""

    states: int = 0
    why_not: str = ""
    differs: str = ""


def explore_messages(program: Program, story: Story) -> SchedulesResult:
    """Every schedule of the messages by which the facts of a story are taken in."""
    changes = [change for epoch in story for change in epoch]
    if not all(isinstance(change, FactChange) and change.sign > 0 for change in changes):
        return SchedulesResult(why_not="rules change, or facts are deleted")
    if len(changes) > MOST_FACTS:
        return SchedulesResult(why_not=f"more than {MOST_FACTS} facts")
    return _explored(replace(program, facts=()), [change for change in changes if isinstance(change, FactChange)])


def _explored(program: Program, changes: Sequence[FactChange]) -> SchedulesResult:
    try:
        network = prepare(localised(program))
        facts = [ground(change.atom) for change in changes]
        straight, start = RankedAlgorithm(), RankedAlgorithm()
        straight.load(network.program, facts)
        start.load(network.program, facts)
        while not straight.quiescent():
            straight.step(Fifo())
        found = explore_algorithm(start, shown(straight), MOST_STATES)
    except TidelogError as error:
        return SchedulesResult(why_not=str(error).splitlines()[0])
    return SchedulesResult(found.states, differs="" if found.agrees else " ; ".join(found.counterexample or ()))
