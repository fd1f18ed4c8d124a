"""Ranked support, counted by several threads at once: what `kernel.support` does, step by step atomic.

Laws. A fact has one record: the thread that wins its place in the table has made it, later threads find it. The
columns, state and counts of a record are written before its place is taken. A count changes only after the record is
TOUCHED, and the one thread that sets that flag writes the journal: what it read before is the state after the previous
epoch. The one thread that sets NEW, or removes the last support of lower rank, puts the fact on its queue. Any order
leads to the same facts and ``all``; facts that become present in one batch may share a rank, which is above the rank of
a body.

A thread works on a *share*: a copy of the directory and of the indexes in which free records, journal entries and
counters are its own (`kernel.claim`). There is room in the share; tables have room for all threads.
"""

from __future__ import annotations

from tidelog.kernel.atomic import fetch_add, observe, swap
from tidelog.kernel.index import home
from tidelog.kernel.layout import (
    ARITY,
    FACTS,
    FIRST,
    FLAG_BITS,
    FLAGS,
    FOLLOWING,
    FREE,
    LINKED,
    LIVE,
    LIVE_ROWS,
    LOW32,
    NEW,
    OLD,
    ONE_SUPPORT,
    RANK_BASE,
    REC,
    ROWS,
    SHOWN,
    SLOTS,
    SUSPENDED,
    TAB,
    TOUCHED,
    WIDTH,
)
from tidelog.kernel.link_rows import link_shared
from tidelog.kernel.memory import compiled, inlined, load, store
from tidelog.kernel.relation import find, same_cells, touch
from tidelog.kernel.support import fresh_rank, push


@inlined
def prepare_row(directory, machine, rel, key, body_rank, extra):
    """Write a new fact into the next free record of the share, which keeps it until its place in the table is taken."""
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    row = directory[rel, FREE] - 1 if directory[rel, FREE] != 0 else directory[rel, ROWS]
    at = row * width
    following = load(records, at + arity + 1)
    for i in range(arity):
        store(records, at + i, load(key, i))
    rank = fresh_rank(directory, machine, rel, body_rank)
    store(records, at + arity, (rank << FLAG_BITS) | TOUCHED | LIVE | NEW | machine[SHOWN] | extra)
    store(records, at + arity + 1, ONE_SUPPORT | 1)
    return row, following


@inlined
def take_row(directory, indexes, machine, rel, row, following):
    """Take the prepared record, which has its place, off the free list, and enter it into journal and queue.

    An index that has passed its row links it now.
    """
    if directory[rel, FREE] != 0:
        directory[rel, FREE] = following
    else:
        directory[rel, ROWS] = row + 1
    directory[rel, LIVE_ROWS] += 1
    touch(directory, rel, row, 0, 0)
    index = directory[rel, FIRST]
    while index >= 0:
        if row < indexes[index, LINKED]:
            link_shared(directory, indexes, index, rel, row)
        index = indexes[index, FOLLOWING]
    machine[FACTS] += 1
    push(directory, machine, rel, row)


@inlined
def leave_row(directory, rel, row, following):
    """Free the prepared record again: another thread made the same fact first."""
    at = row * directory[rel, WIDTH] + directory[rel, ARITY]
    store(directory[rel, REC], at, 0)
    store(directory[rel, REC], at + 1, following)


@inlined
def find_or_make(directory, indexes, machine, rel, key, tag, body_rank, extra):
    """The row of a fact, or -1 when this thread has made it, with one support."""
    table, slots, records = directory[rel, TAB], directory[rel, SLOTS], directory[rel, REC]
    arity, width = directory[rel, ARITY], directory[rel, WIDTH]
    place, row, following = home(tag, slots), -1, 0
    while True:
        entry = observe(table, place)
        if entry == 0:
            if row < 0:
                row, following = prepare_row(directory, machine, rel, key, body_rank, extra)
            if swap(table, place, 0, (tag << 32) | (row + 1)):
                take_row(directory, indexes, machine, rel, row, following)
                return -1
            continue
        if ((entry >> 32) & LOW32) == tag and same_cells(records, ((entry & LOW32) - 1) * width, key, arity):
            if row >= 0:
                leave_row(directory, rel, row, following)
            return (entry & LOW32) - 1
        place += 1
        if place == slots:
            place = 0


@compiled
def gain_shared(directory, indexes, machine, rel, key, tag, body_rank, extra):
    """Count a gained support. With ``extra`` flags it is the assertion, of which a fact has one."""
    row = find_or_make(directory, indexes, machine, rel, key, tag, body_rank, extra)
    if row < 0:
        return
    records, at = directory[rel, REC], row * directory[rel, WIDTH] + directory[rel, ARITY]
    while True:
        state = observe(records, at)
        counts = load(records, at + 1)
        if state & extra != 0:
            return
        wanted = state | TOUCHED | extra
        if state & NEW == 0:
            rank = fresh_rank(directory, machine, rel, body_rank)
            wanted = (rank << FLAG_BITS) | (wanted & FLAGS) | NEW | machine[SHOWN]
        if wanted == state:
            break
        if swap(records, at, state, wanted):
            if state & TOUCHED == 0:
                touch(directory, rel, row, state, counts)
            if state & NEW == 0:
                machine[FACTS] += 1 - (state & OLD)  # as in `support.gain`
                push(directory, machine, rel, row)
            break
    lower = body_rank < (wanted >> FLAG_BITS) + directory[rel, RANK_BASE]
    fetch_add(records, at + 1, ONE_SUPPORT + 1 if lower else ONE_SUPPORT)


@compiled
def lose_shared(directory, machine, rel, key, tag, body_rank, gone):
    """Count a lost support; with ``gone`` flags it is the assertion, if there is one. False: counts do not balance."""
    row = find(directory, rel, key, tag)
    if row < 0:
        return gone != 0
    records, at = directory[rel, REC], row * directory[rel, WIDTH] + directory[rel, ARITY]
    while True:
        state = observe(records, at)
        counts = load(records, at + 1)
        if state & gone != gone:
            return True
        wanted = (state | TOUCHED) & ~gone
        if wanted == state:
            break
        if swap(records, at, state, wanted):
            if state & TOUCHED == 0:
                touch(directory, rel, row, state, counts)
            break
    less = 1 if body_rank < (state >> FLAG_BITS) + directory[rel, RANK_BASE] else 0
    before = fetch_add(records, at + 1, -(ONE_SUPPORT + less))
    if before >> 32 <= 0 or before & LOW32 < less:
        return False
    if less == 1 and before & LOW32 == 1:
        suspend(directory, machine, rel, row)
    return True


@compiled
def suspend(directory, machine, rel, row):
    """Suspend a fact that lost its last support of lower rank, unless it is already absent, and put it on the queue."""
    records, at = directory[rel, REC], row * directory[rel, WIDTH] + directory[rel, ARITY]
    while True:
        state = observe(records, at)
        if state & NEW == 0:
            return
        if swap(records, at, state, state ^ NEW):
            machine[SUSPENDED] += 1
            push(directory, machine, rel, row)
            return
