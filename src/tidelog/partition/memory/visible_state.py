"""The state that a question is about: the last committed epoch, or the one that ran and is not committed.

Law: what is seen of the running epoch is what a commit would show. The facts that it inserted are few compared with
those that stayed: they are scanned, while all others are found by the indexes of the committed state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.memory.journal import new_rows
from tidelog.partition.memory.records import find_fact, find_fact_now, present, present_now, rows_with_key
from tidelog.partition.memory.relations import Relations


class VisibleState(Protocol):
    """How the facts of a state are found."""

    def find(self, number: int, cells: Sequence[int]) -> int:
        """The row of a fact of a relation, -1 if it is absent."""

    def rows(self, number: int) -> Cells:
        """The rows of all facts of a relation."""

    def matching(self, number: int, index: int, columns: tuple[int, ...], key: Cells) -> Cells:
        """The rows of the facts that have a key in the columns of an index, in order."""


class CommittedState:
    """The last committed epoch."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations

    def find(self, number: int, cells: Sequence[int]) -> int:
        """The row of a fact of a relation, -1 if it is absent."""
        return find_fact(self._relations, number, cells)

    def rows(self, number: int) -> Cells:
        """The rows of all facts of a relation."""
        return np.flatnonzero(present(self._relations.records(number)))

    def matching(self, number: int, index: int, columns: tuple[int, ...], key: Cells) -> Cells:
        """The rows of the facts that have a key in the columns of an index, in order."""
        return np.sort(rows_with_key(self._relations, number, index, key))


class RunningState:
    """The epoch that ran last and is not committed; to be used before it is rolled back."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._new: dict[int, Cells] = {}

    def find(self, number: int, cells: Sequence[int]) -> int:
        """The row of a fact of a relation, -1 if it is absent."""
        return find_fact_now(self._relations, number, cells)

    def rows(self, number: int) -> Cells:
        """The rows of all facts of a relation."""
        return np.flatnonzero(present_now(self._relations.records(number)))

    def matching(self, number: int, index: int, columns: tuple[int, ...], key: Cells) -> Cells:
        """The rows of the facts that have a key in the columns of an index, in order."""
        records = self._relations.records(number)
        old = rows_with_key(self._relations, number, index, key)
        new = self._inserted(number)
        for column, cell in zip(columns, key.tolist(), strict=True):
            new = new[records[new, column] == cell]
        return np.sort(np.concatenate([old[present_now(records[old])], new]))

    def _inserted(self, number: int) -> Cells:
        """The rows of the facts of a relation that the epoch inserted."""
        if number not in self._new:
            self._new[number] = new_rows(self._relations, number)
        return self._new[number]
