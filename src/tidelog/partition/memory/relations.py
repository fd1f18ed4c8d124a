"""The memory of a partition: relations, their indexes and journals.

Law: every row is in its relation's table at once, and in each index before that is read. Unused memory is released at
the end of a build, so that a fact of a binary relation with two indexes occupies at most 60 bytes: 32 for its record,
8 for the links of each index, 12 for its place in the table.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel import layout
from tidelog.kernel.cells import Cells
from tidelog.kernel.layout import (
    ARITY,
    CAP,
    COLS,
    COUNTED,
    FIRST,
    FOLLOWING,
    FRESH,
    JCAP,
    JROWS,
    KEYS,
    LINKED,
    LIVE_ROWS,
    MAX_KEY,
    NCOLS,
    ORDER,
    REL,
    ROWS,
    WIDTH,
)
from tidelog.kernel.maintain import catch_up
from tidelog.kernel.restore import enter_rows
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.memory.arrays import SMALLEST, Arrays
from tidelog.partition.memory.ordered_rows import has_pending_rows, is_unsorted, sort_rows
from tidelog.partition.memory.table import Table, table_slots
from tidelog.plan.steps import column_order, is_ordered
from tidelog.rewrite.names import is_counted

NOTHING: Cells = np.zeros(0, np.int64)
LOADED = 1 << 18  # rows entered in one call of the kernel (D19)
BRIEF = 1 << 11  # rows that a kernel examines in some tens of microseconds
SMALL = 1 << 10  # rows up to which records and table grow together: many small relations grow in the same epoch
SLOWER = 1 << 20  # rows from which on arrays grow by a quarter


def grown(rows: int) -> int:
    """The next capacity of a relation."""
    if rows < SMALL:
        return rows * 4
    return rows * 3 // 2 if rows < SLOWER else rows * 5 // 4


class Relations(Arrays):
    """All relations of a partition by number and by name."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[str, int] = {}
        self.replaced: dict[str, int] = {}  # the previous numbers of relations to which the epoch gave other columns
        self._index_numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self._free_indexes: list[int] = []
        self._ordered: dict[int, int] = {}  # ordered indexes, with their relations
        self.lent: set[tuple[int, tuple[int, ...]]] = set()  # indexes that no plan needs
        self._unread: set[int] = set()  # indexes that were made over facts, for plans that may never run
        self._index_count = 0
        self.was_read = False  # whether records were read from a state folder, where they may have been changed

    def add(self, name: str, arity: int) -> int:
        """The number of a relation, which is created if missing."""
        number = self.numbers.get(name)
        if number is not None and self.directory[number, ARITY] == arity:
            return number
        if number is not None and self.directory[number, LIVE_ROWS]:
            raise failures.OTHER_COLUMNS.error(name=name, found=self.directory[number, ARITY], wanted=arity)
        return self.create(name, arity)

    def create(self, name: str, arity: int) -> int:
        """The number of a new, empty relation; one of the same name is replaced until the epoch is undone."""
        number = len(self.names)
        if number >= len(self.directory):
            self.directory = np.concatenate([self.directory, np.zeros_like(self.directory)])
        arrays = {
            "rec": np.zeros((SMALLEST, arity + 2), np.int64),
            "journal": np.zeros((SMALLEST, 3), np.int64),
        }
        table = Table()
        if name in self.numbers:
            self.replaced.setdefault(name, self.numbers[name])
        self.numbers[name] = number  # all memory is allocated before anything changes
        self.names.append(name)
        row = self.directory[number]
        row[ARITY], row[WIDTH], row[FIRST], row[FRESH] = arity, arity + 2, -1, 1
        row[COUNTED] = is_counted(name)
        for part, array in arrays.items():
            self.set_array(number, part, array)
        self.set_table(number, table)
        return number

    @property
    def renewed(self) -> list[str]:
        """The relations whose records the epoch has replaced."""
        return sorted(name for name, number in self.replaced.items() if self.directory[number, LIVE_ROWS])

    def load(self, number: int, records: Cells, rows: int, rank_base: int) -> None:
        """Load records as another process stored them, ``rows`` of them in use; the relation has no index yet."""
        self.was_read = True
        row = self.directory[number]
        self.set_array(number, "rec", records)
        self.set_table(number, Table(table_slots(rows)))
        row[ROWS], row[LIVE_ROWS], row[layout.FREE], row[layout.RANK_BASE] = rows, 0, 0, rank_base
        for first in range(0, rows, LOADED):
            enter_rows(self.directory, number, first, min(first + LOADED, rows))

    def reserve(self, number: int, more: int) -> None:
        """Make room for ``more`` facts at once: an initial load grows its arrays once."""
        row = self.directory[number]
        wanted = int(row[LIVE_ROWS]) + more
        if wanted > row[CAP]:
            self.grow_records(number, wanted)
        if more + row[JROWS] > row[JCAP] and not row[FRESH]:
            self.grow_journal(number, more + int(row[JROWS]))
        self.grow_table(number, wanted)

    def grow(self, number: int) -> None:
        """Make room for more facts where necessary."""
        row = self.directory[number]
        rows, capacity, entries = int(row[ROWS]), int(row[CAP]), int(row[LIVE_ROWS])
        if capacity < SMALL and 2 * rows >= capacity:
            rows, entries = capacity, grown(capacity) - 1
        if rows >= capacity and row[layout.FREE] == 0:
            self.grow_records(number, grown(capacity))
        if row[JROWS] >= row[JCAP]:
            self.grow_journal(number, int(row[JCAP]) * 2)
        self.grow_table(number, entries)
        for index in self.indexes_of(number):
            self._make_ready(index)

    def _make_ready(self, index: int) -> None:
        """Make room for one more key in an index, or sort the pending rows of an ordered index."""
        if self.indexes.item(index, ORDER) == 0:
            self.grow_keys(index)
        elif is_unsorted(self.key_tables[index].cells):
            sort_rows(self, index)

    def catch_up(self, number: int) -> None:
        """Link the pending rows of a relation in all its indexes, except those that have never been read."""
        for index in self.indexes_of(number):
            if not self.is_unread(index):
                _catch_up(self, number, index)

    def is_unread(self, index: int) -> bool:
        """Whether an index was made over facts and has not been read by a plan: the first that reads it fills it."""
        if index in self._unread and self.indexes.item(index, LINKED):
            self._unread.discard(index)
        return index in self._unread

    def index(self, number: int, columns: tuple[int, ...], *, filled: bool = True) -> int:
        """The number of the index of a relation on some columns, which is created if missing.

        It is filled, unless it is made for plans: the kernel fills an index before a plan reads it.
        """
        columns = columns[:MAX_KEY]
        self.lent.discard((number, columns))
        known = self._index_numbers.get((number, columns))
        if known is not None:
            if filled or not self.is_unread(known):
                _catch_up(self, number, known)
            return known
        index = self._free_indexes[-1] if self._free_indexes else self._index_count
        if index >= len(self.indexes):
            self.indexes = np.concatenate([self.indexes, np.zeros_like(self.indexes)])
        entry = self.indexes[index]
        entry[:] = 0
        entry[REL], entry[NCOLS], entry[FOLLOWING] = number, len(columns), self.directory[number, FIRST]
        entry[COLS : COLS + len(columns)] = columns
        if is_ordered(columns):
            entry[COLS + len(columns) - 1], order = column_order(columns[-1])
            entry[ORDER] = 1 + order
        self.set_links(index, np.zeros((int(self.directory[number, CAP]), 4 if entry[ORDER] else 2), np.int32))
        self.set_keys(index, Table())
        self._unread.discard(index)
        if filled:
            _catch_up(self, number, index)
        elif self.directory[number, ROWS]:
            self._unread.add(index)
        self.directory[number, FIRST] = index  # only now: if memory runs out, the index never existed
        self._index_numbers[number, columns] = index
        if is_ordered(columns):
            self._ordered[index] = number
        self._index_count = max(self._index_count, index + 1)
        if self._free_indexes and self._free_indexes[-1] == index:
            self._free_indexes.pop()
        return index

    def drop_index(self, number: int, columns: tuple[int, ...]) -> None:
        """Forget an index that no rule uses."""
        index = self._index_numbers.pop((number, columns[:MAX_KEY]))
        self.lent.discard((number, columns[:MAX_KEY]))
        self._ordered.pop(index, None)
        before, at = -1, int(self.directory[number, FIRST])
        while at != index:
            before, at = at, int(self.indexes[at, FOLLOWING])
        following = self.indexes[index, FOLLOWING]
        if before < 0:
            self.directory[number, FIRST] = following
        else:
            self.indexes[before, FOLLOWING] = following
        del self._index_arrays[index, "links"], self.key_tables[index]
        self._blocks.pop((index, "links"), None)
        self.indexes[index] = 0
        self._free_indexes.append(index)

    def distinct_keys(self, number: int, columns: tuple[int, ...]) -> int | None:
        """The number of keys of an index; None if there is no such index, or it has never been read."""
        index = self._index_numbers.get((number, columns))
        if index is None or self.is_unread(index):
            return None
        _catch_up(self, number, index)
        return int(self.indexes[index, KEYS])

    def catch_up_ordered(self) -> None:
        """Let all ordered indexes catch up, before several threads read them: sorting is done here."""
        for index, number in self._ordered.items():
            _catch_up(self, number, index)

    def index_columns(self) -> dict[tuple[int, tuple[int, ...]], int]:
        """All indexes: (relation number, columns) and their numbers."""
        return dict(self._index_numbers)


def _catch_up(relations: Relations, number: int, index: int) -> None:
    """Link pending rows in an index."""
    while _is_behind(relations, number, index):
        if catch_up(relations.directory, relations.indexes, index) == layout.GROW_RELATION:
            relations._make_ready(index)


def _is_behind(relations: Relations, number: int, index: int) -> bool:
    """Whether rows of a relation are not yet in an index."""
    if relations.indexes.item(index, LINKED) < relations.directory.item(number, ROWS):
        return True
    return bool(relations.indexes.item(index, ORDER)) and has_pending_rows(relations.key_tables[index].cells)
