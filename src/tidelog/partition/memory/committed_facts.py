"""What readers see of a partition while an epoch changes it in place: the facts of the last committed epoch.

Law (D24): a reader reads one committed epoch and does not wait for the work of an epoch. Every record has flags for
whether its fact was present at the last committed epoch (OLD) and whether it is now (NEW); a running epoch changes NEW
and leaves OLD alone. So readers use OLD, until the epoch is shown: from then on they use NEW, which the commit leaves
alone while it settles records. Showing an epoch is one assignment, whatever the epoch did; then both flags agree.

Two more things separate a reader from what an epoch is writing: rows that did not exist when it began are skipped, and
the lock, which readers hold while they read, and epochs only for the two assignments.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.partition.memory.records import STATE, Mask
from tidelog.partition.memory.relations import Relations

FEW, MANY = 1 << 8, 1 << 16  # records examined together, at first and later


class CommittedFacts:
    """The facts of a partition at its last committed epoch, also while another one runs."""

    def __init__(self, relations: Relations) -> None:
        self.lock = threading.RLock()
        self._relations = relations
        self._flag = at.OLD
        self._rows_before: Cells | None = None  # of every relation, while an epoch may add some

    # Called by epochs

    def epoch_begins(self, rows: Cells) -> None:
        """Hide rows beyond these, by relation, from readers."""
        self._rows_before = rows

    def show(self, shown: Callable[[], None] = lambda: None) -> None:
        """Show readers the epoch that ran last from now on; ``shown`` is called at the same moment."""
        with self.lock:
            self._flag, self._rows_before = at.NEW, None
            shown()

    def epoch_ends(self) -> None:
        """End the epoch: all records are settled."""
        with self.lock:
            self._flag, self._rows_before = at.OLD, None

    # Reading

    def rows(self, name: str, *, by_column: bool = False) -> Cells:
        """The columns of all facts of a relation; ``by_column``: each column is contiguous in memory, not each row."""
        with self.lock:
            records = self._records(name)
            if not (self._is_at_rest and self._relations.live(self._relations.numbers[name]) == len(records)):
                mask = self._present(records)
                if not mask.all():
                    return records[mask, :STATE]
            return records[:, :STATE].copy(order="F" if by_column else "C")

    def some_rows(self, name: str, first: int, count: int) -> Cells:
        """``count`` of them, starting with number ``first``, in the order of `rows`."""
        found: list[Cells] = []
        with self.lock:
            records = self._records(name)
            start, length = 0, FEW
            while start < len(records) and count > 0:
                part = records[start : start + length]
                start, length = start + length, min(4 * length, MANY)
                mask = self._present(part)
                here = int(np.count_nonzero(mask))
                if here > first:
                    found.append(part[mask, :STATE][first : first + count])
                    count -= len(found[-1])
                first = max(0, first - here)
            return np.concatenate(found) if found else records[:0, :STATE].copy()

    def count(self, name: str) -> int:
        """The number of facts of a relation."""
        with self.lock:
            return int(np.count_nonzero(self._present(self._records(name))))

    def records(self, name: str) -> Cells:
        """A copy of the records of the facts of a relation; ranks and counts are those of the running epoch, if any."""
        with self.lock:
            records = self._records(name)
            return records[self._present(records)]

    @property
    def _is_at_rest(self) -> bool:
        """Whether no epoch runs or settles: every live record is that of a fact."""
        return self._rows_before is None and self._flag == at.OLD

    def _records(self, name: str) -> Cells:
        number = self._relations.numbers[name]
        if self._rows_before is not None:  # an epoch runs that may have given the relation other columns
            number = self._relations.replaced.get(name, number)
        records = self._relations.records(number)
        before = self._rows_before  # read after the rows: an epoch that began since has set their number
        if before is None:
            return records
        return records[: before[number] if number < len(before) else 0]

    def _present(self, records: Cells) -> Mask:
        found: Mask = (records[:, STATE] & self._flag) != 0
        return found
