"""The work of an epoch: which rules come and go, in which form they run, and in which strata.

Law: work says what an epoch does, and nothing of how. Join orders are chosen where the facts are, when a stratum is
entered (`partition.replan`); a rule whose types become known is sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Protocol

from tidelog.kernel.cells import Cells
from tidelog.plan.advice import Advice
from tidelog.plan.form import Form, Placing
from tidelog.plan.modes import Plans
from tidelog.plan.plan_rule import is_folded, value_type
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.strata import group_strata
from tidelog.plan.work import UNADVISED, EpochWork, RuleForm
from tidelog.program import Program, Rule
from tidelog.program.graph.choice import choices
from tidelog.program.graph.keys import key_columns
from tidelog.program.graph.subsumption import subsumed_relations
from tidelog.program.values.scope import atoms


class RelationArities(Protocol):
    """What a planner asks about the facts that there are."""

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation."""


class Planner:
    """Makes the work of one engine's epochs."""

    def __init__(
        self,
        partitions: int,
        held: RelationArities,
        groups: Callable[[], Iterable[frozenset[str]]],
        plans: Plans = Plans.advice,
    ) -> None:
        self._held, self._groups = held, groups  # facts, and the relations that are evaluated together
        self._placing = Placing(partitions)
        self._plans = plans
        self._known: Mapping[str, object] | None = None  # the schema whose relations the runtime has

    @property
    def plans(self) -> Plans:
        """How a `.plan` is taken."""
        return self._plans

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
        *,
        is_question: bool = False,
    ) -> EpochWork:
        """What an epoch does that changes from one rule set to another and changes base facts."""
        old, new = self._placing.form, self._placing.next_form(rules)
        arities = {}
        if rules.schema is not self._known:
            arities = {n: len(t) for n, t in new.schema.items() if self._held.arity(n) != len(t)}
        places = {name: new.places[name] for name in arities if name in new.places}
        if rules.core is before.core:  # so that nothing is retyped
            return EpochWork(arities, inserts, deletes, places=places)
        kept = {label for label, rule in new.core.items() if label in old.core and _reads_alike(rule, old.core[label])}
        kept -= _replaced(before, rules)
        added = [rule for label, rule in new.core.items() if label not in kept]
        removed = tuple(label for label in old.core if label not in kept)
        again = [r for label, r in new.core.items() if label in kept and _is_retyped(label, old, new)]
        strata = None
        if added:  # removing rules splits nothing: parts stay one stratum
            groups = [group for group in self._groups() if len(group) > 1]
            strata = group_strata(list(new.core.values()), groups)
        form = self.forming(rules)
        plus, retyped = tuple(map(form, added)), tuple(map(form, again))
        return EpochWork(arities, inserts, deletes, plus, removed, retyped, strata, places, is_question=is_question)

    def forming(self, rules: Ruleset) -> Callable[[Rule], RuleForm]:
        """The function that brings a rule into the form in which it runs among ``rules``."""
        form = self._placing.next_form(rules)

        @cache
        def advice() -> Advice:
            return Advice(self._plans, form.core)

        def formed(rule: Rule) -> RuleForm:
            value, label = value_type(rule, form.schema, rules.functions), rule.label or ""
            schema = {name: form.schema[name] for name in _names(rule) if name in form.schema}
            advised = advice().of(rule) if rule.plans else UNADVISED
            return RuleForm(rule, schema, value, label in form.everywhere, form.sends(label), advised)

        return formed

    def has_relations(self, rules: Ruleset) -> bool:
        """Whether the runtime has all relations of the rules: an epoch that led to them was committed."""
        return rules.schema is self._known

    def committed(self, rules: Ruleset) -> None:
        """After the commit of an epoch that made ``rules`` the ones in force."""
        self._placing.commit(rules)
        self._known = rules.schema


def _is_retyped(label: str, old: Form, new: Form) -> bool:
    """Whether a rule that stays reads or derives other types than before."""
    rule, before = new.core[label], old.core[label]
    if rule is not before and rule != before:
        return True
    if new.schema is old.schema:
        return False
    return any(new.schema[n] != old.schema.get(n) for n in _names(rule))


def _names(rule: Rule) -> list[str]:
    """The relations that a rule names."""
    return [atom.predicate for atom in (rule.head, *atoms(rule.body))]


def _reads_alike(rule: Rule, other: Rule) -> bool:
    """Whether two forms of a rule have the same supports in the same places."""
    if rule is other:
        return True
    if is_folded(rule) != is_folded(other):
        return False
    return [getattr(x, "predicate", None) for x in rule.body] == [getattr(x, "predicate", None) for x in other.body]


def _replaced(before: Ruleset, rules: Ruleset) -> set[str]:
    """Core rules that another rule of the user's brings under the same label."""
    if before.program is rules.program and before.inlined is rules.inlined:
        return set()
    old = {rule.label: before.inlined.get(rule.label or "", rule) for rule in before.program.rules}
    found: set[str] = set()
    other = _meant_otherwise(before.program, rules.program)
    for written in rules.program.rules:
        rule = rules.inlined.get(written.label or "", written)
        if old.get(rule.label, rule) != rule or written.head.predicate in other:
            found.update(rules.core_labels[rule.label or ""])
    return {label for label in found if rules.core[label] != before.core.get(label)}


def _meant_otherwise(before: Program, after: Program) -> set[str]:
    """The relations whose rules mean something else, though their text is the same: by keys, subsumptions, choices."""
    found: set[str] = set()
    meanings = ((f(before), f(after)) for f in (key_columns, _clauses, choices))
    one: Mapping[str, object]
    two: Mapping[str, object]
    for one, two in meanings:
        found |= {name for name in {*one, *two} if one.get(name) != two.get(name)}
    return found


def _clauses(program: Program) -> dict[str, tuple[Rule, ...]]:
    return {name: tuple(rules) for name, rules in subsumed_relations(program.rules).items()}
