"""Who owns a fact, and the messages that partitions send each other.

Law: the owner of a cell is ``pmod(xxhash64(cell), P)`` in Spark SQL, and the same here and in the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.kernel.route import owners
from tidelog.rewrite.place.placement import MIRRORED, SINGLE

Messages = Mapping[str, Cells]  # relation -> rows of (body rank, how many, columns)


def owners_of(cells: Cells, partitions: int) -> Cells:
    """The owner of each cell.

    >>> owners_of(np.array([1, 2, 3], np.int64), 1).tolist()
    [0, 0, 0]
    """
    found = np.empty(len(cells), np.int64)
    owners(np.ascontiguousarray(cells), partitions, found)
    return found


def share_rows(rows: Cells, place: int, partitions: int) -> list[Cells]:
    """The rows for each partition, by the placement of their relation."""
    if place == MIRRORED:
        return [rows] * partitions
    if place == SINGLE or partitions == 1:
        return [rows, *(rows[:0] for _ in range(partitions - 1))]
    owner = owners_of(rows[:, place], partitions)
    return [np.ascontiguousarray(rows[owner == number]) for number in range(partitions)]
