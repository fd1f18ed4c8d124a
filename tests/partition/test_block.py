"""Arrays that grow and shrink without being copied."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from tidelog.partition.base import block as blocks
from tidelog.partition.base.block import HUGE_PAGE, LARGE, Block


def filled(rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.arange(2 * rows, dtype=np.int64).reshape(rows, 2)


def test_small_array_is_copied_and_keeps_its_contents() -> None:
    block = Block(filled(10))
    assert block.resize(20)[:10].tolist() == filled(10).tolist()
    assert block.resize(5).tolist() == filled(5).tolist()


def test_large_array_stays_where_it_lies() -> None:
    block = Block(filled(10))
    where = block.resize(LARGE // 8).ctypes.data
    assert where % HUGE_PAGE == 0
    block.array[10:] = 7
    assert block.resize(LARGE).ctypes.data == where
    assert block.array[:10].tolist() == filled(10).tolist()
    assert (block.array[10 : LARGE // 8] == 7).all()
    assert not block.array[LARGE // 8 :].any()


def test_what_is_given_back_holds_zeros_when_it_is_taken_again() -> None:
    block = Block(filled(10))
    block.resize(LARGE)[:] = 7
    block.resize(100)
    grown = block.resize(LARGE)
    kept = 100 + mmap.PAGESIZE // 16  # to the end of its page
    assert (grown[:100] == 7).all()
    assert not grown[kept:].any()


def test_view_of_a_block_outlives_its_growth() -> None:
    block = Block(filled(10))
    view = block.resize(LARGE)[:10]
    block.resize(2 * LARGE)
    del block
    assert view.tolist() == filled(10).tolist()


def test_system_without_spare_addresses_gives_exactly_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "RESERVED", 1 << 62)
    block = Block(filled(10))
    assert block.resize(LARGE)[:10].tolist() == filled(10).tolist()
    block.array[10:] = 7
    assert (block.resize(2 * LARGE)[10:LARGE] == 7).all()
    assert block.array[:10].tolist() == filled(10).tolist()


def test_lack_of_memory_leaves_the_array_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "RESERVED", 1 << 62)
    block = Block(filled(10))
    with pytest.raises(MemoryError):
        block.resize(1 << 58)
    assert block.array.tolist() == filled(10).tolist()
