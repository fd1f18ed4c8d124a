"""Changes of rules: adding one and removing it, beside what its supports need.

Law: what the supports of a rule need is measured, not assumed: the same join is built from nothing over base facts,
once with the rule and once without; the difference is the need. The supports are the same in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.cases.changes import epoch_values, touched
from benchmarks.data import workloads
from benchmarks.measure import median
from benchmarks.options import Options
from benchmarks.record import HEADLINE, Record, Target, Value, clocked
from benchmarks.subject import Step, Subject, built

RULE_TARGET = Target(2.0)


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule that is added and removed, and the same join over base facts only."""

    title: str
    rule: str
    alone: str


HOP = "hop(X, Z) :- edge(X, Y), edge(Y, Z)."
CHANGES = (
    RuleChange("a view over base facts", HOP, HOP),
    RuleChange("a view over a view", "far(X, Z) :- reach(X, Y), edge(Y, Z).", "far(X, Z) :- path(X, Y), edge(Y, Z)."),
    RuleChange("a rule of the recursion", "reach(X, Z) :- edge(X, Y), edge(Y, Z).", HOP),
)


def rules(options: Options) -> Iterator[Record]:
    """Add and remove each rule in the closure of the random graph."""
    workload = workloads.random_closure(options.quick)
    subject, _ = built(workload)
    base = {"edge": workload.facts["edge"], "path": subject.rows("reach")}
    for change in CHANGES:
        added, removed = _come_and_go(subject, change, options.repeats(3))
        need, supports = _need(change, base, options.repeats(3))
        yield _measure("add", change, added, need, supports)
        yield _measure("remove", change, removed, need, supports)
    yield _small(subject)


def _come_and_go(subject: Subject, change: RuleChange, repeat: int) -> tuple[list[Step], list[Step]]:
    added, removed = [], []
    for _ in range(repeat):
        label = f"turn{subject.engine.epoch_number}"
        added.append(_add(subject, change.rule, label))
        removed.append(_remove(subject, label))
    return added, removed


def _add(subject: Subject, rule: str, label: str) -> Step:
    return subject.step(lambda epoch: epoch.add_rule(rule, label))


def _remove(subject: Subject, label: str) -> Step:
    return subject.step(lambda epoch: epoch.remove_rule(label))


def _need(change: RuleChange, base: Mapping[str, Any], repeat: int) -> tuple[float, int]:
    """Processor seconds that the rule adds to a build from nothing, and its supports."""
    used = {name: rows for name, rows in base.items() if f"{name}(" in change.alone}
    with_rule: list[Step] = []
    without: list[Step] = []
    for _ in range(repeat):
        with_rule.append(Subject(change.alone).insert(used))
        without.append(Subject("").insert(used))
    seconds = median(s.whole for s in with_rule).cpu - median(s.whole for s in without).cpu
    return seconds, with_rule[0].supports


def _measure(what: str, change: RuleChange, steps: list[Step], need: float, supports: int) -> Record:
    whole = [s.whole for s in steps]
    ratio = Value(HEADLINE, median(whole).cpu / need, "x its need", target=RULE_TARGET)
    values = (ratio, *clocked("change", whole, "ms"), Value("need", 1e3 * need, "ms", "cpu"))
    return Record("rule", f"{what} {change.title}: {change.rule}", values, {"supports": supports})


def _small(subject: Subject) -> Record:
    """The fixed cost: a rule with few supports, which reads by a key that other rules use already."""
    steps = []
    for turn in range(20):
        label = f"small{turn}"
        steps.append(_add(subject, "near(Z) :- edge(0, Y), edge(Y, Z).", label))
        steps.append(_remove(subject, label))
    return Record("small-rule", "add or remove a rule with few supports", epoch_values(steps, None), touched(steps))
