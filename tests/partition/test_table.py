"""Tables that grow and shrink where they lie, beside a dictionary."""

from __future__ import annotations

import numpy as np
import pytest

from tidelog.kernel.cells import Cells, address
from tidelog.kernel.index import is_full
from tidelog.kernel.maintain import put_all
from tidelog.kernel.relation import likely_row
from tidelog.partition.base import table_moves
from tidelog.partition.base.block import LARGE
from tidelog.partition.base.workers import Workers
from tidelog.partition.memory import table as tables
from tidelog.partition.memory.table import Table, table_slots


def entries_of(count: int, seed: int = 1) -> Cells:
    """Entries with distinct hashes, whose numbers are 1, 2, ..."""
    tags = np.random.default_rng(seed).choice(1 << 32, count, replace=False)
    return (tags << 32) | np.arange(1, count + 1)


def rows_found(table: Table, entries: Cells) -> list[int]:
    where, slots = address(table.cells), len(table.cells)
    tags = (entries >> 32) & 0xFFFFFFFF
    return [int(likely_row(where, slots, int(tag))) for tag in tags.tolist()]


def test_table_grows_to_any_size_and_finds_everything() -> None:
    entries, table = entries_of(300_000), Table()
    for first in range(0, len(entries), 10_000):
        table.reserve(first + 10_000)
        put_all(address(table.cells), len(table.cells), entries, first, first + 10_000)
    assert table.cells.nbytes > LARGE
    assert rows_found(table, entries) == list(range(300_000))


@pytest.mark.parametrize("spilled", [1, 64])
def test_table_grows_where_it_lies_with_little_to_spill_into(spilled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_moves, "_spill", lambda slots: np.zeros(spilled + 1, np.int64))
    entries, table = entries_of(200_000), Table(table_slots(200_000))
    put_all(address(table.cells), len(table.cells), entries, 0, len(entries))
    table.reserve(200_000 * 2)
    assert rows_found(table, entries) == list(range(200_000))
    table.shrink(200_000)
    assert len(table.cells) == table_slots(200_000)
    assert rows_found(table, entries) == list(range(200_000))
    assert np.count_nonzero(table.cells) == 200_000


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("spilled", [2, 4096])
def test_threads_move_the_entries_of_a_table(threads: int, spilled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_moves, "SHARED", 1 << 10)
    monkeypatch.setattr(table_moves, "_spill", lambda slots: np.zeros(spilled + 1, np.int64))
    entries, workers = entries_of(150_000), Workers(threads)
    table = Table(table_slots(len(entries)))
    put_all(address(table.cells), len(table.cells), entries, 0, len(entries))
    for wanted in (230_000, 350_000, 900_000):
        table.reserve(wanted, workers)
        assert rows_found(table, entries) == list(range(len(entries)))
    for wanted in (850_000, 500_000, 150_000):
        table.shrink(wanted, workers)
        assert len(table.cells) == table_slots(wanted)
        assert rows_found(table, entries) == list(range(len(entries)))
    assert np.count_nonzero(table.cells) == len(entries)
    workers.close()


def test_crowded_tables_of_equal_hashes_are_moved_by_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_moves, "SHARED", 1 << 10)
    tags = np.sort(np.random.default_rng(5).choice(1 << 10, 120_000)) << 22
    entries, workers = (tags << 32) | np.arange(1, len(tags) + 1), Workers(2)
    table = Table(table_slots(len(entries)))
    put_all(address(table.cells), len(table.cells), entries, 0, len(entries))
    table.reserve(3 * len(entries), workers)
    table.shrink(len(entries), workers)
    assert np.array_equal(np.sort(table.cells[table.cells != 0]), np.sort(entries))
    assert len(set(rows_found(table, entries))) == len(np.unique(tags))
    workers.close()


def test_shrunk_table_grows_again_over_empty_places() -> None:
    entries, table = entries_of(150_000), Table(table_slots(600_000))
    put_all(address(table.cells), len(table.cells), entries, 0, len(entries))
    table.shrink(150_000)
    table.reserve(500_000)
    assert np.count_nonzero(table.cells) == 150_000
    assert rows_found(table, entries) == list(range(150_000))


def test_cleared_table_is_empty_and_small() -> None:
    entries, table = entries_of(150_000), Table()
    table.reserve(150_000)
    put_all(address(table.cells), len(table.cells), entries, 0, len(entries))
    table.clear()
    assert not table.cells.any()
    assert len(table.cells) == tables.SMALLEST
    table.reserve(150_000)
    assert not table.cells.any()


def test_tables_stay_at_most_seventy_percent_full() -> None:
    for entries in range(0, 5000, 37):
        slots = table_slots(entries)
        assert not is_full(entries, slots)
        assert slots == tables.SMALLEST or is_full(entries, slots - 1)
