"""The trip of a small epoch: its few rows, and the records of the kernel that visits strata.

Law: a trip changes what the phases of each stratum would change; it can be undone like any epoch until it is
committed. Its changes are copied, so that they can be read whatever happens to records later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel import visit
from tidelog.kernel.cells import Cells, address
from tidelog.partition.base.net_changes import NetChange
from tidelog.partition.code.answers import answer
from tidelog.partition.code.charts import Charts
from tidelog.partition.code.machine import no_items
from tidelog.partition.code.stratum import Stratum
from tidelog.partition.memory.journal import Items
from tidelog.partition.memory.records import columns_of
from tidelog.partition.phases.partition import Partition
from tidelog.partition.phases.rebuild_cost import SAMPLE

DONE, UNKNOWN, UNCHARTED, ELSEWHERE = at.DONE, visit.UNKNOWN, visit.UNCHARTED, visit.ELSEWHERE
Reader = Callable[[], NetChange[Cells]]
Strata = Callable[[str], Stratum | None]  # the stratum of a relation
Readers = Callable[[str], Iterable[str]]  # the heads of the rules that read a relation
LEAST = 256
BRIEF_STRATA, MANY_STRATA = 64, 1 << 12  # visited in one call, with the interpreter lock and without


class Trip:
    """The state of one small epoch of a partition at a time."""

    def __init__(self, partition: Partition) -> None:
        self._partition = partition
        self.charts: Charts = partition.replanner.charts
        self.state: Cells = np.zeros(visit.TRIP_FIELDS, np.int64)
        self._time: Cells = np.zeros(2, np.int64)
        self.state[visit.TIME] = address(self._time)
        self.input: Cells = np.zeros((8, visit.GIVEN_FIELDS), np.int64)
        self.items: Cells = np.zeros(LEAST, np.int64)
        self.cells: Cells = np.zeros(LEAST, np.int64)
        self.changes: Cells = np.zeros((LEAST, visit.CHANGE_FIELDS), np.int64)
        self.log: Cells = np.zeros((LEAST, visit.VISIT_FIELDS), np.int64)
        self._rows: list[Cells] = []  # rows that the kernel reads
        self._is_first = True

    def begin(self, inserts: Mapping[str, Cells], deletes: Mapping[str, Cells], most: int) -> None:
        """Start with these base facts; the visit of a stratum may examine ``most`` rows."""
        partition, state, numbers = self._partition, self.state, self._partition.relations.numbers
        relations = len(partition.relations.names)
        self.charts.begin(relations)
        if relations > len(partition.spans):
            partition.spans = np.zeros((2 * relations, 2), np.int64)
        partition.machine.batch = no_items
        stamp = state.item(visit.STAMP) + 1
        state[: visit.TIME] = 0
        state[visit.STAMP], state[visit.MOST], state[visit.MOST_LOST] = stamp, most, SAMPLE
        self._is_first, self._rows = True, []
        count = len(inserts) + len(deletes)
        if count > len(self.input):
            self.input = np.zeros((2 * count, visit.GIVEN_FIELDS), np.int64)
        for sign, changed in ((-1, deletes), (1, inserts)):
            for name, rows in changed.items():
                self.input[len(self._rows)] = (numbers[name], sign, address(rows), len(rows))
                self._rows.append(rows)
        state[visit.GIVEN] = count

    def go_on(self) -> int:
        """Visit strata until the epoch is finished (DONE), or the caller must act."""
        partition, charts = self._partition, self.charts
        machine, relations = partition.machine, partition.relations
        machine.show_structures()
        while True:
            self.state[visit.SLICES] = BRIEF_STRATA if self._is_first else MANY_STRATA
            status: int = visit.visit_strata.when_brief(self._is_first)(
                relations.directory,
                relations.indexes,
                machine.state,
                machine.code,
                machine.registers,
                machine.cursors,
                machine.ranks,
                machine.tally,
                machine.losses,
                machine.queue.cells,
                partition.spans,
                self.state,
                charts.relations,
                charts.table,
                charts.cells,
                self.input,
                charts.agenda,
                self.items,
                self.cells,
                self.changes,
                self.log,
            )
            if status == visit.ROOM:
                self._grow(self.state.item(visit.WANTED))
            elif status == at.SLICE:
                self._is_first = False
                machine.look_up()
            elif status == at.GROW_RELATION:
                relations.grow(machine.state.item(at.NEED))
            elif status == at.GROW_QUEUE:
                machine.queue.double()
            elif status == at.CALL:
                answer(machine, machine.state.item(at.NEED))
            else:
                return status

    def _grow(self, size: int) -> None:
        for name in ("items", "cells", "changes", "log"):
            array: Cells = getattr(self, name)
            if len(array) < size:
                grown = np.zeros((2 * size, *array.shape[1:]), np.int64)
                grown[: len(array)] = array
                setattr(self, name, grown)

    @property
    def visits(self) -> int:
        """How many strata were visited."""
        return self.state.item(visit.VISITS)

    @property
    def stratum(self) -> Stratum:
        """The stratum that is being visited."""
        return self.charts.strata[self.state.item(visit.STRATUM)]

    def learn(self, strata: Strata, readers: Readers) -> bool:
        """Learn the stratum of the unknown relation and the strata that read it, which its change reaches: they are
        charted at once. False if it has none.
        """
        found = self._learn(self.state.item(visit.WANTED), strata, readers)
        for number in found or ():
            if not self.charts.is_drawn(number):
                self._draw(number, strata, readers)
        return found is not None

    def draw(self, strata: Strata, readers: Readers) -> None:
        """Chart the stratum that is being visited."""
        self._draw(self.state.item(visit.STRATUM), strata, readers)

    def _draw(self, number: int, strata: Strata, readers: Readers) -> None:
        """Chart a stratum, and learn its relations, whose changes would be unknown otherwise."""
        self._partition.replanner.draw(number)
        for name in self.charts.members[number]:
            relation = self._partition.relations.numbers.get(name)
            if relation is not None and not self.charts.is_known(relation):
                self._learn(relation, strata, readers)

    def _learn(self, relation: int, strata: Strata, readers: Readers) -> set[int] | None:
        name = self._partition.relations.names[relation]
        return self.charts.learn(relation, name, strata, readers(name))

    # A stratum that is visited elsewhere

    def changes_so_far(self) -> dict[int, Items]:
        """The net changes of every relation that changed, by number."""
        found: dict[int, Items] = {}
        for number, first, plus, minus, _ in self.changes[: self.state.item(visit.CHANGES)].tolist():
            middle, end = first + plus, first + plus + minus
            found[number] = Items(self.items[first:middle].copy(), self.items[middle:end].copy())
        return found

    def take(self, changes: Mapping[int, Items]) -> None:
        """Add the changes of a stratum that was visited elsewhere."""
        state, relations = self.state, self._partition.relations
        for number, change in changes.items():
            items = np.concatenate([change.inserted, change.deleted])
            cells = columns_of(relations, items, number).reshape(-1)
            first, first_cell, count = state[[visit.ITEMS, visit.CELLS, visit.CHANGES]].tolist()
            self._grow(max(first + len(items), first_cell + len(cells), count + 1))
            self.items[first : first + len(items)] = items
            self.cells[first_cell : first_cell + len(cells)] = cells
            self.changes[count] = (number, first, len(change.inserted), len(change.deleted), first_cell)
            state[visit.ITEMS], state[visit.CELLS] = first + len(items), first_cell + len(cells)
            state[visit.CHANGES] = count + 1
        place = self.visits
        self._grow(place + 1)
        self.log[place] = (state.item(visit.STRATUM), -1, 0, 0, 0, 0)
        state[visit.VISITS], state[visit.STEP] = place + 1, visit.ANNOUNCE

    # The end

    def changed_rows(self) -> ChangedRows:
        """The changed rows of every relation, as they are now."""
        state, relations = self.state, self._partition.relations
        lines: list[list[int]] = self.changes[: state.item(visit.CHANGES)].tolist()
        cells = self.cells[: state.item(visit.CELLS)].copy()
        return ChangedRows([relations.names[line[0]] for line in lines], lines, cells, relations.directory)

    def visit_log(self) -> Cells:
        """For every visit: stratum, chart (-1: elsewhere), facts suspended and revived, supports, nanoseconds."""
        return self.log[: self.visits].copy()

    def commit(self) -> None:
        """Commit the strata that were visited here: new facts become old."""
        relations, count = self._partition.relations, self.visits
        settle = visit.commit_visited.when_brief(count <= BRIEF_STRATA)
        settle(relations.directory, relations.indexes, self.charts.cells, self.log, count)

    def give_up(self) -> None:
        """Abandon the trip, so that nothing is triggered: the epoch is carried out in another way, or not at all."""
        if self.state.item(visit.BEGUN):
            self._partition.spans[:] = 0


class ChangedRows(Mapping[str, Reader]):
    """The readers of the changed rows of each relation; made on request, since many are never used."""

    __slots__ = ("_cells", "_directory", "_lines", "_names", "_places")

    def __init__(self, names: list[str], lines: list[list[int]], cells: Cells, directory: Cells) -> None:
        self._names, self._lines, self._cells, self._directory = names, lines, cells, directory
        self._places: dict[str, int] | None = None

    def __getitem__(self, name: str) -> Reader:
        if self._places is None:
            self._places = {each: place for place, each in enumerate(self._names)}
        number, _, plus, minus, first = self._lines[self._places[name]]
        arity = self._directory.item(number, at.ARITY)
        middle, end = first + plus * arity, first + (plus + minus) * arity
        cells = self._cells
        return lambda: NetChange(cells[first:middle].reshape(plus, arity), cells[middle:end].reshape(minus, arity))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
