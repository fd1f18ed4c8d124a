"""The work of an epoch: which rules come and go, which are planned again, and in which strata.

Law: a plan changes what an epoch costs, never what it does. Rules are planned with the sizes that relations have, the
facts about to come included; a rule is planned again when the types it reads become known, or when a relation it reads
has grown or shrunk by a factor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from tidelog.kernel.cells import Cells
from tidelog.plan.build import plan_rule, plan_whole, value_type
from tidelog.plan.form import Form, Placing
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.statistics import Sizes
from tidelog.plan.strata import group_strata
from tidelog.plan.work import EpochWork, PlannedRule
from tidelog.program import Rule

STALE = 8  # the factor
SMALL = 1000  # facts; below, any plan will do


class Held(Protocol):
    """What a planner asks about the facts that there are."""

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation."""

    def live(self, name: str) -> int:
        """The number of facts of a relation."""

    def distinct_keys(self, name: str, columns: tuple[int, ...]) -> int | None:
        """About how many keys a relation has, if there is an index that tells."""


class Planner:
    """Plans the rules of one engine."""

    def __init__(self, partitions: int, held: Held, groups: Callable[[], Iterable[frozenset[str]]]) -> None:
        self._held, self._groups = held, groups  # facts, and the relations that are evaluated together
        self._placing = Placing(partitions)
        self._planned_sizes: dict[str, int] = {}
        self._stale: set[str] = set()
        self._known: Mapping[str, object] | None = None  # the schema whose relations the runtime has

    @property
    def placing(self) -> Placing:
        """Where relations live, and in which form rules run there."""
        return self._placing

    def work(
        self,
        before: Ruleset,
        rules: Ruleset,
        inserts: Mapping[str, Cells],
        deletes: Mapping[str, Cells],
        more: Mapping[str, int] | None = None,
    ) -> EpochWork:
        """What an epoch does that goes from one rule set to another and changes base facts.

        ``more`` tells about how many rows come in other ways.
        """
        old, new = self._placing.form, self._placing.next_form(rules)
        arities = {}
        if rules.schema is not self._known:
            arities = {n: len(t) for n, t in new.schema.items() if self._held.arity(n) != len(t)}
        places = {name: new.places[name] for name in arities if name in new.places}
        if rules.core is before.core and not self._stale:
            return EpochWork(arities, inserts, deletes, places=places)
        kept = {label for label, rule in new.core.items() if label in old.core and _reads_alike(rule, old.core[label])}
        kept -= _replaced(before, rules)
        added = [rule for label, rule in new.core.items() if label not in kept]
        removed = tuple(label for label in old.core if label not in kept)
        again = [r for label, r in new.core.items() if label in kept and self._must_replan(label, old, new)]
        strata = None
        if added:  # removing rules splits nothing: parts stay one stratum
            groups = [group for group in self._groups() if len(group) > 1]
            strata = group_strata(list(new.core.values()), groups)
        plan = self.planning(rules, {**{n: len(rows) for n, rows in inserts.items()}, **(more or {})})
        planned, replanned = tuple(map(plan, added)), tuple(map(plan, again))
        return EpochWork(arities, inserts, deletes, planned, removed, replanned, strata, places)

    def planning(self, rules: Ruleset, incoming: Mapping[str, int]) -> Callable[[Rule], PlannedRule]:
        """The function that plans a rule of the form in which ``rules`` run, given how many facts are about to come."""
        form = self._placing.next_form(rules)
        sizes = self._sizes(form, incoming)

        def plan(rule: Rule) -> PlannedRule:
            plans = plan_rule(rule, form.schema, rules.functions, sizes)
            whole = plan_whole(rule, form.schema, rules.functions, sizes)
            value, label = value_type(rule, form.schema, rules.functions), rule.label or ""
            return PlannedRule(rule, plans, whole, value, label in form.everywhere, form.sends(label))

        return plan

    def note_sizes(self, changed: Iterable[str], rules: Ruleset) -> None:
        """After a commit that changed some relations.

        Rules that read relations of quite another size are planned again with the next epoch.
        """
        self._stale.clear()
        self._placing.commit(rules)
        self._known = rules.schema
        moved = set()
        for name in changed:
            size, planned = self._held.live(name), self._planned_sizes.get(name, 0)
            if max(size, planned) > SMALL and not planned / STALE <= size <= planned * STALE:
                self._planned_sizes[name] = size
                moved.add(name)
        if moved:
            for label, rule in self._placing.form.core.items():
                if len(rule.body) > 1 and any(getattr(x, "predicate", None) in moved for x in rule.body):
                    self._stale.add(label)

    def _must_replan(self, label: str, old: Form, new: Form) -> bool:
        rule, before = new.core[label], old.core[label]
        if (rule is not before and rule != before) or label in self._stale:
            return True
        if new.schema is old.schema:
            return False
        names = [x.predicate for x in (*rule.body, rule.head) if hasattr(x, "predicate")]
        return any(new.schema[n] != old.schema.get(n) for n in names)

    def _sizes(self, form: Form, incoming: Mapping[str, int]) -> Sizes:
        derived = frozenset(rule.head.predicate for rule in form.core.values())
        sizes = Sizes(self._held.live, self._held.distinct_keys, incoming, derived)
        for name in form.schema:
            self._planned_sizes.setdefault(name, sizes.size(name))
        return sizes


def _reads_alike(rule: Rule, other: Rule) -> bool:
    """Whether two forms of a rule have the same supports in the same places."""
    if rule is other:
        return True
    return [getattr(x, "predicate", None) for x in rule.body] == [getattr(x, "predicate", None) for x in other.body]


def _replaced(before: Ruleset, rules: Ruleset) -> set[str]:
    """Core rules that another rule of the user's brings under the same label."""
    old = {rule.label: rule for rule in before.program.rules}
    found: set[str] = set()
    for rule in rules.program.rules:
        if old.get(rule.label, rule) != rule:
            found.update(rules.needed[rule.label or ""])
    return {label for label in found if rules.core[label] != before.core.get(label)}
