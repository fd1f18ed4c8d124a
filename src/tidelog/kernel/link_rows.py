"""Rows are linked in indexes by several threads at once, before a batch whose plans read the indexes.

Laws. The pending rows of an index are claimed a range at a time; a thread that claims a range links it to its end, so
that at a stop all rows below the next claim are linked. Rows of an index are linked between two batches; a record that
was free meanwhile, and that its index has passed, is linked by the thread that fills it (`kernel.shared_support`). A
table has room for a range and a handful of every thread whenever a range is claimed.
"""

from __future__ import annotations

from tidelog.kernel.atomic import observe, publish, swap
from tidelog.kernel.blocks import tail_of
from tidelog.kernel.claim import (
    END_OF_BATCH,
    FIRING,
    GRAIN,
    HANDFUL,
    INDEX,
    LEAST,
    LIMIT,
    LINKING,
    LOCK,
    NEXT,
    START,
    STEP,
    STOP,
    THREADS,
    lock,
    machine_of,
    unlock,
)
from tidelog.kernel.index import hash_key, home, is_full, same_key
from tidelog.kernel.layout import (
    ARITY,
    ASK_AHEAD,
    BETWEEN,
    BUDGET,
    DONE,
    EMIT,
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
    ORDER,
    P_BINDS,
    P_IDLE,
    P_NBIND,
    P_TAIL,
    PHASE,
    REC,
    REL,
    ROWS,
    S_INDEX,
    S_LEN,
    S_OP,
    SLICE,
    WIDTH,
)
from tidelog.kernel.maintain import ASK_FROM, FAR, NEAR, catch_up, is_idle, is_waited_for
from tidelog.kernel.memory import compiled, inlined, load, load32, prefetch, store, store32
from tidelog.kernel.ordered_index import let_wait, put_rows

MOST_GRAIN = 512


@compiled
def offer(team, first, limit):
    """Offer items, places of the queue or rows to be claimed."""
    publish(team, NEXT, first)
    store(team, LIMIT, limit)
    store(team, GRAIN, max(1, min(MOST_GRAIN, (limit - first) // (16 * load(team, THREADS)))))


@inlined
def link_tagged(directory, indexes, index, rel, row, tag):
    """Put a row at the front of the chain of its key, whose hash is known, while others do the same."""
    records, width = directory[rel, REC], directory[rel, WIDTH]
    start = records + 8 * row * width
    table, slots, links = indexes[index, KTAB], indexes[index, KSLOTS], indexes[index, LINKS]
    place, mine = home(tag, slots), (tag << 32) | (row + 1)
    store32(links, 2 * row + 1, 0)
    while True:
        entry = observe(table, place)
        if entry == 0:
            store32(links, 2 * row, 0)
            if swap(table, place, 0, mine):
                indexes[index, KEYS] += 1
                return
        elif ((entry >> 32) & LOW32) == tag and same_key(
            indexes, index, start, records + 8 * ((entry & LOW32) - 1) * width
        ):
            store32(links, 2 * row, entry & LOW32)
            if swap(table, place, entry, mine):
                store32(links, 2 * ((entry & LOW32) - 1) + 1, row + 1)
                return
        else:
            place += 1
            if place == slots:
                place = 0


@compiled
def link_shared(directory, indexes, index, rel, row):
    """Put a row at the front of the chain of its key, while others do the same; in an ordered index it waits."""
    if indexes[index, ORDER] != 0:
        let_wait(indexes, index, row)
        return
    start = directory[rel, REC] + 8 * row * directory[rel, WIDTH]
    link_tagged(directory, indexes, index, rel, row, hash_key(indexes, index, start))


@compiled
def link_range(directory, indexes, index, row, end):
    """Link the rows of a range, as `maintain.catch_up` does."""
    rel = indexes[index, REL]
    width, arity, records = directory[rel, WIDTH], directory[rel, ARITY], directory[rel, REC]
    table, slots, links = indexes[index, KTAB], indexes[index, KSLOTS], indexes[index, LINKS]
    for ahead in range(row, min(end, row + FAR)):
        store32(links, 2 * ahead, hash_key(indexes, index, records + 8 * ahead * width))
    while row < end:
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
            link_tagged(directory, indexes, index, rel, row, load32(links, 2 * row) & LOW32)
        row += 1


@compiled
def link_rows(team, directory, indexes, my_indexes, machine):
    """The part of a thread in linking pending rows: DONE when all are claimed, or why it must stop."""
    index, limit = load(team, INDEX), load(team, LIMIT)
    while True:
        if machine[BUDGET] <= 0 or observe(team, STOP) != 0:
            return SLICE
        lock(team, LOCK)
        indexes[index, KEYS] += my_indexes[index, KEYS]
        my_indexes[index, KEYS] = 0
        first, grain = load(team, NEXT), load(team, GRAIN)
        most = load(team, THREADS) * (grain + load(team, HANDFUL))
        room = not is_full(indexes[index, KEYS] + most, indexes[index, KSLOTS])
        if room and first < limit:
            store(team, NEXT, first + grain)
        unlock(team, LOCK)
        if first >= limit:
            return DONE
        if not room:
            machine[NEED] = indexes[index, REL]
            return GROW_RELATION
        last = min(first + grain, limit)
        link_range(directory, my_indexes, index, first, last)
        machine[BUDGET] -= last - first


@compiled
def see_linked(indexes, my_indexes):
    """Update a share with which rows are linked."""
    for index in range(len(indexes)):
        my_indexes[index, LINKED] = indexes[index, LINKED]


@compiled
def links_alone(team, directory, indexes, index):
    """Link pending rows if they are few, and there is room for them and for a handful of every thread.

    Those of an ordered index are inserted by one thread, however many they are.
    """
    if indexes[index, ORDER] != 0:
        while put_rows(directory, indexes, index) != DONE:
            pass
        return True
    waiting = directory[indexes[index, REL], ROWS] - indexes[index, LINKED]
    most = waiting + load(team, THREADS) * load(team, HANDFUL)
    if 4 * waiting >= load(team, LEAST) or is_full(indexes[index, KEYS] + most, indexes[index, KSLOTS]):
        return False
    return catch_up(directory, indexes, index) == DONE


@compiled
def next_index(team, directory, indexes, code, plans):
    """An index with pending rows that some plans read, -1 if there is none; a few rows are linked at once."""
    for i in range(len(plans)):
        pc = plans[i] + P_BINDS + 3 * code[plans[i] + P_NBIND]
        while code[plans[i] + P_IDLE] == 0 and code[pc + S_OP] != EMIT:
            if code[pc + S_OP] in (LOOKUP, BETWEEN):
                index = code[pc + S_INDEX]
                if is_waited_for(directory, indexes, index) and not links_alone(team, directory, indexes, index):
                    return index
            pc += code[pc + S_LEN]
    return -1


@compiled
def asks_ahead(indexes, code, plans):
    """1 if the first look-up of a plan is worth prefetching (as in `maintain.make_readable`), else 0."""
    for i in range(len(plans)):
        pc = plans[i] + P_BINDS + 3 * code[plans[i] + P_NBIND]
        if code[pc + S_OP] == LOOKUP and indexes[code[pc + S_INDEX], KSLOTS] >= ASK_FROM:
            return 1
    return 0


@compiled
def make_readable_shared(team, directory, indexes, code, plans):
    """Before a batch, choose the next step: link pending rows of an index, if there are any, otherwise fire the batch.

    As in `maintain.make_readable`, plans that find nothing are noted, and their indexes are left alone.
    """
    phase, items = load(machine_of(team, 0), PHASE), load(team, END_OF_BATCH) - load(team, START)
    for i in range(len(plans)):
        code[plans[i] + P_IDLE] = is_idle(directory, code, plans[i], phase, items)
    index = next_index(team, directory, indexes, code, plans)
    store(team, INDEX, index)
    if index >= 0:
        store(team, STEP, LINKING)
        offer(team, indexes[index, LINKED], directory[indexes[index, REL], ROWS])
        return
    for i in range(len(plans)):
        code[plans[i] + P_TAIL] = tail_of(directory, indexes, code, plans[i], items)
    ahead = asks_ahead(indexes, code, plans)
    for number in range(load(team, THREADS)):
        store(machine_of(team, number), ASK_AHEAD, ahead)
    store(team, STEP, FIRING)
    offer(team, load(team, START), load(team, END_OF_BATCH))
