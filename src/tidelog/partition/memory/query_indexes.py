"""Indexes that only questions need: created at the first question, and kept for as long as questions use them.

Law: between epochs the cost of a look-up follows its answer, plus once the creation of an index. The number of indexes
is bounded: the least recently used one is dropped first, and one that no question has used for many epochs is dropped
in any case. An index that a plan begins to use belongs to the plan from then on, and is never dropped from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.memory.records import LONGEST_KEY, STATE, arity_of, find_fact, rows_with_key
from tidelog.partition.memory.relations import Relations

MOST = 16  # indexes
IDLE = 1 << 12  # epochs
ROOM = 1 << 26  # bytes that they may always occupy; beyond that, at most half as much as the facts


class QueryIndexes:
    """The indexes of a partition that were created for questions, the most recently used one last."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._used: dict[tuple[int, tuple[int, ...]], int] = {}  # and the epoch in which each was used last
        self._epoch = 0

    def matching(self, name: str, columns: tuple[int, ...], key: Sequence[int]) -> Cells:
        """The facts that have these cells in these columns, which are ascending; no epoch runs."""
        relations, number = self._relations, self._relations.numbers[name]
        if len(columns) == arity_of(relations, number):
            row = find_fact(relations, number, key)
            return relations.records(number)[row : row + 1 if row >= 0 else row, :STATE].copy()
        index = self.index(number, columns[:LONGEST_KEY])
        rows = rows_with_key(relations, number, index, np.array(key[:LONGEST_KEY], np.int64))
        rows.sort()
        found: Cells = relations.records(number)[rows, :STATE]
        for column, cell in zip(columns[LONGEST_KEY:], key[LONGEST_KEY:], strict=True):
            found = found[found[:, column] == cell]
        return found

    def keep(self, indexes: Iterable[tuple[int, tuple[int, ...]]]) -> None:
        """Keep indexes that the rules of a question needed, for the next one: the rules are about to be removed."""
        for number, columns in indexes:
            if (number, columns) in self._relations.index_columns():
                self._relations.lent.add((number, columns))
                self._note(number, columns)

    def epoch_ends(self) -> None:
        """Drop indexes that no question has used for many epochs."""
        self._epoch += 1
        if self._used and self._epoch % IDLE == 0:
            for lookup in [lookup for lookup, epoch in self._used.items() if epoch <= self._epoch - IDLE]:
                self._drop(lookup)

    def index(self, number: int, columns: tuple[int, ...]) -> int:
        """The index of a relation on some columns, which is kept for a while."""
        relations, lookup = self._relations, (number, columns)
        if lookup in relations.index_columns() and lookup not in relations.lent:
            self._used.pop(lookup, None)  # it belongs to a plan now
            return relations.index(number, columns)
        index = relations.index(number, columns)
        relations.lent.add(lookup)
        self._note(number, columns)
        return index

    def _note(self, number: int, columns: tuple[int, ...]) -> None:
        self._used.pop((number, columns), None)
        self._used[number, columns] = self._epoch
        if len(self._used) > MOST or (len(self._used) > 1 and self._bytes() > self._room()):
            self._drop(next(iter(self._used)))

    def _bytes(self) -> int:
        relations, numbers = self._relations, self._relations.index_columns()
        lent = [numbers[lookup] for lookup in self._used if lookup in relations.lent]
        return sum(
            relations.block(index, "links").array.nbytes + relations.key_tables[index].cells.nbytes for index in lent
        )

    def _room(self) -> int:
        return max(ROOM, (self._relations.memory() - self._bytes()) // 2)

    def _drop(self, lookup: tuple[int, tuple[int, ...]]) -> None:
        del self._used[lookup]
        if lookup in self._relations.lent:
            self._relations.drop_index(*lookup)
