"""Batches: facts of the queue are fired together, and what they send is counted, until nothing waits.

Law: no fact that becomes present in a batch is seen by a join of that batch, so that every support is found once
(`kernel.join`). A call stops where something must grow, a function is needed or the slice is over; the next one resumes
there.
"""

from __future__ import annotations

from tidelog.kernel.aggregate import heap_pop
from tidelog.kernel.index import home
from tidelog.kernel.join import fire
from tidelog.kernel.layout import (
    ARITY,
    ASSERT_LOWER,
    ASSERT_SAME,
    BATCH,
    BATCHES,
    BROKEN,
    BUDGET,
    CLEAN_RETRACT,
    DONE,
    END,
    GROW_AWAY,
    GROW_LISTS,
    GROW_QUEUE,
    GROW_RELATION,
    HCAP,
    HTAIL,
    ITEM,
    LOW32,
    MOST_BATCHES,
    NEED,
    OUTN,
    OVER,
    OWN_READ,
    PARTITIONS,
    PHASE,
    QCAP,
    QHEAD,
    QTAIL,
    QUEUE,
    REC,
    RETRACT_SAME,
    ROUTED,
    SHARE,
    SHARE_FROM,
    SHOWN,
    SLICE,
    SLOTS,
    STAGE,
    TAB,
    TRIGGER,
    VISIBLE,
    WIDTH,
)
from tidelog.kernel.maintain import make_readable
from tidelog.kernel.memory import compiled, load, prefetch_write, store
from tidelog.kernel.relation import find, has_room, hash_cells
from tidelog.kernel.route import route
from tidelog.kernel.support import AHEAD, append_fact, apply_messages, gain, lose, quick_room

FIRED = 1 << 12  # facts already fired that the queue of a gain keeps


@compiled
def mark(directory, items, begin, end, cleared, marked):
    """Clear and set presence flags of the facts of a batch."""
    for i in range(begin, end):
        rel, row = items[i] >> 32, items[i] & LOW32
        at = row * directory[rel, WIDTH] + directory[rel, ARITY]
        store(directory[rel, REC], at, (load(directory[rel, REC], at) & ~cleared) | marked)


@compiled
def fire_batch(directory, indexes, machine, code, registers, cursors, ranks, tally, items, spans, plans, sign):
    """Fire the batch [ITEM, END) and apply what it sends; DONE when both are finished."""
    if machine[STAGE] == 0:
        status = make_readable(directory, indexes, machine, code, plans, machine[END] - machine[ITEM])
        if status != DONE:
            return status
        machine[STAGE] = 1
    while True:
        if machine[OUTN] > 0:
            if machine[PARTITIONS] > 1 and machine[ROUTED] == 0 and not route(directory, machine):
                return GROW_AWAY
            status = apply_messages(directory, indexes, machine, sign)
            if status != DONE:
                return status
            machine[ROUTED] = 0
            if machine[BUDGET] <= 0:
                return SLICE
        status = fire(directory, indexes, machine, code, registers, cursors, ranks, tally, items, spans, plans)
        if status == SLICE and machine[OUTN] == 0 and machine[BUDGET] <= 0:
            return SLICE
        if status != DONE and status != SLICE:
            return status
        if status == DONE and machine[OUTN] == 0:
            machine[STAGE] = 0
            return DONE


@compiled
def forget_fired(machine):
    """Remove facts that were fired from the queue; the waiting ones move to its front."""
    queue, first, count = machine[QUEUE], machine[QHEAD], machine[QTAIL] - machine[QHEAD]
    for i in range(count):
        store(queue, i, load(queue, first + i))
    machine[QHEAD], machine[QTAIL] = 0, count


@compiled
def run_queue(directory, indexes, machine, code, registers, cursors, ranks, tally, queue, spans, plans, sign):
    """Fire batch after batch until the queue is empty: local quiescence of a phase.

    With an empty queue the best candidate of all comes next. SHARE: a batch is large enough for several threads, and is
    fired here if this is called again. A suspended fact stays visible until its own losses are fired; a new fact is
    visible from then on. If no plan reads facts of its own stratum besides its trigger, it makes no difference when a
    new fact becomes visible: it is visible at once, and no batch is marked.
    """
    while True:
        if machine[STAGE] == 0:
            if machine[QTAIL] >= machine[QCAP]:
                return GROW_QUEUE
            if machine[QHEAD] >= machine[QTAIL] and machine[HTAIL] == 0:
                machine[SHOWN] = 0
                return DONE
            waiting = machine[QTAIL] - machine[QHEAD]
            status = make_readable(directory, indexes, machine, code, plans, waiting)
            if status != DONE:
                return status
            if machine[QHEAD] >= machine[QTAIL]:
                store(machine[QUEUE], machine[QTAIL], heap_pop(machine))
                machine[QTAIL] += 1
            else:
                machine[BATCHES] += 1
                if machine[MOST_BATCHES] > 0 and machine[BATCHES] > machine[MOST_BATCHES]:
                    return OVER
            machine[ITEM], machine[END], machine[TRIGGER] = machine[QHEAD], machine[QTAIL], -1
            if machine[PHASE] != ASSERT_SAME or machine[OWN_READ] == 1:
                mark(directory, queue, machine[ITEM], machine[END], VISIBLE, BATCH)
            elif machine[SHOWN] == 0:
                mark(directory, queue, machine[ITEM], machine[END], 0, VISIBLE)
                machine[SHOWN] = VISIBLE
            machine[STAGE] = 1
            if machine[SHARE_FROM] > 0 and machine[END] - machine[ITEM] >= machine[SHARE_FROM]:
                return SHARE
        status = fire_batch(
            directory, indexes, machine, code, registers, cursors, ranks, tally, queue, spans, plans, sign
        )
        if status != DONE:
            return status
        if machine[SHOWN] == 0:
            shown = 0 if machine[PHASE] == RETRACT_SAME or machine[PHASE] == CLEAN_RETRACT else VISIBLE
            mark(directory, queue, machine[QHEAD], machine[END], BATCH, shown)
        machine[QHEAD] = machine[END]
        machine[STAGE] = 0
        if sign == 1 and machine[QHEAD] >= FIRED:
            forget_fired(machine)


@compiled
def change_facts(directory, indexes, machine, rel, rows, arity, flag):
    """Add a support of body rank 0 to facts, or remove it.

    With ``flag`` BASE the support is the assertion: a fact asserted twice has one. Most incoming facts are new: a
    record is written at the end, and the places of later facts are prefetched.
    """
    gains = machine[PHASE] == ASSERT_LOWER
    table, slots, room = directory[rel, TAB], directory[rel, SLOTS], 0
    while machine[ITEM] < machine[END]:
        key = rows + 8 * machine[ITEM] * arity
        if machine[ITEM] + AHEAD < machine[END]:
            prefetch_write(table, home(hash_cells(key + 8 * AHEAD * arity, arity), slots))
        if room == 0:
            if machine[QTAIL] >= machine[QCAP]:
                return GROW_QUEUE
            if machine[HTAIL] >= machine[HCAP]:
                return GROW_LISTS
            if not has_room(directory, indexes, rel):
                machine[NEED] = rel
                return GROW_RELATION
            table, slots = directory[rel, TAB], directory[rel, SLOTS]
            room = quick_room(directory, machine, rel) if gains else 0
        tag = hash_cells(key, arity)
        row = find(directory, rel, key, tag)
        based = row >= 0 and load(directory[rel, REC], row * directory[rel, WIDTH] + arity) & flag != 0
        if gains and row < 0 and room > 0:
            append_fact(directory, machine, rel, key, tag, flag)
            room -= 1
        elif gains:
            if not based:
                gain(directory, indexes, machine, rel, key, tag, 0, 1, flag)  # there is room
                room = 0
        elif (based or flag == 0) and not lose(directory, machine, rel, key, tag, 0, 1, flag):
            machine[NEED] = rel
            return BROKEN
        machine[ITEM] += 1
    return DONE
