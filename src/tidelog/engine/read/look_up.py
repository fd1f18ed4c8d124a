"""Facts found by some of their columns, and how many there are: what a reader asks most.

Law (D24): the answer is that of the last committed epoch, it costs the rows that are found, and nobody waits. Between
epochs the partitions themselves are asked, by an index that stays. While one has the turn a copy is; where there is
none yet, or none can be, since the relation is too large or lives on Spark, its rows are gone through.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tidelog.engine.core.core import Core
from tidelog.kernel.cells import Cells
from tidelog.runtime.protocol.facts import Facts


def size(core: Core, name: str) -> int:
    """How many facts a relation has."""
    core.must_be_open()
    found = core.committed.sizes.get(name, 0)
    return core.read(lambda facts: facts.count(name)) if found is None else found


def matching(core: Core, name: str, columns: tuple[int, ...], key: Sequence[int]) -> Cells:
    """The facts of a relation that have these cells in these columns, given in order; all where none is given."""
    core.must_be_open()
    if not columns:
        return core.read(lambda facts: facts.rows(name))
    core.writing.read()
    if core.writing.look():
        try:
            return core.runtime.facts.matching(name, columns, key)
        finally:
            core.writing.looked()
    return core.read(lambda facts: _beside_an_epoch(core, facts, name, columns, key))


def _beside_an_epoch(core: Core, facts: Facts, name: str, columns: tuple[int, ...], key: Sequence[int]) -> Cells:
    replica = core.replicas.of_look_ups
    if core.runtime.session is None and replica.is_worth_asking(name, facts):
        with replica.at_last_epoch((name,), facts, lambda: core.number) as copies:
            if copies is not None:
                return copies.facts.matching(name, columns, key)
    rows = facts.rows(name)
    found: Cells = rows[(rows[:, list(columns)] == np.array(key, np.int64)).all(axis=1)]
    return found
