"""Upkeep of tables: growing them and filling new indexes.

Law: what is found by a key before is found by it after; only places change.
"""

from __future__ import annotations

from tidelog.kernel.index import link
from tidelog.kernel.layout import ARITY, KEYS, KMASK, LIVE, REC, ROWS, WIDTH
from tidelog.kernel.memory import compiled, load, store


@compiled
def move_entries(old, old_mask, new, new_mask):
    """Copy the entries of one table into another, which is empty."""
    for place in range(old_mask + 1):
        entry = load(old, place)
        if entry != 0:
            home = (entry >> 32) & new_mask
            while load(new, home) != 0:
                home = (home + 1) & new_mask
            store(new, home, entry)


@compiled
def fill_index(directory, indexes, index, rel, row):
    """Link all live rows from ``row`` on; -1 when done, else the row at which the table must grow first."""
    width, arity, records = directory[rel, WIDTH], directory[rel, ARITY], directory[rel, REC]
    while row < directory[rel, ROWS]:
        if 5 * (indexes[index, KEYS] + 1) > 3 * (indexes[index, KMASK] + 1):
            return row
        if load(records, row * width + arity) & LIVE != 0:
            link(directory, indexes, index, rel, row)
        row += 1
    return -1
