"""Min and max: candidates, the value that a group shows, and the order in which values are fired.

Laws (design, section 3). A candidate (group, value) is a fact like any other. The best present candidate of a group is
*exposed*: it is one support of the group's shown fact. Retract: when the exposed candidate is lost, its group shows
nothing. Assert: the best candidate of all is fired first, and exposed if it is better than what its group shows; the
one improved upon becomes stale. Clean-up: stale values are retracted, then a group may show only what it showed before.
Among equal values further columns decide, in their order; the heap compares only the value.

What a group shows is kept in a relation of groups, whose *counts* cell holds the row (+ 1) of the exposed candidate: 0
nothing, negative hidden by clean-up. The journal undoes it like everything else.
"""

from __future__ import annotations

from tidelog.kernel.index import first_row
from tidelog.kernel.layout import (
    ARITY,
    ASSERT_LOWER,
    ASSERT_SAME,
    CLEANING,
    E_GROUP,
    E_INDEX,
    E_MEMORY,
    E_NGROUP,
    E_ORDER,
    E_REL,
    E_SHOWN,
    E_VALUE,
    EXPOSED,
    HCAP,
    HEAP,
    HIDDEN,
    HTAIL,
    JCAP,
    JROWS,
    LINKS,
    LIVE,
    LOW32,
    NEED,
    NEW,
    NEW_RULE,
    OCAP,
    OPENED,
    OTAIL,
    PEEK,
    PHASE,
    REC,
    SCAP,
    SCRATCH,
    STAIL,
    STALE,
    T_COLUMN,
    T_INDEX,
    T_MEMORY,
    T_ORDER,
    T_VALUE,
    TIE,
    TOUCHED,
    WIDTH,
)
from tidelog.kernel.memory import compiled, load, load32, store
from tidelog.kernel.relation import find, has_room, hash_cells, insert, touch

# Orders of values. An odd order is the reverse of the even one before it.
NUMBERS, NUMBERS_DOWN, UNSIGNEDS, UNSIGNEDS_DOWN, FLOATS, FLOATS_DOWN, BY_TEXT, BY_TEXT_DOWN = range(8)
REFUSED, ADMITTED, NO_ROOM, NO_LIST, ASK = range(5)
UNKNOWN = 2  # of a comparison
_SIGN = -(2**63)


@compiled
def order_key(order, cell):
    """A number that is smaller the better the value is; for an order by text it is the same for all values."""
    kind = order >> 1
    if kind == 3:
        return 0
    key = cell
    if kind == 1:
        key = cell ^ _SIGN
    elif kind == 2 and cell < 0:
        key = cell ^ 0x7FFFFFFFFFFFFFFF
    return ~key if order & 1 == 1 else key


@compiled
def heap_push(machine, key, item):
    """Put a candidate into the heap; the caller has checked that there is room."""
    heap, place = machine[HEAP], machine[HTAIL]
    machine[HTAIL] = place + 1
    while place > 0:
        parent = (place - 1) >> 1
        if load(heap, 2 * parent) <= key:
            break
        store(heap, 2 * place, load(heap, 2 * parent))
        store(heap, 2 * place + 1, load(heap, 2 * parent + 1))
        place = parent
    store(heap, 2 * place, key)
    store(heap, 2 * place + 1, item)


@compiled
def heap_pop(machine):
    """Remove the best candidate from the heap, which is not empty."""
    heap = machine[HEAP]
    best = load(heap, 1)
    machine[HTAIL] -= 1
    count = machine[HTAIL]
    key, item = load(heap, 2 * count), load(heap, 2 * count + 1)
    place = 0
    while 2 * place + 1 < count:
        child = 2 * place + 1
        if child + 1 < count and load(heap, 2 * (child + 1)) < load(heap, 2 * child):
            child += 1
        if load(heap, 2 * child) >= key:
            break
        store(heap, 2 * place, load(heap, 2 * child))
        store(heap, 2 * place + 1, load(heap, 2 * child + 1))
        place = child
    store(heap, 2 * place, key)
    store(heap, 2 * place + 1, item)
    return best


@compiled
def change_state(directory, rel, row, cleared, marked, counts):
    """Change flags of a record and, unless ``counts`` is _SIGN, its counts cell; the journal has room."""
    at = row * directory[rel, WIDTH] + directory[rel, ARITY]
    state, before = load(directory[rel, REC], at), load(directory[rel, REC], at + 1)
    if state & TOUCHED == 0:
        state = touch(directory, rel, row, state, before)
    store(directory[rel, REC], at, (state & ~cleared) | marked)
    if counts != _SIGN:
        store(directory[rel, REC], at + 1, counts)


@compiled
def hide(directory, machine, code, pc, row):
    """Hide an exposed candidate that is lost: its group shows nothing, unless it already showed a better one."""
    rel, shown = code[pc + E_REL], code[pc + E_SHOWN]
    at = row * directory[rel, WIDTH] + directory[rel, ARITY]
    if load(directory[rel, REC], at) & EXPOSED == 0:
        return REFUSED
    if machine[PEEK] == 1:
        return ADMITTED
    for other in (rel, shown):
        if directory[other, JROWS] >= directory[other, JCAP]:
            machine[NEED] = other
            return NO_ROOM
    if machine[OTAIL] >= machine[OCAP]:
        return NO_LIST
    change_state(directory, rel, row, EXPOSED, 0, _SIGN)
    group = find(directory, shown, machine[SCRATCH], hash_cells(machine[SCRATCH], code[pc + E_NGROUP]))
    where = group * directory[shown, WIDTH] + directory[shown, ARITY]
    if load(directory[shown, REC], where + 1) == row + 1:
        if machine[CLEANING] == 1:
            change_state(directory, shown, group, 0, 0, -(row + 1))
            machine[HIDDEN] += 1
        else:
            change_state(directory, shown, group, NEW, 0, 0)
        store(machine[OPENED], machine[OTAIL], (shown << 32) | group)
        machine[OTAIL] += 1
    return ADMITTED


@compiled
def compare_values(directory, indexes, machine, order, memory, index, place, value, other):
    """Below 0 if ``value`` is the better one, above 0 if ``other`` is, 0 for equals; UNKNOWN if Python must compare.

    The question to Python is written to the scratch area from ``place`` on: the memory, and the two values.
    """
    if value == other:
        return 0
    if order >> 1 != 3:
        return -1 if order_key(order, value) < order_key(order, other) else 1
    key = machine[SCRATCH] + 8 * place
    store(key, 0, memory)
    store(key, 1, value)
    store(key, 2, other)
    row = first_row(directory, indexes, index, memory, key + 8)
    if row == 0:
        return UNKNOWN
    result = load(directory[memory, REC], (row - 1) * directory[memory, WIDTH] + 2)
    return -result if order & 1 == 1 else result


@compiled
def is_better(directory, indexes, machine, code, pc, registers, row):
    """1 if the candidate in the registers is better than the one in ``row``, 0 if not, -1 if Python must compare."""
    rel, place = code[pc + E_REL], code[pc + E_NGROUP]
    records, start = directory[rel, REC], row * directory[rel, WIDTH]
    after = pc + E_GROUP + place
    order, memory, index = code[pc + E_ORDER], code[pc + E_MEMORY], code[pc + E_INDEX]
    value, other = registers[code[pc + E_VALUE]], load(records, start + code[after])
    result = compare_values(directory, indexes, machine, order, memory, index, place, value, other)
    tie = after + 2
    for _ in range(code[after + 1]):
        if result != 0:
            break
        order, memory, index = code[tie + T_ORDER], code[tie + T_MEMORY], code[tie + T_INDEX]
        value, other = registers[code[tie + T_VALUE]], load(records, start + code[tie + T_COLUMN])
        result = compare_values(directory, indexes, machine, order, memory, index, place, value, other)
        tie += TIE
    if result == UNKNOWN:
        return -1
    return 1 if result < 0 else 0


@compiled
def show(directory, indexes, machine, code, pc, registers, row):
    """Expose a candidate if it is better than what its group shows, or in clean-up if it is what the group showed."""
    rel, shown = code[pc + E_REL], code[pc + E_SHOWN]
    if directory[rel, JROWS] >= directory[rel, JCAP]:
        machine[NEED] = rel
        return NO_ROOM
    if not has_room(directory, indexes, shown):
        machine[NEED] = shown
        return NO_ROOM
    if machine[STAIL] >= machine[SCAP]:
        return NO_LIST
    tag = hash_cells(machine[SCRATCH], code[pc + E_NGROUP])
    group = find(directory, shown, machine[SCRATCH], tag)
    if group < 0:
        if machine[CLEANING] == 1:
            return REFUSED
        group = insert(directory, indexes, shown, machine[SCRATCH], tag)
        at = group * directory[shown, WIDTH] + directory[shown, ARITY]
        store(directory[shown, REC], at, touch(directory, shown, group, 0, 0) | LIVE)
        store(directory[shown, REC], at + 1, 0)
    now = load(directory[shown, REC], group * directory[shown, WIDTH] + directory[shown, ARITY] + 1)
    if machine[CLEANING] == 1:
        if now != -(row + 1):
            return REFUSED
        machine[HIDDEN] -= 1
    elif now != 0:
        better = is_better(directory, indexes, machine, code, pc, registers, now - 1)
        if better < 0:
            return ASK
        if better == 0:
            return REFUSED
        store(machine[STALE], machine[STAIL], (rel << 32) | (now - 1))
        machine[STAIL] += 1
    change_state(directory, shown, group, 0, NEW, row + 1)
    change_state(directory, rel, row, 0, EXPOSED, _SIGN)
    return ADMITTED


@compiled
def expose(directory, indexes, machine, code, pc, registers, row):
    """The expose step for the candidate in ``row``, by phase."""
    phase = machine[PHASE]
    if phase in (ASSERT_LOWER, NEW_RULE):
        if machine[HTAIL] >= machine[HCAP]:
            return NO_LIST
        heap_push(machine, order_key(code[pc + E_ORDER], registers[code[pc + E_VALUE]]), (code[pc + E_REL] << 32) | row)
        return REFUSED
    for i in range(code[pc + E_NGROUP]):
        store(machine[SCRATCH], i, registers[code[pc + E_GROUP + i]])
    if phase == ASSERT_SAME:
        at = row * directory[code[pc + E_REL], WIDTH] + directory[code[pc + E_REL], ARITY]
        if load(directory[code[pc + E_REL], REC], at) & EXPOSED != 0:
            return REFUSED
        return show(directory, indexes, machine, code, pc, registers, row)
    return hide(directory, machine, code, pc, row)


@compiled
def reopen(directory, indexes, machine, rel, shown, index, order, column, ties, first):
    """Put the best present candidates of groups that show nothing into the heap; by text, all their candidates.

    With ``ties`` all candidates with the best value are put there. Processes the opened groups from ``first`` on;
    returns -1 when done, otherwise the place at which the heap must grow first.
    """
    links = indexes[index, LINKS]
    width, arity, records = directory[rel, WIDTH], directory[rel, ARITY], directory[rel, REC]
    for place in range(first, machine[OTAIL]):
        item = load(machine[OPENED], place)
        if item >> 32 != shown:
            continue
        if machine[HTAIL] >= machine[HCAP]:
            return place
        where = (item & LOW32) * directory[shown, WIDTH]
        now = load(directory[shown, REC], where + directory[shown, ARITY] + 1)
        if now > 0:
            continue
        if now < 0:
            change_state(directory, shown, item & LOW32, NEW, 0, 0)
        start = first_row(directory, indexes, index, rel, directory[shown, REC] + 8 * where)
        cursor, best, best_key = start, 0, 0
        while cursor != 0:
            if load(records, (cursor - 1) * width + arity) & NEW != 0:
                key = order_key(order, load(records, (cursor - 1) * width + column))
                if best == 0 or key < best_key:
                    best, best_key = cursor, key
            cursor = load32(links, 2 * (cursor - 1)) & LOW32
        if best == 0:
            continue
        if ties == 0 and order >> 1 != 3:
            heap_push(machine, best_key, (rel << 32) | (best - 1))
            continue
        cursor = start
        while cursor != 0:
            key = order_key(order, load(records, (cursor - 1) * width + column))
            if key == best_key and load(records, (cursor - 1) * width + arity) & NEW != 0:
                if machine[HTAIL] >= machine[HCAP]:
                    return place
                heap_push(machine, best_key, (rel << 32) | (cursor - 1))
            cursor = load32(links, 2 * (cursor - 1)) & LOW32
    return -1
