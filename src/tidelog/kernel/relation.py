"""Relations: records found by their columns in an open-addressing table, with reuse of freed records.

Law: a live record is in the table exactly once; two live records of a relation differ in some column. A table entry
is ``hash << 32 | row + 1``; the 32 hash bits also give the entry's place, so that a table grows and shrinks without
looking at records. The caller makes sure that there is room (``has_room``) before it inserts.
"""

from __future__ import annotations

from tidelog.kernel.index import drop_entry, link, unlink
from tidelog.kernel.layout import (
    ARITY,
    CAP,
    FIRST,
    FOLLOWING,
    FREE,
    JCAP,
    JOURNAL,
    JROWS,
    KEYS,
    KMASK,
    LIVE_ROWS,
    LOW32,
    MASK,
    REC,
    ROWS,
    TAB,
    TOUCHED,
    WIDTH,
)
from tidelog.kernel.memory import compiled, load, store


@compiled
def hash_cells(address, count):
    """A 32-bit hash of ``count`` consecutive cells."""
    mixed = 0x2545F4914F6CDD1D
    for i in range(count):
        mixed = (mixed ^ load(address, i)) * -7046029254386353131
        mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    mixed *= -4658895280553007687
    return (mixed >> 32) & LOW32


@compiled
def find(directory, rel, key, tag):
    """The row whose columns equal the cells at ``key``, or -1."""
    table, mask = directory[rel, TAB], directory[rel, MASK]
    arity, width, records = directory[rel, ARITY], directory[rel, WIDTH], directory[rel, REC]
    place = tag & mask
    while True:
        entry = load(table, place)
        if entry == 0:
            return -1
        if ((entry >> 32) & LOW32) == tag:
            row = (entry & LOW32) - 1
            start = row * width
            same = True
            for i in range(arity):
                if load(records, start + i) != load(key, i):
                    same = False
                    break
            if same:
                return row
        place = (place + 1) & mask


@compiled
def has_room(directory, indexes, rel):
    """Whether one more record, journal entry and key of every index fit."""
    if directory[rel, ROWS] >= directory[rel, CAP] and directory[rel, FREE] == 0:
        return False
    if directory[rel, JROWS] >= directory[rel, JCAP]:
        return False
    if 5 * (directory[rel, LIVE_ROWS] + 1) > 3 * (directory[rel, MASK] + 1):
        return False
    index = directory[rel, FIRST]
    while index >= 0:
        if 5 * (indexes[index, KEYS] + 1) > 3 * (indexes[index, KMASK] + 1):
            return False
        index = indexes[index, FOLLOWING]
    return True


@compiled
def insert(directory, indexes, rel, key, tag):
    """A new record with the columns at ``key``; its state and counts are the caller's to set. Returns its row."""
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    if directory[rel, FREE] != 0:
        row = directory[rel, FREE] - 1
        directory[rel, FREE] = load(records, row * width + arity + 1)
    else:
        row = directory[rel, ROWS]
        directory[rel, ROWS] = row + 1
    for i in range(arity):
        store(records, row * width + i, load(key, i))
    directory[rel, LIVE_ROWS] += 1
    table, mask = directory[rel, TAB], directory[rel, MASK]
    place = tag & mask
    while load(table, place) != 0:
        place = (place + 1) & mask
    store(table, place, (tag << 32) | (row + 1))
    index = directory[rel, FIRST]
    while index >= 0:
        link(directory, indexes, index, rel, row)
        index = indexes[index, FOLLOWING]
    return row


@compiled
def remove(directory, indexes, rel, row):
    """Free a record: out of all indexes and the table, its row to be used again."""
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    index = directory[rel, FIRST]
    while index >= 0:
        unlink(directory, indexes, index, rel, row)
        index = indexes[index, FOLLOWING]
    tag = hash_cells(records + 8 * row * width, arity)
    table, mask = directory[rel, TAB], directory[rel, MASK]
    place = tag & mask
    while (load(table, place) & LOW32) != row + 1:
        place = (place + 1) & mask
    drop_entry(table, mask, place)
    directory[rel, LIVE_ROWS] -= 1
    store(records, row * width + arity, 0)
    store(records, row * width + arity + 1, directory[rel, FREE])
    directory[rel, FREE] = row + 1


@compiled
def touch(directory, rel, row, state, counts):
    """Write a record's state and counts to the journal before they first change in an epoch."""
    entry = 3 * directory[rel, JROWS]
    journal = directory[rel, JOURNAL]
    store(journal, entry, row)
    store(journal, entry + 1, state)
    store(journal, entry + 2, counts)
    directory[rel, JROWS] += 1
    return state | TOUCHED
