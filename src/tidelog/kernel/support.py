"""Ranked support: what a message does to the fact it names.

Laws (design, section 3). I1: ``all(h)`` is the number of supports of h over the present facts. I2: ``low(h)`` counts
exactly the supports whose highest body rank is below rank(h), and a present fact has ``low > 0``.

A rank is a depth and a clock (`kernel.layout`): a fact that becomes present is one deeper than the highest body fact of
the support that made it present.

Retract: a lost support does ``all -= 1`` and, if its body rank is below rank(h), ``low -= 1``; at ``low = 0`` the
fact is suspended. Assert: a gained support does ``all += 1`` and, against the current rank, ``low += 1``; an absent
fact becomes present with a fresh rank. Every first change of a record goes to the journal, from which an epoch is
committed or undone; a relation that was empty before the epoch is committed row by row, and undone by emptying it.
"""

from __future__ import annotations

from tidelog.kernel.aggregate import heap_push, order_key
from tidelog.kernel.index import home
from tidelog.kernel.layout import (
    APPLIED,
    ARITY,
    ASSERT_LOWER,
    BROKEN,
    CANDIDATES,
    CAP,
    CLOCK,
    CLOCK_BITS,
    CLOCKS,
    COARSE,
    DEEPEST,
    DONE,
    FACTS,
    FLAG_BITS,
    FLAGS,
    FREE,
    FRESH,
    GROW_LISTS,
    GROW_QUEUE,
    GROW_RELATION,
    HCAP,
    HTAIL,
    JCAP,
    JROWS,
    LIVE,
    LIVE_ROWS,
    LOW32,
    M_COLS,
    M_HASH,
    M_RANK,
    M_REL,
    NEED,
    NEW,
    NEW_RULE,
    OLD,
    ONE_SUPPORT,
    OUT,
    OUTN,
    OVERCOUNTED,
    PHASE,
    QCAP,
    QTAIL,
    QUEUE,
    RANK_BASE,
    REC,
    REVIVED,
    ROWS,
    SHOWN,
    SLOTS,
    STRIDE,
    SUSPENDED,
    TAB,
    TOUCHED,
    VISIBLE,
    WIDTH,
)
from tidelog.kernel.memory import compiled, inlined, load, prefetch, store
from tidelog.kernel.relation import (
    find,
    has_room,
    hash_cells,
    insert,
    keys_have_room,
    likely_row,
    link_last,
    same_cells,
    touch,
)

AHEAD, NEAR = 8, 4  # messages between prefetching memory and using it
MOST_SUPPORTS = (1 << 31) - 1  # of a fact: the higher half of a signed cell


@inlined
def push(directory, machine, rel, row):
    """Put a fact at the end of the queue, or a candidate into the heap; the caller has checked that there is room."""
    column = directory[rel, CANDIDATES]
    if column != 0 and machine[PHASE] >= ASSERT_LOWER and machine[PHASE] <= NEW_RULE:
        value = load(directory[rel, REC], row * directory[rel, WIDTH] + (column >> 4) - 1)
        heap_push(machine, order_key(column & 15, value), (rel << 32) | row)
        return
    store(machine[QUEUE], machine[QTAIL], (rel << 32) | row)
    machine[QTAIL] += 1


@inlined
def fresh_rank(directory, machine, rel, below):
    """A rank one deeper than the rank ``below``, as the relation stores it.

    It is later than all others of that depth, or the first of it, which coarse ranks share.
    """
    clock = machine[CLOCK] + 1
    rank = ((below >> CLOCK_BITS) + 1) << CLOCK_BITS
    if machine[COARSE] == 1:
        clock -= 1
    else:
        rank += clock & CLOCKS
    if rank >= DEEPEST:
        rank = below + 1
    if rank > clock:
        clock = max(rank, ((rank >> CLOCK_BITS) << CLOCK_BITS) | (clock & CLOCKS))
    machine[CLOCK] = clock
    return rank - directory[rel, RANK_BASE]


@inlined
def begin_fact(directory, machine, rel, row, body_rank, supports, extra):
    """Make an inserted record a present fact with some supports of one rank, and push it."""
    at = row * directory[rel, WIDTH] + directory[rel, ARITY]
    state = touch(directory, rel, row, 0, 0)
    rank = fresh_rank(directory, machine, rel, body_rank)
    store(directory[rel, REC], at, (rank << FLAG_BITS) | state | LIVE | NEW | machine[SHOWN] | extra)
    store(directory[rel, REC], at + 1, supports * (ONE_SUPPORT | 1))
    machine[FACTS] += 1
    push(directory, machine, rel, row)


@compiled
def gain(directory, indexes, machine, rel, key, tag, body_rank, supports, extra):
    """Count gained supports of one rank; ``extra`` flags are set as well. False if there is no room for a fact."""
    row = find(directory, rel, key, tag)
    records, arity = directory[rel, REC], directory[rel, ARITY]
    if row < 0:
        if not has_room(directory, indexes, rel):
            return False
        row = insert(directory, indexes, rel, key, tag)
        begin_fact(directory, machine, rel, row, body_rank, supports, extra)
        return True
    at = row * directory[rel, WIDTH] + arity
    state, counts = load(records, at), load(records, at + 1)
    if state & TOUCHED == 0:
        if directory[rel, JROWS] >= directory[rel, JCAP]:
            return False
        state = touch(directory, rel, row, state, counts)
        store(records, at, state)
    if state & NEW != 0:
        counts += supports * ONE_SUPPORT
        if body_rank < (state >> FLAG_BITS) + directory[rel, RANK_BASE]:
            counts += supports
    else:
        counts = supports * (ONE_SUPPORT | 1)
        machine[FACTS] += 1 - (state & OLD)  # OLD is the first bit: facts present before the epoch do not count
        state = (fresh_rank(directory, machine, rel, body_rank) << FLAG_BITS) | (state & FLAGS) | NEW | machine[SHOWN]
        store(records, at, state)
        push(directory, machine, rel, row)
    if extra != 0:
        store(records, at, state | extra)
    store(records, at + 1, counts)
    return True


@compiled
def lose(directory, machine, rel, key, tag, body_rank, supports, gone):
    """Count lost supports of one rank; ``gone`` flags are cleared as well. False if the counts do not balance."""
    row = find(directory, rel, key, tag)
    if row < 0:
        return False
    at = row * directory[rel, WIDTH] + directory[rel, ARITY]
    state, counts = load(directory[rel, REC], at), load(directory[rel, REC], at + 1)
    if state & TOUCHED == 0:
        state = touch(directory, rel, row, state, counts)
    if counts >> 32 < supports:
        return False
    counts -= supports * ONE_SUPPORT
    if body_rank < (state >> FLAG_BITS) + directory[rel, RANK_BASE]:
        if counts & LOW32 < supports:
            return False
        counts -= supports
    if counts & LOW32 == 0 and state & NEW != 0:
        state ^= NEW
        machine[SUSPENDED] += 1
        push(directory, machine, rel, row)
    store(directory[rel, REC], at, state & ~gone)
    store(directory[rel, REC], at + 1, counts)
    return True


@compiled
def adjust_low(directory, rel, key, tag, body_rank, supports):
    """Compare supports (if negative: as before) again after the split of a stratum; only ``low`` changes."""
    row = find(directory, rel, key, tag)
    if row < 0:
        return False
    at = row * directory[rel, WIDTH] + directory[rel, ARITY]
    state, counts = load(directory[rel, REC], at), load(directory[rel, REC], at + 1)
    if body_rank < (state >> FLAG_BITS) + directory[rel, RANK_BASE]:
        if state & TOUCHED == 0:
            store(directory[rel, REC], at, touch(directory, rel, row, state, counts))
        store(directory[rel, REC], at + 1, counts + supports)
    return True


@inlined
def quick_room(directory, machine, rel):
    """How many new facts of a relation fit without further checks; 0 if they are candidates or rows are free."""
    if directory[rel, FREE] != 0 or directory[rel, CANDIDATES] != 0:
        return 0
    room = min(directory[rel, CAP] - directory[rel, ROWS], machine[QCAP] - machine[QTAIL])
    if directory[rel, FRESH] == 0:
        room = min(room, directory[rel, JCAP] - directory[rel, JROWS])
    return min(room, 7 * directory[rel, SLOTS] // 10 - directory[rel, LIVE_ROWS])


@inlined
def append_fact(directory, machine, rel, key, tag, extra):
    """Append a new fact as the last record of a relation that has room for it (`quick_room`)."""
    row, width = directory[rel, ROWS], directory[rel, WIDTH]
    records, table, slots = directory[rel, REC], directory[rel, TAB], directory[rel, SLOTS]
    for i in range(directory[rel, ARITY]):
        store(records, row * width + i, load(key, i))
    place = home(tag, slots)
    while load(table, place) != 0:
        place += 1
        if place == slots:
            place = 0
    store(table, place, (tag << 32) | (row + 1))
    directory[rel, ROWS] = row + 1
    directory[rel, LIVE_ROWS] += 1
    begin_fact(directory, machine, rel, row, 0, 1, extra)


@compiled
def apply_gains(directory, indexes, machine):
    """Apply messages that gain supports, from APPLIED on; stops where something must grow first.

    Most messages find a present fact that was touched before, or none: two counts change, or a record is written at
    the end. The records of later messages are prefetched. What the loop needs is read once per relation.
    """
    stride, out, count, i = machine[STRIDE], machine[OUT], machine[OUTN], machine[APPLIED]
    current, table, slots, records, width, arity, base, room = -1, 0, 0, 0, 0, 0, 0, 0
    while i < count:
        at = out + 8 * i * stride
        rel, tag, rank, key = load(at, M_REL), load(at, M_HASH), load(at, M_RANK), at + 8 * M_COLS
        if rel != current:
            current, table, slots, records = rel, directory[rel, TAB], directory[rel, SLOTS], directory[rel, REC]
            width, arity, base = directory[rel, WIDTH], directory[rel, ARITY], directory[rel, RANK_BASE]
            room = quick_room(directory, machine, rel)
        ahead = at + 8 * AHEAD * stride
        if i + AHEAD < count and load(ahead, M_REL) == rel:
            prefetch(records, likely_row(table, slots, load(ahead, M_HASH)) * width + arity)
        place, row = home(tag, slots), -1
        while row < 0:
            entry = load(table, place)
            if entry == 0:
                break
            if (entry >> 32) & LOW32 == tag and same_cells(records, ((entry & LOW32) - 1) * width, key, arity):
                row = (entry & LOW32) - 1
                break
            place += 1
            if place == slots:
                place = 0
        cell = row * width + arity
        state = load(records, cell) if row >= 0 else 0
        if state & (TOUCHED | NEW) == TOUCHED | NEW:
            counts = load(records, cell + 1) + ONE_SUPPORT
            if counts < 0:
                machine[APPLIED], machine[NEED] = i, rel
                return OVERCOUNTED
            store(records, cell + 1, counts + 1 if rank < (state >> FLAG_BITS) + base else counts)
        elif row < 0 and room > 0:
            row = directory[rel, ROWS]
            for j in range(arity):
                store(records, row * width + j, load(key, j))
            store(table, place, (tag << 32) | (row + 1))
            directory[rel, ROWS] = row + 1
            directory[rel, LIVE_ROWS] += 1
            begin_fact(directory, machine, rel, row, rank, 1, 0)
            room -= 1
        else:
            machine[APPLIED] = i
            if machine[QTAIL] >= machine[QCAP]:
                return GROW_QUEUE
            if machine[HTAIL] >= machine[HCAP]:
                return GROW_LISTS
            if not gain(directory, indexes, machine, rel, key, tag, rank, 1, 0):
                machine[NEED] = rel
                return GROW_RELATION
            current = -1
        i += 1
    machine[APPLIED] = 0
    machine[OUTN] = 0
    return DONE


@compiled
def apply_messages(directory, indexes, machine, sign):
    """Apply the messages in order; stops where something must grow first.

    Signs: 1 gain, -1 lose; 2 and -2 change ``low`` alone.
    """
    if sign == 1:
        return apply_gains(directory, indexes, machine)
    stride = machine[STRIDE]
    while machine[APPLIED] < machine[OUTN]:
        at = machine[OUT] + 8 * machine[APPLIED] * stride
        rel = load(at, M_REL)
        if machine[APPLIED] + AHEAD < machine[OUTN]:
            ahead = at + 8 * AHEAD * stride
            other = load(ahead, M_REL)
            row = likely_row(directory[other, TAB], directory[other, SLOTS], load(ahead, M_HASH))
            prefetch(directory[other, REC], row * directory[other, WIDTH])
        if machine[QTAIL] >= machine[QCAP]:
            return GROW_QUEUE
        if directory[rel, JROWS] >= directory[rel, JCAP]:
            machine[NEED] = rel
            return GROW_RELATION
        key, tag, rank = at + 8 * M_COLS, load(at, M_HASH), load(at, M_RANK)
        if sign == -1:
            if not lose(directory, machine, rel, key, tag, rank, 1, 0):
                machine[NEED] = rel
                return BROKEN
        elif not adjust_low(directory, rel, key, tag, rank, sign // 2):
            machine[NEED] = rel
            return BROKEN
        machine[APPLIED] += 1
    machine[APPLIED] = 0
    machine[OUTN] = 0
    return DONE


@compiled
def apply_arrived(directory, indexes, machine, rel, rows, count, sign):
    """Apply messages that arrived for a relation, from APPLIED on: rows of (body rank, how many supports, columns).

    Signs as in `apply_messages`. Stops where something must grow first, and at a count that its field cannot hold.
    """
    arity, table, slots = directory[rel, ARITY], directory[rel, TAB], directory[rel, SLOTS]
    stride = 8 * (2 + arity)
    while machine[APPLIED] < count:
        at = rows + machine[APPLIED] * stride
        key, rank, supports = at + 16, load(at, 0), load(at, 1)
        if machine[APPLIED] + AHEAD < count:
            ahead = hash_cells(key + AHEAD * stride, arity)
            prefetch(table, home(ahead, slots))
            if machine[APPLIED] + NEAR < count:
                row = likely_row(table, slots, hash_cells(key + NEAR * stride, arity))
                prefetch(directory[rel, REC], row * directory[rel, WIDTH])
        if machine[QTAIL] >= machine[QCAP]:
            return GROW_QUEUE
        if machine[HTAIL] >= machine[HCAP]:
            return GROW_LISTS
        machine[NEED] = rel
        if directory[rel, JROWS] >= directory[rel, JCAP]:
            return GROW_RELATION
        tag = hash_cells(key, arity)
        if sign == 1:
            row = find(directory, rel, key, tag)
            if row >= 0:
                known = load(directory[rel, REC], row * directory[rel, WIDTH] + arity + 1) >> 32
                if known + supports > MOST_SUPPORTS:
                    return OVERCOUNTED
            if not gain(directory, indexes, machine, rel, key, tag, rank, supports, 0):
                return GROW_RELATION
            table, slots = directory[rel, TAB], directory[rel, SLOTS]
        elif sign == -1:
            if not lose(directory, machine, rel, key, tag, rank, supports, 0):
                return BROKEN
        elif not adjust_low(directory, rel, key, tag, rank, sign // 2 * supports):
            return BROKEN
        machine[APPLIED] += 1
    machine[APPLIED] = 0
    return DONE


@compiled
def revive(directory, machine, items, count):
    """Revive suspended facts, in order of old rank: those that still have supports are present with ``low = all``.

    They are one depth above every rank seen, so that all their supports are of lower rank, in order among themselves.
    Coarse ranks are equal where the old ones were.
    """
    top, before, place = machine[CLOCK], -1, -1
    for i in range(count):
        rel, row = items[i] >> 32, items[i] & LOW32
        at = row * directory[rel, WIDTH] + directory[rel, ARITY]
        state, counts = load(directory[rel, REC], at), load(directory[rel, REC], at + 1)
        if counts >> 32 > 0:
            rank = fresh_rank(directory, machine, rel, top)
            if machine[COARSE] == 1 and rank + directory[rel, RANK_BASE] < DEEPEST:
                old = (state >> FLAG_BITS) + directory[rel, RANK_BASE]
                place = min(place + 1, CLOCKS) if old != before else place
                before = old
                rank += place
                machine[CLOCK] = max(machine[CLOCK], rank + directory[rel, RANK_BASE])
            state = (rank << FLAG_BITS) | (state & FLAGS) | NEW
            store(directory[rel, REC], at, state)
            store(directory[rel, REC], at + 1, (counts & ~LOW32) | (counts >> 32))
            machine[REVIVED] += 1
            push(directory, machine, rel, row)


@compiled
def old_ranks(directory, items, count, ranks):
    """The ranks of some facts."""
    for i in range(count):
        rel, row = items[i] >> 32, items[i] & LOW32
        state = load(directory[rel, REC], row * directory[rel, WIDTH] + directory[rel, ARITY])
        ranks[i] = (state >> FLAG_BITS) + directory[rel, RANK_BASE]


@compiled
def remember(directory, indexes, rel, key):
    """Keep the result of a function beside its arguments: a record that belongs to no epoch."""
    if not has_room(directory, indexes, rel) or not keys_have_room(directory, indexes, rel):
        return False
    row = insert(directory, indexes, rel, key, hash_cells(key, directory[rel, ARITY]))
    store(directory[rel, REC], row * directory[rel, WIDTH] + directory[rel, ARITY], LIVE | OLD | NEW | VISIBLE)
    link_last(directory, indexes, rel, row)  # the plan that needs it is about to look again
    return True


@compiled
def remember_all(directory, indexes, rel, rows, first, last):
    """Keep many results, each beside its arguments, unless already kept; returns the place where room ran out."""
    arity = directory[rel, ARITY]
    for i in range(first, last):
        if not has_room(directory, indexes, rel) or not keys_have_room(directory, indexes, rel):
            return i
        key = rows + 8 * i * arity
        if i + AHEAD < last:
            prefetch(directory[rel, TAB], home(hash_cells(key + 8 * AHEAD * arity, arity), directory[rel, SLOTS]))
        tag = hash_cells(key, arity)
        if find(directory, rel, key, tag) < 0:
            row = insert(directory, indexes, rel, key, tag)
            store(directory[rel, REC], row * directory[rel, WIDTH] + arity, LIVE | OLD | NEW | VISIBLE)
            link_last(directory, indexes, rel, row)
    return last


@compiled
def reinstate(directory, items, count, kept):
    """After a split, reinstate facts due for suspension that have ``low > 0`` now; the others are kept."""
    left = 0
    for i in range(count):
        rel, row = items[i] >> 32, items[i] & LOW32
        at = row * directory[rel, WIDTH] + directory[rel, ARITY]
        if load(directory[rel, REC], at + 1) & LOW32 != 0:
            store(directory[rel, REC], at, load(directory[rel, REC], at) | NEW)
        else:
            kept[left] = items[i]
            left += 1
    return left
