"""Joins: rules are tables of steps, interpreted; nothing is compiled per rule.

Law: for a batch of changes, the delta rule at position i reads b1..b(i-1) in the new state, the change at b_i, and
b(i+1)..bn in the old state, so that every support is found exactly once. Which state a step reads is its *accept
mask* for the phase: bit f is set when a fact with presence flags f counts. A support leaves as a message (head,
highest body rank).

The walk is depth first with an explicit stack of cursors, so that it can stop anywhere (messages full, slice over, a
function needed) and resume later. It changes no relation.
"""

from __future__ import annotations

from tidelog.kernel.aggregate import ADMITTED, ASK, NO_ROOM, expose
from tidelog.kernel.blocks import (
    empty_block,
    fill_from_items,
    fill_from_rows,
    is_block_full,
    open_block,
    put_binding,
)
from tidelog.kernel.index import HASH_SEED, finish_hash, first_row, home, mix_cell
from tidelog.kernel.layout import (
    A_CELLS,
    A_FIRST,
    A_GEN,
    A_ROWS,
    A_WAY,
    ARITY,
    ASK_AHEAD,
    ASSERT_SAME,
    BETWEEN,
    BLOCK_FILLED,
    BLOCK_PLAN,
    BUDGET,
    CALL,
    CLEAN_RETRACT,
    COMPARE,
    COMPUTE,
    COUNTS,
    DONE,
    E_REL,
    E_ROW,
    E_SAME,
    EMIT,
    END,
    ENTERED,
    EXPOSE,
    FAULT,
    FLAG_BITS,
    FORWARD,
    GROW_LISTS,
    GROW_RELATION,
    ITEM,
    KSLOTS,
    KTAB,
    LASTROW,
    LINKS,
    LOOKUP,
    LOW32,
    M_COLS,
    M_HASH,
    M_RANK,
    M_REL,
    MATCHED,
    MEET,
    NEED,
    NEGATE,
    ONE,
    OUT,
    OUTCAP,
    OUTN,
    P_BINDS,
    P_IDLE,
    P_NBIND,
    P_RULE,
    P_TAIL,
    PASSED,
    PC,
    PHASE,
    PLAN,
    PRESENCE,
    RANGE,
    RANK_BASE,
    REC,
    RETRACT_SAME,
    ROWS,
    S_ACCEPT,
    S_BACK,
    S_GEN,
    S_INDEX,
    S_KEYS,
    S_LEN,
    S_NBIND,
    S_NKEY,
    S_OP,
    S_REL,
    S_SAME,
    SCAN,
    SCRATCH,
    SEEN,
    SKIPPED,
    SLICE,
    SLOTS,
    STRIDE,
    TAB,
    TAIL_PLACE,
    TRIGGER,
    TRIGGERED,
    VISITED,
    VISITS,
    WIDTH,
)
from tidelog.kernel.meet import behind_meet, meet
from tidelog.kernel.memory import compiled, inlined, load, load32, prefetch, store
from tidelog.kernel.relation import find, hash_cells
from tidelog.kernel.row_visits import bind, count, gather_key, next_row, skip_between
from tidelog.kernel.scalar import compare, compute
from tidelog.kernel.structures import structure

NEAR, FAR = 4, 8  # items of the batch between prefetching memory and using it


@inlined
def previous(code, pc):
    """The generator step before this one, -1 if there is none."""
    return pc - code[pc + S_BACK] if code[pc + S_BACK] != 0 else -1


@compiled
def passes_negation(directory, code, pc, phase, registers, scratch):
    """Whether no fact that counts in this phase equals the key."""
    rel = code[pc + S_REL]
    gather_key(code, pc, registers, scratch)
    row = find(directory, rel, scratch, hash_cells(scratch, directory[rel, ARITY]))
    if row < 0:
        return True
    state = load(directory[rel, REC], row * directory[rel, WIDTH] + directory[rel, ARITY])
    return (code[pc + S_ACCEPT + phase] >> (state & PRESENCE)) & 1 == 1


@inlined
def emit(directory, machine, code, pc, registers, rank):
    """Write a message; returns the number of messages."""
    number = machine[OUTN]
    at = machine[OUT] + 8 * number * machine[STRIDE]
    mark, arity = code[pc + S_REL], code[pc + S_SAME]
    rel = mark & LOW32
    for i in range(arity):
        store(at, M_COLS + i, registers[code[pc + S_ACCEPT + i]])
    tag = hash_cells(at + 8 * M_COLS, arity)
    prefetch(directory[rel, TAB], home(tag, directory[rel, SLOTS]))
    store(at, M_REL, mark)
    store(at, M_RANK, rank)
    store(at, M_HASH, tag)
    machine[OUTN] = number + 1
    return number + 1


@inlined
def sweep(directory, indexes, machine, code, pc, registers, ranks, cursor):
    """The innermost loop: visit the rows of a chain from ``cursor`` on and write a message for each.

    What the loop needs is read once before it: since messages are written to memory, the compiler could not keep it in
    registers. Returns the last row (+ 1) visited when the messages are full, 0 at the end of the chain.
    """
    generator, rel = code[pc + S_GEN], code[pc + S_REL]
    accept, same, base = code[pc + S_ACCEPT + machine[PHASE]], code[pc + S_SAME], directory[rel, RANK_BASE]
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    links = indexes[code[pc + S_INDEX], LINKS]
    binds, count = pc + S_KEYS + code[pc + S_NKEY], code[pc + S_NBIND]
    end = pc + code[pc + S_LEN]
    mark, columns, args = code[end + S_REL], code[end + S_SAME], end + S_ACCEPT
    head = mark & LOW32
    table, slots = directory[head, TAB], directory[head, SLOTS]
    number, most, stride, out = machine[OUTN], machine[OUTCAP], machine[STRIDE], machine[OUT]
    before, visited = ranks[generator - 1], 0
    while cursor != 0:
        visited += 1
        start = (cursor - 1) * width
        following = load32(links, 2 * (cursor - 1)) & LOW32
        prefetch(records, (following - 1) * width)
        prefetch(links, following - 1)
        state = load(records, start + arity)
        if (accept >> (state & PRESENCE)) & 1 == 1 and bind(code, binds, count, records, start, registers):
            rank = max(before, (state >> FLAG_BITS) + base) if same == 1 else before
            at = out + 8 * number * stride
            for i in range(columns):
                store(at, M_COLS + i, registers[code[args + i]])
            tag = hash_cells(at + 8 * M_COLS, columns)
            prefetch(table, home(tag, slots))
            store(at, M_REL, mark)
            store(at, M_RANK, rank)
            store(at, M_HASH, tag)
            number += 1
            if number >= most:
                break
        cursor = following
    machine[OUTN] = number
    machine[BUDGET] -= visited
    return cursor


@compiled
def in_range(code, pc, registers, cursors, forward):
    """Advance a range step; False at its end."""
    low, high = registers[code[pc + 5]], registers[code[pc + 6]]
    step = registers[code[pc + 7]] if code[pc + 7] >= 0 else (1 if low <= high else -1)
    value = low
    if step == 0 and (low == high or not forward):  # by 0: the first value alone, unless it is the end
        return False
    if not forward:
        last = cursors[code[pc + S_GEN]]
        value = last + step
        if (value > last) != (step > 0):
            return False
    if (step > 0 and value >= high) or (step < 0 and value <= high):
        return False
    cursors[code[pc + S_GEN]] = value
    registers[code[pc + 4]] = value
    return True


@inlined
def start_plan(directory, machine, code, plan, item, registers, ranks):
    """Bind the trigger of a plan to a fact; the first step's place, or -1 when the fact does not match."""
    count = code[plan + P_NBIND]
    ranks[0] = 0
    if item >= 0:
        rel, row = item >> 32, item & LOW32
        start = row * directory[rel, WIDTH]
        if not bind(code, plan + P_BINDS, count, directory[rel, REC], start, registers):
            return -1
        machine[LASTROW] = row
        phase = machine[PHASE]
        if phase in (RETRACT_SAME, ASSERT_SAME, CLEAN_RETRACT):
            state = load(directory[rel, REC], start + directory[rel, ARITY])
            ranks[0] = (state >> FLAG_BITS) + directory[rel, RANK_BASE]
    return plan + P_BINDS + 3 * count


@inlined
def ask_for_key(directory, indexes, code, pc, scan, record, registers, near):
    """Prefetch the memory in which the step at ``pc`` will look for the key of a record that a scan visits later.

    Far ahead, the key's place in the table; from ``near``, the row that it names.
    """
    op, rel = code[pc + S_OP], code[pc + S_REL]
    binds = scan + S_KEYS + code[scan + S_NKEY]
    mixed = HASH_SEED
    for i in range(code[pc + S_NKEY]):
        register = code[pc + S_KEYS + i]
        cell = registers[register]
        for j in range(code[scan + S_NBIND]):
            if code[binds + 3 * j + 2] == register:
                cell = load(record, code[binds + 3 * j])
        mixed = mix_cell(mixed, cell)
    tag = finish_hash(mixed)
    index = code[pc + S_INDEX]
    table, slots = directory[rel, TAB], directory[rel, SLOTS]
    if op == LOOKUP:
        table, slots = indexes[index, KTAB], indexes[index, KSLOTS]
    if not near:
        prefetch(table, home(tag, slots))
        return
    entry = load(table, home(tag, slots))
    if (entry >> 32) & LOW32 == tag:
        row = (entry & LOW32) - 1
        prefetch(directory[rel, REC], row * directory[rel, WIDTH])
        if op == LOOKUP:
            prefetch(indexes[index, LINKS], row)


@inlined
def look_ahead_of_scan(directory, indexes, code, scan, registers, cursor):
    """Prefetch what the step after a scan needs for the rows that the scan visits next."""
    pc, rel = scan + code[scan + S_LEN], code[scan + S_REL]
    op = code[pc + S_OP]
    if op in (LOOKUP, ONE, NEGATE) and cursor != 0 and cursor + FAR <= directory[rel, ROWS]:
        width, records = directory[rel, WIDTH], directory[rel, REC]
        ask_for_key(directory, indexes, code, pc, scan, records + 8 * (cursor - 1 + FAR) * width, registers, False)
        ask_for_key(directory, indexes, code, pc, scan, records + 8 * (cursor - 1 + NEAR) * width, registers, True)


@inlined
def walk(directory, indexes, machine, code, registers, cursors, ranks, tally, plan):
    """Run the join of one plan from the saved place until it ends (DONE) or must stop.

    One loop on purpose: it is the interpreter, and every iteration is one step.
    """
    phase, scratch, counts = machine[PHASE], machine[SCRATCH], machine[COUNTS]
    pc, forward = machine[PC], machine[FORWARD] == 1
    left, visited, asks = machine[BUDGET], 0, machine[ASK_AHEAD] == 1
    status, tail = DONE, machine[TAIL_PLACE]
    while pc >= 0:
        if pc == tail:
            machine[BUDGET] = left
            wait_in_block(directory, indexes, machine, code, plan, registers, ranks, tally)
            left, forward, pc = machine[BUDGET], False, previous(code, pc)
            if machine[OUTN] >= machine[OUTCAP] or (left <= 0 and pc >= 0):
                status = SLICE
                break
            continue
        op = code[pc + S_OP]
        if op == SCAN and tail == pc + code[pc + S_LEN] and is_whole(code, plan, pc):
            generator = code[pc + S_GEN]
            count(counts, pc + ENTERED, 1 if forward else 0)
            machine[BUDGET] = left
            cursor = 0 if forward else cursors[generator]
            cursor = scan_in_blocks(directory, indexes, machine, code, plan, pc, registers, ranks, tally, cursor)
            left, forward, cursors[generator] = machine[BUDGET], False, cursor
            if cursor != 0 or machine[OUTN] >= machine[OUTCAP]:
                status = SLICE
            pc = pc if cursor != 0 else -1
            break
        good = True
        if op <= SCAN:
            generator, rel = code[pc + S_GEN], code[pc + S_REL]
            accept, same = code[pc + S_ACCEPT + phase], code[pc + S_SAME]
            records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
            cursor = next_row(directory, indexes, code, pc, registers, scratch, forward, cursors[generator])
            if op == SCAN and asks:
                look_ahead_of_scan(directory, indexes, code, pc, registers, cursor)
            good = False
            if op == LOOKUP and code[pc + code[pc + S_LEN] + S_OP] == EMIT and cursor != 0:
                sent = machine[OUTN]
                machine[BUDGET] = left
                cursor = sweep(directory, indexes, machine, code, pc, registers, ranks, cursor)
                visited += left - machine[BUDGET]
                count(counts, pc + SEEN, left - machine[BUDGET])
                count(counts, pc + PASSED, machine[OUTN] - sent)
                left = machine[BUDGET]
                tally[code[plan + P_RULE]] += machine[OUTN] - sent
                cursors[generator] = cursor
                if cursor != 0:
                    count(counts, pc + ENTERED, 1 if forward else 0)
                    forward = False
                    status = SLICE
                    break
            before = left
            if op == BETWEEN and cursor != 0:
                cursor, skipped = skip_between(directory, indexes, code, pc, phase, registers, counts, scratch, cursor)
                left -= skipped
            while cursor != 0:
                left -= 1
                start = (cursor - 1) * width
                state = load(records, start + arity)
                if (accept >> (state & PRESENCE)) & 1 == 1 and bind(
                    code, pc + S_KEYS + code[pc + S_NKEY], code[pc + S_NBIND], records, start, registers
                ):
                    rank = ranks[generator - 1]
                    if same == 1:
                        rank = max(rank, (state >> FLAG_BITS) + directory[rel, RANK_BASE])
                    ranks[generator] = rank
                    good = True
                    break
                cursor = next_row(directory, indexes, code, pc, registers, scratch, False, cursor)
            cursors[generator] = cursor
            if left != before:
                visited += before - left
                count(counts, pc + SEEN, before - left)
        elif op == EMIT:
            tally[code[plan + P_RULE]] += 1
            full = emit(directory, machine, code, pc, registers, ranks[code[pc + S_GEN]]) >= machine[OUTCAP]
            good = False
            if full or left <= 0:
                pc, forward = previous(code, pc), False
                status = SLICE
                break
        elif op == NEGATE:
            good = passes_negation(directory, code, pc, phase, registers, scratch)
        elif op == COMPARE:
            good = compare(code[pc + 3], code[pc + 4], registers[code[pc + 5]], registers[code[pc + 6]])
        elif op == COMPUTE:
            registers[code[pc + 4]], fine = compute(code[pc + 3], registers[code[pc + 5]], registers[code[pc + 6]])
            if not fine:
                machine[NEED] = pc
                status = FAULT
                break
        elif op == RANGE:
            left -= 1
            ranks[code[pc + S_GEN]] = ranks[code[pc + S_GEN] - 1]
            good = in_range(code, pc, registers, cursors, forward)
        elif op == MEET:
            good, rows = meet(directory, indexes, code, pc, phase, registers, scratch, cursors, ranks, counts, forward)
            left -= rows
            visited += rows
        elif op == EXPOSE:
            at = cursors[code[pc + E_ROW]] - 1 if code[pc + E_ROW] > 0 else machine[LASTROW]
            answer = expose(directory, indexes, machine, code, pc, registers, at)
            if answer >= NO_ROOM:
                status = CALL
                if answer != ASK:
                    status = GROW_RELATION if answer == NO_ROOM else GROW_LISTS
                machine[NEED] = machine[NEED] if answer == NO_ROOM else pc
                break
            good = answer == ADMITTED
            last = code[pc + E_ROW]
            rel = code[pc + E_REL]
            if code[pc + E_SAME] == 1:
                state = load(directory[rel, REC], at * directory[rel, WIDTH] + directory[rel, ARITY])
                ranks[last] = (state >> FLAG_BITS) + directory[rel, RANK_BASE]
            else:
                ranks[last] = 0
        else:
            row = cursors[code[pc + A_GEN]] - 1 if code[pc + A_GEN] > 0 else machine[LASTROW]
            known = code[pc + A_CELLS] + 16 * (row - code[pc + A_FIRST])
            if 0 <= row - code[pc + A_FIRST] < code[pc + A_ROWS] and load(known, 0) == 1:
                registers[code[pc + S_SAME]] = load(known, 1)
            else:
                value, found = 0, False
                if code[pc + A_WAY] != 0:
                    value, found = structure(machine, code, pc, registers)
                if not found:
                    rel = code[pc + S_REL]
                    gather_key(code, pc, registers, scratch)
                    row = first_row(directory, indexes, code[pc + S_INDEX], rel, scratch)
                    if row == 0:
                        machine[NEED] = pc
                        status = CALL
                        break
                    value = load(directory[rel, REC], (row - 1) * directory[rel, WIDTH] + code[pc + S_NKEY])
                registers[code[pc + S_SAME]] = value
        if forward:
            count(counts, pc + ENTERED, 1)
        if good:
            count(counts, pc + PASSED, 1)
        forward = good
        after = behind_meet(code, pc) if op == MEET else pc + code[pc + S_LEN]
        pc = after if good else previous(code, pc)
        if left <= 0 and (op <= SCAN or op in (RANGE, MEET)) and pc >= 0:
            status = SLICE
            break
    machine[PC] = pc
    machine[FORWARD] = 1 if forward else 0
    machine[VISITED] += visited
    count(machine[VISITS], code[plan + P_RULE], visited)
    machine[BUDGET] = left
    return status


@inlined
def ask_ahead(directory, indexes, code, plan, record, registers, near):
    """Prefetch the memory that the first look-up of a plan will need for a later trigger.

    Far ahead, the key's place in the table; from ``near``, the first row of its chain.
    """
    count = code[plan + P_NBIND]
    pc = plan + P_BINDS + 3 * count
    if code[pc + S_OP] != LOOKUP:
        return
    index, rel = code[pc + S_INDEX], code[pc + S_REL]
    slots = indexes[index, KSLOTS]
    mixed = HASH_SEED
    for i in range(code[pc + S_NKEY]):
        register = code[pc + S_KEYS + i]
        cell = registers[register]
        for j in range(count):
            at = plan + P_BINDS + 3 * j
            if code[at + 2] == register:
                cell = load(record, code[at])
        mixed = mix_cell(mixed, cell)
    tag = finish_hash(mixed)
    table, place = indexes[index, KTAB], home(tag, slots)
    if not near:
        prefetch(table, place)
        return
    entry = load(table, place)
    if (entry >> 32) & LOW32 == tag:
        row = (entry & LOW32) - 1
        prefetch(directory[rel, REC], row * directory[rel, WIDTH])
        prefetch(indexes[index, LINKS], row)


@inlined
def look_ahead(directory, indexes, code, plan, items, item, end, rel, registers):
    """Prefetch what the next items of a batch will need; most of them are of the same relation."""
    if item + FAR < end and items[item + FAR] >> 32 == rel:
        start = directory[rel, REC] + 8 * (items[item + FAR] & LOW32) * directory[rel, WIDTH]
        ask_ahead(directory, indexes, code, plan, start, registers, False)
        if items[item + NEAR] >> 32 == rel:
            start = directory[rel, REC] + 8 * (items[item + NEAR] & LOW32) * directory[rel, WIDTH]
            ask_ahead(directory, indexes, code, plan, start, registers, True)


@inlined
def is_whole(code, plan, pc):
    """Whether a step is the first of a plan whose trigger binds nothing."""
    return code[plan + P_NBIND] == 0 and code[pc + S_BACK] == 0


@compiled
def wait_in_block(directory, indexes, machine, code, plan, registers, ranks, tally):
    """Put the binding that has reached the tail into the block, which is emptied when it is full."""
    if machine[BLOCK_FILLED] == 0:
        open_block(machine, code, plan)
    put_binding(machine, code, registers, ranks)
    if is_block_full(machine):
        empty_block(directory, indexes, machine, code, registers, tally)


@compiled
def scan_in_blocks(directory, indexes, machine, code, plan, pc, registers, ranks, tally, cursor):
    """Scan rows from ``cursor`` on, in blocks; returns the last row (+ 1) visited when it must stop, 0 at the end."""
    while True:
        if machine[BLOCK_FILLED] == 0:
            open_block(machine, code, plan)
        cursor = fill_from_rows(directory, machine, code, plan, pc, registers, cursor, ranks[code[pc + S_GEN] - 1])
        if is_block_full(machine):
            empty_block(directory, indexes, machine, code, registers, tally)
        if cursor == 0 or machine[OUTN] >= machine[OUTCAP] or machine[BUDGET] <= 0:
            return cursor


@compiled
def fire(directory, indexes, machine, code, registers, cursors, ranks, tally, items, spans, plans):
    """Run all plans that the items of the batch trigger; DONE when the batch is finished. No block is left behind."""
    status = fire_items(directory, indexes, machine, code, registers, cursors, ranks, tally, items, spans, plans)
    if machine[BLOCK_FILLED] > 0:
        empty_block(directory, indexes, machine, code, registers, tally)
    return status


@inlined
def fire_items(directory, indexes, machine, code, registers, cursors, ranks, tally, items, spans, plans):
    """As `fire`, but bindings may be left in the block."""
    while True:
        if machine[PC] < 0:
            if machine[ITEM] >= machine[END]:
                return DONE
            if machine[BUDGET] <= 0:
                return SLICE
            item = items[machine[ITEM]]
            rel = item >> 32 if item >= 0 else 0
            if machine[TRIGGER] < 0:
                machine[TRIGGER] = spans[rel, 0]
            if machine[TRIGGER] >= spans[rel, 1]:
                machine[ITEM] += 1
                machine[TRIGGER] = -1
                continue
            plan = plans[machine[TRIGGER]]
            if machine[BLOCK_FILLED] > 0 and machine[BLOCK_PLAN] != plan:
                empty_block(directory, indexes, machine, code, registers, tally)
                if machine[OUTN] >= machine[OUTCAP]:
                    return SLICE
            machine[TRIGGER] += 1
            if code[plan + P_IDLE] == 1:
                count(machine[COUNTS], plan + SKIPPED, 1)
                machine[BUDGET] -= 1
                continue
            machine[PLAN] = plan
            tail = code[plan + P_TAIL] if item < 0 or spans[rel, 1] - spans[rel, 0] == 1 else 0
            machine[TAIL_PLACE] = tail
            if item >= 0 and tail == plan + P_BINDS + 3 * code[plan + P_NBIND]:
                if machine[BLOCK_FILLED] == 0:
                    open_block(machine, code, plan)
                fill_from_items(directory, machine, code, plan, registers, items)
                if is_block_full(machine):
                    empty_block(directory, indexes, machine, code, registers, tally)
                    if machine[OUTN] >= machine[OUTCAP]:
                        return SLICE
                continue
            if machine[ASK_AHEAD] == 1 and item >= 0:
                look_ahead(directory, indexes, code, plan, items, machine[ITEM], machine[END], rel, registers)
            machine[PC] = start_plan(directory, machine, code, plan, item, registers, ranks)
            count(machine[COUNTS], plan + TRIGGERED, 1)
            count(machine[COUNTS], plan + MATCHED, 1 if machine[PC] >= 0 else 0)
            machine[FORWARD] = 1
            machine[BUDGET] -= 1
            continue
        plan = plans[machine[TRIGGER] - 1]
        status = walk(directory, indexes, machine, code, registers, cursors, ranks, tally, plan)
        if status != DONE:
            return status
