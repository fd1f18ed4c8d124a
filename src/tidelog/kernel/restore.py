"""Records that were read from a file become a relation again: the table and the list of free records are rebuilt.

Law: as in `kernel.relation`: a live record is in the table exactly once, every other record is on the free list. Rows
keep their numbers, so that references to a row (the groups of a min or max, the log of later epochs) still denote the
same fact.
"""

from __future__ import annotations

from tidelog.kernel.index import home
from tidelog.kernel.layout import ARITY, FREE, LIVE, LIVE_ROWS, REC, SLOTS, TAB, WIDTH
from tidelog.kernel.maintain import put
from tidelog.kernel.memory import compiled, load, prefetch, store
from tidelog.kernel.relation import hash_cells

AHEAD = 12  # rows whose place in the table is prefetched


@compiled
def enter_rows(directory, rel, first, last):
    """Enter the rows [first, last) into the table, which has room, or put them on the free list."""
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    table, slots = directory[rel, TAB], directory[rel, SLOTS]
    for row in range(first, last):
        if row + AHEAD < last:
            prefetch(table, home(hash_cells(records + 8 * (row + AHEAD) * width, arity), slots))
        if load(records, row * width + arity) & LIVE == 0:
            store(records, row * width + arity, 0)
            store(records, row * width + arity + 1, directory[rel, FREE])
            directory[rel, FREE] = row + 1
            continue
        tag = hash_cells(records + 8 * row * width, arity)
        put(table, slots, (tag << 32) | (row + 1))
        directory[rel, LIVE_ROWS] += 1
