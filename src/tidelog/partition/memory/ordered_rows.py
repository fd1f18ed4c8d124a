"""Ordered indexes, as the memory of a partition sees them: whether rows are pending, and sorting many at once.

Law: rows are in the order that `kernel.ordered_index` maintains. If pending rows are a considerable share of all rows,
all are sorted: per row this takes a fraction of the time of an insertion.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.kernel.layout import COLS, LINKED, LIVE, NCOLS, ORDER, REL, ROWS
from tidelog.kernel.ordered_index import GREATEST, LEAST, ROOT, UNSORTED, WAITING, string_rows
from tidelog.kernel.scalar import AS_FLOAT, AS_UNSIGNED
from tidelog.partition.memory.arrays import Arrays

STATE = -2  # the column of records that holds their state
STRUNG = 1 << 17  # rows linked in one call of the kernel (D19)


def is_unsorted(head: Cells) -> bool:
    """Whether the kernel requested that the rows of an index be sorted."""
    return bool(head[UNSORTED])


def has_pending_rows(head: Cells) -> bool:
    """Whether some rows that were linked in an ordered index are not in order yet."""
    return bool(head[WAITING])


def sort_rows(arrays: Arrays, index: int) -> None:
    """Put all rows of a relation into the order of an index."""
    entry = arrays.indexes[index]
    number, last = int(entry[REL]), int(entry[NCOLS]) - 1
    records, head = arrays.records(number), arrays.key_tables[index].cells
    rows: Cells = np.flatnonzero(records[:, STATE] & LIVE)
    columns = [records[rows, int(entry[COLS + i])] for i in range(last)]
    columns.append(order_cells(int(entry[ORDER]) - 1, records[rows, int(entry[COLS + last])]))
    order = rows[np.argsort(columns[0], kind="stable") if last == 0 else np.lexsort(columns[::-1])]
    head[[ROOT, WAITING, UNSORTED]] = 0
    spine: Cells = np.empty(len(order), np.int64)
    depth = 0
    for first in range(0, len(order), STRUNG):
        end = min(first + STRUNG, len(order))
        depth = string_rows(arrays.indexes, index, order, first, end, spine, depth)
    entry[LINKED] = arrays.directory[number, ROWS]


def order_cells(kind: int, cells: Cells) -> Cells:
    """Numbers that have the same order as the cells of a type.

    >>> order_cells(AS_UNSIGNED, np.array([-1, 0, 1])).argsort().tolist()
    [1, 2, 0]
    >>> order_cells(AS_FLOAT, np.array([1.5, -2.0, -1.0, 0.0]).view(np.int64)).argsort().tolist()
    [1, 2, 3, 0]
    """
    if kind == AS_UNSIGNED:
        return cells ^ LEAST
    return cells ^ ((cells >> 63) & GREATEST) if kind == AS_FLOAT else cells
