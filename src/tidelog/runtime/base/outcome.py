"""What an epoch did: the rows that it changed, and statistics.

Law: changed rows are read on request, and always show what the epoch did, however late they are read. The outcome of
several partitions is the sum of their outcomes; times and rounds are those of the slowest.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from tidelog.kernel.cells import Cells
from tidelog.partition.base.net_changes import NetChange


@dataclass(slots=True)
class StratumStatistics:
    """What an epoch did in one stratum; ``rebuilt`` is the reason why it was built again (D26), empty if it was not."""

    relations: tuple[str, ...]
    seconds: float = 0.0
    supports: int = 0
    suspended: int = 0
    revived: int = 0
    rebuilt: str = ""


class RowChanges(Mapping[str, NetChange[Cells]]):
    """The changed rows (inserted, deleted) of every relation that changed, read on request.

    Code that moves records calls `settle` first, so that the rows that are read are always those of the epoch.
    """

    def __init__(self, readers: Mapping[str, Callable[[], NetChange[Cells]]]) -> None:
        self.run = 0  # the number under which several partitions keep them
        self._readers = readers
        self._read: dict[str, NetChange[Cells]] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> NetChange[Cells]:
        with self._lock:
            if name not in self._read:
                self._read[name] = self._readers[name]()
            return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)

    def __reduce__(self) -> tuple[Callable[..., RowChanges], tuple[dict[str, NetChange[Cells]]]]:
        return read_changes, (dict(self),)

    def settle(self) -> None:
        """Read everything that has not been read yet."""
        for name in self._readers:
            self[name]


def read_changes(rows: Mapping[str, NetChange[Cells]]) -> RowChanges:
    """Changes that were read elsewhere."""
    found = RowChanges({})
    found._read.update(rows)
    found._readers = {name: partial(found._read.__getitem__, name) for name in rows}
    return found


@dataclass(slots=True)
class EpochOutcome:
    """What an epoch did: changed rows of every relation (inserted, deleted), and statistics.

    ``supports`` counts supports found per core rule, ``visits`` the rows that its joins visited. Times are in seconds.
    """

    changes: RowChanges = field(default_factory=lambda: RowChanges({}))
    strata: Sequence[StratumStatistics] = field(default_factory=list)
    supports: dict[str, int] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    suspended: int = 0
    revived: int = 0
    rounds: int = 0
    facts: int = 0  # that became present, and bytes held, if limited
    bytes: int = 0
    messages: int = 0  # supports sent to other partitions
    exchanges: int = 0  # number of times that a partition waited for others
    sent: int = 0  # bytes of these messages
    waiting: float = 0.0  # seconds that partitions waited for each other, added up
    skew: float = 1.0  # supports of the busiest partition by those of the average one
    replans: int = 0  # rules that were planned again because the relations they read had grown or shrunk
    sizes: dict[str, int] = field(default_factory=dict)  # facts held of every relation that changed


def join_outcomes(parts: Sequence[EpochOutcome], changes: RowChanges) -> EpochOutcome:
    """The joint outcome of several partitions; ``changes`` are those of all of them."""
    found = EpochOutcome(changes, _join_strata(parts))
    found.seconds = max(part.seconds for part in parts)
    found.rounds = max(part.rounds for part in parts)
    found.exchanges = max(part.exchanges for part in parts)
    found.skew = _skew([sum(part.supports.values()) for part in parts])
    for part in parts:
        found.suspended += part.suspended
        found.revived += part.revived
        found.messages += part.messages
        found.sent += part.sent
        found.waiting += part.waiting
        found.replans += part.replans
        for label, count in part.supports.items():
            found.supports[label] = found.supports.get(label, 0) + count
        for label, count in part.visits.items():
            found.visits[label] = found.visits.get(label, 0) + count
    return found


def _skew(counts: Sequence[int]) -> float:
    """The largest value divided by the average.

    >>> _skew([3, 1]), _skew([0, 0])
    (1.5, 1.0)
    """
    return max(counts) * len(counts) / sum(counts) if sum(counts) else 1.0


def _join_strata(parts: Sequence[EpochOutcome]) -> list[StratumStatistics]:
    """The statistics of strata, added up over the partitions; times are those of the slowest."""
    found: dict[tuple[str, ...], StratumStatistics] = {}
    for stratum in (stratum for part in parts for stratum in part.strata):
        known = found.setdefault(stratum.relations, StratumStatistics(stratum.relations))
        known.seconds = max(known.seconds, stratum.seconds)
        known.supports += stratum.supports
        known.suspended += stratum.suspended
        known.revived += stratum.revived
        known.rebuilt = known.rebuilt or stratum.rebuilt
    return list(found.values())
