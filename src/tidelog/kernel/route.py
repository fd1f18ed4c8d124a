"""Messages between partitions: who owns a fact, what leaves, and what arrives.

Laws. A fact is owned by the partition that its location column hashes to; a fact of a mirrored relation is held by all.
The message of a rule that fires on every partition is kept by owners alone and never sent. Messages may be merged only
per (fact, body rank): leaving messages are combined in this way, and expanded again where they arrive.
The hash is Spark's ``xxhash64`` of the cell as a bigint, so that Catalyst sends facts to the same owner.
"""

from __future__ import annotations

from tidelog.kernel.layout import (
    A_COLS,
    A_COUNT,
    A_RANK,
    A_REL,
    A_TO,
    ARITY,
    AWAY,
    AWAYCAP,
    AWAYN,
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
from tidelog.kernel.memory import compiled, load, store
from tidelog.kernel.relation import hash_cells
from tidelog.kernel.xxhash import hash_cell

_SEED = 42


@compiled
def xxhash(cell):
    """xxHash64 of the eight bytes of a cell, with Spark's seed."""
    return hash_cell(cell, _SEED)


@compiled
def owners(cells, partitions, found):
    """The owner of each cell."""
    for i in range(len(cells)):
        found[i] = xxhash(cells[i]) % partitions


@compiled
def send(machine, to, at, rel):
    """Put a copy of the message at ``at`` among those that leave; there is room."""
    stride = machine[STRIDE]
    where = machine[AWAY] + 8 * machine[AWAYN] * (stride + 1)
    store(where, A_TO, to)
    store(where, A_REL, rel)
    store(where, A_RANK, load(at, M_RANK))
    store(where, A_COUNT, load(at, M_HASH))
    for i in range(stride - M_COLS):
        store(where, A_COLS + i, load(at, M_COLS + i))
    machine[AWAYN] += 1


@compiled
def route(directory, machine):
    """Keep the messages that are for this partition and put the others among those that leave; False: no room."""
    partitions, own, stride, out = machine[PARTITIONS], machine[OWN], machine[STRIDE], machine[OUT]
    if machine[AWAYN] + machine[OUTN] * partitions > machine[AWAYCAP]:
        return False
    kept = 0
    for i in range(machine[OUTN]):
        at = out + 8 * i * stride
        mark = load(at, M_REL)
        rel, everywhere = mark & LOW32, mark & EVERYWHERE != 0
        place = directory[rel, PLACE]
        stays = True
        if place != MIRRORED:
            to = xxhash(load(at, M_COLS + place)) % partitions if place >= 0 else 0
            stays = to == own
            if not stays and not everywhere:
                send(machine, to, at, rel)
        elif not everywhere:
            for to in range(partitions):
                if to != own:
                    send(machine, to, at, rel)
        if stays:
            here = out + 8 * kept * stride
            for j in range(M_COLS + directory[rel, ARITY]):
                store(here, j, load(at, j))
            store(here, M_REL, rel)
            kept += 1
    machine[OUTN] = kept
    machine[ROUTED] = 1 if kept > 0 else 0
    return True


@compiled
def combine(directory, away, count, table):
    """Merge equal leaving messages in place: the hash cell becomes their count. Returns the number of merged ones.

    ``table`` is empty and larger than ``count``, its length a power of two.
    """
    mask, left = len(table) - 1, 0
    for i in range(count):
        rel, rank, to = away[i, A_REL], away[i, A_RANK], away[i, A_TO]
        width = A_COLS + directory[rel, ARITY]
        place = xxhash(away[i, A_COUNT] ^ (rank << 20) ^ (to << 50)) & mask
        away[i, A_COUNT] = 1
        while True:
            entry = table[place]
            if entry == 0:
                table[place] = left + 1
                for j in range(width):
                    away[left, j] = away[i, j]
                left += 1
                break
            same = True
            for j in range(width):
                if j != A_COUNT and away[entry - 1, j] != away[i, j]:
                    same = False
                    break
            if same:
                away[entry - 1, A_COUNT] += 1
                break
            place = (place + 1) & mask
    return left


@compiled
def unpack(rel, arity, cells, messages, stride):
    """Write arrived rows (rank, count, columns) as messages, each as often as its count."""
    at = messages
    for i in range(len(cells)):
        for _ in range(cells[i, 1]):
            for j in range(arity):
                store(at, M_COLS + j, cells[i, 2 + j])
            store(at, M_REL, rel)
            store(at, M_RANK, cells[i, 0])
            store(at, M_HASH, hash_cells(at + 8 * M_COLS, arity))
            at += 8 * stride
