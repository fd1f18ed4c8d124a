"""The memory of a partition: relations, their indexes and journals, as numpy arrays behind one table of addresses.

Law: the directory always holds the addresses and sizes of the arrays kept here; arrays are replaced (grown) only
while no kernel runs. Growth is by half for records and by doubling for tables, so that a fact of a binary relation
with one index stays well below 150 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tidelog.kernel import layout
from tidelog.kernel.cells import Cells, address
from tidelog.kernel.layout import (
    ARITY,
    CAP,
    COLS,
    DIRECTORY_FIELDS,
    FIRST,
    FOLLOWING,
    INDEX_FIELDS,
    JCAP,
    JOURNAL,
    JROWS,
    KEYS,
    KMASK,
    KTAB,
    LINKS,
    LIVE_ROWS,
    MASK,
    MAX_KEY,
    NCOLS,
    REC,
    REL,
    ROWS,
    TAB,
    WIDTH,
)
from tidelog.kernel.maintain import fill_index, move_entries
from tidelog.kernel.restore import enter_rows
from tidelog.partition import failures
from tidelog.partition.block import Block

SMALLEST = 16
NOTHING: Cells = np.zeros(0, np.int64)
LOADED = 1 << 18  # rows entered in one call of the kernel (D19)


def table_size(entries: int) -> int:
    """The smallest power of two that keeps a table at most 60 % full."""
    size = SMALLEST
    while 5 * (entries + 1) > 3 * size:
        size *= 2
    return size


def _move(old: Cells, new: Cells) -> None:
    move_entries(address(old), len(old) - 1, address(new), len(new) - 1)


class Relations:
    """All relations of a partition by number and by name."""

    def __init__(self) -> None:
        self.directory: Cells = np.zeros((SMALLEST, DIRECTORY_FIELDS), np.int64)
        self.indexes: Cells = np.zeros((SMALLEST, INDEX_FIELDS), np.int64)
        self.numbers: dict[str, int] = {}
        self.names: list[str] = []
        self._arrays: dict[tuple[int, str], npt.NDArray[Any]] = {}
        self._index_arrays: dict[tuple[int, str], npt.NDArray[Any]] = {}
        self._index_numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self._free_indexes: list[int] = []
        self._blocks: dict[tuple[int, str], Block] = {}
        self._index_count = 0
        self.move: Callable[[Cells, Cells], None] = _move  # the entries of a table into a larger one

    def add(self, name: str, arity: int) -> int:
        """The number of a relation, which is made if it is not there."""
        number = self.numbers.get(name)
        if number is not None and self.directory[number, ARITY] == arity:
            return number
        if number is not None and self.directory[number, LIVE_ROWS]:
            raise failures.OTHER_COLUMNS.error(name=name, found=self.directory[number, ARITY], wanted=arity)
        number = len(self.names)
        if number >= len(self.directory):
            self.directory = np.concatenate([self.directory, np.zeros_like(self.directory)])
        arrays = {
            "rec": np.zeros((SMALLEST, arity + 2), np.int64),
            "tab": np.zeros(SMALLEST * 2, np.int64),
            "journal": np.zeros((SMALLEST, 3), np.int64),
        }
        self.numbers[name] = number  # all memory is had before anything changes
        self.names.append(name)
        row = self.directory[number]
        row[ARITY], row[WIDTH], row[FIRST] = arity, arity + 2, -1
        for part, array in arrays.items():
            self._set(number, part, array)
        return number

    def records(self, number: int) -> Cells:
        """The records of a relation that are or were in use."""
        rec: Cells = self._arrays[number, "rec"]
        return rec[: self.directory[number, ROWS]]

    def journal(self, number: int) -> Cells:
        """The journal entries of a relation: row, state and counts before the epoch."""
        entries: Cells = self._arrays[number, "journal"]
        return entries[: self.directory[number, JROWS]]

    def load(self, number: int, records: Cells, rows: int, rank_base: int) -> None:
        """Take over records as they lay in another process, ``rows`` of them in use; the relation has no index yet."""
        row = self.directory[number]
        self._set(number, "rec", records)
        self._set(number, "tab", np.zeros(table_size(rows), np.int64))
        row[ROWS], row[LIVE_ROWS], row[layout.FREE], row[layout.RANK_BASE] = rows, 0, 0, rank_base
        for first in range(0, rows, LOADED):
            enter_rows(self.directory, number, first, min(first + LOADED, rows))

    def live(self, number: int) -> int:
        """How many records are in use."""
        return int(self.directory[number, LIVE_ROWS])

    def reserve(self, number: int, more: int) -> None:
        """Room for ``more`` facts at once: an initial load grows its arrays one time."""
        row = self.directory[number]
        wanted = int(row[LIVE_ROWS]) + more
        if wanted > row[CAP]:
            self._grow_records(number, wanted)
        if more + row[JROWS] > row[JCAP]:
            self._grow_journal(number, more + int(row[JROWS]))
        if 5 * (wanted + 1) > 3 * (int(row[MASK]) + 1):
            self._grow_table(number, wanted)

    def grow(self, number: int) -> None:
        """Make room for more facts where it is short."""
        row = self.directory[number]
        if row[ROWS] >= row[CAP] and row[layout.FREE] == 0:
            self._grow_records(number, int(row[CAP]) * 3 // 2)
        if row[JROWS] >= row[JCAP]:
            self._grow_journal(number, int(row[JCAP]) * 2)
        if 5 * (row[LIVE_ROWS] + 1) > 3 * (row[MASK] + 1):
            self._grow_table(number, int(row[LIVE_ROWS]) + 1)
        index = int(row[FIRST])
        while index >= 0:
            entry = self.indexes[index]
            if 5 * (entry[KEYS] + 1) > 3 * (entry[KMASK] + 1):
                self._grow_index_table(index)
            index = int(entry[FOLLOWING])

    def widen(self, number: int, more: int) -> None:
        """Make room for ``more`` facts where it is short, by as much as `grow` does or by more."""
        row = self.directory[number]
        rows, entries, live = int(row[ROWS]) + more, int(row[JROWS]) + more, int(row[LIVE_ROWS]) + more
        if rows > row[CAP] and row[layout.FREE] == 0:
            self._grow_records(number, max(rows, int(row[CAP]) * 3 // 2))
        if entries > row[JCAP]:
            self._grow_journal(number, max(entries, int(row[JCAP]) * 2))
        if 5 * (live + 1) > 3 * (row[MASK] + 1):
            self._grow_table(number, live)
        index = int(row[FIRST])
        while index >= 0:
            entry = self.indexes[index]
            while 5 * (entry[KEYS] + more + 1) > 3 * (entry[KMASK] + 1):
                self._grow_index_table(index)
            index = int(entry[FOLLOWING])

    def trim_journal(self, number: int) -> None:
        """Give back the memory of a journal that one large epoch left behind."""
        if self.directory[number, JCAP] > 1 << 16:
            self._set(number, "journal", np.zeros((SMALLEST, 3), np.int64))
            self._blocks.pop((number, "journal"), None)

    def clear(self, number: int) -> None:
        """Forget all records of a relation that takes no part in epochs."""
        row = self.directory[number]
        row[ROWS] = row[LIVE_ROWS] = row[layout.FREE] = 0
        self._set(number, "rec", np.zeros((SMALLEST, int(row[WIDTH])), np.int64))
        self._set(number, "tab", np.zeros(SMALLEST * 2, np.int64))
        index = int(row[FIRST])
        while index >= 0:
            self._set_index(index, "links", np.zeros((SMALLEST, 2), np.int32))
            self._set_index(index, "tab", np.zeros(SMALLEST, np.int64))
            self.indexes[index, KEYS] = 0
            index = int(self.indexes[index, FOLLOWING])

    def memory(self) -> int:
        """Bytes held by all arrays."""
        return sum(a.nbytes for a in [*self._arrays.values(), *self._index_arrays.values()])  # a copy: readers may ask

    def index(self, number: int, columns: tuple[int, ...]) -> int:
        """The number of the index of a relation on some columns, which is made and filled if it is not there."""
        columns = columns[:MAX_KEY]
        known = self._index_numbers.get((number, columns))
        if known is not None:
            return known
        index = self._free_indexes[-1] if self._free_indexes else self._index_count
        if index >= len(self.indexes):
            self.indexes = np.concatenate([self.indexes, np.zeros_like(self.indexes)])
        entry = self.indexes[index]
        entry[:] = 0
        entry[REL], entry[NCOLS], entry[FOLLOWING] = number, len(columns), self.directory[number, FIRST]
        entry[COLS : COLS + len(columns)] = columns
        self._set_index(index, "links", np.zeros((int(self.directory[number, CAP]), 2), np.int32))
        self._set_index(index, "tab", np.zeros(SMALLEST, np.int64))
        row = 0
        while (row := fill_index(self.directory, self.indexes, index, number, row)) >= 0:
            self._grow_index_table(index)
        self.directory[number, FIRST] = index  # only now: an index for which memory runs out was never there
        self._index_numbers[number, columns] = index
        self._index_count = max(self._index_count, index + 1)
        if self._free_indexes and self._free_indexes[-1] == index:
            self._free_indexes.pop()
        return index

    def drop_index(self, number: int, columns: tuple[int, ...]) -> None:
        """Forget an index that no rule uses."""
        index = self._index_numbers.pop((number, columns[:MAX_KEY]))
        before, at = -1, int(self.directory[number, FIRST])
        while at != index:
            before, at = at, int(self.indexes[at, FOLLOWING])
        following = self.indexes[index, FOLLOWING]
        if before < 0:
            self.directory[number, FIRST] = following
        else:
            self.indexes[before, FOLLOWING] = following
        for part in ("links", "tab"):
            del self._index_arrays[index, part]
        self._blocks.pop((index, "links"), None)
        self.indexes[index] = 0
        self._free_indexes.append(index)

    def distinct_keys(self, number: int, columns: tuple[int, ...]) -> int | None:
        """How many keys an index holds; None where there is no such index."""
        index = self._index_numbers.get((number, columns))
        return None if index is None else int(self.indexes[index, KEYS])

    def index_columns(self) -> dict[tuple[int, tuple[int, ...]], int]:
        """All indexes: (relation number, columns) and their numbers."""
        return dict(self._index_numbers)

    def _set(self, number: int, part: str, array: npt.NDArray[Any]) -> None:
        self._arrays[number, part] = array
        row = self.directory[number]
        if part == "rec":
            row[REC], row[CAP] = address(array), len(array)
        elif part == "tab":
            row[TAB], row[MASK] = address(array), len(array) - 1
        else:
            row[JOURNAL], row[JCAP] = address(array), len(array)

    def _set_index(self, index: int, part: str, array: npt.NDArray[Any]) -> None:
        self._index_arrays[index, part] = array
        if part == "links":
            self.indexes[index, LINKS] = address(array)
        else:
            self.indexes[index, KTAB], self.indexes[index, KMASK] = address(array), len(array) - 1

    def _grow_records(self, number: int, wanted: int) -> None:
        if wanted >= 1 << 31:
            raise MemoryError(f"relation `{self.names[number]}` would hold over 2^31 facts in one partition")
        index = int(self.directory[number, FIRST])
        while index >= 0:
            self._set_index(index, "links", self._stretched(self._index_arrays, (index, "links"), wanted))
            index = int(self.indexes[index, FOLLOWING])
        self._set(number, "rec", self._stretched(self._arrays, (number, "rec"), wanted))  # last: this is the capacity

    def _grow_journal(self, number: int, wanted: int) -> None:
        self._set(number, "journal", self._stretched(self._arrays, (number, "journal"), wanted))

    def _stretched(
        self, arrays: dict[tuple[int, str], npt.NDArray[Any]], key: tuple[int, str], length: int
    ) -> npt.NDArray[Any]:
        """A longer array in place of one; it stays where it is if there is no memory."""
        block = self._blocks.get(key)
        if block is None or block.array is not arrays[key]:
            block = self._blocks[key] = Block(arrays[key], huge=key[1] != "journal")
        arrays[key] = NOTHING
        try:
            return block.grow(length)
        finally:
            arrays[key] = block.array

    def _grow_table(self, number: int, entries: int) -> None:
        old = self._arrays[number, "tab"]
        new: Cells = np.zeros(table_size(entries), np.int64)
        self.move(old, new)
        self._set(number, "tab", new)

    def _grow_index_table(self, index: int) -> None:
        old = self._index_arrays[index, "tab"]
        new: Cells = np.zeros(len(old) * 2, np.int64)
        self.move(old, new)
        self._set_index(index, "tab", new)
