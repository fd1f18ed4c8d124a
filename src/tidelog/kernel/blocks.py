"""Blocks: the last steps of a plan, carried out for many bindings at once.

Laws. The *tail* of a plan are its last steps, up to the message, that keep a binding or drop it: comparisons,
negations, and look-ups that find at most one row because no two rows share a key. A binding that reaches the tail
waits in the block, a column of cells for each variable; then each step is carried out for all of them, so that the
memory that one look-up needs is fetched while others are prepared. A block belongs to one plan, is never larger than
the room for messages, and is empty when `join.fire` returns. Supports, ranks and the counts of steps are those of the
walk.

Relations of the own stratum are looked up by whole facts only: a record that is used again may lengthen a chain
meanwhile.
"""

from __future__ import annotations

from tidelog.kernel.index import HASH_SEED, finish_hash, home, mix_cell
from tidelog.kernel.layout import (
    ARITY,
    ASSERT_SAME,
    BLOCK,
    BLOCK_FILLED,
    BLOCK_PLAN,
    BUDGET,
    CHECK,
    CLEAN_RETRACT,
    COLS,
    COMPARE,
    COUNTS,
    EMIT,
    END,
    ENTERED,
    EXPOSE,
    FLAG_BITS,
    ITEM,
    KEYS,
    KSLOTS,
    KTAB,
    LINKED,
    LIVE_ROWS,
    LOOKUP,
    LOW32,
    M_COLS,
    M_HASH,
    M_RANK,
    M_REL,
    MATCHED,
    MEET,
    NCOLS,
    NEGATE,
    ONE,
    ORDER,
    OUT,
    OUTCAP,
    OUTN,
    P_BINDS,
    P_NBIND,
    P_RULE,
    PASSED,
    PHASE,
    PRESENCE,
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
    SEEN,
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
from tidelog.kernel.memory import compiled, inlined, load, prefetch, store
from tidelog.kernel.relation import hash_cells
from tidelog.kernel.scalar import compare

MOST = 256  # bindings in a block
LEAST = 64  # items of a batch, or rows of a scan, from which on blocks are worth while
VARIABLES = 1024  # registers; those from here on hold constants
FAR = 8  # items of the batch between prefetching a record and reading it
FAR_FROM = 1 << 13  # slots of a table that the nearest caches do not hold
# A block: places of bindings that are left, their hashes and ranks, registers that the tail reads, then columns, which
# are a little further apart than a power of two so that their cells do not compete for the same places of a cache.
PLACES, TAGS, RANKS, READ = 0, MOST, 2 * MOST, 3 * MOST
COLUMNS = READ + 1 + VARIABLES
APART = MOST + 8
CELLS = COLUMNS + VARIABLES * APART


@inlined
def column(block, register):
    """The address of the column of a variable."""
    return block + 8 * (COLUMNS + APART * register)


@inlined
def cell_of(block, registers, register, place):
    """The value of a register in one binding."""
    if register >= VARIABLES:
        return registers[register]
    return load(column(block, register), place)


@inlined
def finds_one(directory, indexes, code, pc):
    """Whether a look-up finds at most one row for any key, and no row is added meanwhile."""
    index, rel = code[pc + S_INDEX], code[pc + S_REL]
    if code[pc + S_SAME] == 1 or indexes[index, ORDER] != 0:
        return False
    return indexes[index, KEYS] == directory[rel, LIVE_ROWS] and indexes[index, LINKED] == directory[rel, ROWS]


@compiled
def tail_of(directory, indexes, code, plan, items):
    """Where the tail of a plan begins, 0 if it has none or the batch of ``items`` is too small."""
    first = plan + P_BINDS + 3 * code[plan + P_NBIND]
    scans = code[first + S_OP] == SCAN
    if items < LEAST and not (scans and directory[code[first + S_REL], ROWS] >= LEAST):
        return 0
    pc, tail, before = first, 0, 0
    while code[pc + S_OP] != EMIT:
        op = code[pc + S_OP]
        if op in (EXPOSE, MEET):
            return 0
        if op in (COMPARE, NEGATE, ONE) or (op == LOOKUP and finds_one(directory, indexes, code, pc)):
            tail = pc if tail == 0 else tail
        else:
            tail, before = 0, pc
        pc += code[pc + S_LEN]
    if tail != 0:
        return tail
    return pc if before == 0 or (before == first and scans) else 0  # others write their messages themselves


@inlined
def note_read(block, bound, register):
    """Note a register that the tail reads, unless it binds it itself or it is noted."""
    count = load(block, READ)
    if register >= VARIABLES:
        return
    for i in range(count):
        if load(block, READ + 1 + i) == register:
            return
    store(block, READ + 1 + count, register)
    store(block, READ, count + 1)


@compiled
def open_block(machine, code, plan):
    """Let the empty block belong to a plan: find the registers that its tail reads, and does not bind first."""
    block = machine[BLOCK]
    machine[BLOCK_PLAN] = plan
    store(block, READ, 0)
    start = machine[TAIL_PLACE]
    pc = start
    while True:
        op = code[pc + S_OP]
        if op == COMPARE:
            note_unbound(block, code, start, pc, code[pc + 5])
            note_unbound(block, code, start, pc, code[pc + 6])
        elif op == EMIT:
            for i in range(code[pc + S_SAME]):
                note_unbound(block, code, start, pc, code[pc + S_ACCEPT + i])
            return
        else:
            for i in range(code[pc + S_NKEY]):
                note_unbound(block, code, start, pc, code[pc + S_KEYS + i])
            binds = pc + S_KEYS + code[pc + S_NKEY]
            for i in range(code[pc + S_NBIND] if op != NEGATE else 0):
                if code[binds + 3 * i + 1] == CHECK:
                    note_unbound(block, code, start, pc, code[binds + 3 * i + 2])
        pc += code[pc + S_LEN]


@compiled
def note_unbound(block, code, start, end, register):
    """Note a register that the step at ``end`` reads, unless a step of the tail up to there binds it."""
    pc = start
    while pc <= end:
        op = code[pc + S_OP]
        if op in (LOOKUP, ONE):
            binds = pc + S_KEYS + code[pc + S_NKEY]
            for i in range(code[pc + S_NBIND]):
                if code[binds + 3 * i + 1] != CHECK and code[binds + 3 * i + 2] == register:
                    return
        if op == EMIT:
            break
        pc += code[pc + S_LEN]
    note_read(block, start, register)


@inlined
def put_binding(machine, code, registers, ranks):
    """Put the binding that has reached the tail into the block."""
    block, place, tail = machine[BLOCK], machine[BLOCK_FILLED], machine[TAIL_PLACE]
    for i in range(load(block, READ)):
        register = load(block, READ + 1 + i)
        store(column(block, register), place, registers[register])
    back = code[tail + S_BACK]
    generator = code[tail - back + S_GEN] if back != 0 else 0
    store(block, RANKS + place, ranks[generator])
    machine[BLOCK_FILLED] = place + 1


@inlined
def bind_in(block, code, at, count, records, start, registers, place):
    """Match a record as `join.bind` does, in the columns of the block."""
    for _ in range(count):
        value = load(records, start + code[at])
        register = code[at + 2]
        if code[at + 1] == CHECK:
            if cell_of(block, registers, register, place) != value:
                return False
        else:
            store(column(block, register), place, value)
        at += 3
    return True


@compiled
def fill_from_rows(directory, machine, code, plan, pc, registers, cursor, rank):
    """Put rows of a scan from ``cursor`` on into the block; returns the last row (+ 1) visited, 0 at the end.

    The scan is the first step of its plan, and the tail follows it.
    """
    rel, block = code[pc + S_REL], machine[BLOCK]
    records, width, arity, rows = (
        directory[rel, REC],
        directory[rel, WIDTH],
        directory[rel, ARITY],
        directory[rel, ROWS],
    )
    accept, same, base = code[pc + S_ACCEPT + machine[PHASE]], code[pc + S_SAME], directory[rel, RANK_BASE]
    binds, count = pc + S_KEYS + code[pc + S_NKEY], code[pc + S_NBIND]
    filled, room, first = machine[BLOCK_FILLED], min(MOST, machine[OUTCAP] - machine[OUTN]), cursor
    while filled < room and cursor < rows:
        start = cursor * width
        cursor += 1
        state = load(records, start + arity)
        if (accept >> (state & PRESENCE)) & 1 == 1 and bind_in(
            block, code, binds, count, records, start, registers, filled
        ):
            store(block, RANKS + filled, max(rank, (state >> FLAG_BITS) + base) if same == 1 else rank)
            filled += 1
    add_count(machine, pc + SEEN, cursor - first)
    add_count(machine, pc + PASSED, filled - machine[BLOCK_FILLED])
    machine[BLOCK_FILLED] = filled
    machine[BUDGET] -= cursor - first
    note_visited(machine, code[plan + P_RULE], cursor - first)
    return cursor if cursor < rows else 0


@compiled
def fill_from_items(directory, machine, code, plan, registers, items):
    """Put triggers of a plan whose tail comes first into the block: those of the batch that follow in one relation."""
    item, end, rel, block = machine[ITEM], machine[END], items[machine[ITEM]] >> 32, machine[BLOCK]
    records, width, arity, base = (
        directory[rel, REC],
        directory[rel, WIDTH],
        directory[rel, ARITY],
        directory[rel, RANK_BASE],
    )
    own = machine[PHASE] in (RETRACT_SAME, ASSERT_SAME, CLEAN_RETRACT)
    filled, room, first = machine[BLOCK_FILLED], min(MOST, machine[OUTCAP] - machine[OUTN]), item
    binds, count = plan + P_BINDS, code[plan + P_NBIND]
    while filled < room and item < end and items[item] >> 32 == rel:
        if item + FAR < end:
            prefetch(records, (items[item + FAR] & LOW32) * width)
        start = (items[item] & LOW32) * width
        item += 1
        if bind_in(block, code, binds, count, records, start, registers, filled):
            rank = (load(records, start + arity) >> FLAG_BITS) + base if own else 0
            store(block, RANKS + filled, rank)
            filled += 1
    add_count(machine, plan + TRIGGERED, item - first)
    add_count(machine, plan + MATCHED, filled - machine[BLOCK_FILLED])
    machine[BLOCK_FILLED], machine[ITEM], machine[TRIGGER] = filled, item, -1
    machine[BUDGET] -= item - first


@inlined
def is_block_full(machine):
    """Whether the block must be emptied before another binding is put there."""
    return machine[BLOCK_FILLED] >= min(MOST, machine[OUTCAP] - machine[OUTN])


@inlined
def note_visited(machine, rule, visited):
    """Count rows that a rule has visited."""
    machine[VISITED] += visited
    store(machine[VISITS], rule, load(machine[VISITS], rule) + visited)


@inlined
def add_count(machine, place, number):
    """Add to the count at a place of the code."""
    store(machine[COUNTS], place, load(machine[COUNTS], place) + number)


@inlined
def is_plain(code, keys, count):
    """Whether a key is one variable."""
    return count == 1 and code[keys] < VARIABLES


@inlined
def hash_keys(block, registers, code, keys, count, table, slots, left):
    """Hash the keys of the bindings that are left, and prefetch their places in a table."""
    if is_plain(code, keys, count):
        cells = column(block, code[keys])
        for i in range(left):
            tag = finish_hash(mix_cell(HASH_SEED, load(cells, load(block, PLACES + i))))
            store(block, TAGS + i, tag)
            prefetch(table, home(tag, slots))
        return
    for i in range(left):
        place = load(block, PLACES + i)
        mixed = HASH_SEED
        for j in range(count):
            mixed = mix_cell(mixed, cell_of(block, registers, code[keys + j], place))
        tag = finish_hash(mixed)
        store(block, TAGS + i, tag)
        prefetch(table, home(tag, slots))


@inlined
def fetch_rows(block, table, slots, records, width, left):
    """Prefetch the records that the places name."""
    for i in range(left):
        tag = load(block, TAGS + i)
        entry = load(table, home(tag, slots))
        if (entry >> 32) & LOW32 == tag:
            prefetch(records, ((entry & LOW32) - 1) * width)


@inlined
def has_key(block, registers, code, keys, count, indexes, index, records, start, place):
    """Whether a record has the key of a binding; the key is of an index, or (-1) of all columns."""
    for j in range(count):
        at = indexes[index, COLS + j] if index >= 0 else j
        cell = load(records, start + at)
        if cell != cell_of(block, registers, code[keys + j], place):
            return False
    return True


@compiled
def look_up(directory, indexes, machine, code, pc, registers, left):
    """Carry out a look-up or a negation for all bindings; returns how many are left."""
    op, rel, block = code[pc + S_OP], code[pc + S_REL], machine[BLOCK]
    index = code[pc + S_INDEX] if op == LOOKUP else -1
    table, slots, count = directory[rel, TAB], directory[rel, SLOTS], code[pc + S_NKEY]
    if op == LOOKUP:
        table, slots, count = indexes[index, KTAB], indexes[index, KSLOTS], indexes[index, NCOLS]
    records, width, arity = directory[rel, REC], directory[rel, WIDTH], directory[rel, ARITY]
    accept, same, base = code[pc + S_ACCEPT + machine[PHASE]], code[pc + S_SAME], directory[rel, RANK_BASE]
    keys, binds, bound = pc + S_KEYS, pc + S_KEYS + code[pc + S_NKEY], code[pc + S_NBIND]
    hash_keys(block, registers, code, keys, count, table, slots, left)
    if slots >= FAR_FROM:
        fetch_rows(block, table, slots, records, width, left)
    kept, seen, plain = 0, 0, is_plain(code, keys, count)
    cells = column(block, code[keys]) if plain else 0
    key_column = indexes[index, COLS] if plain and index >= 0 else 0
    for i in range(left):
        place, tag = load(block, PLACES + i), load(block, TAGS + i)
        at, start = home(tag, slots), -1
        while True:
            entry = load(table, at)
            if entry == 0:
                break
            if (entry >> 32) & LOW32 == tag:
                start = ((entry & LOW32) - 1) * width
                if plain:
                    if load(records, start + key_column) == load(cells, place):
                        break
                elif has_key(block, registers, code, keys, count, indexes, index, records, start, place):
                    break
                start = -1
            at += 1
            if at == slots:
                at = 0
        good = op == NEGATE
        if start >= 0:
            seen += 1
            state = load(records, start + arity)
            good = (accept >> (state & PRESENCE)) & 1 == 1
            if op != NEGATE and good:
                good = bind_in(block, code, binds, bound, records, start, registers, place)
                if good and same == 1:
                    rank = (state >> FLAG_BITS) + base
                    store(block, RANKS + place, max(load(block, RANKS + place), rank))
        if good:
            store(block, PLACES + kept, place)
            kept += 1
    if op != NEGATE:
        add_count(machine, pc + SEEN, seen)
        machine[BUDGET] -= seen
    return kept


@compiled
def send_all(directory, machine, code, pc, registers, left):
    """Write the messages of all bindings that are left; there is room."""
    block, mark, arity, args = machine[BLOCK], code[pc + S_REL], code[pc + S_SAME], pc + S_ACCEPT
    rel, stride = mark & LOW32, machine[STRIDE]
    table, slots = directory[rel, TAB], directory[rel, SLOTS]
    out = machine[OUT] + 8 * machine[OUTN] * stride
    for i in range(left):
        place, at = load(block, PLACES + i), out + 8 * i * stride
        for j in range(arity):
            store(at, M_COLS + j, cell_of(block, registers, code[args + j], place))
        tag = hash_cells(at + 8 * M_COLS, arity)
        prefetch(table, home(tag, slots))
        store(at, M_REL, mark)
        store(at, M_RANK, load(block, RANKS + place))
        store(at, M_HASH, tag)
    machine[OUTN] += left


@compiled
def empty_block(directory, indexes, machine, code, registers, tally):
    """Carry out the tail for all bindings of the block."""
    block, plan, left = machine[BLOCK], machine[BLOCK_PLAN], machine[BLOCK_FILLED]
    machine[BLOCK_FILLED] = 0
    pc, before = machine[TAIL_PLACE], machine[BUDGET]
    for i in range(left):
        store(block, PLACES + i, i)
    while code[pc + S_OP] != EMIT and left > 0:
        add_count(machine, pc + ENTERED, left)
        if code[pc + S_OP] == COMPARE:
            kept, one, other = 0, code[pc + 5], code[pc + 6]
            for i in range(left):
                place = load(block, PLACES + i)
                a, b = cell_of(block, registers, one, place), cell_of(block, registers, other, place)
                if compare(code[pc + 3], code[pc + 4], a, b):
                    store(block, PLACES + kept, place)
                    kept += 1
            left = kept
        else:
            left = look_up(directory, indexes, machine, code, pc, registers, left)
        add_count(machine, pc + PASSED, left)
        pc += code[pc + S_LEN]
    if left > 0:
        add_count(machine, pc + ENTERED, left)
        tally[code[plan + P_RULE]] += left
        send_all(directory, machine, code, pc, registers, left)
    note_visited(machine, code[plan + P_RULE], before - machine[BUDGET])
