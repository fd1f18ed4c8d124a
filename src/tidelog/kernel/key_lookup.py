"""Facts looked for many at a time, in the state before the epoch: by a key of an index, or as whole rows."""

from __future__ import annotations

from tidelog.kernel.index import first_row
from tidelog.kernel.layout import ARITY, LINKS, LOW32, OLD, REC, WIDTH
from tidelog.kernel.memory import compiled, load, load32
from tidelog.kernel.relation import find, hash_cells


@compiled
def old_rows(directory, indexes, index, rel, keys, count, ncols, found):
    """The old rows of ``count`` keys at ``keys``, written to ``found``; returns their number, -1 if it is too short."""
    width, arity, records = directory[rel, WIDTH], directory[rel, ARITY], directory[rel, REC]
    total = 0
    for i in range(count):
        cursor = first_row(directory, indexes, index, rel, keys + 8 * i * ncols)
        while cursor != 0:
            if load(records, (cursor - 1) * width + arity) & OLD != 0:
                if total >= len(found):
                    return -1
                found[total] = cursor - 1
                total += 1
            cursor = load32(indexes[index, LINKS], 2 * (cursor - 1)) & LOW32
    return total


@compiled
def mark_old(directory, rel, rows, count, marks):
    """Write 1 to ``marks`` for each of the ``count`` rows at ``rows`` that is an old fact, otherwise 0."""
    width, arity, records = directory[rel, WIDTH], directory[rel, ARITY], directory[rel, REC]
    for i in range(count):
        key = rows + 8 * i * arity
        row = find(directory, rel, key, hash_cells(key, arity))
        marks[i] = 0
        if row >= 0 and load(records, row * width + arity) & OLD != 0:
            marks[i] = 1
