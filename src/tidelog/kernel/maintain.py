"""Maintenance of tables and indexes: growing, shrinking, and linking pending rows.

Laws. What is found by a key before is found by it after; only places change. An index is read only after it has caught
up: a plan reads an index in the batches that it takes part in, so that indexes that no running plan reads are linked
once, at the end, in one pass.
"""

from __future__ import annotations

from tidelog.kernel.blocks import tail_of
from tidelog.kernel.index import hash_key, home, is_full, link_hashed
from tidelog.kernel.layout import (
    APPLY,
    ARITY,
    ASK_AHEAD,
    ASSERT_SAME,
    BATCH,
    BETWEEN,
    CLEAN_RETRACT,
    COMPUTE,
    DONE,
    EMIT,
    EXPOSE,
    GROW_RELATION,
    KEYS,
    KSLOTS,
    KTAB,
    LINKED,
    LINKS,
    LIVE,
    LOOKUP,
    LOW32,
    NEED,
    NEGATE,
    ONE,
    ORDER,
    OWN_READ,
    P_BINDS,
    P_IDLE,
    P_NBIND,
    P_TAIL,
    PHASE,
    PRESENCE,
    REC,
    REL,
    RETRACT_SAME,
    ROWS,
    S_ACCEPT,
    S_INDEX,
    S_LEN,
    S_OP,
    S_REL,
    S_SAME,
    SCAN,
    SLICE,
    SLOTS,
    VISIBLE,
    WIDTH,
)
from tidelog.kernel.memory import compiled, inlined, load, load32, prefetch, store, store32
from tidelog.kernel.ordered_index import catch_up_ordered, is_behind

CAUGHT = 1 << 17  # rows linked in one call of the kernel (D19)
ASK_FROM = 1 << 13  # slots of a table that the nearest caches do not hold
FEW = 64  # rows that a test of whether there are any may look at
NEAR, FAR = 8, 16  # rows between prefetching the first row of a key, or the key, and using it


@compiled
def put(table, slots, entry):
    """Enter an entry into a table that has room."""
    place = home((entry >> 32) & LOW32, slots)
    while load(table, place) != 0:
        place += 1
        if place == slots:
            place = 0
    store(table, place, entry)


@compiled
def move_entries(old, old_slots, new, new_slots):
    """Copy the entries of one table into another, which is empty."""
    for place in range(old_slots):
        entry = load(old, place)
        if entry != 0:
            put(new, new_slots, entry)


@compiled
def spread(table, more, spill, place, low, first, limit):
    """Move entries of a table that grew to ``more`` slots, from ``place`` down to ``low``, to their new places.

    Homes only rise, so that the entries after an entry have already moved. Entries that would land before others that
    have not moved yet, or outside the places from ``first`` to ``limit``, are spilled, to be placed later. The first
    cell of ``spill`` is their number. Returns the place reached (below ``low``: done); stops when ``spill`` is full.
    """
    while place >= low:
        entry = load(table, place)
        if entry != 0:
            if spill[0] + 1 >= len(spill):
                return place
            store(table, place, 0)
            to = home((entry >> 32) & LOW32, more)
            if to < place or to < first:
                to = limit
            while to < limit and load(table, to) != 0:
                to += 1
            if to < limit:
                store(table, to, entry)
            else:
                spill[0] += 1
                spill[spill[0]] = entry
        place -= 1
    return place


@compiled
def gather(table, fewer, spill, place, high, first, limit):
    """Move entries of a table that is to shrink to ``fewer`` slots, from ``place`` up to ``high``, to their new places.

    Like `spread`, the other way round; the place reached is ``high`` when it is done.
    """
    while place < high:
        entry = load(table, place)
        if entry != 0:
            if spill[0] + 1 >= len(spill):
                return place
            store(table, place, 0)
            to = home((entry >> 32) & LOW32, fewer)
            if to > place or to < first:
                to = limit
            while to < limit and load(table, to) != 0:
                to += 1
            if to < limit:
                store(table, to, entry)
            else:
                spill[0] += 1
                spill[spill[0]] = entry
        place += 1
    return place


@compiled
def put_all(table, slots, entries, first, end):
    """Enter entries into a table that has room."""
    for i in range(first, end):
        put(table, slots, entries[i])


@compiled
def catch_up(directory, indexes, index):
    """Link pending rows: DONE when none is left, SLICE when there are more, GROW_RELATION if the table is full.

    Until a row is linked, its link holds the hash of its key. For an ordered index GROW_RELATION means sorting.
    """
    if indexes[index, ORDER] != 0:
        return catch_up_ordered(directory, indexes, index)
    rel = indexes[index, REL]
    width, arity, records = directory[rel, WIDTH], directory[rel, ARITY], directory[rel, REC]
    table, slots, links = indexes[index, KTAB], indexes[index, KSLOTS], indexes[index, LINKS]
    row, rows = indexes[index, LINKED], directory[rel, ROWS]
    end = min(rows, row + CAUGHT)
    for ahead in range(row, min(end, row + FAR)):
        store32(links, 2 * ahead, hash_key(indexes, index, records + 8 * ahead * width))
    while row < end:
        if is_full(indexes[index, KEYS], slots):
            indexes[index, LINKED] = row
            return GROW_RELATION
        if row + FAR < end:
            tag = hash_key(indexes, index, records + 8 * (row + FAR) * width)
            store32(links, 2 * (row + FAR), tag)
            prefetch(table, home(tag, slots))
            tag = load32(links, 2 * (row + NEAR)) & LOW32
            entry = load(table, home(tag, slots))
            if (entry >> 32) & LOW32 == tag:
                prefetch(records, ((entry & LOW32) - 1) * width)
                prefetch(links, (entry & LOW32) - 1)
        if load(records, row * width + arity) & LIVE != 0:
            link_hashed(directory, indexes, index, rel, row, load32(links, 2 * row) & LOW32)
        row += 1
    indexes[index, LINKED] = row
    return DONE if row == rows else SLICE


@inlined
def may_match(directory, code, pc, phase, most):
    """Whether a visit may find a fact that it accepts in this phase; True if ``most`` rows do not decide it.

    In the phases of the own stratum a fact may be one of the batch that is about to be marked (`kernel.batches`).
    """
    rel, accept = code[pc + S_REL], code[pc + S_ACCEPT + phase]
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    rows = directory[rel, ROWS]
    marked = code[pc + S_SAME] == 1 and phase in (RETRACT_SAME, ASSERT_SAME, CLEAN_RETRACT)
    for row in range(min(rows, most)):
        state = load(records, row * width + arity)
        flags = state & PRESENCE
        seen = accept >> flags
        if marked and state & LIVE != 0:
            seen |= (accept >> ((flags & ~VISIBLE) | BATCH)) | (accept >> (flags | VISIBLE))
        if seen & 1 == 1:
            return True
    return rows > most


@compiled
def is_idle(directory, code, plan, phase, items):
    """1 if a plan finds nothing, whatever triggers it: a fact that it visits before it computes anything is missing.

    Steps after a computation are not examined, so that errors are still raised. The check costs no more than the items
    of the batch would.
    """
    pc = plan + P_BINDS + 3 * code[plan + P_NBIND]
    while True:
        op = code[pc + S_OP]
        if op <= SCAN:
            if not may_match(directory, code, pc, phase, max(items, FEW)):
                return 1
        elif op in (COMPUTE, APPLY, EXPOSE, EMIT):
            return 0
        pc += code[pc + S_LEN]


@inlined
def is_far(directory, indexes, code, pc):
    """Whether a step looks for keys in a large table."""
    op = code[pc + S_OP]
    if op == LOOKUP:
        return indexes[code[pc + S_INDEX], KSLOTS] >= ASK_FROM
    return op in (ONE, NEGATE) and directory[code[pc + S_REL], SLOTS] >= ASK_FROM


@inlined
def is_waited_for(directory, indexes, index):
    """Whether an index has pending rows."""
    if indexes[index, ORDER] != 0:
        return is_behind(directory, indexes, index)
    return indexes[index, LINKED] < directory[indexes[index, REL], ROWS]


@compiled
def make_readable(directory, indexes, machine, code, plans, items):
    """Let all indexes catch up that some plans read, and note the plans that find nothing for a batch of ``items``.

    Notes whether one reads its own stratum besides its trigger, whether a first look-up is worth prefetching, and which
    of their steps are carried out in blocks.
    """
    own, ahead = 0, 0
    for i in range(len(plans)):
        idle = is_idle(directory, code, plans[i], machine[PHASE], items)
        code[plans[i] + P_IDLE] = idle
        pc = plans[i] + P_BINDS + 3 * code[plans[i] + P_NBIND]
        if is_far(directory, indexes, code, pc + code[pc + S_LEN] if code[pc + S_OP] == SCAN else pc):
            ahead = 1
        while code[pc + S_OP] != EMIT:
            op = code[pc + S_OP]
            if op == EXPOSE or (op <= SCAN and code[pc + S_SAME] == 1):
                own = 1
            if op in (LOOKUP, BETWEEN) and idle == 0:
                index = code[pc + S_INDEX]
                if is_waited_for(directory, indexes, index):
                    status = catch_up(directory, indexes, index)
                    if status != DONE:
                        machine[NEED] = indexes[index, REL]
                        return status
            pc += code[pc + S_LEN]
    for i in range(len(plans)):
        code[plans[i] + P_TAIL] = tail_of(directory, indexes, code, plans[i], items)
    machine[OWN_READ], machine[ASK_AHEAD] = own, ahead
    return DONE
