"""Noting what epochs cost, to be added up when somebody asks.

Law: an epoch pays for a note and no more; what shows the sums to people (`explain.profile`) is imported with the first
question. Rules are sampled only where that was asked for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.partition.code.plan_counts import PlanCounts, by_label
from tidelog.partition.phases.partition import Partition
from tidelog.plan.ruleset import Ruleset
from tidelog.runtime.base.outcome import EpochOutcome, RowChanges

if TYPE_CHECKING:
    from tidelog.explain.profile import Profile, Sums

INTERVAL = 0.001
MOST_KEPT = 256  # epochs kept before they are added up


class Profiler:
    """Adds up what epochs cost. ``sampling`` switches on the sampling of rules."""

    def __init__(self) -> None:
        self.sampling = False
        self._added: tuple[Sums, Sums] | None = None  # of the last epoch and of all; made when somebody asks
        self._sampled: dict[str, float] = {}
        self._not_added: list[tuple[EpochOutcome, Ruleset, Mapping[str, float]]] = []

    @contextmanager
    def watching(self, partition: Partition) -> Iterator[None]:
        """While an epoch runs: sample it."""
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
        """An epoch was committed; its numbers are added up when they are read, or when many are pending."""
        self._not_added.append((replace(outcome, changes=RowChanges({})), rules, self._sampled))
        self._sampled = {}
        if len(self._not_added) > MOST_KEPT:
            self._add_up()

    def _add_up(self) -> tuple[Sums, Sums]:
        from tidelog.explain.names import Names  # what shows sums to people: no epoch needs it
        from tidelog.explain.profile import Sums

        last, overall = self._added or (Sums(), Sums())
        if self._not_added:
            known, names = self._not_added[0][1], Names(self._not_added[0][1])
            for outcome, rules, sampled in self._not_added:
                if rules is not known:
                    known, names = rules, Names(rules)
                overall.add(outcome, names, rules, sampled)
            outcome, rules, sampled = self._not_added[-1]
            last = Sums()
            last.add(outcome, names, rules, sampled)
            self._not_added.clear()
        self._added = last, overall
        return self._added

    def rebuilt(self) -> dict[tuple[str, ...], str]:
        """Why strata were rebuilt when they were last visited, by their relations as they are shown."""
        _, overall = self._add_up()
        return {s.relations: s.reason for s in overall.strata.values() if s.reason}

    def profile(self, rules: Ruleset, counts: Callable[[], Iterable[PlanCounts]]) -> Profile:
        """The totals so far; what plans did is read only if a rule is wasteful."""
        from tidelog.explain.names import Names
        from tidelog.explain.profile import Profile

        last, overall = self._add_up()
        if not overall.wasteful() and not last.wasteful():
            return Profile(last.account({}, None), overall.account({}, None))
        counted, names = by_label(counts()), Names(rules)
        return Profile(last.account(counted, names), overall.account(counted, names))
