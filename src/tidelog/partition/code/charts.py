"""The strata of a partition as cells, for the kernel that visits them (`kernel.visit`).

Law: a chart is equivalent to its stratum. Charts are drawn when a visit needs them; the chart of a stratum is forgotten
when its plans or rules change, and all charts when the division into strata changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

import numpy as np

from tidelog.kernel import visit
from tidelog.kernel.cells import Cells
from tidelog.partition.code.stratum import Bounds, Stratum, Triggers

LEAST = 64
_ORDER = attrgetter("order")
LONG = 1 << 20  # cells from which on charts are drawn again, if most of them are old


class Charts:
    """The charts of a partition; strata and relations by number."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forget all charts: rules have changed."""
        self.strata: list[Stratum] = []
        self.members: list[frozenset[str]] = []  # of each stratum; later readers keep the list
        self._numbers: dict[int, int] = {}  # of strata, by identity
        self._deriving: dict[str, int] = {}  # the number of the stratum of each relation
        self.relations: Cells = np.full((LEAST, visit.RELATION_FIELDS), -1, np.int64)
        self.table: Cells = np.full((LEAST, visit.STRATUM_FIELDS), -1, np.int64)
        self.agenda: Cells = np.zeros(LEAST, np.int64)
        self.cells: Cells = np.zeros(16 * LEAST, np.int64)
        self._length = 0

    def forget_plans(self, head: str) -> None:
        """Forget the chart of a stratum whose plans have changed; its cells stay in place until the epoch has ended."""
        number = self._deriving.get(head)
        if number is not None:
            self.table[number, visit.S_CHART] = -1

    def forget_rules(self, heads: Iterable[str], numbers: Iterable[int]) -> None:
        """Forget the charts of strata whose rules change, and what is known about the relations in these rules."""
        for head in heads:
            self.forget_plans(head)
        known = [number for number in numbers if number < len(self.relations)]
        self.relations[known] = -1

    def reorder(self, before: Sequence[Stratum], after: Sequence[Stratum]) -> None:
        """Adopt a new order of the strata with rules; those that only follow all others move none of these."""
        if before == after[: len(before)]:
            for stratum in after[len(before) :]:
                number = self._numbers.get(id(stratum))
                if number is not None:
                    self.table[number, visit.S_ORDER] = stratum.order
            return
        count = len(self.strata)
        self.table[:count, visit.S_ORDER] = np.fromiter(map(_ORDER, self.strata), np.int64, count)

    def begin(self, relations: int) -> None:
        """Before an epoch, make room for the marks of ``relations`` relations."""
        if self._length > LONG:
            self.forget()
        if relations > len(self.relations):
            self.relations = _grown(self.relations, relations, -1)

    def is_known(self, relation: int) -> bool:
        """Whether the stratum and the readers of a relation are noted."""
        return self.relations.item(relation, visit.R_STRATUM) >= 0

    def is_drawn(self, number: int) -> bool:
        """Whether there is a chart of a stratum."""
        return self.table.item(number, visit.S_CHART) >= 0

    def learn(
        self, relation: int, name: str, strata: Callable[[str], Stratum | None], readers: Iterable[str]
    ) -> set[int] | None:
        """Note the stratum of a relation, and those of the rules that read it, which are returned; None without one."""
        stratum = strata(name)
        if stratum is None:
            return None
        found = {self.number(reading) for head in readers if (reading := strata(head)) is not None}
        self.relations[relation, visit.R_STRATUM] = self.number(stratum)
        self.relations[relation, visit.R_READERS] = self._write([len(found), *found])
        return found

    def number(self, stratum: Stratum) -> int:
        """The number of a stratum in the charts."""
        number = self._numbers.get(id(stratum))
        if number is None:
            number = self._numbers[id(stratum)] = len(self.strata)
            self.strata.append(stratum)
            self.members.append(stratum.relations)
            self._deriving.update(dict.fromkeys(stratum.relations, number))
            if number >= len(self.table):
                self.table = _grown(self.table, number + 1, -1)
                self.agenda = _grown(self.agenda, len(self.table), 0)
            self.table[number] = (-1, stratum.order, -1)
        return number

    def draw(self, number: int, numbers: dict[str, int], bounds_of: Callable[[dict[str, int]], Bounds]) -> None:
        """Draw the chart of a stratum."""
        stratum = self.strata[number]
        features = stratum.features
        plain = not (features.choices or features.folds or features.demanded_folds or features.sends)
        lower, negated, own = stratum.tables(numbers)
        watch = stratum.watch or stratum.watch_over(numbers, bounds_of)
        sizes = [len(watch.bounds), *(cell for bound in watch.bounds for cell in bound)]
        rules = [len(stratum.rules), *(code.number for code in stratum.rules.values())]
        members = [numbers[name] for name in stratum.relations if name in numbers]
        parts = [_cells(lower), _cells(negated), _cells(own), sizes, rules]
        head, at = [int(plain)], visit.C_MEMBERS + len(members)
        for part in parts:
            head.append(at)
            at += len(part)
        chart = [*head, len(members), *members, *(cell for part in parts for cell in part)]
        self.table[number, visit.S_CHART] = self._write(chart)

    def _write(self, cells: list[int]) -> int:
        start, self._length = self._length, self._length + len(cells)
        if self._length > len(self.cells):
            self.cells = _grown(self.cells, self._length, 0)
        self.cells[start : self._length] = cells
        return start


def _cells(triggers: Triggers) -> list[int]:
    ranges = [cell for part in triggers.ranges for cell in part]
    return [len(triggers.ranges), len(triggers.plans), *ranges, *triggers.plans.tolist()]


def _grown(array: Cells, size: int, empty: int) -> Cells:
    """The same cells with room for more."""
    found = np.full((max(size, 2 * len(array)), *array.shape[1:]), empty, np.int64)
    found[: len(array)] = array
    return found
