"""The table of a relation or of an index: entries found by hash, which grows and shrinks in place.

Law: a change of size loses no entry. Entries are in the order of their hashes (`kernel.index.home`), so that those
of a large table move to their new places in one pass through its own memory; a copy would touch, and clear, as much
again. At most 70 % of the places are occupied.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel.cells import Cells, address
from tidelog.kernel.maintain import move_entries
from tidelog.partition.base.block import LARGE, Block
from tidelog.partition.base.table_moves import Moves
from tidelog.partition.base.workers import Workers

SMALLEST = 16
PAGE = 1 << 9  # slots


def table_slots(entries: int) -> int:
    """The fewest slots that one more entry fills to at most 70 %."""
    return max(SMALLEST, -(-10 * (entries + 1) // 7))


class Table:
    """Slots of ``hash << 32 | number``; 0 is empty. The address must be read again after a change of size."""

    def __init__(self, slots: int = SMALLEST) -> None:
        self.cells: Cells = np.zeros(slots, np.int64)
        self._block = Block(self.cells)

    def reserve(self, entries: int, workers: Workers | None = None) -> None:
        """Make room for one entry more than ``entries``."""
        slots, wanted = len(self.cells), table_slots(entries)
        if wanted <= slots:
            return
        wanted = max(wanted, 2 * slots if 8 * slots < LARGE else slots * 3 // 2)
        if 8 * wanted < LARGE:
            self._replace(wanted)
        else:
            self._stretch(slots, wanted, workers)

    def shrink(self, entries: int, workers: Workers | None = None) -> None:
        """Shrink to room for one entry more than ``entries``."""
        slots, wanted = len(self.cells), table_slots(entries)
        if 8 * slots < LARGE or 64 * wanted >= 63 * slots:
            return
        Moves(address(self.cells), slots, wanted, workers).gather()
        self.cells = self._block.shrink(wanted)[:wanted]

    def clear(self) -> None:
        """Remove all entries; this allocates no memory."""
        self.cells = self._block.shrink(SMALLEST)
        self.cells[:] = 0

    def _replace(self, slots: int) -> None:
        fresh = np.zeros(slots, np.int64)
        move_entries(address(self.cells), len(self.cells), address(fresh), slots)
        self.cells = fresh
        self._block = Block(fresh)

    def _stretch(self, slots: int, size: int, workers: Workers | None) -> None:
        self.cells = self._block.resize(size)
        self.cells[slots : slots + PAGE] = 0  # pages beyond were never written, or were released
        Moves(address(self.cells), slots, size, workers).spread()
