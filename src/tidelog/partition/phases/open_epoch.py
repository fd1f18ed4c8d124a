"""What a partition must remember of an epoch that is neither committed nor undone.

Law: a new epoch begins with nothing remembered; a commit or an undo forgets it all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tidelog.kernel.cells import Cells
from tidelog.partition.base.asked_groups import AskedGroups
from tidelog.partition.code.fold import Fold
from tidelog.partition.code.machine import nothing
from tidelog.partition.code.stratum import RuleCode
from tidelog.partition.memory.journal import NOTHING


@dataclass(slots=True)
class OpenEpoch:
    """The state at the beginning that no journal holds, and what one phase leaves for a later one."""

    is_open: bool = False
    clock: int = 0
    rank_bases: Cells = field(default_factory=lambda: NOTHING)
    touched: set[int] = field(default_factory=set)  # relations of which a commit looks at the journal
    waiting: dict[int, Cells] = field(default_factory=dict)  # suspended before their stratum is visited, by relation
    fold_gains: list[tuple[RuleCode, Cells]] = field(default_factory=list)  # results to be given once all is retracted
    folds: dict[int, Fold] = field(default_factory=dict)  # whose groups the epoch touched, by identity
    rebuilt: dict[int, tuple[int, int]] = field(default_factory=dict)  # rules built again: tally and losses till then
    asked: dict[str, AskedGroups] = field(default_factory=dict)  # of aggregates inside their recursion, by label
    asked_seen: int = 0  # items of the queue of losses that were looked at for groups of theirs
    settle_visited: Callable[[], None] = nothing  # commits the members of strata that a trip visited
    fold_messages: list[tuple[int, int, Cells]] = field(default_factory=list)  # partition, relation, rows to be sent
