"""Find facts that a relation would hold twice.

Law: at every epoch any two records of a relation differ in some column. This is checked from the end: list, in order of
time, what epochs inserted (1) and removed (-1), and then, as removed, what is left. Then the signs of every fact
alternate; two equal signs in succession mean that a fact was in two records. The initial content of a relation is not
needed for that, so the cost is that of the changes.

Facts are sorted by a hash of their columns; if two facts have the same hash, the columns themselves are compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tidelog.kernel.cells import Cells
from tidelog.partition.memory.records import Mask
from tidelog.store.base.corruption import ImpossibleError

SignedFacts = Sequence[tuple[int, Cells]]  # signs and the columns of facts, in the order of time
Hashes = npt.NDArray[np.uint64]
IN, OUT = 1, -1
SEED, FACTOR, SHIFT = (np.uint64(n) for n in (0x2545F4914F6CDD1D, 0x9E3779B97F4A7C15, 29))
SPARSE = 64  # places of a filter for every fact in it


def check_distinct(name: str, facts: Cells) -> None:
    """Raise ImpossibleError if two of the facts of a relation are the same."""
    check_order(name, [(OUT, facts)])


def check_changes(name: str, changes: SignedFacts, rows: Cells, live: Mask) -> None:
    """Raise ImpossibleError if changes add a present fact; of the resulting ``rows``, those ``live`` hold facts."""
    gone = check_order(name, changes)
    if len(gone) and _meet(rows, live, gone):
        raise held_twice(name)


def check_order(name: str, changes: SignedFacts) -> Cells:
    """The facts whose last change is a removal; ImpossibleError if the signs of a fact do not alternate."""
    facts = np.concatenate([cells for _, cells in changes])
    signs = np.repeat([sign for sign, _ in changes], [len(cells) for _, cells in changes])
    order, same = _sorted(facts)
    signs = signs[order]
    if (same & (signs[1:] == signs[:-1])).any():
        raise held_twice(name)
    last = np.append(~same, True)[: len(facts)]
    found: Cells = facts[order[last & (signs == OUT)]]
    return found


def held_twice(name: str) -> ImpossibleError:
    """The error for a relation that holds a fact in two records."""
    return ImpossibleError(f"`{name}` contains a fact twice")


def _sorted(facts: Cells) -> tuple[Cells, Mask]:
    """An order in which equal facts follow each other, the earlier first, and which of them equal the next."""
    hashes = _hashes(facts)
    order: Cells = np.argsort(hashes, kind="stable")
    same: Mask = np.equal(hashes[order[1:]], hashes[order[:-1]])
    places = same.nonzero()[0]
    if (facts[order[places]] != facts[order[places + 1]]).any():
        order = np.lexsort(facts.T)
        same = (facts[order[1:]] == facts[order[:-1]]).all(axis=1)
    return order, same


def _hashes(facts: Cells) -> Hashes:
    found: Hashes = np.full(len(facts), SEED)
    for column in range(facts.shape[1]):
        found ^= facts[:, column].view(np.uint64)
        found *= FACTOR
        found ^= found >> SHIFT
    return found


def _meet(rows: Cells, live: Mask, few: Cells) -> bool:
    """Whether one of the facts in the live rows is among some others, which are distinct."""
    bits = (SPARSE * len(few)).bit_length()
    shift, taken = np.uint64(64 - bits), np.zeros(1 << bits, bool)
    taken[_hashes(few) >> shift] = True
    likely = rows[taken[_hashes(rows) >> shift] & live]
    order, same = _sorted(np.concatenate([few, likely]))
    return bool((same & (order[:-1] < len(few)) & (order[1:] >= len(few))).any())
