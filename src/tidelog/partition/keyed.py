"""Facts by key: the rows that share a key with some others, found by an index so that the cost follows the change."""

from __future__ import annotations

import numpy as np

from tidelog.kernel.keyed import old_rows
from tidelog.kernel.layout import ARITY
from tidelog.partition.relations import Cells, Relations, address


def rows_with_keys(relations: Relations, name: str, columns: tuple[int, ...], rows: Cells) -> Cells:
    """The rows present before the epoch that share a key with one of ``rows``."""
    number = relations.numbers.get(name)
    if number is None or not len(rows) or not relations.live(number):
        return rows[:0]
    index = relations.index(number, columns)
    keys = np.ascontiguousarray(np.unique(rows[:, list(columns)], axis=0))
    found = np.empty(len(keys) + 16, np.int64)
    table = relations.directory, relations.indexes
    while (count := old_rows(*table, index, number, address(keys), len(keys), len(columns), found)) < 0:
        found = np.empty(2 * len(found), np.int64)
    arity = int(relations.directory[number, ARITY])
    return relations.records(number)[found[:count], :arity].copy()
