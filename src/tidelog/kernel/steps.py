"""The steps of a team: joining in, waiting for the others, and what comes next.

Law: between two steps all wait for all, and the last one to arrive decides what comes next: rows of indexes that the
next batch reads are linked, a batch is fired, its facts are marked. A run is closed when nothing is left, when the rest
is too small to be shared, or when there were too many batches.
"""

from __future__ import annotations

from tidelog.kernel.atomic import observe, publish
from tidelog.kernel.batches import FIRED
from tidelog.kernel.claim import (
    ACTIVE,
    BEGIN,
    CLOSED,
    END_OF_BATCH,
    FIRING,
    GENERATION,
    INDEX,
    KIND,
    LEAST,
    LIMIT,
    LINKING,
    LOCK,
    M_JOINED,
    MARKING,
    MEMBER_CELLS,
    MEMBERS,
    RATE,
    START,
    STEP,
    STOP,
    TAIL,
    THREADS,
    VISITED_BEFORE,
    WAITING,
    lock,
    machine_of,
    settle_queue,
    unlock,
    wait_a_little,
)
from tidelog.kernel.layout import (
    ASSERT_LOWER,
    BATCHES,
    LINKED,
    MOST_BATCHES,
    NEW_RULE,
    PHASE,
    QUEUE,
    SHOWN,
    VISITED,
)
from tidelog.kernel.link_rows import make_readable_shared, offer
from tidelog.kernel.memory import compiled, load, store

ONCE, QUEUE_OF_BATCHES, ONLY_LINKS = range(3)
ENDED, TOO_SMALL, TOO_MANY = 1, 2, 3  # why a run is closed


@compiled
def join(team, number):
    """Become one of those that the others wait for; False if the run is over."""
    lock(team, LOCK)
    joined = MEMBERS + MEMBER_CELLS * number + M_JOINED
    good = load(team, CLOSED) == 0
    if good and load(team, joined) == 0:
        store(team, joined, 1)
        store(team, ACTIVE, load(team, ACTIVE) + 1)
    unlock(team, LOCK)
    return good


@compiled
def next_step(team, directory, indexes, code, plans):
    """Decide what comes next, when all have arrived."""
    step, whole = load(team, STEP), machine_of(team, 0)
    if step == LINKING:
        indexes[load(team, INDEX), LINKED] = load(team, LIMIT)
        if load(team, KIND) == ONLY_LINKS:
            store(team, STEP, FIRING)
            store(team, CLOSED, ENDED)
        else:
            make_readable_shared(team, directory, indexes, code, plans)
        return
    if load(team, KIND) == ONCE:
        store(team, CLOSED, ENDED)
        return
    if step == FIRING:
        settle_queue(team)
        if load(whole, SHOWN) == 0:
            store(team, STEP, MARKING)
            offer(team, load(team, BEGIN), load(team, TAIL))
            return
    if next_batch(team, whole):
        make_readable_shared(team, directory, indexes, code, plans)


@compiled
def next_batch(team, whole):
    """Turn to the next batch; False if the run is closed before it."""
    note_rate(team)
    store(team, BEGIN, load(team, END_OF_BATCH))
    if load(team, BEGIN) >= FIRED and load(whole, PHASE) >= ASSERT_LOWER and load(whole, PHASE) <= NEW_RULE:
        forget_items(team, load(whole, QUEUE))
    store(team, START, load(team, BEGIN))
    store(team, END_OF_BATCH, load(team, TAIL))
    store(team, STEP, FIRING)
    items = load(team, TAIL) - load(team, BEGIN)
    offer(team, load(team, BEGIN), load(team, TAIL))
    if items == 0:
        store(team, CLOSED, ENDED)
        return False
    if items * load(team, RATE) < load(team, LEAST):
        store(team, CLOSED, TOO_SMALL)
        return False
    store(whole, BATCHES, load(whole, BATCHES) + 1)
    if load(whole, MOST_BATCHES) > 0 and load(whole, BATCHES) > load(whole, MOST_BATCHES):
        store(team, CLOSED, TOO_MANY)
        return False
    return True


@compiled
def forget_items(team, queue):
    """Remove facts that were fired from the queue, as in `batches.forget_fired`."""
    first, count = load(team, BEGIN), load(team, TAIL) - load(team, BEGIN)
    for i in range(count):
        store(queue, i, load(queue, first + i))
    store(team, BEGIN, 0)
    store(team, TAIL, count)


@compiled
def note_rate(team):
    """Note how many rows the team visited per item of the batch, at least one."""
    visited = 0
    for number in range(load(team, THREADS)):
        visited += load(machine_of(team, number), VISITED)
    items = max(1, load(team, END_OF_BATCH) - load(team, BEGIN))
    store(team, RATE, max(1, (visited - load(team, VISITED_BEFORE)) // items))
    store(team, VISITED_BEFORE, visited)


@compiled
def arrive(team, directory, indexes, code, plans):
    """Wait for the others: True when all have arrived and the next step has begun, False if all must stop."""
    lock(team, LOCK)
    if observe(team, STOP) != 0:
        unlock(team, LOCK)
        return False
    generation, waiting = load(team, GENERATION), load(team, WAITING) + 1
    if waiting == load(team, ACTIVE):
        next_step(team, directory, indexes, code, plans)
        store(team, WAITING, 0)
        publish(team, GENERATION, generation + 1)
        unlock(team, LOCK)
        return True
    store(team, WAITING, waiting)
    unlock(team, LOCK)
    spins = 0
    while observe(team, GENERATION) == generation:
        if observe(team, STOP) != 0:
            lock(team, LOCK)
            passed = load(team, GENERATION) != generation
            if not passed:
                store(team, WAITING, load(team, WAITING) - 1)
            unlock(team, LOCK)
            return passed
        spins = wait_a_little(spins)
    return True
