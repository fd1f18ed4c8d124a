"""The work of an epoch: which rules come and go, which are planned again, and in which strata.

Law: a plan changes what an epoch costs, never what it does. Rules are planned with the sizes that relations have, the
facts about to come included; a rule is planned again when the types it reads become known, or when a relation it reads
has grown or shrunk by a factor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tidelog.partition.relations import Cells
from tidelog.plan.build import plan_rule, plan_whole, value_type
from tidelog.plan.statistics import Sizes
from tidelog.program import Rule
from tidelog.ruleset import Ruleset
from tidelog.runtime.embedded import EmbeddedRuntime
from tidelog.runtime.protocol import EpochOutcome, EpochWork, PlannedRule
from tidelog.runtime.strata import group_strata

STALE = 8  # the factor
SMALL = 1000  # facts; below, any plan will do


class Planner:
    """Plans the rules of one engine."""

    def __init__(self, runtime: EmbeddedRuntime) -> None:
        self._runtime = runtime
        self._planned_sizes: dict[str, int] = {}
        self._stale: set[str] = set()
        self._known: Mapping[str, object] | None = None  # the schema whose relations the runtime has

    def work(
        self, before: Ruleset, rules: Ruleset, inserts: Mapping[str, Cells], deletes: Mapping[str, Cells]
    ) -> EpochWork:
        """What an epoch does that goes from one rule set to another and changes base facts."""
        arities = {}
        if rules.schema is not self._known:
            arities = {n: len(t) for n, t in rules.schema.items() if self._runtime.arity(n) != len(t)}
        if rules.core is before.core and not self._stale:
            return EpochWork(arities, inserts, deletes)
        kept = before.core.keys() - _replaced(before, rules)
        come = [rule for label, rule in rules.core.items() if label not in kept]
        gone = tuple(label for label in before.core if label not in rules.core or label not in kept)
        again = [r for label, r in rules.core.items() if label in kept and self._must_replan(label, before, rules)]
        strata = None
        if come:  # removing rules splits nothing: parts stay one stratum
            groups = [s.relations for s in self._runtime.strata.values() if len(s.relations) > 1]
            strata = group_strata(list(rules.core.values()), groups)
        plan = self.planning(rules, {n: len(rows) for n, rows in inserts.items()})
        return EpochWork(arities, inserts, deletes, tuple(map(plan, come)), gone, tuple(map(plan, again)), strata)

    def planning(self, rules: Ruleset, incoming: Mapping[str, int]) -> Callable[[Rule], PlannedRule]:
        """The function that plans a core rule, given how many facts are about to come."""
        sizes = self._sizes(rules, incoming)

        def plan(rule: Rule) -> PlannedRule:
            plans = plan_rule(rule, rules.schema, rules.functions, sizes)
            whole = plan_whole(rule, rules.schema, rules.functions, sizes)
            return PlannedRule(rule, plans, whole, value_type(rule, rules.schema, rules.functions))

        return plan

    def note_sizes(self, outcome: EpochOutcome, rules: Ruleset) -> None:
        """Rules that read relations of quite another size than planned for are planned again with the next epoch."""
        self._stale.clear()
        self._known = rules.schema
        relations = self._runtime.partition.relations
        moved = set()
        for name in outcome.changes:
            size, planned = relations.live(relations.numbers[name]), self._planned_sizes.get(name, 0)
            if max(size, planned) > SMALL and not planned / STALE <= size <= planned * STALE:
                self._planned_sizes[name] = size
                moved.add(name)
        if moved:
            for label, rule in rules.core.items():
                if len(rule.body) > 1 and any(getattr(x, "predicate", None) in moved for x in rule.body):
                    self._stale.add(label)

    def _must_replan(self, label: str, before: Ruleset, rules: Ruleset) -> bool:
        rule, old = rules.core[label], before.core[label]
        if (rule is not old and rule != old) or label in self._stale:
            return True
        if rules.schema is before.schema:
            return False
        names = [x.predicate for x in (*rule.body, rule.head) if hasattr(x, "predicate")]
        return any(rules.schema[n] != before.schema.get(n) for n in names)

    def _sizes(self, rules: Ruleset, incoming: Mapping[str, int]) -> Sizes:
        relations = self._runtime.partition.relations
        derived = frozenset(rule.head.predicate for rule in rules.core.values())

        def live(name: str) -> int:
            return relations.live(relations.numbers[name]) if name in relations.numbers else 0

        def keys(name: str, columns: tuple[int, ...]) -> int | None:
            return relations.distinct_keys(relations.numbers[name], columns) if name in relations.numbers else None

        sizes = Sizes(live, keys, incoming, derived)
        for name in rules.schema:
            self._planned_sizes.setdefault(name, sizes.size(name))
        return sizes


def _replaced(before: Ruleset, rules: Ruleset) -> set[str]:
    """Core rules that another rule of the user's brings under the same label."""
    old = {rule.label: rule for rule in before.program.rules}
    found: set[str] = set()
    for rule in rules.program.rules:
        if old.get(rule.label, rule) != rule:
            found.update(rules.needed[rule.label or ""])
    return {label for label in found if rules.core[label] != before.core.get(label)}
