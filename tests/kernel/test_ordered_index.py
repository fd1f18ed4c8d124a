"""Ordered indexes against sorted lists, under random insertion, removal and catching up.

Order, links in both directions and the search tree are compared; the rows that a range visits are the subject of
`tests/law/test_ranges.py`.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests.kernel.test_tables import Table
from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.kernel.ordered_index import AFTER, BEFORE, LEFT, MANY, RIGHT, ROOT
from tidelog.kernel.scalar import NAN_BITS
from tidelog.partition.memory.relations import Relations
from tidelog.partition.memory.trim import clear
from tidelog.plan.steps import KINDS, ordered_column

SPECIAL = {
    "number": [-(2**63), -1, 0, 1, 2**63 - 1],
    "unsigned": [0, 1, 2**63 - 1, -(2**63), -1],  # as cells: the last two are the greatest
    "float": [*np.array([-np.inf, -1.5, -1e-300, 0.0, 1e-300, 2.0, np.inf]).view(np.int64).tolist(), NAN_BITS],
}


def place_of(kind: str, cell: int) -> float:
    """The place of a cell in the order of its type, by Python's comparison."""
    if kind == "unsigned":
        return cell % 2**64
    if kind == "float":
        value = float(np.array([cell]).view(np.float64)[0])
        return 1e999 * 2 if value != value else value  # NaN is last, see below
    return cell


def sort_key(kind: str, columns: tuple[int, ...], record: Cells, row: int) -> tuple[object, ...]:
    *first, last = columns
    is_nan = kind == "float" and record[last] == NAN_BITS
    return (*(int(record[column]) for column in first), is_nan, place_of(kind, int(record[last])), row)


def rows_in_order(relations: Relations, index: int) -> list[int]:
    """The rows as the links have them; both directions and the tree agree."""
    links = relations.block(index, "links").array
    root = int(relations.key_tables[index].cells[ROOT])
    found: list[int] = []
    waiting, node = list[int](), root
    while waiting or node:
        while node:
            waiting.append(node)
            node = int(links[node - 1, LEFT])
        node = waiting.pop()
        found.append(node - 1)
        node = int(links[node - 1, RIGHT])
    for one, other in zip([-1, *found], [*found, -1], strict=True):
        assert one < 0 or links[one, AFTER] == other + 1
        assert other < 0 or links[other, BEFORE] == one + 1
    return found


def check(table: Table, kind: str, columns: tuple[int, ...], index: int, present: set[int]) -> None:
    table.relations.catch_up(table.number)
    records = table.relations.records(table.number)
    expected = sorted(present, key=lambda row: sort_key(kind, columns, records[row], row))
    assert rows_in_order(table.relations, index) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", [(), (0,), (2, 0)])
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_in_order_whatever_comes_and_goes(kind: str, first: tuple[int, ...], seed: int) -> None:
    rng = Random(seed)
    table, rows = Table(3), dict[tuple[int, ...], int]()
    index = table.relations.index(table.number, (*first, ordered_column(1, kind)))
    for _ in range(30):
        for _ in range(rng.choice((1, 5, 40, 4 * MANY))):
            cell = rng.choice(SPECIAL[kind]) if rng.random() < 0.4 else abs(rng.choice(SPECIAL["number"][1:4])) + 7
            if kind != "float" and rng.random() < 0.7:
                cell = rng.randrange(-50, 50)
            row = (rng.randrange(3), cell, rng.randrange(-30, 30))
            if row in rows and rng.random() < 0.7:
                table.take(rows.pop(row))
            elif row not in rows:
                rows[row] = table.put(row)
        if rng.random() < 0.8:
            check(table, kind, (*first, 1), index, set(rows.values()))
    check(table, kind, (*first, 1), index, set(rows.values()))


def test_order_begins_again_in_a_relation_that_is_emptied() -> None:
    table = Table(2)
    index = table.relations.index(table.number, (ordered_column(0, "number"),))
    places = {table.put((-i, 1)) for i in range(300)}
    check(table, "number", (0,), index, places)
    clear(table.relations, table.number)
    assert rows_in_order(table.relations, index) == []
    places = {table.put((i % 7, i)) for i in range(50)}
    check(table, "number", (0,), index, places)
    assert table.relations.indexes[index, at.LINKED] == 50


def test_tree_stays_shallow_when_rows_arrive_in_order() -> None:
    table = Table(1)
    index = table.relations.index(table.number, (ordered_column(0, "number"),))
    for i in range(3000):
        table.put((i,))
        if i % 50 == 0:
            table.relations.catch_up(table.number)
    links = table.relations.block(index, "links").array

    deepest, waiting = 0, [(int(table.relations.key_tables[index].cells[ROOT]), 1)]
    while waiting:
        node, depth = waiting.pop()
        if node:
            deepest = max(deepest, depth)
            waiting += [(int(links[node - 1, side]), depth + 1) for side in (LEFT, RIGHT)]
    assert deepest < 40
