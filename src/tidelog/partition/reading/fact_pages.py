"""Facts that a question looks for, found where they are stored: by some of their columns, with rank and assertion.

Law: a pattern narrows the search as far as possible: a whole fact is found by its hash, facts with some given columns
through an index, which is kept for later questions (`query_indexes`). Facts are returned in pages, in the order of
records, with their total number, so that only used facts are moved. Only facts of one state are seen
(`partition.memory.visible_state`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.partition.memory.records import (
    LONGEST_KEY,
    STATE,
    all_counts,
    arity_of,
    asserted,
    rank_base,
    ranks,
    shown_row,
)
from tidelog.partition.memory.visible_state import CommittedState, RunningState, VisibleState
from tidelog.plan.plan_rule import group_columns
from tidelog.plan.steps import is_ordered
from tidelog.rewrite.names import is_counted

if TYPE_CHECKING:
    from tidelog.partition.memory.relations import Relations
    from tidelog.partition.phases.partition import Partition

PAGE = 16  # facts of the first page
ALL = 1 << 62
NOTHING: Cells = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class FactPattern:
    """Facts of a relation that have these cells in these columns; the columns are ascending.

    ``below``: only those of lower rank; ``ranked``: ranks are compared. ``shown_by`` is the label of a min
    or max: the whole fact counts only if its group shows it. Every partition returns at most ``count`` facts, from its
    number ``first`` on.
    """

    relation: str
    columns: tuple[int, ...] = ()
    key: tuple[int, ...] = ()
    below: int | None = None
    ranked: bool = False
    shown_by: str = ""
    first: int = 0
    count: int = PAGE

    def following(self) -> FactPattern:
        """The page after this one, which is larger."""
        return replace(self, first=self.first + self.count, count=min(8 * self.count, 1 << 16))


@dataclass(frozen=True, slots=True)
class FactPage:
    """One page of the requested facts: columns, ranks, which are asserted; their total, and whether more follow.

    A fact of a counted relation stands for as many rows as it has supports, any other for one: ``weights`` are those of
    the page, ``weight`` is that of all requested facts.
    """

    cells: Cells
    ranks: Cells
    asserted: Cells
    weights: Cells
    total: int
    weight: int
    more: bool


def find(partition: Partition, patterns: Iterable[FactPattern], *, running: bool = False) -> list[FactPage]:
    """The requested facts that a partition has; ``running``: in the epoch that ran and is not committed."""
    relations = partition.relations
    sight: VisibleState = RunningState(relations) if running else CommittedState(relations)
    return [_page(partition, sight, one) for one in patterns]


def _page(partition: Partition, sight: VisibleState, pattern: FactPattern) -> FactPage:
    relations = partition.relations
    name = partition.rules.codes[pattern.shown_by].source if pattern.shown_by else pattern.relation
    number = relations.numbers.get(name)
    if number is None:
        return FactPage(np.zeros((0, len(pattern.columns)), np.int64), NOTHING, NOTHING, NOTHING, 0, 0, False)
    rows = _rows(partition, sight, number, pattern)
    if pattern.shown_by:
        rows = _shown(partition, rows, pattern)
    records, base = relations.records(number), rank_base(relations, number)
    if pattern.below is not None:
        rows = rows[ranks(records[rows], base) < pattern.below]
    page = records[rows[pattern.first : pattern.first + pattern.count]]
    is_asserted: Cells = asserted(page).astype(np.int64)
    more = len(rows) > pattern.first + pattern.count
    weights, weight = np.ones(len(page), np.int64), len(rows)
    if is_counted(name):
        weights, weight = all_counts(page), int(all_counts(records[rows]).sum())
    return FactPage(page[:, :STATE], ranks(page, base), is_asserted, weights, len(rows), weight, more)


def _rows(partition: Partition, sight: VisibleState, number: int, pattern: FactPattern) -> Cells:
    """The rows of the facts that have the cells, in the order of records."""
    relations, columns, key = partition.relations, pattern.columns, pattern.key
    if len(columns) == arity_of(relations, number):
        row = sight.find(number, key)
        return NOTHING if row < 0 else np.array([row], np.int64)
    if not columns:
        return sight.rows(number)
    index = partition.kept.index(number, columns[:LONGEST_KEY])
    found = sight.matching(number, index, columns[:LONGEST_KEY], np.array(key[:LONGEST_KEY], np.int64))
    for column, cell in zip(columns[LONGEST_KEY:], key[LONGEST_KEY:], strict=True):
        found = found[relations.records(number)[found, column] == cell]
    return found


def _shown(partition: Partition, rows: Cells, pattern: FactPattern) -> Cells:
    """The row of a candidate, if its group shows it."""
    code = partition.rules.codes[pattern.shown_by]
    assert code.choice is not None, "only a min or max shows a candidate"
    group = [pattern.key[i] for i in group_columns(code.rule)]
    shown = shown_row(partition.relations, code.choice.shown, group)
    found: Cells = rows[rows == shown]
    return found


def key_counts(relations: Relations) -> dict[tuple[str, tuple[int, ...]], int]:
    """The number of keys in each index without pending rows, by relation and columns."""
    numbers, directory, indexes = relations.index_columns(), relations.directory, relations.indexes
    return {
        (relations.names[number], columns): indexes.item(index, at.KEYS)
        for (number, columns), index in numbers.items()
        if not is_ordered(columns) and indexes.item(index, at.LINKED) == directory.item(number, at.ROWS)
    }


def together(parts: list[FactPage], *, copies: bool) -> FactPage:
    """The pages of several partitions as one; of ``copies`` of a fact, the one with the lowest rank."""
    filled = [part for part in parts if part.total] or parts[:1]
    if len(filled) == 1:
        return filled[0]
    cells = np.concatenate([part.cells for part in filled])
    ranked = np.concatenate([part.ranks for part in filled])
    bases = np.concatenate([part.asserted for part in filled])
    weights = np.concatenate([part.weights for part in filled])
    if not copies:
        total, weight = sum(part.total for part in filled), sum(part.weight for part in filled)
        return FactPage(cells, ranked, bases, weights, total, weight, any(part.more for part in filled))
    order = np.lexsort([ranked, *(cells[:, column] for column in range(cells.shape[1]))])
    cells, ranked, bases, weights = cells[order], ranked[order], bases[order], weights[order]
    is_first = np.ones(len(cells), bool)
    is_first[1:] = (cells[1:] != cells[:-1]).any(axis=1)
    first = FactPage(
        cells[is_first], ranked[is_first], bases[is_first], weights[is_first], int(is_first.sum()), 0, False
    )
    return replace(first, weight=int(first.weights.sum()))
