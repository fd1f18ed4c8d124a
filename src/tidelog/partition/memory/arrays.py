"""The arrays of a partition's relations, indexes and journals behind one table of addresses.

Law: the directory always contains the addresses and sizes of the arrays kept here; arrays are replaced (grown) only
while no kernel runs. Shrinking allocates no memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from tidelog.kernel.cells import Cells, address
from tidelog.kernel.layout import (
    CAP,
    DIRECTORY_FIELDS,
    FIRST,
    FOLLOWING,
    INDEX_FIELDS,
    JCAP,
    JOURNAL,
    JROWS,
    KEYS,
    KSLOTS,
    KTAB,
    LINKS,
    LIVE_ROWS,
    REC,
    ROWS,
    SLOTS,
    TAB,
)
from tidelog.partition.base.block import Block
from tidelog.partition.base.workers import Workers
from tidelog.partition.memory.table import Table

SMALLEST = 16
MOST_ROWS = 1 << 31


class Arrays:
    """The memory of relations, by number."""

    def __init__(self) -> None:
        self.directory: Cells = np.zeros((SMALLEST, DIRECTORY_FIELDS), np.int64)
        self.indexes: Cells = np.zeros((SMALLEST, INDEX_FIELDS), np.int64)
        self.names: list[str] = []
        self.workers: Workers | None = None  # of the partition's team, to move the entries of large tables
        self._arrays: dict[tuple[int, str], npt.NDArray[Any]] = {}
        self._index_arrays: dict[tuple[int, str], npt.NDArray[Any]] = {}
        self.tables: dict[int, Table] = {}
        self.key_tables: dict[int, Table] = {}
        self._blocks: dict[tuple[int, str], Block] = {}

    def records(self, number: int) -> Cells:
        """The records of a relation that are or were in use."""
        rec: Cells = self._arrays[number, "rec"]
        return rec[: self.directory[number, ROWS]]

    def journal(self, number: int) -> Cells:
        """The journal entries of a relation: row, state and counts before the epoch."""
        entries: Cells = self._arrays[number, "journal"]
        return entries[: self.directory[number, JROWS]]

    def live(self, number: int) -> int:
        """How many records are in use."""
        return self.directory.item(number, LIVE_ROWS)

    def memory(self) -> int:
        """Bytes held by all arrays."""
        arrays = [*self._arrays.values(), *self._index_arrays.values()]  # copies: readers may call this
        tables = [*self.tables.values(), *self.key_tables.values()]
        return sum(a.nbytes for a in arrays) + sum(table.cells.nbytes for table in tables)

    def indexes_of(self, number: int) -> Iterator[int]:
        """The numbers of the indexes of a relation."""
        index = self.directory.item(number, FIRST)
        while index >= 0:
            yield index
            index = self.indexes.item(index, FOLLOWING)

    def set_array(self, number: int, part: str, array: npt.NDArray[Any]) -> None:
        """Replace the records or the journal of a relation."""
        self._arrays[number, part] = array
        row = self.directory[number]
        if part == "rec":
            row[REC], row[CAP] = address(array), len(array)
        else:
            row[JOURNAL], row[JCAP] = address(array), len(array)

    def set_links(self, index: int, links: npt.NDArray[Any]) -> None:
        """Replace the links of an index."""
        self._index_arrays[index, "links"] = links
        self.indexes[index, LINKS] = address(links)

    def set_table(self, number: int, table: Table) -> None:
        """Replace the table of a relation, or update its address."""
        self.tables[number] = table
        self.directory[number, TAB], self.directory[number, SLOTS] = address(table.cells), len(table.cells)

    def set_keys(self, index: int, table: Table) -> None:
        """Replace the table of an index, or update its address."""
        self.key_tables[index] = table
        self.indexes[index, KTAB], self.indexes[index, KSLOTS] = address(table.cells), len(table.cells)

    def grow_records(self, number: int, size: int) -> None:
        """Make room for ``size`` records of a relation, and for their links."""
        if size >= MOST_ROWS:
            raise MemoryError(f"relation `{self.names[number]}` would contain more than 2^31 facts in one partition")
        for index in self.indexes_of(number):
            self.set_links(index, self.block(index, "links").resize(size))
        self.set_array(number, "rec", self.block(number, "rec").resize(size))  # last: this is the capacity

    def shrink_records(self, number: int, length: int) -> None:
        """Shrink a large relation to ``length`` records and their links."""
        self.set_array(number, "rec", self.block(number, "rec").shrink(length))
        for index in self.indexes_of(number):
            self.set_links(index, self.block(index, "links").shrink(length))

    def grow_journal(self, number: int, size: int) -> None:
        """Make room for ``size`` entries of a journal."""
        self.set_array(number, "journal", self.block(number, "journal").resize(size))

    def block(self, number: int, part: str) -> Block:
        """The memory of an array; ``number`` is that of an index for links, otherwise that of a relation."""
        array = (self._index_arrays if part == "links" else self._arrays)[number, part]
        block = self._blocks.get((number, part))
        if block is None or block.array is not array:
            block = self._blocks[number, part] = Block(array)
        return block

    def grow_table(self, number: int, entries: int) -> None:
        """Make room for ``entries`` records and one more in the table of a relation."""
        self.tables[number].reserve(entries, self.workers)
        self.set_table(number, self.tables[number])

    def grow_keys(self, index: int, more: int = 0) -> None:
        """Make room for one more key, or for ``more`` keys and one more, in the table of an index."""
        self.key_tables[index].reserve(int(self.indexes[index, KEYS]) + more, self.workers)
        self.set_keys(index, self.key_tables[index])
