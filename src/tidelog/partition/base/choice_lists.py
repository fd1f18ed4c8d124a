"""Lists that the kernel keeps for the min and max of a stratum while it is evaluated.

Law: the heap contains candidates to expose, best first; groups that show nothing are *opened*; exposed candidates that
were improved upon are *stale*. The state of the machine contains address, capacity and length of each list.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells, address

CELLS = {at.HEAP: 2, at.OPENED: 1, at.STALE: 1}  # cells of an entry; capacity and length follow the address
FIELDS = [field for start in CELLS for field in (start, start + 1)]  # of the state that outlive an epoch
SMALLEST = 1024


class ChoiceLists:
    """The three lists of a partition."""

    def __init__(self, state: Cells) -> None:
        self._state = state
        self._lists: dict[int, Cells] = {}
        for start, cells in CELLS.items():
            self._set(start, np.zeros(SMALLEST * cells, np.int64))

    def forget_opened(self) -> None:
        """Clear the list of opened groups: a new stratum has opened none yet."""
        self._state[at.OTAIL] = 0

    def take_stale(self) -> Cells:
        """Remove the exposed candidates that were improved upon from their list, and return them."""
        stale = self._lists[at.STALE][: self._state[at.STAIL]].copy()
        self._state[at.STAIL] = 0
        return stale

    def reserve_heap(self, more: int) -> None:
        """Make room for ``more`` further candidates."""
        wanted = int(self._state[at.HTAIL]) + more
        if wanted > self._state[at.HCAP]:
            self._resize(at.HEAP, 2 * CELLS[at.HEAP] * wanted)

    def grow(self) -> None:
        """Double every list that is nearly full."""
        for start in CELLS:
            if 2 * self._state[start + 2] >= self._state[start + 1]:
                self._resize(start, 2 * len(self._lists[start]))

    def _resize(self, start: int, length: int) -> None:
        old, new = self._lists[start], np.zeros(length, np.int64)
        new[: len(old)] = old
        self._set(start, new)

    def _set(self, start: int, cells: Cells) -> None:
        self._lists[start] = cells
        self._state[start], self._state[start + 1] = address(cells), len(cells) // CELLS[start]
