"""The seam between the engine and the place where partitions live.

Law: an epoch's work is a value; a runtime carries it out whole, or raises and is as it was before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from tidelog.partition.relations import Cells
from tidelog.plan.steps import Plan
from tidelog.program import Rule


@dataclass(frozen=True, slots=True)
class PlannedRule:
    """A core rule with its plans; ``value_type`` is the type of the values that an aggregate rule folds."""

    rule: Rule
    plans: tuple[Plan, ...]
    whole: Plan
    value_type: str = "number"


@dataclass(frozen=True, slots=True)
class EpochWork:
    """What an epoch is to do.

    ``strata`` are the relations evaluated together after the epoch, lower ones first; relations without rules stand
    alone. ``replanned`` rules keep their supports and get new plans.
    """

    arities: Mapping[str, int] = field(default_factory=dict)
    inserts: Mapping[str, Cells] = field(default_factory=dict)
    deletes: Mapping[str, Cells] = field(default_factory=dict)
    added: tuple[PlannedRule, ...] = ()
    removed: tuple[str, ...] = ()
    replanned: tuple[PlannedRule, ...] = ()
    strata: tuple[frozenset[str], ...] | None = None

    @property
    def changes_rules(self) -> bool:
        """Whether more than facts change."""
        return bool(self.added or self.removed or self.replanned) or self.strata is not None


@dataclass(slots=True)
class StratumStatistics:
    """What an epoch did in one stratum."""

    relations: tuple[str, ...]
    seconds: float = 0.0
    supports: int = 0
    suspended: int = 0
    revived: int = 0


class RowChanges(Mapping[str, tuple[Cells, Cells]]):
    """The changed rows (inserted, deleted) of every relation that changed, read when they are asked for.

    Whoever moves records calls `settle` first, so that what is read is always what the epoch did.
    """

    def __init__(self, readers: Mapping[str, Callable[[], tuple[Cells, Cells]]]) -> None:
        self._readers = readers
        self._read: dict[str, tuple[Cells, Cells]] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> tuple[Cells, Cells]:
        with self._lock:
            if name not in self._read:
                self._read[name] = self._readers[name]()
            return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)

    def settle(self) -> None:
        """Read everything that was not read yet."""
        for name in self._readers:
            self[name]


@dataclass(slots=True)
class EpochOutcome:
    """What an epoch did: changed rows of every relation (inserted, deleted), and statistics.

    ``supports`` counts supports found per core rule. Times are in seconds.
    """

    changes: RowChanges = field(default_factory=lambda: RowChanges({}))
    strata: list[StratumStatistics] = field(default_factory=list)
    supports: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    suspended: int = 0
    revived: int = 0
    rounds: int = 0


Progress = Callable[[str, int], None]
