"""Facts looked up by some of their columns, and their number: the most frequent reads.

Law (D24): the answer is that of the last committed epoch, its cost follows the rows found, and no reader waits. Between
epochs the partitions are asked directly, by an index that is kept. While an epoch has the turn, a copy is asked; if
there is no copy yet, or the relation is too large for one or lives on Spark, its rows are scanned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from tidelog.engine.core.core import Core
from tidelog.kernel.cells import Cells
from tidelog.runtime.protocol.facts import Facts

T = TypeVar("T")
FEW = 16  # rows that are compared with all facts, one after the other
TRIES = 16  # times that a look-up is repeated when an epoch is committed meanwhile


def at_one_epoch(core: Core, read: Callable[[], T]) -> tuple[T, int]:
    """The result of a read during which the committed epoch did not change, and the number of that epoch."""
    for _ in range(TRIES):
        before = core.number
        found = read()
        if core.number == before:
            return found, before
    with core.writing:
        return read(), core.number


def size(core: Core, name: str) -> int:
    """How many facts a relation has."""
    core.must_be_open()
    found = core.committed.sizes.get(name, 0)
    return core.read(lambda facts: facts.count(name)) if found is None else found


def matching(core: Core, name: str, columns: tuple[int, ...], key: Sequence[int]) -> Cells:
    """The facts of a relation that have these cells in these columns, which are ascending; all if none are given."""
    core.must_be_open()
    if not columns:
        return core.read(lambda facts: facts.rows(name))
    core.writing.read()
    if core.writing.look():
        try:
            return core.runtime.facts.matching(name, columns, key)
        finally:
            core.writing.end_look_up()
    return core.read(lambda facts: _beside_an_epoch(core, facts, name, columns, key))


def mark_facts(core: Core, name: str, rows: Cells) -> Cells:
    """1 for each row of cells that is a fact of the relation, otherwise 0."""
    core.must_be_open()
    core.writing.read()
    if core.writing.look():
        try:
            return core.runtime.facts.mark_facts(name, rows)
        finally:
            core.writing.end_look_up()
    return core.read(lambda facts: _mark_beside_an_epoch(core, facts, name, rows))


def _mark_beside_an_epoch(core: Core, facts: Facts, name: str, rows: Cells) -> Cells:
    replica = core.replicas.of_look_ups
    if core.runtime.session is None and replica.is_worth_asking(name, facts):
        with replica.at_last_epoch((name,), facts, lambda: core.number) as copies:
            if copies is not None:
                return copies.facts.mark_facts(name, rows)
    present = facts.rows(name)
    if len(rows) <= FEW or not rows.shape[1]:
        return np.array([(present == row).all(axis=1).any() for row in rows], np.int64)
    row_type = np.dtype((np.void, rows.itemsize * rows.shape[1]))
    wanted, found = (np.ascontiguousarray(each).view(row_type).ravel() for each in (rows, present))
    return np.isin(wanted, found).astype(np.int64)


def _beside_an_epoch(core: Core, facts: Facts, name: str, columns: tuple[int, ...], key: Sequence[int]) -> Cells:
    replica = core.replicas.of_look_ups
    if core.runtime.session is None and replica.is_worth_asking(name, facts):
        with replica.at_last_epoch((name,), facts, lambda: core.number) as copies:
            if copies is not None:
                return copies.facts.matching(name, columns, key)
    rows = facts.rows(name)
    found: Cells = rows[(rows[:, list(columns)] == np.array(key, np.int64)).all(axis=1)]
    return found
