"""The table of a relation or of an index: entries found by hash, which grows and shrinks where it lies.

Law: what is found before is found after. Entries lie in the order of their hashes (`kernel.index.home`), so that
those of a large table move to their new places in one pass through memory that it has; a copy would touch, and clear,
as much again. At most 70 % of the places are taken.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel.cells import Cells, address
from tidelog.kernel.maintain import gather, move_entries, put_all, spread
from tidelog.partition.block import LARGE, Block

SMALLEST = 16
SPILLED = 1 << 12  # entries
PAGE = 1 << 9  # slots


def table_slots(entries: int) -> int:
    """The fewest slots that one entry more fills to at most 70 %."""
    return max(SMALLEST, -(-10 * (entries + 1) // 7))


def _spill(slots: int) -> Cells:
    """Room for the few entries that find no place in the pass; memory that is not used is never taken."""
    spill = np.empty(max(SPILLED, slots // 8), np.int64)
    spill[0] = 0
    return spill


class Table:
    """Slots of ``hash << 32 | number``; 0 is empty. Whoever holds the address asks again after a change of size."""

    def __init__(self, slots: int = SMALLEST) -> None:
        self.cells: Cells = np.zeros(slots, np.int64)
        self._block = Block(self.cells)

    def reserve(self, entries: int) -> None:
        """Room for one entry more than so many."""
        slots, wanted = len(self.cells), table_slots(entries)
        if wanted <= slots:
            return
        wanted = max(wanted, 2 * slots if 8 * slots < LARGE else slots * 3 // 2)
        if 8 * wanted < LARGE:
            self._replace(wanted)
        else:
            self._stretch(slots, wanted)

    def shrink(self, entries: int) -> None:
        """No more room than for one entry more than so many."""
        slots, wanted = len(self.cells), table_slots(entries)
        if 8 * slots < LARGE or 64 * wanted >= 63 * slots:
            return
        spill, place = _spill(slots), 0
        where = address(self.cells)
        while place < slots:
            place = gather(where, slots, wanted, spill, place)
            if place < slots:
                spill = np.concatenate([spill, np.empty_like(spill)])
        put_all(where, wanted, spill, 1, int(spill[0]) + 1)
        self.cells = self._block.shrink(wanted)[:wanted]

    def clear(self) -> None:
        """Take out all entries; this takes no memory."""
        self.cells = self._block.shrink(SMALLEST)
        self.cells[:] = 0

    def _replace(self, slots: int) -> None:
        fresh = np.zeros(slots, np.int64)
        move_entries(address(self.cells), len(self.cells), address(fresh), slots)
        self.cells = fresh
        self._block = Block(fresh)

    def _stretch(self, slots: int, wanted: int) -> None:
        spill, place = _spill(slots), slots - 1
        self.cells = self._block.resize(wanted)
        self.cells[slots : slots + PAGE] = 0  # beyond that lie pages that were never written, or given back
        while place >= 0:
            place = spread(address(self.cells), wanted, spill, place)
            if place >= 0:
                spill = np.concatenate([spill, np.empty_like(spill)])
        put_all(address(self.cells), wanted, spill, 1, int(spill[0]) + 1)
