"""Indexes: the rows that agree on some columns, as a doubly linked chain per key.

Law: a live row of the relation is in the chain of its key exactly once. A table entry is
``hash << 32 | first row + 1``; links hold ``row + 1``, 0 ends a chain. New rows come first, so that a cursor inside a
chain is not disturbed by insertions; rows are unlinked only between epochs.
"""

from __future__ import annotations

from tidelog.kernel.layout import ARITY, COLS, KEYS, KMASK, KTAB, LINKS, LOW32, NCOLS, OLD, REC, WIDTH
from tidelog.kernel.memory import compiled, load, load32, store, store32


@compiled
def hash_key(indexes, index, start):
    """A 32-bit hash of the key columns of the record at address ``start``."""
    mixed = 0x2545F4914F6CDD1D
    for i in range(indexes[index, NCOLS]):
        mixed = (mixed ^ load(start, indexes[index, COLS + i])) * -7046029254386353131
        mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    mixed *= -4658895280553007687
    return (mixed >> 32) & LOW32


@compiled
def same_key(indexes, index, one, other):
    """Whether the records at two addresses agree on the key columns."""
    for i in range(indexes[index, NCOLS]):
        column = indexes[index, COLS + i]
        if load(one, column) != load(other, column):
            return False
    return True


@compiled
def link(directory, indexes, index, rel, row):
    """Put a row at the front of the chain of its key."""
    records, width = directory[rel, REC], directory[rel, WIDTH]
    start = records + 8 * row * width
    tag = hash_key(indexes, index, start)
    table, mask, links = indexes[index, KTAB], indexes[index, KMASK], indexes[index, LINKS]
    place = tag & mask
    while True:
        entry = load(table, place)
        if entry == 0:
            store32(links, 2 * row, 0)
            indexes[index, KEYS] += 1
            break
        if ((entry >> 32) & LOW32) == tag:
            first = (entry & LOW32) - 1
            if same_key(indexes, index, start, records + 8 * first * width):
                store32(links, 2 * row, first + 1)
                store32(links, 2 * first + 1, row + 1)
                break
        place = (place + 1) & mask
    store32(links, 2 * row + 1, 0)
    store(table, place, (tag << 32) | (row + 1))


@compiled
def unlink(directory, indexes, index, rel, row):
    """Take a row out of the chain of its key; a key without rows leaves the table."""
    links = indexes[index, LINKS]
    after, before = load32(links, 2 * row), load32(links, 2 * row + 1)
    if after != 0:
        store32(links, 2 * (after - 1) + 1, before)
    if before != 0:
        store32(links, 2 * (before - 1), after)
        return
    start = directory[rel, REC] + 8 * row * directory[rel, WIDTH]
    tag = hash_key(indexes, index, start)
    table, mask = indexes[index, KTAB], indexes[index, KMASK]
    place = tag & mask
    while (load(table, place) & LOW32) != row + 1:
        place = (place + 1) & mask
    if after != 0:
        store(table, place, (tag << 32) | after)
        return
    indexes[index, KEYS] -= 1
    drop_entry(table, mask, place)


@compiled
def drop_entry(table, mask, place):
    """Empty a place of the table and move later entries of the run into the gap."""
    gap, probe = place, place
    while True:
        probe = (probe + 1) & mask
        entry = load(table, probe)
        if entry == 0:
            break
        home = (entry >> 32) & mask
        if ((probe - home) & mask) >= ((probe - gap) & mask):
            store(table, gap, entry)
            gap = probe
    store(table, gap, 0)


@compiled
def first_row(directory, indexes, index, rel, key):
    """The first row (+ 1) of the chain for the key cells at ``key``, 0 if there is none."""
    ncols = indexes[index, NCOLS]
    mixed = 0x2545F4914F6CDD1D
    for i in range(ncols):
        mixed = (mixed ^ load(key, i)) * -7046029254386353131
        mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    mixed *= -4658895280553007687
    tag = (mixed >> 32) & LOW32
    table, mask = indexes[index, KTAB], indexes[index, KMASK]
    records, width = directory[rel, REC], directory[rel, WIDTH]
    place = tag & mask
    while True:
        entry = load(table, place)
        if entry == 0:
            return 0
        if ((entry >> 32) & LOW32) == tag:
            start = ((entry & LOW32) - 1) * width
            same = True
            for i in range(ncols):
                if load(records, start + indexes[index, COLS + i]) != load(key, i):
                    same = False
                    break
            if same:
                return entry & LOW32
        place = (place + 1) & mask


@compiled
def collect(directory, indexes, index, rel, key, found):
    """The rows of a key that were present before the epoch, into ``found``; their number, or -1 if it is too short."""
    width, arity, records = directory[rel, WIDTH], directory[rel, ARITY], directory[rel, REC]
    cursor, count = first_row(directory, indexes, index, rel, key), 0
    while cursor != 0:
        if load(records, (cursor - 1) * width + arity) & OLD != 0:
            if count >= len(found):
                return -1
            found[count] = cursor - 1
            count += 1
        cursor = load32(indexes[index, LINKS], 2 * (cursor - 1)) & LOW32
    return count
