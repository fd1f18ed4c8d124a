"""The groups of an aggregate inside the recursion that demands them, as far as an epoch touched them.

Laws: they are kept for the running epoch and forgotten with it; what groups showed before is computed from their rows.
All partitions do next what is due first on any of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tidelog.kernel.cells import Cells

Group = tuple[int, ...]


class Due(NamedTuple):
    """The next task for the groups of a level: derive their results or, if one is stale, build the stratum again."""

    level: int
    is_stale: bool


def first_due(dues: Iterable[Due | None]) -> Due | None:
    """The task that is due first: lower levels first, and stale groups before others; None if nothing is due.

    >>> first_due([Due(3, True), None, Due(0, False), Due(0, True)])
    Due(level=0, is_stale=True)
    """
    return min((due for due in dues if due is not None), key=lambda due: (due.level, not due.is_stale), default=None)


@dataclass(slots=True)
class DemandedGroups:
    """The groups of one aggregate that an epoch touched, and their new rows.

    ``shown`` holds the present results; a group without an entry has the result of the epoch before, or none if
    ``emptied``: the stratum is then empty, or the rule is new.
    """

    emptied: bool = False
    touched: set[Group] = field(default_factory=set)
    shown: dict[Group, Cells | None] = field(default_factory=dict)
    fresh: dict[Group, list[int]] = field(default_factory=dict)
    seen: int = 0  # entries of the journal, or rows of a relation that was empty before
    lost: list[Cells] = field(default_factory=list)  # rows of groups that lost their results; they may be revived
    known: npt.NDArray[np.bool_] = field(
        default_factory=lambda: np.zeros(0, np.bool_)
    )  # rows of an emptied stratum seen so far
