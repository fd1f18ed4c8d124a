"""Hashes of bytes: what the library of that name gives, for every length of the rest and any address and seed."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
import xxhash

from tidelog.kernel.memory import compiled
from tidelog.kernel.xxhash import hash_bytes, hash_cell


@compiled
def of_bytes(address, length, seed):
    return hash_bytes(address, length, seed)


@compiled
def of_cell(cell, seed):
    return hash_cell(cell, seed)


@pytest.mark.parametrize("length", [*range(72), 1000, 4097, 100_003])
def test_bytes_hash_as_in_the_library(length: int) -> None:
    rng = Random(length)
    for shift in range(8):
        raw = np.frombuffer(rng.randbytes(length + shift + 1), np.uint8)
        seed = rng.randrange(-(1 << 63), 1 << 63)
        wanted = xxhash.xxh64_intdigest(raw[shift : shift + length].tobytes(), seed % 2**64)
        assert of_bytes(raw.ctypes.data + shift, length, seed) % 2**64 == wanted


def test_cells_hash_as_their_bytes() -> None:
    rng = Random(3)
    for cell in (0, 1, -1, -(1 << 63), (1 << 63) - 1, *(rng.randrange(-(1 << 63), 1 << 63) for _ in range(50))):
        wanted = xxhash.xxh64_intdigest(cell.to_bytes(8, "little", signed=True), 42)
        assert of_cell(cell, 42) % 2**64 == wanted
