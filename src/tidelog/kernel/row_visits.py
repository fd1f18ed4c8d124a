"""Visits: the rows that a generator step of a plan reaches one after the other, matched with its bindings.

Law: a visit reads what its key registers hold and changes no relation. Its cursor is a row + 1; 0 is the end.
"""

from __future__ import annotations

from tidelog.kernel.index import first_row
from tidelog.kernel.layout import (
    ARITY,
    BETWEEN,
    CHECK,
    COMPARE,
    ENTERED,
    LINKS,
    LOOKUP,
    LOW32,
    ORDER,
    PASSED,
    PRESENCE,
    REC,
    ROWS,
    S_ACCEPT,
    S_INDEX,
    S_KEYS,
    S_LEN,
    S_NBIND,
    S_NKEY,
    S_OP,
    S_REL,
    SCAN,
    WIDTH,
)
from tidelog.kernel.memory import compiled, inlined, load, load32, prefetch, store
from tidelog.kernel.ordered_index import first_from, highest, is_within, lowest
from tidelog.kernel.relation import find, hash_cells
from tidelog.kernel.scalar import compare


@inlined
def bind(code, at, count, records, start, registers):
    """Match a record with ``count`` bindings (column, mode, register); False if a check fails."""
    for _ in range(count):
        value = load(records, start + code[at])
        register = code[at + 2]
        if code[at + 1] == CHECK:
            if registers[register] != value:
                return False
        else:
            registers[register] = value
        at += 3
    return True


@inlined
def count(counts, place, number):
    """Add to the count at a place of the code."""
    store(counts, place, load(counts, place) + number)


@inlined
def gather_key(code, pc, registers, scratch):
    """Copy the key registers of a step to consecutive cells."""
    for i in range(code[pc + S_NKEY]):
        store(scratch, i, registers[code[pc + S_KEYS + i]])


@inlined
def next_between(directory, indexes, code, pc, registers, scratch, forward, cursor):
    """The row (+ 1) that a visit between bounds reaches after ``cursor``, 0 at its end."""
    index, rel = code[pc + S_INDEX], code[pc + S_REL]
    links, kind, bounds = indexes[index, LINKS], indexes[index, ORDER] - 1, pc + S_KEYS + code[pc + S_NKEY] - 3
    for i in range(code[pc + S_NKEY] - 3):
        store(scratch, i, registers[code[pc + S_KEYS + i]])
    high, is_any = highest(kind, code[bounds + 2], registers[code[bounds + 1]])
    if forward:
        low, may_begin = lowest(kind, code[bounds + 2], registers[code[bounds]])
        if not (is_any and may_begin) or low > high:
            return 0
        cursor = first_from(directory, indexes, index, rel, scratch, low)
    else:
        cursor = load32(links, 4 * (cursor - 1)) & LOW32
    if cursor == 0 or not is_within(directory, indexes, index, rel, scratch, high, cursor):
        return 0
    following = load32(links, 4 * (cursor - 1)) & LOW32
    prefetch(directory[rel, REC], (following - 1) * directory[rel, WIDTH])
    prefetch(links, 2 * (following - 1))
    return cursor


@inlined
def next_row(directory, indexes, code, pc, registers, scratch, forward, cursor):
    """The row (+ 1) that a generator step visits after ``cursor``, 0 at its end."""
    op, rel = code[pc + S_OP], code[pc + S_REL]
    if op == LOOKUP:
        index = code[pc + S_INDEX]
        if forward:
            gather_key(code, pc, registers, scratch)
            cursor = first_row(directory, indexes, index, rel, scratch)
        else:
            cursor = load32(indexes[index, LINKS], 2 * (cursor - 1)) & LOW32
        if cursor != 0:  # the row after it is prefetched while this one is joined
            following = load32(indexes[index, LINKS], 2 * (cursor - 1)) & LOW32
            prefetch(directory[rel, REC], (following - 1) * directory[rel, WIDTH])
            prefetch(indexes[index, LINKS], following - 1)
        return cursor
    if op == SCAN:
        row = 1 if forward else cursor + 1
        return row if row <= directory[rel, ROWS] else 0
    if op == BETWEEN:
        return next_between(directory, indexes, code, pc, registers, scratch, forward, cursor)
    if not forward:
        return 0
    gather_key(code, pc, registers, scratch)
    return find(directory, rel, scratch, hash_cells(scratch, directory[rel, ARITY])) + 1


@inlined
def passes_tests(code, pc, registers, counts):
    """Whether the row that the visit at ``pc`` has bound passes the comparisons behind it; if not, it is counted."""
    at = pc + code[pc + S_LEN]
    while code[at + S_OP] == COMPARE:
        if not compare(code[at + 3], code[at + 4], registers[code[at + 5]], registers[code[at + 6]]):
            count(counts, at + ENTERED, 1)
            count(counts, pc + PASSED, 1)
            passed = pc + code[pc + S_LEN]
            while passed < at:
                count(counts, passed + ENTERED, 1)
                count(counts, passed + PASSED, 1)
                passed += code[passed + S_LEN]
            return False
        at += code[at + S_LEN]
    return True


@compiled
def skip_between(directory, indexes, code, pc, phase, registers, counts, key, cursor):
    """Skip the rows of a visit between bounds that its bindings or the comparisons behind it reject.

    Returns the first row (+ 1) from ``cursor`` on that they admit, 0 if there is none, and how many were skipped.
    """
    index, rel = code[pc + S_INDEX], code[pc + S_REL]
    links, kind, bounds = indexes[index, LINKS], indexes[index, ORDER] - 1, pc + S_KEYS + code[pc + S_NKEY] - 3
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    accept, binds, number = code[pc + S_ACCEPT + phase], bounds + 3, code[pc + S_NBIND]
    high, skipped = highest(kind, code[bounds + 2], registers[code[bounds + 1]])[0], 0
    for i in range(code[pc + S_NKEY] - 3):
        store(key, i, registers[code[pc + S_KEYS + i]])
    while cursor != 0:
        start = (cursor - 1) * width
        following = load32(links, 4 * (cursor - 1)) & LOW32
        prefetch(records, (following - 1) * width)
        prefetch(links, 2 * (following - 1))
        state = load(records, start + arity)
        if (
            (accept >> (state & PRESENCE)) & 1 == 1
            and bind(code, binds, number, records, start, registers)
            and passes_tests(code, pc, registers, counts)
        ):
            break
        skipped += 1
        cursor = following
        if cursor != 0 and not is_within(directory, indexes, index, rel, key, high, cursor):
            cursor = 0
    return cursor, skipped
