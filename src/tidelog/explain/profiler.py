"""Record what epochs cost; the records are added up on request.

Law: an epoch only pays for one record; the code that shows the totals (`explain.profile`) is imported on the first
request. Rules are sampled only if that is enabled.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

from tidelog.partition.code.plan_counts import PlanCounts, by_label
from tidelog.partition.phases.partition import Partition
from tidelog.plan.ruleset import Ruleset
from tidelog.runtime.base.cost import EpochCost, sum_up
from tidelog.runtime.base.outcome import EpochOutcome

if TYPE_CHECKING:
    from tidelog.explain.names import Names
    from tidelog.explain.profile import Profile, Sums

INTERVAL = 0.001
MOST_KEPT = 256  # epochs kept before they are added up
MOST_STRATA = 1 << 17  # and strata that these visited


class Profiler:
    """Adds up what epochs cost. ``sampling`` enables the sampling of rules."""

    def __init__(self) -> None:
        self.sampling = False
        self._last: tuple[EpochCost, Ruleset] | None = None
        self._names: tuple[Ruleset, Names] | None = None
        self._overall: Sums | None = None  # created on the first request
        self._sampled: dict[str, float] = {}
        self._pending: list[tuple[EpochCost, Ruleset]] = []
        self._strata = 0  # that the pending epochs visited

    @contextmanager
    def watching(self, partition: Partition) -> Iterator[None]:
        """Sample an epoch while it runs."""
        self._sampled = {}
        over = threading.Event()
        thread = threading.Thread(target=self._sample, args=(partition, over), name="tidelog-profile", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _sample(self, partition: Partition, over: threading.Event) -> None:
        before = time.perf_counter()
        while not over.wait(INTERVAL):
            now = time.perf_counter()
            label = partition.running_label()
            if label is not None:
                self._sampled[label] = self._sampled.get(label, 0.0) + now - before
            before = now

    def note(self, outcome: EpochOutcome, rules: Ruleset) -> None:
        """Record a committed epoch; its numbers are added up when they are read, or when many are pending."""
        self._pending.append((EpochCost(outcome, self._sampled), rules))
        self._sampled = {}
        self._strata += len(outcome.strata)
        if len(self._pending) > MOST_KEPT or self._strata > MOST_STRATA:
            self._add_up()

    def _add_up(self) -> Sums:
        from tidelog.explain.profile import Sums  # only shows totals: no epoch needs it

        overall = self._overall = self._overall or Sums()
        for rules, epochs in groupby(self._pending, lambda noted: noted[1]):
            costs = [cost for cost, _ in epochs]
            overall.add(sum_up(costs), self._names_of(rules), rules)
            self._last = costs[-1], rules
        self._pending.clear()
        self._strata = 0
        return overall

    def _last_epoch(self) -> Sums:
        from tidelog.explain.profile import Sums

        sums = Sums()
        if self._last is not None:
            cost, rules = self._last
            sums.add(sum_up([cost]), self._names_of(rules), rules)
        return sums

    def _names_of(self, rules: Ruleset) -> Names:
        from tidelog.explain.names import Names

        if self._names is None or self._names[0] is not rules:
            self._names = rules, Names(rules)
        return self._names[1]

    def rebuilt(self) -> dict[tuple[str, ...], str]:
        """Why strata were rebuilt when they were last visited, by the names of their relations as they are shown."""
        return {s.relations: s.reason for s in self._add_up().strata.values() if s.reason}

    def profile(self, rules: Ruleset, counts: Callable[[], Iterable[PlanCounts]]) -> Profile:
        """The totals so far; what plans did is read only if a rule is wasteful."""
        from tidelog.explain.profile import Profile

        overall, last = self._add_up(), self._last_epoch()
        if not overall.wasteful() and not last.wasteful():
            return Profile(last.account({}, None), overall.account({}, None))
        counted, names = by_label(counts()), self._names_of(rules)
        return Profile(last.account(counted, names), overall.account(counted, names))
