"""The time of an engine, and the facts that end by it: one heap of the ends of facts.

Law (D28): time is data. It never decreases, and the wall clock is not read unless the engine is configured to. The end
of a fact is stored in a hidden relation next to its own, and the time in another, so that state folders, history,
partitions and rollbacks treat them like all facts. The heap is only a hint: for every end, it has the rows that had it
when they were entered; rows that have been refreshed or deleted since are dropped when the end is reached.
"""

from __future__ import annotations

import datetime
import heapq
import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tidelog.engine.base import engine_failures as failures
from tidelog.kernel.cells import Cells
from tidelog.program.functions.arguments import argument_error
from tidelog.program.graph.lifetime import EXPIRIES, SECOND

FOREVER = (1 << 63) - 1
EPOCH_BEGIN = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
WALL = "wall"
MOST_AGES = 1_000_000
Moment = int | float | datetime.datetime


def microseconds(moment: object, name: str) -> int:
    """A moment as microseconds: numbers are seconds, a datetime is an instant, without a zone in UTC.

    >>> microseconds(1.5, "at"), microseconds(datetime.datetime(1970, 1, 1, 0, 0, 2), "at")
    (1500000, 2000000)
    """
    if isinstance(moment, datetime.datetime):
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=datetime.UTC)
        return (moment - EPOCH_BEGIN) // datetime.timedelta(microseconds=1)
    if isinstance(moment, bool) or not isinstance(moment, int | float) or not abs(moment) < FOREVER // SECOND:
        raise argument_error(moment, name, "a time: a number of seconds, or a datetime")
    return round(moment * SECOND)


@dataclass
class Times:
    """The time of an engine and the ends of its facts. ``clock`` is where epochs without a time get theirs.

    ``governed`` are the relations with ends; ``ages`` holds, of bounded tables that have been full, the rows of each
    epoch, oldest first.
    """

    clock: str | None = None
    now: int = 0
    ends: list[tuple[int, int, str, Cells]] = field(default_factory=list)  # a heap: end, number, relation, rows
    ages: dict[str, deque[tuple[int, Cells]]] = field(default_factory=dict)
    governed: set[str] = field(default_factory=set)
    entered: int = 0

    def of_epoch(self, at: int | None) -> int:
        """The time of an epoch, given or by the clock; it is never earlier than that of the last epoch."""
        if at is not None:
            if at < self.now:
                raise failures.TIME_FALLS.error(at=in_seconds(at), now=in_seconds(self.now))
            return at
        return max(self.now, time.time_ns() // 1000) if self.clock == WALL else self.now

    def due(self, moment: int) -> dict[str, Cells]:
        """By relation, the rows whose ends may have been reached; nothing is removed from the heap."""
        found: dict[str, list[Cells]] = {}
        waiting = [0]
        while waiting:
            place = waiting.pop()
            if place < len(self.ends) and self.ends[place][0] <= moment:
                found.setdefault(self.ends[place][2], []).append(self.ends[place][3])
                waiting += (2 * place + 1, 2 * place + 2)
        return {name: np.concatenate(rows) for name, rows in found.items()}

    def committed(self, moment: int, entered: Mapping[str, Cells], spent: Mapping[str, int]) -> None:
        """Record an epoch committed at a moment, with new rows of ends; ``spent`` counts the used ages per table."""
        self.now = moment
        while self.ends and self.ends[0][0] <= moment:
            heapq.heappop(self.ends)
        for name, count in spent.items():
            for _ in range(count):
                self.ages[name].popleft()
        for name, rows in entered.items():
            self.enter(name, rows)

    def keep(self, known: Container[str]) -> None:
        """Forget the relations whose ends are no longer known: they were removed with their facts."""
        gone = {name for name in self.governed if EXPIRIES + name not in known}
        if gone:
            self.governed -= gone
            self.ends = [end for end in self.ends if end[2] not in gone]
            heapq.heapify(self.ends)
            self.ages = {name: ages for name, ages in self.ages.items() if name not in gone}

    def enter(self, name: str, rows: Cells) -> None:
        """Remember rows of the relation of ends, in the order of their epochs."""
        self.governed.add(name)
        if not len(rows):
            return
        for end, part in _parts(rows, -2):
            if end != FOREVER:
                self.entered += 1
                heapq.heappush(self.ends, (end, self.entered, name, part))
        if name in self.ages:
            self.ages[name].extend(_parts(rows, -1))
            if sum(len(part) for _, part in self.ages[name]) > MOST_AGES:
                del self.ages[name]  # mostly of facts that were refreshed since; they are read again when needed

    def oldest(self, name: str, ends: Callable[[], Cells]) -> Iterable[tuple[int, Cells]]:
        """The rows of a bounded table by the epochs of their last insertions, those refreshed since among them."""
        if name not in self.ages:
            rows = ends()
            self.ages[name] = deque(_parts(rows, -1) if len(rows) else ())
        return self.ages[name]


def _parts(rows: Cells, column: int) -> Iterator[tuple[int, Cells]]:
    """The facts in rows of ends, grouped by their values in a column, least values first."""
    order = np.argsort(rows[:, column], kind="stable")
    values, first = np.unique(rows[order, column], return_index=True)
    yield from zip(values.tolist(), np.split(rows[order, :-2], first[1:]), strict=True)


def read_clock(clock: object) -> str | None:
    """The source of times for epochs without one: none, or the wall clock."""
    if clock not in (None, WALL):
        raise argument_error(clock, "clock", 'None, or "wall" for the time of day')
    return WALL if clock == WALL else None


def in_seconds(moment: int) -> Any:
    """A moment as people write it: whole seconds without a fraction."""
    return moment // SECOND if moment % SECOND == 0 else moment / SECOND
