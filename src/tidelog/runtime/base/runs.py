"""The runs of epochs, by number, for as long as their changes may be read.

Law: every attempt at an epoch is a run with a separate number. Readers identify a run by the number that it had when it
ended; if its nodes are lost before its epoch is committed, the epoch is run again, and the nodes identify it by another
number. The changes of a committed run can still be read after its nodes are lost, as those of its epoch.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping

from tidelog.runtime.base.outcome import RowChanges


class Runs:
    """The runs of one engine."""

    def __init__(self) -> None:
        self.last = 0
        self._present: dict[int, int] = {}  # by the number that readers have: the one that the nodes have now
        self._epochs: dict[int, int] = {}  # by the number that the nodes have: the committed epoch
        self._forgotten: list[int] = []
        self._held: dict[int, weakref.ref[RowChanges]] = {}  # what readers hold, by the number that they have

    def begin(self) -> int:
        """The number of a new run."""
        self.last += 1
        return self.last

    def present(self, run: int) -> int:
        """The number under which the nodes now have a run."""
        return self._present.get(run, run)

    def replaced(self, run: int) -> None:
        """Note that the epoch of a run was run again: the last run replaces it."""
        self._present[run] = self.last

    def committed(self, epoch: int) -> None:
        """Note that the last run was committed as this epoch."""
        self._epochs[self.last] = epoch

    @property
    def epochs(self) -> Mapping[int, int]:
        """The epochs of the committed runs that may still be read, by the numbers that nodes have."""
        return self._epochs

    def forget(self, run: int) -> None:
        """Forget a run whose changes are no longer read; the nodes are notified when the next one starts."""
        self._forgotten.append(run)

    def forget_with(self, changes: RowChanges) -> None:
        """Forget a run when its changes are no longer referenced."""
        self._held[changes.run] = weakref.ref(changes)
        weakref.finalize(changes, self._forgotten.append, changes.run).atexit = False

    def settle(self) -> None:
        """Read the changes that are referenced and not yet read: the nodes are about to stop."""
        for held in list(self._held.values()):
            changes = held()
            if changes is not None:
                changes.settle()

    def take_forgotten(self) -> tuple[int, ...]:
        """The runs, as nodes know them, that were forgotten since the last time."""
        count = len(self._forgotten)  # more may be added meanwhile
        found = tuple(self._present.pop(run, run) for run in self._forgotten[:count])
        del self._forgotten[:count]
        for run in found:
            self._epochs.pop(run, None)
        self._held = {run: held for run, held in self._held.items() if held() is not None}
        return found
