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

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tidelog.explain.account import Account, RuleProfile, StratumProfile, account_text
from tidelog.explain.names import Names
from tidelog.explain.page import profile_page
from tidelog.explain.waste import Waste, is_wasteful, waste_of
from tidelog.partition.code.plan_counts import PlanCounts
from tidelog.plan.ruleset import Ruleset
from tidelog.runtime.base.cost import EpochSum


@dataclass(frozen=True, slots=True)
class Profile:
    """The cost of the last epoch and of all epochs together. ``str`` returns a text, and `to_json` plain values."""

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
class Sums:
    """The totals over epochs."""

    epochs: int = 0
    seconds: float = 0.0
    suspended: int = 0
    revived: int = 0
    supports: dict[str, int] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    core_labels: dict[str, set[str]] = field(default_factory=dict)  # the core rules that are shown under a label
    rule_seconds: dict[str, float] = field(default_factory=dict)
    strata: dict[tuple[str, ...], StratumProfile] = field(default_factory=dict)

    def add(self, outcome: EpochSum, names: Names, rules: Ruleset) -> None:
        """Add some epochs under the same rules."""
        self.epochs += outcome.epochs
        self.seconds += outcome.seconds
        self.suspended += outcome.suspended
        self.revived += outcome.revived
        by_head: dict[str, int] = {}
        for label, count in outcome.supports.items():
            rule = rules.core.get(label)
            if rule is not None:
                by_head[rule.head.predicate] = by_head.get(rule.head.predicate, 0) + count
                rule_name = names.label(rule)
                self.supports[rule_name] = self.supports.get(rule_name, 0) + count
        self._add_visits(outcome.visits, names, rules)
        for label, seconds in outcome.sampled.items():
            rule = rules.core.get(label)
            rule_name = label if rule is None else names.label(rule)
            self.rule_seconds[rule_name] = self.rule_seconds.get(rule_name, 0.0) + seconds
        for stratum, visits, rebuilt in outcome.strata:
            key = tuple(sorted(names.relation(name) for name in stratum.relations))
            old = self.strata.get(key, StratumProfile(key, 0, 0.0, 0, 0, 0))
            self.strata[key] = StratumProfile(
                key,
                old.visits + visits,
                old.seconds + stratum.seconds,
                old.supports + sum(by_head.get(name, 0) for name in stratum.relations),
                old.suspended + stratum.suspended,
                old.revived + stratum.revived,
                old.rebuilt + rebuilt,
                stratum.rebuilt,
            )

    def _add_visits(self, visits: Mapping[str, int], names: Names, rules: Ruleset) -> None:
        for label, count in visits.items():
            if label in rules.core:
                rule_name = names.label(rules.core[label])
                self.visits[rule_name] = self.visits.get(rule_name, 0) + count
                self.core_labels.setdefault(rule_name, set()).add(label)
                if rule_name not in self.texts and is_wasteful(self.visits[rule_name], 0):
                    self.texts[rule_name] = names.text(rules.core[label])

    def wasteful(self) -> list[str]:
        """The labels of the rules that visit far more rows than they find supports, the worst first."""
        found = [
            rule_name for rule_name, count in self.visits.items() if is_wasteful(count, self.supports.get(rule_name, 0))
        ]
        return sorted(found, key=lambda rule_name: (-self.visits[rule_name], rule_name))

    def account(self, counted: Mapping[str, Sequence[PlanCounts]], names: Names | None) -> Account:
        """The sums as a value; ``counted`` is what plans did, if there are wasteful rules."""
        labels = {**self.supports, **self.visits, **self.rule_seconds}
        rules = [
            RuleProfile(x, self.supports.get(x, 0), self.rule_seconds.get(x), self.visits.get(x, 0)) for x in labels
        ]
        wasteful = (
            tuple(self._waste(rule_name, counted, names) for rule_name in self.wasteful()) if names is not None else ()
        )
        rules.sort(key=lambda rule: (-(rule.seconds or 0.0), -rule.supports, rule.rule))
        strata = sorted(self.strata.values(), key=lambda s: (-s.seconds, s.relations))
        return Account(self.epochs, self.seconds, self.suspended, self.revived, tuple(rules), tuple(strata), wasteful)

    def _waste(self, rule_name: str, counted: Mapping[str, Sequence[PlanCounts]], names: Names) -> Waste:
        parts = [part for label in self.core_labels[rule_name] for part in counted.get(label, ())]
        return waste_of(
            rule_name, self.visits[rule_name], self.supports.get(rule_name, 0), parts, self.texts[rule_name], names
        )
