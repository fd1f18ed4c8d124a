"""Ids of values: chains of 64-bit hashes.

Law (D15): an id is an xxHash, seeded with 42, over (type tag, length, parts), so that equal values have equal ids
everywhere, without coordination. The same chain can be written in Spark SQL.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import xxhash

TAGS = {"number": 1, "unsigned": 2, "float": 3, "symbol": 4, "list": 5, "record": 6}
SEED = 42
LONG = struct.Struct("<q")
TWO64 = 1 << 64


def to_signed(bits: int) -> int:
    """64 bits as a signed number."""
    return bits - TWO64 if bits >= TWO64 >> 1 else bits


def hash_long(value: int, seed: int) -> int:
    """The next link of a chain of hashes."""
    return int(xxhash.xxh64_intdigest(LONG.pack(value), seed % TWO64))


SYMBOL_SEED = to_signed(hash_long(TAGS["symbol"], SEED))
LIST_SEED, RECORD_SEED = (hash_long(TAGS[kind], SEED) for kind in ("list", "record"))


def chain_of(length: int, cells: Sequence[int] = ()) -> int:
    """The hash of the first cells of a record or variant that has ``length`` of them."""
    mixed = hash_long(length, RECORD_SEED)
    for cell in cells:
        mixed = hash_long(cell, mixed)
    return to_signed(mixed)


def symbol_id(text: str) -> int:
    """The id of a symbol.

    >>> symbol_id("") != symbol_id("a")
    True
    """
    raw = text.encode("utf-8", "surrogatepass")
    return to_signed(xxhash.xxh64_intdigest(raw, hash_long(len(raw), SYMBOL_SEED)))
