"""Where epochs spend their time: per stratum and per rule, for the last epoch and overall.

What the numbers mean. The seconds of an epoch and of a stratum are always measured. The supports that the joins of a
rule add or remove, and the rows that they visit, are always counted. Facts are suspended and revived in a stratum,
independent of the rule that removed or kept their supports, so these two are reported per stratum. The seconds of a
rule are *sampled*, and only while profiling is enabled: every millisecond a second thread checks which rule's join the
kernel is running (kernels run without the interpreter lock) and credits the rule with the time since the last check.
Time outside joins (applying supports, Python) is not credited to any rule, and epochs much shorter than a millisecond
may leave no sample; None means never sampled.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tidelog.explain.account import Account, RuleProfile, StratumProfile, account_text
from tidelog.explain.names import Names
from tidelog.explain.page import profile_page
from tidelog.explain.waste import Waste, is_wasteful, waste_of
from tidelog.partition.code.plan_counts import PlanCounts, by_label
from tidelog.partition.phases.partition import Partition
from tidelog.plan.ruleset import Ruleset
from tidelog.runtime.base.outcome import EpochOutcome, RowChanges

INTERVAL = 0.001
MOST_KEPT = 256  # epochs kept before they are added up


@dataclass(frozen=True, slots=True)
class Profile:
    """The last epoch and all epochs together; as text by ``str``, as plain values by `to_json`."""

    last: Account
    overall: Account

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return asdict(self)

    def _repr_html_(self) -> str:
        return profile_page(self.last, self.overall)

    def __str__(self) -> str:
        overall = account_text(f"all epochs ({self.overall.epochs:,})", self.overall)
        return f"{account_text('last epoch', self.last)}\n\n{overall}"


@dataclass(slots=True)
class _Sums:
    """What is added up over epochs."""

    epochs: int = 0
    seconds: float = 0.0
    suspended: int = 0
    revived: int = 0
    supports: dict[str, int] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    made: dict[str, set[str]] = field(default_factory=dict)  # the core rules that are shown under a label
    rule_seconds: dict[str, float] = field(default_factory=dict)
    strata: dict[tuple[str, ...], StratumProfile] = field(default_factory=dict)

    def add(self, outcome: EpochOutcome, names: Names, rules: Ruleset, sampled: Mapping[str, float]) -> None:
        """Add one epoch."""
        self.epochs += 1
        self.seconds += outcome.seconds
        self.suspended += outcome.suspended
        self.revived += outcome.revived
        by_head: dict[str, int] = {}
        for label, count in outcome.supports.items():
            rule = rules.core.get(label)
            if rule is not None:
                by_head[rule.head.predicate] = by_head.get(rule.head.predicate, 0) + count
                told = names.label(rule)
                self.supports[told] = self.supports.get(told, 0) + count
        self._add_visits(outcome.visits, names, rules)
        for label, seconds in sampled.items():
            rule = rules.core.get(label)
            told = label if rule is None else names.label(rule)
            self.rule_seconds[told] = self.rule_seconds.get(told, 0.0) + seconds
        for stratum in outcome.strata:
            key = tuple(sorted(names.relation(name) for name in stratum.relations))
            old = self.strata.get(key, StratumProfile(key, 0, 0.0, 0, 0, 0))
            self.strata[key] = StratumProfile(
                key,
                old.visits + 1,
                old.seconds + stratum.seconds,
                old.supports + sum(by_head.get(name, 0) for name in stratum.relations),
                old.suspended + stratum.suspended,
                old.revived + stratum.revived,
                old.rebuilt + bool(stratum.rebuilt),
                stratum.rebuilt,
            )

    def _add_visits(self, visits: Mapping[str, int], names: Names, rules: Ruleset) -> None:
        for label, count in visits.items():
            if label in rules.core:
                told = names.label(rules.core[label])
                self.visits[told] = self.visits.get(told, 0) + count
                self.made.setdefault(told, set()).add(label)
                if told not in self.texts and is_wasteful(self.visits[told], 0):
                    self.texts[told] = names.text(rules.core[label])

    def wasteful(self) -> list[str]:
        """The labels of the rules that visit far more rows than they find supports, the worst first."""
        found = [told for told, count in self.visits.items() if is_wasteful(count, self.supports.get(told, 0))]
        return sorted(found, key=lambda told: (-self.visits[told], told))

    def account(self, counted: Mapping[str, Sequence[PlanCounts]], names: Names | None) -> Account:
        """The sums as a value; ``counted`` is what plans did, if there are wasteful rules."""
        labels = {**self.supports, **self.visits, **self.rule_seconds}
        rules = [
            RuleProfile(x, self.supports.get(x, 0), self.rule_seconds.get(x), self.visits.get(x, 0)) for x in labels
        ]
        wasteful = tuple(self._waste(told, counted, names) for told in self.wasteful()) if names is not None else ()
        rules.sort(key=lambda rule: (-(rule.seconds or 0.0), -rule.supports, rule.rule))
        strata = sorted(self.strata.values(), key=lambda s: (-s.seconds, s.relations))
        return Account(self.epochs, self.seconds, self.suspended, self.revived, tuple(rules), tuple(strata), wasteful)

    def _waste(self, told: str, counted: Mapping[str, Sequence[PlanCounts]], names: Names) -> Waste:
        parts = [part for label in self.made[told] for part in counted.get(label, ())]
        return waste_of(told, self.visits[told], self.supports.get(told, 0), parts, self.texts[told], names)


class Profiler:
    """Adds up what epochs cost. ``sampling`` switches on the sampling of rules."""

    def __init__(self) -> None:
        self.sampling = False
        self._last = _Sums()
        self._overall = _Sums()
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

    def _add_up(self) -> None:
        if not self._not_added:
            return
        known, names = self._not_added[0][1], Names(self._not_added[0][1])
        for outcome, rules, sampled in self._not_added:
            if rules is not known:
                known, names = rules, Names(rules)
            self._overall.add(outcome, names, rules, sampled)
        outcome, rules, sampled = self._not_added[-1]
        self._last = _Sums()
        self._last.add(outcome, names, rules, sampled)
        self._not_added.clear()

    def rebuilt(self) -> dict[tuple[str, ...], str]:
        """Why strata were rebuilt when they were last visited, by their relations as they are shown."""
        self._add_up()
        return {s.relations: s.reason for s in self._overall.strata.values() if s.reason}

    def profile(self, rules: Ruleset, counts: Callable[[], Iterable[PlanCounts]]) -> Profile:
        """The totals so far; what plans did is read only if a rule is wasteful."""
        self._add_up()
        if not self._overall.wasteful() and not self._last.wasteful():
            return Profile(self._last.account({}, None), self._overall.account({}, None))
        counted, names = by_label(counts()), Names(rules)
        return Profile(self._last.account(counted, names), self._overall.account(counted, names))
