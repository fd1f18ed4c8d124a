"""The queue of a partition: facts that wait to be fired, as the kernel reads and extends it.

Law: the state of the machine always contains the address and the capacity of the array kept here; the array is replaced
only while no kernel runs.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells, address
from tidelog.partition.base.block import Block

SHORTEST, LONGEST = 1 << 10, 1 << 16  # of a queue between epochs
NO_CELLS: Cells = np.zeros(0, np.int64)


class Queue:
    """Items (relation << 32 | row), those already fired first."""

    def __init__(self, state: Cells) -> None:
        self._state = state
        self._block = Block(np.zeros(SHORTEST, np.int64))
        self._set(self._block.array)

    @property
    def items(self) -> Cells:
        """The facts put on the queue in this phase."""
        return self.cells[: self._state[at.QTAIL]]

    @property
    def is_done(self) -> bool:
        """Whether all of them were fired."""
        return bool(self._state[at.QHEAD] >= self._state[at.QTAIL])

    def reset(self, items: Cells = NO_CELLS) -> None:
        """Replace the queue by these items."""
        if len(items):
            self.reserve(len(items))
            self.cells[: len(items)] = items
        self._state[at.QHEAD], self._state[at.QTAIL] = 0, len(items)
        self._state[at.STAGE] = 0

    def reserve(self, items: int) -> None:
        """Make room for ``items`` items in total."""
        if items > len(self.cells):
            self._grow(2 * items)

    def double(self) -> None:
        """Make room for twice as many items."""
        self._grow(2 * len(self.cells))

    def trim(self) -> None:
        """Release the memory that one large epoch left behind."""
        if len(self.cells) > LONGEST:
            self._set(self._block.shrink(SHORTEST))

    def _grow(self, length: int) -> None:
        try:
            self._block.resize(length)
        finally:
            self._set(self._block.array)

    def _set(self, cells: Cells) -> None:
        self.cells = cells
        self._state[at.QUEUE], self._state[at.QCAP] = address(cells), len(cells)
