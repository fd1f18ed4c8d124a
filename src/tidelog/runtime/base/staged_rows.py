"""Rows that Spark tasks sent to a partition, until an epoch names them.

Law: rows that were sent count only when an epoch names their stage and the attempts that succeeded; all others are
discarded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.base.net_changes import net_rows
from tidelog.partition.memory.keys import replace_by_key
from tidelog.plan.work import EpochWork, StageReference

Find = Callable[[str, tuple[int, ...], Cells], Cells]  # relation, columns of its key, rows -> those present with a key


class StagedRows:
    """Rows of cells with their sign, by stage and attempt."""

    def __init__(self) -> None:
        self._stages: dict[str, dict[str, list[tuple[int, Cells]]]] = {}

    def __len__(self) -> int:
        return len(self._stages)

    def put(self, stage: str, attempt: str, sign: int, rows: Cells) -> None:
        """Keep rows until an epoch names them."""
        self._stages.setdefault(stage, {}).setdefault(attempt, []).append((sign, rows))

    def drop(self) -> None:
        """Discard what no epoch has named."""
        self._stages.clear()

    def added_to(self, work: EpochWork, find: Find) -> EpochWork:
        """The work of an epoch with the rows that it names; ``find`` returns the rows that they replace by key."""
        if not work.staged and not work.signed:
            return work
        signed: dict[str, list[tuple[int, Cells]]] = {name: list(parts) for name, parts in work.signed.items()}
        for staged in work.staged:
            signed.setdefault(staged.relation, []).extend(self._rows_of(staged))
        inserts, deletes = net_rows({name: parts for name, parts in signed.items() if parts})
        replace_by_key(work.keys, find, inserts, deletes)  # all rows with one key have one owner
        empty = {staged.relation: np.zeros((0, staged.arity), np.int64) for staged in work.staged}
        return replace(
            work, inserts={**work.inserts, **empty, **inserts}, deletes={**work.deletes, **empty, **deletes}, staged=()
        )

    def _rows_of(self, staged: StageReference) -> list[tuple[int, Cells]]:
        attempts = self._stages.get(staged.stage, {})
        return [part for key in staged.attempts for part in attempts.get(key, ())]
