"""The cost of epochs, added up: seconds, supports, rows visited, and the work in each stratum.

Law: the total of some epochs is the sum of what each of them did; visits of the same stratum are added up without
reading them one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.runtime.base.outcome import EpochOutcome, StratumStatistics

NANOSECONDS = 1e9


class Visits(Sequence[StratumStatistics]):
    """What an epoch did in every stratum that it visited, computed when it is read.

    A line of the log contains the place of a stratum, whether it was visited ``elsewhere`` (-1), facts suspended and
    revived, supports and nanoseconds; ``elsewhere`` has the statistics of those, in order.
    """

    def __init__(
        self, relations: Sequence[frozenset[str]], log: Cells, elsewhere: Sequence[StratumStatistics] = ()
    ) -> None:
        self.relations, self.log, self.elsewhere = relations, log, elsewhere
        self._statistics: list[StratumStatistics] | None = None

    @overload
    def __getitem__(self, place: int) -> StratumStatistics: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[StratumStatistics]: ...

    def __getitem__(self, place: int | slice) -> StratumStatistics | Sequence[StratumStatistics]:
        return self._all()[place]

    def __iter__(self) -> Iterator[StratumStatistics]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self.log)

    def _all(self) -> list[StratumStatistics]:
        if self._statistics is None:
            others = iter(self.elsewhere)
            lines = self.log.tolist()
            self._statistics = [next(others) if line[1] < 0 else _statistics(self.relations, line) for line in lines]
        return self._statistics

    def __reduce__(self) -> tuple[type[list[StratumStatistics]], tuple[list[StratumStatistics]]]:
        return list, (self._all(),)


def _statistics(relations: Sequence[frozenset[str]], line: Sequence[int]) -> StratumStatistics:
    stratum, _, suspended, revived, supports, nanoseconds = line
    return StratumStatistics(tuple(sorted(relations[stratum])), nanoseconds / NANOSECONDS, supports, suspended, revived)


class EpochCost:
    """What one epoch cost, without what it changed."""

    __slots__ = ("revived", "sampled", "seconds", "strata", "supports", "suspended", "visits")

    def __init__(self, outcome: EpochOutcome, sampled: Mapping[str, float]) -> None:
        self.seconds, self.suspended, self.revived = outcome.seconds, outcome.suspended, outcome.revived
        self.supports, self.visits, self.strata = outcome.supports, outcome.visits, outcome.strata
        self.sampled = sampled


@dataclass(slots=True)
class EpochSum:
    """The total cost of some epochs; for every stratum its statistics, the visits, and how many of them rebuilt it."""

    epochs: int = 0
    seconds: float = 0.0
    suspended: int = 0
    revived: int = 0
    supports: dict[str, int] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    sampled: dict[str, float] = field(default_factory=dict)
    strata: list[tuple[StratumStatistics, int, int]] = field(default_factory=list)


def sum_up(costs: Sequence[EpochCost]) -> EpochSum:
    """The total cost of some epochs."""
    found = EpochSum(len(costs))
    logs: dict[int, list[Visits]] = {}
    for cost in costs:
        found.seconds += cost.seconds
        found.suspended += cost.suspended
        found.revived += cost.revived
        for label, count in cost.supports.items():
            found.supports[label] = found.supports.get(label, 0) + count
        for label, count in cost.visits.items():
            found.visits[label] = found.visits.get(label, 0) + count
        for label, seconds in cost.sampled.items():
            found.sampled[label] = found.sampled.get(label, 0.0) + seconds
        if isinstance(cost.strata, Visits):
            logs.setdefault(id(cost.strata.relations), []).append(cost.strata)
            found.strata += _each(cost.strata.elsewhere)
        else:
            found.strata += _each(cost.strata)
    for visits in logs.values():
        found.strata += _sum_logs(visits)
    return found


def _each(strata: Iterable[StratumStatistics]) -> Iterator[tuple[StratumStatistics, int, int]]:
    return ((stratum, 1, int(bool(stratum.rebuilt))) for stratum in strata)


def _sum_logs(visits: Sequence[Visits]) -> Iterator[tuple[StratumStatistics, int, int]]:
    """The visits of the same strata, added up by stratum."""
    lines = np.concatenate([each.log for each in visits])
    lines = lines[lines[:, 1] >= 0]
    strata, places, counts = np.unique(lines[:, 0], return_inverse=True, return_counts=True)
    sums = np.zeros((len(strata), lines.shape[1]), np.int64)
    np.add.at(sums, places.reshape(-1), lines)
    sums[:, 0] = strata
    for line, count in zip(sums.tolist(), counts.tolist(), strict=True):
        yield _statistics(visits[0].relations, line), count, 0
