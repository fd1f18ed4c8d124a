"""Relations: records found by their columns in an open-addressing table, with reuse of freed records.

Law: a live record is in the table exactly once; two live records of a relation differ in some column. A table entry
is ``hash << 32 | row + 1``; the 32 hash bits also determine the entry's place, so that a table grows and shrinks
without reading records. The caller ensures that there is room (``has_room``) before it inserts. Indexes learn of a new
record later (`kernel.maintain`), unless it reuses the row of one that was freed.
"""

from __future__ import annotations

from tidelog.kernel.index import HASH_SEED, drop_entry, finish_hash, home, is_full, link, mix_cell, unlink
from tidelog.kernel.layout import (
    ARITY,
    CAP,
    FIRST,
    FOLLOWING,
    FREE,
    FRESH,
    JCAP,
    JOURNAL,
    JROWS,
    KEYS,
    KSLOTS,
    LINKED,
    LIVE_ROWS,
    LOW32,
    ORDER,
    REC,
    ROWS,
    SLOTS,
    TAB,
    TOUCHED,
    WIDTH,
)
from tidelog.kernel.memory import compiled, inlined, load, store
from tidelog.kernel.ordered_index import forget_order


@inlined
def hash_cells(address, count):
    """A 32-bit hash of ``count`` consecutive cells."""
    mixed = HASH_SEED
    for i in range(count):
        mixed = mix_cell(mixed, load(address, i))
    return finish_hash(mixed)


@inlined
def same_cells(records, start, key, arity):
    """Whether the columns of a record equal the cells at ``key``."""
    for i in range(arity):
        cell = load(records, start + i)
        if cell != load(key, i):
            return False
    return True


@inlined
def find(directory, rel, key, tag):
    """The row whose columns equal the cells at ``key``, or -1."""
    table, slots = directory[rel, TAB], directory[rel, SLOTS]
    arity, width, records = directory[rel, ARITY], directory[rel, WIDTH], directory[rel, REC]
    place = home(tag, slots)
    while True:
        entry = load(table, place)
        if entry == 0:
            return -1
        if ((entry >> 32) & LOW32) == tag:
            row = (entry & LOW32) - 1
            if same_cells(records, row * width, key, arity):
                return row
        place += 1
        if place == slots:
            place = 0


@inlined
def likely_row(table, slots, tag):
    """The first row with this hash, or -1: nearly always the row that is looked for, without reading records."""
    place = home(tag, slots)
    while True:
        entry = load(table, place)
        if entry == 0:
            return -1
        if ((entry >> 32) & LOW32) == tag:
            return (entry & LOW32) - 1
        place += 1
        if place == slots:
            place = 0


@compiled
def keys_have_room(directory, indexes, rel):
    """Whether one more key of every index fits."""
    index = directory[rel, FIRST]
    while index >= 0:
        if is_full(indexes[index, KEYS], indexes[index, KSLOTS]):
            return False
        index = indexes[index, FOLLOWING]
    return True


@compiled
def has_room(directory, indexes, rel):
    """Whether one more record and journal entry fit; if a freed record is reused, its keys, too."""
    if directory[rel, JROWS] >= directory[rel, JCAP] or is_full(directory[rel, LIVE_ROWS], directory[rel, SLOTS]):
        return False
    if directory[rel, FREE] != 0:
        return keys_have_room(directory, indexes, rel)
    return directory[rel, ROWS] < directory[rel, CAP]


@compiled
def insert(directory, indexes, rel, key, tag):
    """Insert a record with the columns at ``key``; the caller sets its state and counts. Returns its row."""
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    row = directory[rel, FREE] - 1
    used_again = row >= 0
    if used_again:
        directory[rel, FREE] = load(records, row * width + arity + 1)
    else:
        row = directory[rel, ROWS]
        directory[rel, ROWS] = row + 1
    for i in range(arity):
        store(records, row * width + i, load(key, i))
    directory[rel, LIVE_ROWS] += 1
    table, slots = directory[rel, TAB], directory[rel, SLOTS]
    place = home(tag, slots)
    while load(table, place) != 0:
        place += 1
        if place == slots:
            place = 0
    store(table, place, (tag << 32) | (row + 1))
    if used_again:
        index = directory[rel, FIRST]
        while index >= 0:
            if row < indexes[index, LINKED]:
                link(directory, indexes, index, rel, row)
            index = indexes[index, FOLLOWING]
    return row


@compiled
def link_last(directory, indexes, rel, row):
    """Link the record that was inserted last, if all others are linked."""
    index = directory[rel, FIRST]
    while index >= 0:
        if row == indexes[index, LINKED]:
            link(directory, indexes, index, rel, row)
            indexes[index, LINKED] = row + 1
        index = indexes[index, FOLLOWING]


@compiled
def remove(directory, indexes, rel, row):
    """Free a record: remove it from all indexes and the table; its row can be reused."""
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    index = directory[rel, FIRST]
    while index >= 0:
        if row < indexes[index, LINKED]:
            unlink(directory, indexes, index, rel, row)
        index = indexes[index, FOLLOWING]
    tag = hash_cells(records + 8 * row * width, arity)
    table, slots = directory[rel, TAB], directory[rel, SLOTS]
    place = home(tag, slots)
    while (load(table, place) & LOW32) != row + 1:
        place += 1
        if place == slots:
            place = 0
    drop_entry(table, slots, place)
    directory[rel, LIVE_ROWS] -= 1
    store(records, row * width + arity, 0)
    store(records, row * width + arity + 1, directory[rel, FREE])
    directory[rel, FREE] = row + 1


@compiled
def forget_rows(directory, indexes, rel):
    """Let a relation that has become empty begin again at its first row."""
    directory[rel, ROWS] = directory[rel, FREE] = 0
    index = directory[rel, FIRST]
    while index >= 0:
        indexes[index, LINKED] = 0
        if indexes[index, ORDER] != 0:
            forget_order(indexes, index)
        index = indexes[index, FOLLOWING]


@inlined
def touch(directory, rel, row, state, counts):
    """Write a record's state and counts to the journal before they first change in an epoch.

    A relation that was empty before needs no journal: every record is new, and undoing is emptying.
    """
    if directory[rel, FRESH] == 0:
        entry = 3 * directory[rel, JROWS]
        journal = directory[rel, JOURNAL]
        store(journal, entry, row)
        store(journal, entry + 1, state)
        store(journal, entry + 2, counts)
        directory[rel, JROWS] += 1
    return state | TOUCHED
