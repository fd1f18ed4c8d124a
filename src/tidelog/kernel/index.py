"""Indexes: the rows that agree on some columns, as a doubly linked chain per key.

Laws. A live row below the index's LINKED is in the chain of its key exactly once; rows from there on wait until the
index is read (`kernel.maintain`): facts added in one batch are not read before the next one. A table entry is
``hash << 32 | first row + 1``; links hold ``row + 1``, 0 ends a chain. New rows are put first, so that a cursor inside
a chain is not disturbed by insertions; rows are unlinked only between epochs. The run of entries of a hash begins at
its ``home``, in the order of hashes, so that a table of any length grows and shrinks in place. An ordered index has
neither chains nor such a table (`kernel.ordered_index`).
"""

from __future__ import annotations

from tidelog.kernel.layout import ARITY, COLS, KEYS, KSLOTS, KTAB, LINKS, LOW32, NCOLS, OLD, ORDER, REC, WIDTH
from tidelog.kernel.memory import compiled, inlined, load, load32, store, store32
from tidelog.kernel.ordered_index import let_wait, take_row_out

HASH_SEED = 0x2545F4914F6CDD1D


@inlined
def mix_cell(mixed, cell):
    """One step of a hash of cells."""
    mixed = (mixed ^ cell) * -7046029254386353131
    return mixed ^ ((mixed >> 29) & 0x7FFFFFFFF)


@inlined
def finish_hash(mixed):
    """The 32 bits of a hash after its last cell."""
    return ((mixed * -4658895280553007687) >> 32) & LOW32


@inlined
def home(tag, slots):
    """The place in a table of ``slots`` slots where the entries of a hash begin."""
    return (tag * slots) >> 32


@inlined
def is_full(entries, slots):
    """Whether one more entry would fill a table to over 70 %."""
    return 10 * (entries + 1) > 7 * slots


@inlined
def hash_key(indexes, index, start):
    """A 32-bit hash of the key columns of the record at address ``start``."""
    mixed = HASH_SEED
    for i in range(indexes[index, NCOLS]):
        mixed = mix_cell(mixed, load(start, indexes[index, COLS + i]))
    return finish_hash(mixed)


@inlined
def same_key(indexes, index, one, other):
    """Whether the records at two addresses agree on the key columns."""
    for i in range(indexes[index, NCOLS]):
        column = indexes[index, COLS + i]
        if load(one, column) != load(other, column):
            return False
    return True


@inlined
def link_hashed(directory, indexes, index, rel, row, tag):
    """Like `link`, with a known hash of the key."""
    records, width = directory[rel, REC], directory[rel, WIDTH]
    start = records + 8 * row * width
    table, slots, links = indexes[index, KTAB], indexes[index, KSLOTS], indexes[index, LINKS]
    place = home(tag, slots)
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
        place += 1
        if place == slots:
            place = 0
    store32(links, 2 * row + 1, 0)
    store(table, place, (tag << 32) | (row + 1))


@compiled
def link(directory, indexes, index, rel, row):
    """Put a row at the front of the chain of its key; in an ordered index it waits for its place."""
    if indexes[index, ORDER] != 0:
        let_wait(indexes, index, row)
        return
    start = directory[rel, REC] + 8 * row * directory[rel, WIDTH]
    link_hashed(directory, indexes, index, rel, row, hash_key(indexes, index, start))


@compiled
def unlink(directory, indexes, index, rel, row):
    """Remove a row from the chain of its key; a key without rows is removed from the table."""
    if indexes[index, ORDER] != 0:
        take_row_out(directory, indexes, index, rel, row)
        return
    links = indexes[index, LINKS]
    after, before = load32(links, 2 * row), load32(links, 2 * row + 1)
    if after != 0:
        store32(links, 2 * (after - 1) + 1, before)
    if before != 0:
        store32(links, 2 * (before - 1), after)
        return
    start = directory[rel, REC] + 8 * row * directory[rel, WIDTH]
    tag = hash_key(indexes, index, start)
    table, slots = indexes[index, KTAB], indexes[index, KSLOTS]
    place = home(tag, slots)
    while (load(table, place) & LOW32) != row + 1:
        place += 1
        if place == slots:
            place = 0
    if after != 0:
        store(table, place, (tag << 32) | after)
        return
    indexes[index, KEYS] -= 1
    drop_entry(table, slots, place)


@compiled
def drop_entry(table, slots, place):
    """Empty a place of the table and move later entries of the run into the gap."""
    gap, probe = place, place
    while True:
        probe += 1
        if probe == slots:
            probe = 0
        entry = load(table, probe)
        if entry == 0:
            break
        from_home, from_gap = probe - home((entry >> 32) & LOW32, slots), probe - gap
        if from_home < 0:
            from_home += slots
        if from_gap < 0:
            from_gap += slots
        if from_home >= from_gap:
            store(table, gap, entry)
            gap = probe
    store(table, gap, 0)


@inlined
def first_row(directory, indexes, index, rel, key):
    """The first row (+ 1) of the chain for the key cells at ``key``, 0 if there is none."""
    ncols = indexes[index, NCOLS]
    mixed = HASH_SEED
    for i in range(ncols):
        mixed = mix_cell(mixed, load(key, i))
    tag = finish_hash(mixed)
    table, slots = indexes[index, KTAB], indexes[index, KSLOTS]
    records, width = directory[rel, REC], directory[rel, WIDTH]
    place = home(tag, slots)
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
        place += 1
        if place == slots:
            place = 0


@compiled
def collect(directory, indexes, index, rel, key, found):
    """Write the rows of a key present before the epoch to ``found``; returns their number, -1 if it is too short."""
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
