"""A team: threads that fire one batch after the other side by side, on shared memory.

Laws. The items of a batch are claimed a few at a time; the thread that claims an item walks its joins and counts the
supports that they find (`kernel.shared_support`). No fact that becomes present in a batch is seen by a join of that
batch, so that joins and counting need not wait for each other; between two batches all wait for all, and the last one
to arrive begins the next batch (`kernel.steps`). A thread that must stop (something has to grow, the slice is over, a
fault) makes all stop; each resumes later where it stopped. A thread that arrives late joins in.
"""

from __future__ import annotations

from tidelog.kernel.atomic import fetch_add, observe, publish
from tidelog.kernel.batches import mark
from tidelog.kernel.claim import (
    CLOSED,
    END_OF_BATCH,
    GRAIN,
    LIMIT,
    LINKING,
    MARKING,
    NEXT,
    STEP,
    STOP,
    claim_journal,
    claim_queue,
    claim_records,
    open_share,
)
from tidelog.kernel.index import home
from tidelog.kernel.join import fire
from tidelog.kernel.layout import (
    APPLIED,
    APPLY,
    ARITY,
    ASSERT_LOWER,
    BATCH,
    BROKEN,
    BUDGET,
    CAP,
    CLEAN_RETRACT,
    DONE,
    EMIT,
    END,
    EXPOSE,
    FLAG_BITS,
    FREE,
    FRESH,
    GROW_QUEUE,
    GROW_RELATION,
    ITEM,
    JCAP,
    JROWS,
    M_COLS,
    M_HASH,
    M_RANK,
    M_REL,
    NEED,
    NEW,
    OLD,
    ONE_SUPPORT,
    OUT,
    OUTN,
    OVER,
    OVERCOUNTED,
    P_BINDS,
    P_NBIND,
    PC,
    PHASE,
    QCAP,
    QTAIL,
    RANK_BASE,
    REC,
    RETRACT_SAME,
    ROWS,
    S_LEN,
    S_OP,
    SLICE,
    SLOTS,
    STRIDE,
    TAB,
    TOUCHED,
    TRIGGER,
    VISIBLE,
    WIDTH,
)
from tidelog.kernel.link_rows import link_rows, see_linked
from tidelog.kernel.memory import compiled, load, prefetch, prefetch_write, store
from tidelog.kernel.relation import find, hash_cells, likely_row
from tidelog.kernel.shared_support import gain_shared, lose_shared
from tidelog.kernel.steps import TOO_MANY, arrive, join
from tidelog.kernel.support import AHEAD


@compiled
def only_walks(code, plans):
    """Whether no plan does anything but walk and send: no function of Python, no min or max."""
    for i in range(len(plans)):
        pc = plans[i] + P_BINDS + 3 * code[plans[i] + P_NBIND]
        while code[pc + S_OP] != EMIT:
            if code[pc + S_OP] == APPLY or code[pc + S_OP] == EXPOSE:
                return False
            pc += code[pc + S_LEN]
    return True


# Counting supports


@compiled
def make_room(team, directory, indexes, mine, my_indexes, machine, rel, gains):
    """Ensure that the share has room for one fact; DONE, or what must grow first."""
    if machine[QTAIL] >= machine[QCAP] and not claim_queue(team, machine):
        return GROW_QUEUE
    machine[NEED] = rel
    if mine[rel, FRESH] == 0 and mine[rel, JROWS] >= mine[rel, JCAP] and not claim_journal(team, directory, mine, rel):
        return GROW_RELATION
    if (
        gains
        and mine[rel, ROWS] >= mine[rel, CAP]
        and mine[rel, FREE] == 0
        and not claim_records(team, directory, indexes, mine, my_indexes, rel)
    ):
        return GROW_RELATION
    return DONE


@compiled
def apply_shared(team, directory, indexes, mine, my_indexes, machine, sign):
    """Apply the messages of this thread, from APPLIED on, as `support.apply_messages` does; signs are 1 and -1."""
    stride, out, count, i = machine[STRIDE], machine[OUT], machine[OUTN], machine[APPLIED]
    current, table, slots, records, width, arity, base = -1, 0, 0, 0, 0, 0, 0
    while i < count:
        at = out + 8 * i * stride
        rel, tag, rank, key = load(at, M_REL), load(at, M_HASH), load(at, M_RANK), at + 8 * M_COLS
        if rel != current:
            current, table, slots, records = rel, mine[rel, TAB], mine[rel, SLOTS], mine[rel, REC]
            width, arity, base = mine[rel, WIDTH], mine[rel, ARITY], mine[rel, RANK_BASE]
        ahead = at + 8 * AHEAD * stride
        if i + AHEAD < count and load(ahead, M_REL) == rel:
            prefetch_write(records, likely_row(table, slots, load(ahead, M_HASH)) * width + arity)
        row = find(mine, rel, key, tag) if sign == 1 else -1
        cell = row * width + arity
        state = load(records, cell) if row >= 0 else 0
        if state & (TOUCHED | NEW) == TOUCHED | NEW:
            more = ONE_SUPPORT + 1 if rank < (state >> FLAG_BITS) + base else ONE_SUPPORT
            if fetch_add(records, cell + 1, more) + more < 0:
                machine[NEED] = rel
                return OVERCOUNTED
        else:
            machine[APPLIED] = i
            status = make_room(team, directory, indexes, mine, my_indexes, machine, rel, sign == 1)
            if status != DONE:
                return status
            if sign == 1:
                gain_shared(mine, my_indexes, machine, rel, key, tag, rank, 0)
            elif not lose_shared(mine, machine, rel, key, tag, rank, 0):
                return BROKEN
        i += 1
    machine[APPLIED] = 0
    machine[OUTN] = 0
    return DONE


# What a thread does


@compiled
def take_items(team, machine):
    """Claim items of the batch; False if all are claimed."""
    limit = load(team, LIMIT)
    first = fetch_add(team, NEXT, load(team, GRAIN))
    if first >= limit:
        return False
    machine[ITEM], machine[END], machine[TRIGGER] = first, min(first + load(team, GRAIN), limit), -1
    return True


@compiled
def mark_items(team, directory, machine, queue):
    """Between two batches, make fired facts visible (or absent), and mark the next ones as the batch."""
    shown = 0 if machine[PHASE] == RETRACT_SAME or machine[PHASE] == CLEAN_RETRACT else VISIBLE
    limit, middle = load(team, LIMIT), load(team, END_OF_BATCH)
    while True:
        first = fetch_add(team, NEXT, load(team, GRAIN))
        if first >= limit:
            return
        last = min(first + load(team, GRAIN), limit)
        mark(directory, queue, first, min(last, middle), BATCH, shown)
        mark(directory, queue, max(first, middle), last, VISIBLE, BATCH)


@compiled
def fire_shared(
    team,
    directory,
    indexes,
    mine,
    my_indexes,
    machine,
    code,
    registers,
    cursors,
    ranks,
    tally,
    items,
    spans,
    plans,
    sign,
):
    """Fire items until there are none to claim (DONE) or this thread must stop."""
    while True:
        if machine[OUTN] > 0:
            status = apply_shared(team, directory, indexes, mine, my_indexes, machine, sign)
            if status != DONE:
                return status
        if machine[BUDGET] <= 0 or observe(team, STOP) != 0:
            return SLICE
        if machine[PC] < 0 and machine[ITEM] >= machine[END] and not take_items(team, machine):
            return DONE
        status = fire(directory, indexes, machine, code, registers, cursors, ranks, tally, items, spans, plans)
        if status != DONE and status != SLICE:
            return status


@compiled
def take_part(
    team,
    number,
    directory,
    indexes,
    mine,
    my_indexes,
    machine,
    code,
    registers,
    cursors,
    ranks,
    tally,
    items,
    spans,
    plans,
    sign,
):
    """The part of one thread in a run over given items, or over the queue to local quiescence."""
    if not join(team, number):
        return DONE
    open_share(directory, indexes, mine, my_indexes)
    while observe(team, CLOSED) == 0:
        status = DONE
        step = observe(team, STEP)
        if step == MARKING:
            mark_items(team, directory, machine, items)
        elif step == LINKING:
            status = link_rows(team, directory, indexes, my_indexes, machine)
        else:
            see_linked(indexes, my_indexes)
            status = fire_shared(
                team,
                directory,
                indexes,
                mine,
                my_indexes,
                machine,
                code,
                registers,
                cursors,
                ranks,
                tally,
                items,
                spans,
                plans,
                sign,
            )
        if status != DONE:
            publish(team, STOP, 1)
            return status
        if not arrive(team, directory, indexes, code, plans):
            return SLICE
    return OVER if load(team, CLOSED) == TOO_MANY else DONE


@compiled
def change_shared(team, number, directory, indexes, mine, my_indexes, machine, code, plans, rel, rows, arity, flag):
    """The part of one thread in adding a support of body rank 0 to facts, or removing it, as `batches.change_facts`."""
    if not join(team, number):
        return DONE
    open_share(directory, indexes, mine, my_indexes)
    gains = machine[PHASE] == ASSERT_LOWER
    table, slots = mine[rel, TAB], mine[rel, SLOTS]
    while observe(team, CLOSED) == 0:
        if machine[BUDGET] <= 0 or observe(team, STOP) != 0:
            publish(team, STOP, 1)
            return SLICE
        if machine[ITEM] >= machine[END] and not take_items(team, machine):
            if not arrive(team, directory, indexes, code, plans):
                return SLICE
            continue
        while machine[ITEM] < machine[END]:
            status = make_room(team, directory, indexes, mine, my_indexes, machine, rel, gains)
            if status != DONE:
                publish(team, STOP, 1)
                return status
            key = rows + 8 * machine[ITEM] * arity
            if machine[ITEM] + AHEAD < machine[END]:
                prefetch(table, home(hash_cells(key + 8 * AHEAD * arity, arity), slots))
            tag = hash_cells(key, arity)
            if gains:
                gain_shared(mine, my_indexes, machine, rel, key, tag, 0, flag)
            elif not lose_shared(mine, machine, rel, key, tag, 0, flag):
                publish(team, STOP, 1)
                return BROKEN
            machine[ITEM] += 1
            machine[BUDGET] -= 4
    return DONE


@compiled
def link_part(team, number, directory, indexes, mine, my_indexes, machine, code, plans):
    """The part of one thread in letting one index catch up."""
    if not join(team, number):
        return DONE
    open_share(directory, indexes, mine, my_indexes)
    while observe(team, CLOSED) == 0:
        status = link_rows(team, directory, indexes, my_indexes, machine)
        if status != DONE:
            publish(team, STOP, 1)
            return status
        if not arrive(team, directory, indexes, code, plans):
            return SLICE
    return DONE


@compiled
def settle_present(team, directory, rel):
    """The part of one thread in the commit of a relation that was empty: present facts are old, as in `settle.settle`.

    Returns the number of records found that must be freed.
    """
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    limit, grain, left = load(team, LIMIT), load(team, GRAIN), 0
    while True:
        first = fetch_add(team, NEXT, grain)
        if first >= limit:
            return left
        for row in range(first, min(first + grain, limit)):
            state = load(records, row * width + arity)
            if state & NEW != 0:
                store(records, row * width + arity, (state & ~(TOUCHED | BATCH)) | OLD | VISIBLE)
            elif state != 0:
                left += 1
