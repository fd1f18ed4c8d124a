"""The groups of an aggregate inside the recursion that demands them, as far as an epoch touched them.

Law: kept for the epoch that runs and forgotten with it; what groups showed before is computed from their rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tidelog.kernel.cells import Cells

Group = tuple[int, ...]


@dataclass(slots=True)
class AskedGroups:
    """The groups of one aggregate that an epoch touched, and their new rows.

    ``shown`` holds the present results; a group without an entry has the result of the epoch before, or none if
    ``emptied``: then nothing of the stratum was left, or the rule is new.
    """

    emptied: bool = False
    touched: set[Group] = field(default_factory=set)
    shown: dict[Group, Cells | None] = field(default_factory=dict)
    fresh: dict[Group, list[int]] = field(default_factory=dict)
    seen: int = 0  # entries of the journal, or rows of a relation that was empty before
    lost: list[Cells] = field(default_factory=list)  # rows of groups that lost their results; the rows may be revived
    known: npt.NDArray[np.bool_] = field(
        default_factory=lambda: np.zeros(0, np.bool_)
    )  # rows of an emptied stratum seen so far
