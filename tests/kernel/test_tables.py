"""Records, hash tables and index chains against Python dictionaries, under random insertion and removal.

The kernels are called as the machine calls them: grow when there is no room, then go on.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tidelog.kernel import layout as at
from tidelog.kernel.cells import address
from tidelog.kernel.index import collect, first_row, home
from tidelog.kernel.layout import LIVE, NEW, OLD, VISIBLE
from tidelog.kernel.relation import find, has_room, hash_cells, insert, remove
from tidelog.partition.memory.relations import Relations
from tidelog.partition.memory.table import SMALLEST
from tidelog.partition.memory.trim import trim
from tidelog.rewrite.place import placement


class Table:
    """One relation of a `Relations`, driven fact by fact."""

    def __init__(self, arity: int, *indexes: tuple[int, ...]) -> None:
        self.relations = Relations()
        self.relations.add("other", 1)  # so that the number is not 0
        self.number = self.relations.add("p", arity)
        self.indexes = {columns: self.relations.index(self.number, columns) for columns in indexes}
        self.scratch = np.zeros(max(arity, 1), np.int64)

    def put(self, row: tuple[int, ...]) -> int:
        key = self._key(row)
        while not has_room(self.relations.directory, self.relations.indexes, self.number):
            self.relations.grow(self.number)
        tag = hash_cells(key, len(row))
        place = insert(self.relations.directory, self.relations.indexes, self.number, key, tag)
        records = self.relations.records(self.number)
        records[place, len(row)] = OLD | NEW | VISIBLE | LIVE
        return int(place)

    def place(self, row: tuple[int, ...]) -> int:
        key = self._key(row)
        return int(find(self.relations.directory, self.number, key, hash_cells(key, len(row))))

    def take(self, place: int) -> None:
        remove(self.relations.directory, self.relations.indexes, self.number, place)

    def chain(self, columns: tuple[int, ...], key: tuple[int, ...]) -> list[tuple[int, ...]]:
        found = np.zeros(5000, np.int64)
        where = self._key(key)
        self.relations.catch_up(self.number)
        tables = (self.relations.directory, self.relations.indexes)
        count = collect(*tables, self.indexes[columns], self.number, where, found)
        records = self.relations.records(self.number)
        assert (first_row(*tables, self.indexes[columns], self.number, where) == 0) == (count == 0)
        return sorted(tuple(records[i, :-2].tolist()) for i in found[:count])

    def _key(self, cells: tuple[int, ...]) -> int:
        self.scratch[: len(cells)] = cells
        return address(self.scratch)


def random_row(rng: Random, arity: int, spread: int) -> tuple[int, ...]:
    return tuple(
        rng.choice([rng.randrange(spread), -rng.randrange(spread), rng.randrange(spread) << 40]) for _ in range(arity)
    )


@pytest.mark.parametrize(("arity", "spread"), [(1, 60), (2, 8), (3, 4), (5, 2)])
@pytest.mark.parametrize("seed", range(2))
def test_tables_and_chains_hold_what_a_dictionary_holds(arity: int, spread: int, seed: int) -> None:
    rng = Random(seed)
    indexes = [(0,)] if arity < 3 else [(0,), (2,), (0, 1)]
    table, present = Table(arity, *indexes), dict[tuple[int, ...], int]()
    for step in range(1500):
        row = random_row(rng, arity, spread)
        growing = step % 500 < 350  # mostly in, then mostly out
        if row not in present and rng.random() < (0.9 if growing else 0.2):
            present[row] = table.put(row)
        elif row in present and rng.random() < (0.2 if growing else 0.9):
            table.take(present.pop(row))
        if step % 50 == 0:
            compare(table, present, indexes, rng)
    compare(table, present, indexes, rng)
    for row in list(present):
        table.take(present.pop(row))
    compare(table, {}, indexes, rng)


def compare(table: Table, present: dict[tuple[int, ...], int], indexes: list[tuple[int, ...]], rng: Random) -> None:
    assert table.relations.live(table.number) == len(present)
    assert all(table.place(row) == place for row, place in present.items())
    assert len(set(present.values())) == len(present)
    for columns in indexes:
        keys = {tuple(row[c] for c in columns) for row in present}
        assert table.relations.distinct_keys(table.number, columns) == len(keys)
        for key in rng.sample(sorted(keys), k=min(5, len(keys))):
            expected = sorted(row for row in present if tuple(row[c] for c in columns) == key)
            assert table.chain(columns, key) == expected
        assert table.chain(columns, (10**9,) * len(columns)) == []


def test_absent_rows_are_not_found() -> None:
    table = Table(2)
    assert table.place((1, 2)) == -1
    place = table.put((1, 2))
    assert table.place((1, 2)) == place
    assert table.place((2, 1)) == -1
    table.take(place)
    assert table.place((1, 2)) == -1


def test_freed_records_are_used_again() -> None:
    table = Table(1)
    places = [table.put((i,)) for i in range(100)]
    for place in places[10:60]:
        table.take(place)
    assert {table.put((1000 + i,)) for i in range(50)} == set(places[10:60])
    assert len(table.relations.records(table.number)) == 100


def test_index_made_late_holds_every_row() -> None:
    table = Table(2)
    rows = [(i % 7, i) for i in range(200)]
    places = [table.put(row) for row in rows]
    table.take(places[14])
    table.indexes[0,] = table.relations.index(table.number, (0,))
    assert table.chain((0,), (0,)) == [row for row in rows if row[0] == 0 and row[1] != 14]


def test_index_is_shared_and_dropped() -> None:
    table = Table(2, (0,), (1,))
    assert table.relations.index(table.number, (0,)) == table.indexes[0,]
    table.relations.drop_index(table.number, (0,))
    table.put((1, 2))
    assert table.chain((1,), (2,)) == [(1, 2)]
    assert table.relations.distinct_keys(table.number, (0,)) is None
    assert table.relations.index(table.number, (0,)) == table.indexes[0,]  # its number is used again
    assert table.chain((0,), (1,)) == [(1, 2)]


def test_rows_with_equal_hash_places_are_told_apart() -> None:
    table = Table(1)
    rows = [(i,) for i in range(3 * SMALLEST)]
    places = {row: table.put(row) for row in rows}
    slots = int(table.relations.directory[table.number, at.SLOTS])
    assert len({home(hash_cells(table._key(row), 1), slots) for row in rows}) < len(rows)
    assert all(table.place(row) == place for row, place in places.items())


def test_rows_wait_until_the_index_is_read() -> None:
    table = Table(2, (0,))
    places = [table.put((i % 3, i)) for i in range(30)]
    index = table.indexes[0,]
    assert table.relations.indexes[index, at.LINKED] == 0
    table.take(places[3])  # never linked
    assert table.chain((0,), (0,)) == [(0, i) for i in range(0, 30, 3) if i != 3]
    assert table.relations.indexes[index, at.LINKED] == 30
    assert table.put((0, 3)) == places[3]  # used again, below what is linked
    assert table.chain((0,), (0,)) == [(0, i) for i in range(0, 30, 3)]


def test_row_freed_before_it_was_linked_is_linked_when_it_is_used_again() -> None:
    table = Table(2, (0,))
    table.take(table.put((1, 1)))
    assert table.put((2, 2)) == 0
    assert table.chain((0,), (2,)) == [(2, 2)]
    assert table.chain((0,), (1,)) == []


def test_binary_facts_take_at_most_60_bytes_each_after_a_build() -> None:
    table = Table(2, (0,), (1,))
    for i in range(300_000):
        table.put((i % 900, i // 300))
    table.relations.catch_up(table.number)
    trim(table.relations, table.number)
    assert table.relations.memory() / 300_000 <= 60
    for i in (0, 7, 299_999):
        assert table.place((i % 900, i // 300)) == i
    assert len(table.chain((1,), (5,))) == 300
    assert table.put((-1, -1)) == 300_000  # what was given back is taken again
    assert table.place((-1, -1)) == 300_000


def test_the_kernel_has_the_two_numbers_of_placements() -> None:
    assert (at.SINGLE, at.MIRRORED) == (placement.SINGLE, placement.MIRRORED)
