"""Shares: the free records, journal entries and places of the queue that a thread may fill without synchronization.

Laws. A claim takes a handful of free records (or entries, or places) out of the whole for one thread, under the team's
lock. Every thread holds at most one handful of each kind and relation, so that a table with room for one handful per
thread has room whatever happens. `settle` returns what was not used: free records go to the free list, and the last
entries move into gaps, so that afterwards the whole is as if one thread had done the work. Outside of a run all shares
are empty.
"""

from __future__ import annotations

from tidelog.kernel.atomic import give_way, publish, sleep, swap
from tidelog.kernel.index import is_full
from tidelog.kernel.layout import (
    ARITY,
    CAP,
    CLOCK,
    CLOCK_BITS,
    CLOCKS,
    DIRECTORY_FIELDS,
    FACTS,
    FIRST,
    FOLLOWING,
    FREE,
    INDEX_FIELDS,
    JCAP,
    JOURNAL,
    JROWS,
    KEYS,
    KSLOTS,
    LINKED,
    LIVE_ROWS,
    QCAP,
    QTAIL,
    QUEUE,
    REC,
    ROWS,
    SLOTS,
    SUSPENDED,
    VISITED,
    WIDTH,
)
from tidelog.kernel.memory import compiled, load, store

# Cells of a team; those that threads wait for are in separate cache lines.
LOCK, STOP, GENERATION, NEXT = 0, 8, 16, 24
(
    THREADS,
    HANDFUL,  # how many records, entries or places a claim takes
    CLOSED,  # why the run is over; 0: it is not
    ACTIVE,  # threads that have joined, and those of them that wait for the others
    WAITING,
    KIND,  # what is run: ONCE, QUEUE_OF_BATCHES or ONLY_LINKS
    STEP,  # FIRING, MARKING or LINKING
    LIMIT,  # claims of items: one past the last, and how many a claim takes
    GRAIN,
    BEGIN,  # the batch that is fired, and the first item of it that the team fires
    START,
    END_OF_BATCH,
    TAIL,  # one past the last item of the queue, and its capacity
    TAILCAP,
    LEAST,  # rows that a batch must be expected to visit for the team to continue, and rows visited per item so far
    RATE,
    VISITED_BEFORE,
    INDEX,  # the index whose rows are linked
) = range(32, 50)
FIRING, MARKING, LINKING = range(3)
MEMBERS = 56  # for each thread: address of its machine, whether it has joined, two cells of scratch
M_MACHINE, M_JOINED, M_GAP = 0, 1, 2
MEMBER_CELLS = 4
SPINS, PATIENCE = 200, 300  # reads of a cell before the processor is yielded to another thread, and before a nap
NAP = 20  # microseconds
HUGE_PAGE_BITS = 21


@compiled
def wait_a_little(spins):
    """Wait between two reads of a cell that another thread is to change; returns the number of reads so far."""
    if spins >= PATIENCE:
        sleep(NAP)
    elif spins >= SPINS:
        give_way()
    return spins + 1


@compiled
def lock(address, index):
    """Wait until no other thread holds the lock in a cell, and acquire it."""
    spins = 0
    while not swap(address, index, 0, 1):
        spins = wait_a_little(spins)


@compiled
def unlock(address, index):
    """Release the lock."""
    publish(address, index, 0)


@compiled
def machine_of(team, number):
    """The address of a thread's machine."""
    return load(team, MEMBERS + MEMBER_CELLS * number + M_MACHINE)


@compiled
def open_share(directory, indexes, mine, my_indexes):
    """Open a share that knows all addresses, and holds nothing yet."""
    for rel in range(len(mine)):
        for field in range(DIRECTORY_FIELDS):
            mine[rel, field] = directory[rel, field]
        mine[rel, CAP] = mine[rel, ROWS] = mine[rel, FREE] = mine[rel, LIVE_ROWS] = 0
        mine[rel, JCAP] = mine[rel, JROWS] = 0
    for index in range(len(my_indexes)):
        for field in range(INDEX_FIELDS):
            my_indexes[index, field] = indexes[index, field]
        my_indexes[index, KEYS] = 0


@compiled
def tables_have_room(team, directory, indexes, rel):
    """Whether the table of a relation and those of its indexes have room for a handful of every thread."""
    most = load(team, THREADS) * load(team, HANDFUL)
    if is_full(directory[rel, LIVE_ROWS] + most, directory[rel, SLOTS]):
        return False
    index = directory[rel, FIRST]
    while index >= 0:
        if is_full(indexes[index, KEYS] + most, indexes[index, KSLOTS]):
            return False
        index = indexes[index, FOLLOWING]
    return True


@compiled
def take_free(directory, mine, rel, handful):
    """Move the first free records to a share, whose free list is empty; False if there are none."""
    if directory[rel, FREE] == 0:
        return False
    records, width, counts = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY] + 1
    last = mine[rel, FREE] = directory[rel, FREE]
    for _ in range(handful - 1):
        following = load(records, (last - 1) * width + counts)
        if following == 0:
            break
        last = following
    directory[rel, FREE] = load(records, (last - 1) * width + counts)
    store(records, (last - 1) * width + counts, 0)
    return True


@compiled
def take_unused(directory, mine, rel, handful):
    """Move records that were never used to a share; False if there are none."""
    first = directory[rel, ROWS]
    last = min(first + handful, directory[rel, CAP])
    if first >= last:
        return False
    for row in range(first, last):
        store(directory[rel, REC], row * directory[rel, WIDTH] + directory[rel, ARITY], 0)
    directory[rel, ROWS] = mine[rel, CAP] = last
    mine[rel, ROWS] = first
    return True


@compiled
def touch_ahead(directory, mine, rel):
    """Make the system clear the page after the next, if a handful has reached a new one.

    Its content is written back unchanged, without the lock: clearing takes longer than many claims, which continue
    meanwhile.
    """
    width, records = directory[rel, WIDTH], directory[rel, REC]
    first, last = records + 8 * width * mine[rel, ROWS], records + 8 * width * mine[rel, CAP]
    if first >> HUGE_PAGE_BITS != last >> HUGE_PAGE_BITS:
        ahead = mine[rel, CAP] + (1 << HUGE_PAGE_BITS) // (8 * width)
        if ahead < directory[rel, CAP]:
            swap(records, ahead * width, 0, 0)


@compiled
def count_in(directory, indexes, mine, my_indexes, rel, own, keys):
    """Add the records and keys that a share has filled to the whole; it begins at the places ``own`` and ``keys``."""
    directory[rel, LIVE_ROWS] += mine[own + rel, LIVE_ROWS]
    mine[own + rel, LIVE_ROWS] = 0
    index = directory[rel, FIRST]
    while index >= 0:
        indexes[index, KEYS] += my_indexes[keys + index, KEYS]
        my_indexes[keys + index, KEYS] = 0
        index = indexes[index, FOLLOWING]


@compiled
def claim_records(team, directory, indexes, mine, my_indexes, rel):
    """Claim a handful of free records; False if something must grow first."""
    lock(team, LOCK)
    count_in(directory, indexes, mine, my_indexes, rel, 0, 0)
    handful = load(team, HANDFUL)
    good = tables_have_room(team, directory, indexes, rel)
    good = good and (take_free(directory, mine, rel, handful) or take_unused(directory, mine, rel, handful))
    unlock(team, LOCK)
    touch_ahead(directory, mine, rel)
    return good


@compiled
def claim_journal(team, directory, mine, rel):
    """Claim a handful of journal entries; False if the journal must grow first."""
    lock(team, LOCK)
    first, last = directory[rel, JROWS], directory[rel, JROWS] + load(team, HANDFUL)
    good = last <= directory[rel, JCAP]
    if good:
        directory[rel, JROWS] = mine[rel, JCAP] = last
        mine[rel, JROWS] = first
    unlock(team, LOCK)
    return good


@compiled
def claim_queue(team, machine):
    """Claim a handful of places at the end of the queue; False if it must grow first."""
    lock(team, LOCK)
    first, last = load(team, TAIL), load(team, TAIL) + load(team, HANDFUL)
    good = last <= load(team, TAILCAP)
    if good:
        store(team, TAIL, last)
        machine[QTAIL], machine[QCAP] = first, last
    unlock(team, LOCK)
    return good


@compiled
def close_gaps(team, cells, width, tail):
    """Move the last entries into the gaps that the threads have noted in the team's scratch; returns the new end."""
    threads = load(team, THREADS)
    while True:
        best, start, end = -1, -1, 0
        for number in range(threads):
            gap = MEMBERS + MEMBER_CELLS * number + M_GAP
            if load(team, gap) < load(team, gap + 1) and load(team, gap) > start:
                best, start, end = gap, load(team, gap), load(team, gap + 1)
        if best < 0:
            return tail
        store(team, best + 1, start)
        moved = min(end - start, tail - end)
        for i in range(moved * width):
            store(cells, start * width + i, load(cells, (tail - moved) * width + i))
        tail -= end - start


@compiled
def note_gap(team, number, start, end):
    """Note the entries that a thread has claimed and not filled."""
    gap = MEMBERS + MEMBER_CELLS * number + M_GAP
    store(team, gap, start)
    store(team, gap + 1, end)


@compiled
def settle_queue(team):
    """Close the gaps of the queue; every clock is above all assigned ranks."""
    clock = 0
    for number in range(load(team, THREADS)):
        machine = machine_of(team, number)
        note_gap(team, number, load(machine, QTAIL), load(machine, QCAP))
        store(machine, QTAIL, 0)
        store(machine, QCAP, 0)
        other = load(machine, CLOCK)
        clock = ((max(clock, other) >> CLOCK_BITS) << CLOCK_BITS) | max(clock & CLOCKS, other & CLOCKS)
    for number in range(load(team, THREADS)):
        store(machine_of(team, number), CLOCK, clock)
    store(team, TAIL, close_gaps(team, load(machine_of(team, 0), QUEUE), 1, load(team, TAIL)))


@compiled
def give_back(directory, mine, rel, own):
    """Return records that a share did not use to the free list of all."""
    records, width, counts = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY] + 1
    if mine[own, CAP] == directory[rel, ROWS]:
        directory[rel, ROWS] = mine[own, CAP] = mine[own, ROWS]
    for row in range(mine[own, CAP] - 1, mine[own, ROWS] - 1, -1):
        store(records, row * width + counts, directory[rel, FREE])
        directory[rel, FREE] = row + 1
    first = last = mine[own, FREE]
    if first != 0:
        following = load(records, (last - 1) * width + counts)
        while following != 0:
            last = following
            following = load(records, (last - 1) * width + counts)
        store(records, (last - 1) * width + counts, directory[rel, FREE])
        directory[rel, FREE] = first
    mine[own, CAP] = mine[own, ROWS] = mine[own, FREE] = 0


@compiled
def forget_unused(directory, indexes, rel):
    """Reset indexes that have passed rows beyond the last one: a record that fills such a row must be linked."""
    index = directory[rel, FIRST]
    while index >= 0:
        indexes[index, LINKED] = min(indexes[index, LINKED], directory[rel, ROWS])
        index = indexes[index, FOLLOWING]


@compiled
def settle(team, directory, indexes, shares, index_shares):
    """Leave everything as if one thread had done the work; the machine of thread 0 has the numbers of all.

    The shares of all threads follow each other.
    """
    threads, relations, keys = load(team, THREADS), len(directory), len(indexes)
    if load(team, STEP) == LINKING and load(team, INDEX) >= 0:
        indexes[load(team, INDEX), LINKED] = min(load(team, NEXT), load(team, LIMIT))
    for rel in range(relations):
        if directory[rel, WIDTH] == 0:
            continue  # no relation has this number
        for number in range(threads):
            count_in(directory, indexes, shares, index_shares, rel, number * relations, number * keys)
            own = number * relations + rel
            if shares[own, CAP] != 0 or shares[own, FREE] != 0:
                give_back(directory, shares, rel, own)
            note_gap(team, number, shares[own, JROWS], shares[own, JCAP])
            shares[own, JROWS] = shares[own, JCAP] = 0
        forget_unused(directory, indexes, rel)
        directory[rel, JROWS] = close_gaps(team, directory[rel, JOURNAL], 3, directory[rel, JROWS])
    settle_queue(team)
    whole = machine_of(team, 0)
    store(whole, QTAIL, load(team, TAIL))
    store(whole, QCAP, load(team, TAILCAP))
    for number in range(1, threads):
        machine = machine_of(team, number)
        for field in (FACTS, SUSPENDED, VISITED):
            store(whole, field, load(whole, field) + load(machine, field))
            store(machine, field, 0)
