"""Groups of folds as lists of values in Python: what the compiled groups are compared with.

`plain_folds` puts them in the place of `partition.memory.groups.Groups`, so that everything around them stays the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from tidelog.kernel import fold as at
from tidelog.kernel.aggregate import order_key
from tidelog.kernel.cells import Cells
from tidelog.kernel.layout import LOW32, NEW, OLD
from tidelog.partition.code import fold as folds
from tidelog.partition.memory.groups import Overflow, Shape
from tidelog.partition.memory.relations import Relations
from tidelog.partition.texts.dictionary import cell_float, float_cell
from tidelog.partition.texts.ids import TWO64, to_signed
from tidelog.testing.folds import mean, total

Key = tuple[int, ...]


class PlainGroups:
    """The values of every group, and how often each occurs."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.memory = 0
        self._groups: dict[Key, Counter[int]] = {}
        self._before: dict[Key, Counter[int]] = {}

    def begin(self) -> None:
        """Prepare for an epoch."""
        self._before = {key: values.copy() for key, values in self._groups.items()}

    def fold(self, rows: Cells, sign: int, look: Callable[[], None]) -> None:
        """Add or remove rows."""
        for row in rows.tolist():
            values = self._groups.setdefault(tuple(row[column] for column in self.shape.key), Counter())
            values[row[self.shape.value]] += sign

    def fold_items(
        self, records: Cells, items: Cells, sign: int, look: Callable[[], None], weights: Cells | None = None
    ) -> None:
        """Add or remove some records, each as often as it weighs."""
        rows = records[items & LOW32]
        if not self.shape.weighed:
            self.fold(rows, sign, look)
            return
        assert weights is not None
        self.fold(np.repeat(rows, abs(weights), axis=0)[:, : rows.shape[1]], sign, look)

    def fold_all(self, records: Cells, flag: int, look: Callable[[], None]) -> None:
        """Add all records that have a flag, each as often as it has supports if that counts."""
        rows = records[records[:, -2] & flag != 0]
        self.fold(np.repeat(rows, rows[:, -1] >> 32, axis=0) if self.shape.weighed else rows, 1, look)

    def fold_counts(self, relations: Relations, number: int, look: Callable[[], None]) -> None:
        """Count the facts of a counted relation again, as they are now."""
        self._groups = {}
        self.fold_all(relations.records(number), NEW, look)

    def restore_counts(self, relations: Relations, number: int, look: Callable[[], None]) -> None:
        """Count them again, as they were before the epoch."""
        records = relations.records(number).copy()
        for row, _, counts in relations.journal(number).tolist():
            records[row, -1] = counts
        self._groups = {}
        self.fold_all(records, OLD, look)

    def look_again(self, relations: Relations, number: int) -> None:
        """Do nothing: all values are kept."""

    def all_results(self) -> Cells:
        """The head facts of all groups."""
        return self._cells(self._heads(self._groups))

    def net_results(self) -> tuple[Cells, Cells]:
        """The head facts that are shown no longer, and those shown instead."""
        before, now = self._heads(self._before), self._heads(self._groups)
        return self._cells(before - now), self._cells(now - before)

    def commit(self) -> None:
        """Keep the groups."""
        self.begin()

    def undo(self) -> None:
        """Restore the groups."""
        self._groups, self._before = self._before, {}
        self.begin()

    def _heads(self, groups: dict[Key, Counter[int]]) -> set[Key]:
        found = set()
        for key, values in groups.items():
            cells = [*values.elements()]
            if cells:
                result = self._shown(cells)
                found.add(tuple(result if place < 0 else key[place] for place in self.shape.head))
        return found

    def _cells(self, heads: set[Key]) -> Cells:
        return np.array(sorted(heads), np.int64).reshape(len(heads), len(self.shape.head))

    def _shown(self, cells: list[int]) -> int:
        shape = self.shape
        if shape.shows == at.NUMBER:
            return len(cells)
        if shape.shows == at.BEST_VALUE:
            order: Any = order_key.function  # type: ignore[attr-defined]  # a kernel
            return min(cells, key=lambda cell: order(shape.order, cell))
        values: list[Any] = cells
        if shape.kind == at.FLOATS:
            values = [cell_float(cell) for cell in cells]
        elif shape.kind == at.UNSIGNEDS:
            values = [cell % TWO64 for cell in cells]
        if shape.shows == at.MEAN:
            return float_cell(mean(values))  # type: ignore[arg-type]  # a float
        if shape.kind == at.FLOATS:
            return float_cell(total(values))  # type: ignore[arg-type]  # a float
        return self._integer(sum(values))

    def _integer(self, exact: int) -> int:
        low, high = (0, TWO64) if self.shape.kind == at.UNSIGNEDS else (-(TWO64 >> 1), TWO64 >> 1)
        if self.shape.shows == at.TOTAL and not low <= exact < high:
            raise Overflow(exact)
        return to_signed(exact % TWO64)


@contextmanager
def plain_folds() -> Iterator[None]:
    """Engines made meanwhile fold in Python."""
    with patch.object(folds, "Groups", PlainGroups):
        yield
