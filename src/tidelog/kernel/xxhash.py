"""xxHash64 of cells and of texts, as Spark and the library of that name compute it.

Law: the hash depends on the bytes and the seed alone. Cells are signed; products wrap around, and shifts to the right
are masked, so that signed arithmetic computes the same bits as unsigned arithmetic.
"""

from __future__ import annotations

from tidelog.kernel.memory import byte, compiled, half_word, word

PRIME1, PRIME2, PRIME3 = -7046029288634856825, -4417276706812531889, 1609587929392839161
PRIME4, PRIME5 = -8796714831421723037, 2870177450012600261
_LOW32 = 0xFFFFFFFF


@compiled
def rotated(value, bits):
    """The 64 bits of a cell, rotated to the left."""
    return (value << bits) | ((value >> (64 - bits)) & ((1 << bits) - 1))


@compiled
def _lane(lane, cell):
    return rotated(lane + cell * PRIME2, 31) * PRIME1


@compiled
def _with_lane(mixed, lane):
    return (mixed ^ _lane(0, lane)) * PRIME1 + PRIME4


@compiled
def _with_word(mixed, cell):
    return rotated(mixed ^ _lane(0, cell), 27) * PRIME1 + PRIME4


@compiled
def _scattered(mixed):
    mixed ^= (mixed >> 33) & 0x7FFFFFFF
    mixed *= PRIME2
    mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    mixed *= PRIME3
    return mixed ^ ((mixed >> 32) & _LOW32)


@compiled
def hash_cell(cell, seed):
    """The hash of the eight bytes of a cell."""
    return _scattered(_with_word(seed + PRIME5 + 8, cell))


@compiled
def hash_bytes(address, length, seed):
    """The hash of the bytes at an address: stripes of 32 bytes in four lanes, then words, half a word, single bytes."""
    at, end = address, address + length
    if length >= 32:
        lane1, lane2, lane3, lane4 = seed + PRIME1 + PRIME2, seed + PRIME2, seed, seed - PRIME1
        while at + 32 <= end:
            lane1, lane2 = _lane(lane1, word(at)), _lane(lane2, word(at + 8))
            lane3, lane4 = _lane(lane3, word(at + 16)), _lane(lane4, word(at + 24))
            at += 32
        mixed = rotated(lane1, 1) + rotated(lane2, 7) + rotated(lane3, 12) + rotated(lane4, 18)
        mixed = _with_lane(_with_lane(_with_lane(_with_lane(mixed, lane1), lane2), lane3), lane4)
    else:
        mixed = seed + PRIME5
    mixed += length
    while at + 8 <= end:
        mixed = _with_word(mixed, word(at))
        at += 8
    if at + 4 <= end:
        mixed = rotated(mixed ^ half_word(at) * PRIME1, 23) * PRIME2 + PRIME3
        at += 4
    while at < end:
        mixed = rotated(mixed ^ byte(at) * PRIME5, 11) * PRIME1
        at += 1
    return _scattered(mixed)
