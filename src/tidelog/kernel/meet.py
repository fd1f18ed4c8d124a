"""Meets: two atoms that bind the same variables, visited from whichever side has fewer rows.

Law: a meet finds the pairs of rows, one of each atom, that agree on all variables. Its four visits are a list of rows
of the first atom, the one row of the second that agrees with it, and the same with the atoms exchanged. Both ways find
the same pairs, and which one is chosen for given keys depends on the lengths of the lists alone: unless the first one
is very short, both are followed side by side until one of them ends. The cursor of a meet is that of its list, negative
if it is the second.
"""

from __future__ import annotations

from tidelog.kernel.layout import (
    ARITY,
    ENTERED,
    FLAG_BITS,
    PASSED,
    PRESENCE,
    RANK_BASE,
    REC,
    S_ACCEPT,
    S_GEN,
    S_KEYS,
    S_LEN,
    S_NBIND,
    S_NKEY,
    S_REL,
    S_SAME,
    SEEN,
    WIDTH,
)
from tidelog.kernel.memory import compiled, inlined, load
from tidelog.kernel.row_visits import bind, count, next_row

VISITS = 4  # of a meet
SHORT = 4  # rows of the first list that are followed before the second is looked up


@inlined
def behind_meet(code, pc):
    """The step behind a meet and its visits."""
    for _ in range(VISITS + 1):
        pc += code[pc + S_LEN]
    return pc


@inlined
def _accepts(directory, code, pc, phase, registers, ranks, generator, cursor):
    """Whether a visit counts a row (+ 1) and matches it; then its rank is noted."""
    rel = code[pc + S_REL]
    start = (cursor - 1) * directory[rel, WIDTH]
    state = load(directory[rel, REC], start + directory[rel, ARITY])
    if (code[pc + S_ACCEPT + phase] >> (state & PRESENCE)) & 1 == 0:
        return False
    binds = pc + S_KEYS + code[pc + S_NKEY]
    if not bind(code, binds, code[pc + S_NBIND], directory[rel, REC], start, registers):
        return False
    rank = ranks[generator - 1]
    if code[pc + S_SAME] == 1:
        rank = max(rank, (state >> FLAG_BITS) + directory[rel, RANK_BASE])
    ranks[generator] = rank
    return True


@compiled
def meet(directory, indexes, code, pc, phase, registers, scratch, cursors, ranks, counts, forward):
    """Advance a meet to its next pair; whether there is one, and how many rows were visited."""
    generator, visited = code[pc + S_GEN], 0
    first = pc + code[pc + S_LEN]
    then = first + code[first + S_LEN]
    second = then + code[then + S_LEN]
    if forward:
        one = next_row(directory, indexes, code, first, registers, scratch, True, 0)
        cursor, ahead = one, 0
        while one != 0 and ahead < SHORT:
            ahead += 1
            one = next_row(directory, indexes, code, first, registers, scratch, False, one)
        is_first = one == 0
        if not is_first:
            other = next_row(directory, indexes, code, second, registers, scratch, True, 0)
            start, behind = other, 0
            while other != 0 and behind < ahead and one != 0:
                other = next_row(directory, indexes, code, second, registers, scratch, False, other)
                behind += 1
                if behind == ahead and other != 0:
                    ahead += 1
                    one = next_row(directory, indexes, code, first, registers, scratch, False, one)
            is_first = one == 0
            cursor = cursor if is_first else start
            visited += behind
        visited += ahead
        count(counts, (first if is_first else second) + ENTERED, 1)
    else:
        is_first = cursors[generator] > 0
        cursor = abs(cursors[generator])
    here = first if is_first else second
    there = here + code[here + S_LEN]
    if not forward:
        cursor = next_row(directory, indexes, code, here, registers, scratch, False, cursor)
    seen, passed, good = 0, 0, False
    while cursor != 0:
        seen += 1
        if _accepts(directory, code, here, phase, registers, ranks, generator, cursor):
            passed += 1
            row = next_row(directory, indexes, code, there, registers, scratch, True, 0)
            if row != 0 and _accepts(directory, code, there, phase, registers, ranks, generator + 1, row):
                good = True
                break
        cursor = next_row(directory, indexes, code, here, registers, scratch, False, cursor)
    cursors[generator] = cursor if is_first else -cursor
    count(counts, here + SEEN, seen)
    count(counts, here + PASSED, passed)
    count(counts, there + ENTERED, passed)
    count(counts, there + SEEN, passed)
    count(counts, there + PASSED, 1 if good else 0)
    return good, visited + seen + passed
