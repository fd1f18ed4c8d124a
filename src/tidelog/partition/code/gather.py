"""Aggregates of whole groups: groups that a change touches are recomputed from their rows.

Law (D12): the result depends on the group's values alone (`functions.whole_groups`). Nothing is kept besides the facts
and an index by group: what a group showed before the epoch follows from the rows that it had then, so that undo,
restart and other numbers of partitions need no code here. The cost follows the touched groups, not the relation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.memory.records import LONGEST_KEY, STATE, present, present_now, rows_with_key
from tidelog.partition.memory.relations import Relations
from tidelog.partition.texts.dictionary import Dictionary, natural_type
from tidelog.program.functions.lists import DEEPEST, MOST_LISTS, is_too_deep, is_too_large
from tidelog.program.functions.whole_groups import of_group
from tidelog.program.values.term import Value

MANY = 1024  # touched groups from which on all rows are read at once
SLICE = 4096  # groups between two checks of limits
DECODED = ("symbol", "list")
Group = tuple[int, ...]
Look = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Gather:
    """One aggregate rule: the columns of its source with the group and the values, and their places in the head."""

    kind: str
    types: tuple[str, ...]  # of the values
    group: tuple[int, ...]  # in the order of columns
    values: tuple[int, ...]
    head: tuple[int, ...]  # for each head column the place in the group, or -1 for the result
    parameter: Value
    dictionary: Dictionary

    def change(
        self, relations: Relations, number: int, inserted: Cells, deleted: Cells, look: Look
    ) -> tuple[Cells, Cells]:
        """Head facts lost and gained when source records, given as items, are inserted and deleted."""
        records, added, removed = relations.records(number), inserted & at.LOW32, deleted & at.LOW32
        old = self._rows_before(relations, number, np.concatenate([records[added, :STATE], records[removed, :STATE]]))
        new = np.concatenate([old[~np.isin(old, removed)], added])
        lost, gained = (self.results(records[rows, :STATE], look) for rows in (old, new))
        return _without(lost, gained), _without(gained, lost)

    def before(self, relations: Relations, number: int, look: Look) -> Cells:
        """The head facts of all groups before the epoch."""
        records = relations.records(number)
        return self.results(records[present(records), :STATE], look)

    def now(self, relations: Relations, number: int, look: Look) -> Cells:
        """The head facts of all groups after the epoch's changes."""
        records = relations.records(number)
        return self.results(records[present_now(records), :STATE], look)

    def results(self, rows: Cells, look: Look = lambda: None) -> Cells:
        """The head facts of all groups of some source rows; ``look`` is called from time to time."""
        keys = rows[:, list(self.group)]
        order = np.lexsort(keys.T[::-1]) if self.group else np.arange(len(rows))
        keys, rows = keys[order], rows[order]
        first = np.ones(len(rows), bool)
        first[1:] = (keys[1:] != keys[:-1]).any(axis=1) if self.group else False
        starts = first.nonzero()[0].tolist()
        ends = [*starts[1:], len(rows)] if starts else []
        columns = [self._decoded(rows[:, i], type_) for i, type_ in zip(self.values, self.types, strict=True)]
        heads: list[list[int]] = []
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            if number % SLICE == SLICE - 1:
                look()
            value = of_group(self.kind, [column[start:end] for column in columns], self.parameter)
            if value is not None:
                cell, key = self._encoded(value), keys[start].tolist()
                heads.append([cell if place < 0 else key[place] for place in self.head])
        return np.array(heads, np.int64).reshape(len(heads), len(self.head))

    def _rows_before(self, relations: Relations, number: int, touched: Cells) -> Cells:
        """The rows, present before the epoch, of the groups of some source rows."""
        records = relations.records(number)
        if not len(touched):
            return np.zeros(0, np.int64)
        keys = np.unique(touched[:, list(self.group)], axis=0)
        if self.group and len(keys) <= MANY:
            index = relations.index(number, self.group)
            return np.concatenate([self._rows_of(relations, number, index, key) for key in keys])
        rows: Cells = present(records).nonzero()[0]
        known = set(_tuples(keys))
        own: Cells = rows[[key in known for key in _tuples(records[rows][:, list(self.group)])]]
        return own

    def _rows_of(self, relations: Relations, number: int, index: int, key: Cells) -> Cells:
        rows = rows_with_key(relations, number, index, np.ascontiguousarray(key))
        if len(key) <= LONGEST_KEY:
            return rows
        found = relations.records(number)[rows][:, list(self.group)]  # long keys are cut
        own: Cells = rows[(found == key).all(axis=1)]
        return own

    def _decoded(self, cells: Cells, type_: str) -> list[Value]:
        """The values of a column."""
        if type_ in DECODED:
            distinct, places = np.unique(cells, return_inverse=True)
            values = self.dictionary.values_of(distinct.tolist())
            return [values[place] for place in places.reshape(-1).tolist()]
        kind = {"float": np.float64, "unsigned": np.uint64}.get(type_, np.int64)
        numbers: list[Value] = np.ascontiguousarray(cells).view(kind).tolist()
        return numbers

    def _encoded(self, value: Value) -> int:
        """The cell of a result."""
        if isinstance(value, tuple) and is_too_large(value):
            raise failures.TOO_LARGE_LIST.error(function=self.kind, most=MOST_LISTS)
        if isinstance(value, tuple) and is_too_deep(value):
            raise failures.TOO_DEEP.error(function=self.kind, deepest=DEEPEST)
        type_ = self.types[0] if self.kind in ("argmin", "argmax") else natural_type(value)
        return self.dictionary.encode(value, type_)


def _without(rows: Cells, others: Cells) -> Cells:
    """The rows that are not among others."""
    known = set(_tuples(others))
    remaining: Cells = rows[np.array([row not in known for row in _tuples(rows)], bool)]
    return remaining


def _tuples(rows: Cells) -> Iterator[Group]:
    return map(tuple, rows.tolist())
