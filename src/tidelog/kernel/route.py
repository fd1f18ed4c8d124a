"""Messages between partitions: who owns a fact, what leaves, and what arrives.

Laws. A fact is owned by the partition that its location column hashes to; a fact of a mirrored relation is held by all.
The message of a rule that fires on every partition is kept by owners alone and never sent. Supports of one fact and one
body rank leave as one message with their number; a message with another rank is another message.
The hash is Spark's ``xxhash64`` of the cell as a bigint, so that Catalyst sends facts to the same owner.
"""

from __future__ import annotations

from tidelog.kernel.index import finish_hash, mix_cell
from tidelog.kernel.layout import (
    A_COLS,
    A_COUNT,
    A_RANK,
    A_REL,
    A_TO,
    ARITY,
    AWAY,
    AWAYCAP,
    AWAYMASK,
    AWAYN,
    AWAYTAB,
    EVERYWHERE,
    LOW32,
    M_COLS,
    M_HASH,
    M_RANK,
    M_REL,
    MIRRORED,
    OUT,
    OUTN,
    OWN,
    PARTITIONS,
    PLACE,
    ROUTED,
    STRIDE,
)
from tidelog.kernel.memory import compiled, inlined, load, prefetch, store
from tidelog.kernel.relation import hash_cells
from tidelog.kernel.xxhash import hash_cell

_SEED = 42
MOST_MERGED = 1 << 30  # supports in one message
AHEAD = 8  # messages between prefetching a place of the table and using it


@compiled
def xxhash(cell):
    """xxHash64 of the eight bytes of a cell, with Spark's seed."""
    return hash_cell(cell, _SEED)


@compiled
def owners(cells, partitions, found):
    """The owner of each cell."""
    for i in range(len(cells)):
        found[i] = xxhash(cells[i]) % partitions


@inlined
def place_of(tag, rank, to, mask):
    """Where the search for a leaving message begins in the table that finds them."""
    return finish_hash(mix_cell(tag, rank)) + to & mask


@inlined
def send(machine, to, at, rel, tag, rank, arity):
    """Count a support of a fact that another partition owns, in a message of the same fact and rank if there is one.

    There is room for one more message.
    """
    table, mask, width = machine[AWAYTAB], machine[AWAYMASK], 8 * (machine[STRIDE] + 1)
    place = place_of(tag, rank, to, mask)
    entry = load(table, place)
    while entry != 0:
        if (entry >> 32) & LOW32 == tag:
            where = machine[AWAY] + ((entry & LOW32) - 1) * width
            if (
                load(where, A_RANK) == rank
                and load(where, A_TO) == to
                and load(where, A_REL) == rel
                and load(where, A_COUNT) < MOST_MERGED
            ):
                same = True
                for i in range(arity):
                    if load(where, A_COLS + i) != load(at, M_COLS + i):
                        same = False
                        break
                if same:
                    store(where, A_COUNT, load(where, A_COUNT) + 1)
                    return
        place = (place + 1) & mask
        entry = load(table, place)
    number = machine[AWAYN]
    where = machine[AWAY] + number * width
    store(where, A_TO, to)
    store(where, A_REL, rel)
    store(where, A_RANK, rank)
    store(where, A_COUNT, 1)
    for i in range(arity):
        store(where, A_COLS + i, load(at, M_COLS + i))
    store(table, place, (tag << 32) | (number + 1))
    machine[AWAYN] = number + 1


@compiled
def route(directory, machine):
    """Keep the messages that are for this partition and put the others among those that leave; False: no room."""
    partitions, own, stride, out = machine[PARTITIONS], machine[OWN], machine[STRIDE], machine[OUT]
    if machine[AWAYN] + machine[OUTN] * partitions > machine[AWAYCAP]:
        return False
    kept, count, table, mask = 0, machine[OUTN], machine[AWAYTAB], machine[AWAYMASK]
    for i in range(count):
        at = out + 8 * i * stride
        mark, tag, rank = load(at, M_REL), load(at, M_HASH), load(at, M_RANK)
        rel, everywhere = mark & LOW32, mark & EVERYWHERE != 0
        if i + AHEAD < count:
            ahead = at + 8 * AHEAD * stride
            prefetch(table, place_of(load(ahead, M_HASH), load(ahead, M_RANK), 1 - own, mask))
        place, arity = directory[rel, PLACE], directory[rel, ARITY]
        stays = True
        if place != MIRRORED:
            to = xxhash(load(at, M_COLS + place)) % partitions if place >= 0 else 0
            stays = to == own
            if not stays and not everywhere:
                send(machine, to, at, rel, tag, rank, arity)
        elif not everywhere:
            for to in range(partitions):
                if to != own:
                    send(machine, to, at, rel, tag, rank, arity)
        if stays:
            here = out + 8 * kept * stride
            for j in range(M_COLS + arity):
                store(here, j, load(at, j))
            store(here, M_REL, rel)
            kept += 1
    machine[OUTN] = kept
    machine[ROUTED] = 1 if kept > 0 else 0
    return True


@compiled
def find_again(directory, machine):
    """Enter all leaving messages into their table, which is empty and has room for them."""
    table, mask, width = machine[AWAYTAB], machine[AWAYMASK], 8 * (machine[STRIDE] + 1)
    for i in range(machine[AWAYN]):
        where = machine[AWAY] + i * width
        tag = hash_cells(where + 8 * A_COLS, directory[load(where, A_REL), ARITY])
        place = place_of(tag, load(where, A_RANK), load(where, A_TO), mask)
        while load(table, place) != 0:
            place = (place + 1) & mask
        store(table, place, (tag << 32) | (i + 1))
