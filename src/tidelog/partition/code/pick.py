"""A choice among candidates: a shown fact stays while it is a candidate; then the least one with free keys is shown.

Law (`program.choice`): no two facts shown share a key, every candidate that is not shown shares one with a fact that
is, and a fact that was shown and still is a candidate stays. What was shown before is read from the facts themselves:
nothing else is stored, so that undo, restart and other numbers of partitions need no code here. A fact that is removed
frees its keys; only new candidates and those that share a freed key are examined, the least first. The result is the
same as if all of them were examined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.value_order import order_of
from tidelog.program.values.term import CHOICE

MANY = 4096  # changed candidates from which on all are examined
BY_CELL = ("number", "boolean", "date", "timestamp")
Row = tuple[int, ...]
Columns = tuple[int, ...]
Find = Callable[[Columns, Row], Iterable[Row]]  # the facts whose columns hold a key


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a relation before the epoch: those with a key, and all of them."""

    find: Find
    all: Callable[[], Cells]


@dataclass(frozen=True, slots=True)
class Pick:
    """One choice: its keys by columns, and the types of all columns, by which facts are compared."""

    domains: tuple[Columns, ...]
    types: tuple[str, ...]
    dictionary: Dictionary
    kind: str = CHOICE

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.types)

    def change(self, inserted: Cells, deleted: Cells, candidates: Facts, shown: Facts) -> tuple[Cells, Cells]:
        """Facts that are no longer shown, and those shown from now on, when candidates are inserted and deleted."""
        if len(inserted) + len(deleted) > MANY:
            return self._look_at_all(inserted, deleted, candidates.all(), shown.all())
        gone = set(_tuples(deleted))
        lost = [row for row in gone if any(row == other for other in shown.find(*self._key(row, self.domains[0])))]
        freed = {(domain, self._key(row, domain)[1]) for row in lost for domain in self.domains}
        waiting = {row for key in freed for row in candidates.find(*key) if row not in gone}
        considered = self._ordered(_cells([*waiting, *_tuples(inserted)], self.width))
        left = set(lost)

        def is_taken(domain: Columns, key: Row) -> bool:
            return any(row not in left for row in shown.find(domain, key))

        return _cells(lost, self.width), self._fill(considered, is_taken)

    def all(self, now: Cells, before: Cells) -> Cells:
        """All present candidates that are shown; those shown before have precedence."""
        there = set(_tuples(now))
        stay = [row for row in _tuples(before) if row in there]
        return np.concatenate([_cells(stay, self.width), self._beside(now, stay)])

    def _look_at_all(self, inserted: Cells, deleted: Cells, old: Cells, shown: Cells) -> tuple[Cells, Cells]:
        gone = set(_tuples(deleted))
        lost = [row for row in _tuples(shown) if row in gone]
        stay = [row for row in _tuples(shown) if row not in gone]
        kept = old[[row not in gone for row in _tuples(old)]] if gone else old
        return _cells(lost, self.width), self._beside(np.concatenate([kept, inserted]), stay)

    def _beside(self, candidates: Cells, stay: Sequence[Row]) -> Cells:
        """What is shown beside the facts that stay."""
        taken = {self._key(row, domain) for row in stay for domain in self.domains}
        return self._fill(self._ordered(candidates), lambda domain, key: (domain, key) in taken)

    def _fill(self, ordered: Cells, is_taken: Callable[[Columns, Row], bool]) -> Cells:
        """The facts whose keys are all free when they are examined in order."""
        taken: set[tuple[Columns, Row]] = set()
        found: list[Row] = []
        for row in _tuples(ordered):
            keys = [self._key(row, domain) for domain in self.domains]
            if taken.isdisjoint(keys) and not any(is_taken(*key) for key in keys):
                taken.update(keys)
                found.append(row)
        return _cells(found, self.width)

    def _key(self, row: Row, domain: Columns) -> tuple[Columns, Row]:
        return domain, tuple(row[column] for column in domain)

    def _ordered(self, rows: Cells) -> Cells:
        """The rows, the least first: column by column, in the order of the column's type."""
        places = [self._places(rows[:, i], type_) for i, type_ in enumerate(self.types)]
        ordered: Cells = rows[np.lexsort(places[::-1])]
        return ordered

    def _places(self, cells: Cells, type_: str) -> Cells:
        """Numbers in the same order as the values of a column."""
        if type_ in BY_CELL:
            return cells
        order = order_of(type_, self.dictionary)
        distinct, places = np.unique(cells, return_inverse=True)
        ranks = np.empty(len(distinct), np.int64)
        ranks[sorted(range(len(distinct)), key=lambda i: order(int(distinct[i])))] = np.arange(len(distinct))
        found: Cells = ranks[places.reshape(-1)]
        return found


def _tuples(rows: Cells) -> list[Row]:
    return list(map(tuple, rows.tolist()))


def _cells(rows: Sequence[Row], width: int) -> Cells:
    return np.array(rows, np.int64).reshape(len(rows), width)
