"""What every step of every plan did, and how many rows each rule visited; the kernel always counts both.

Law: counts of steps are kept parallel to the code of a partition, cell by cell, and only grow; the rows that rules
visit are counted from the beginning of an epoch. The state of the machine holds the addresses of the arrays kept here,
which are replaced only while no kernel runs. Epochs that were rolled back are counted, too: the work was done.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells, address

KEPT = [at.COUNTS, at.VISITS]  # fields of the state that outlive an epoch
CALLS, MICROSECONDS, COLUMNS = 3, 4, 5  # of a function: follow the kernel's counts of each step


class Counters:
    """Counts of steps by place of the code, and rows visited by number of the rule."""

    def __init__(self, state: Cells) -> None:
        self._state = state
        self._counts: Cells = np.zeros(0, np.int64)
        self.visits: Cells = np.zeros(0, np.int64)
        self.fit_code(1024)
        self.fit_rules(64)

    def fit_code(self, cells: int) -> None:
        """Make room for the counts of ``cells`` cells of code."""
        self._counts = _grown(self._counts, cells)
        self._state[at.COUNTS] = address(self._counts)

    def fit_rules(self, rules: int) -> None:
        """Make room for ``rules`` rules."""
        self.visits = _grown(self.visits, rules)
        self._state[at.VISITS] = address(self.visits)

    def read(self, code: Cells, place: int, steps: int) -> Cells:
        """What the plan with its code at ``place`` did: a row for its trigger and each step.

        A row has how often the step was entered, rows visited, rows passed, and for a function the results that Python
        computed and the microseconds that this took. A trigger is entered by every fact of its relation that changes,
        and passed by those that match; facts for which the plan was skipped, because it could find nothing, are not
        counted as visited.
        """
        found = np.zeros((steps + 1, COLUMNS), np.int64)
        visited, passed, skipped = self._counts[place + np.array([at.TRIGGERED, at.MATCHED, at.SKIPPED])]
        found[0, :3] = (visited + skipped, visited, passed)
        step = place + at.P_BINDS + 3 * int(code[place + at.P_NBIND])
        for row in range(1, steps + 1):
            found[row] = self._counts[step : step + COLUMNS]
            step += int(code[step + at.S_LEN])
        return found

    def note_calls(self, step: int, results: int, seconds: float) -> None:
        """Count the results that the function of a step computed, and the seconds that this took."""
        self._counts[step + CALLS] += results
        self._counts[step + MICROSECONDS] += round(1e6 * seconds)

    @property
    def sizes(self) -> tuple[int, int]:
        """The cells of code and the rules for which there is room."""
        return len(self._counts), len(self.visits)

    def add(self, counts: Cells, visits: Cells) -> None:
        """Add what was counted elsewhere."""
        self._counts += counts
        self.visits += visits

    def clear(self) -> None:
        """Reset all counts: all code is about to be removed."""
        self._counts[:] = 0

    def forget(self, place: int, cells: int) -> None:
        """Forget the counts at a place whose code is no longer used."""
        self._counts[place : place + cells] = 0


def _grown(cells: Cells, size: int) -> Cells:
    """The same cells with room for more."""
    if size <= len(cells):
        return cells
    return np.concatenate([cells, np.zeros(max(size - len(cells), len(cells)), np.int64)])
