"""The work of an epoch: which rules are added and removed, in which form they run, and in which strata.

Law: work describes what an epoch does, but not how. Join orders are chosen where the facts are, when a stratum is
entered (`partition.replan`); a rule whose types become known is sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import compress, count
from operator import is_not
from typing import Protocol

from tidelog.kernel.cells import Cells
from tidelog.plan.advice import Advice
from tidelog.plan.form import Form, RelationPlacements
from tidelog.plan.layers import Layers
from tidelog.plan.modes import Plans
from tidelog.plan.plan_rule import is_folded, value_type
from tidelog.plan.repartition_strata import exposed_source
from tidelog.plan.ruleset import Ruleset, changed_names
from tidelog.plan.work import UNADVISED, ColumnMapping, EpochWork, RuleForm
from tidelog.program import Program, Rule
from tidelog.program.graph.choice import choices
from tidelog.program.graph.keys import key_columns
from tidelog.program.graph.subsumption import subsumed_relations
from tidelog.program.graph.well_founded import model_of
from tidelog.program.values.rule import rule_of
from tidelog.program.values.scope import atoms


class RelationArities(Protocol):
    """The information about existing facts that a planner needs."""

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation."""


class Planner:
    """Plans the work of one engine's epochs."""

    def __init__(
        self,
        partitions: int,
        held: RelationArities,
        groups: Callable[[], Iterable[frozenset[str]]],
        plans: Plans = Plans.advice,
    ) -> None:
        self._held, self._groups = held, groups  # describes the facts, and the relations that are evaluated together
        self._placing = RelationPlacements(partitions)
        self._plans = plans
        self._known: Mapping[str, object] | None = None  # the schema whose relations the runtime has
        self._layers: tuple[Mapping[str, Rule], Layers] | None = None  # rules in force and their strata, once known
        self._next: tuple[Mapping[str, Rule], Layers] | None = None  # after the most recently planned work

    @property
    def plans(self) -> Plans:
        """How a `.plan` is handled."""
        return self._plans

    @property
    def placing(self) -> RelationPlacements:
        """The placements of relations, and the form in which rules run there."""
        return self._placing

    def work(
        self,
        before: Ruleset,
        rules: Ruleset,
        inserts: dict[str, Cells],
        deletes: Mapping[str, Cells],
        *,
        is_question: bool = False,
        columns: Mapping[str, ColumnMapping | None] | None = None,
    ) -> EpochWork:
        """The work of an epoch that replaces one rule set by another and changes base facts.

        The relations in ``columns`` get other columns, and so do those whose columns follow from theirs.
        """
        old, renewed = self._placing.form, frozenset[str]()
        if columns:
            self._placing.place_again(rules, frozenset(columns))
            renewed = _renewed(old, self._placing.next_form(rules), columns)
            self._placing.place_again(rules, renewed)
        new = self._placing.next_form(rules)
        arities, typed = {}, [] if new.schema is old.schema else changed_names(old.schema, new.schema)
        if rules.schema is not self._known:
            made = new.schema if self._known is None else typed  # that the runtime may lack, or has with other columns
            widths = {name: len(new.schema[name]) for name in {*made, *renewed}}
            arities = {n: count for n, count in widths.items() if n in renewed or self._held.arity(n) != count}
        places = {name: new.places[name] for name in arities if name in new.places}
        if rules.core is before.core and not renewed:  # so that nothing is retyped
            return EpochWork(arities, inserts, deletes, places=places)
        was, replaced = old.core, _replaced(before, rules)
        if renewed:
            replaced |= {
                label
                for label, rule in new.core.items()
                if not renewed.isdisjoint((*_names(rule), *(_names(was[label]) if label in was else ())))
            }
        changed = {label: new.core[label] for label in changed_names(was, new.core)}
        if not replaced <= changed.keys():
            changed = {label: rule for label, rule in new.core.items() if label in changed or label in replaced}
        kept = {n for n, rule in changed.items() if n in was and n not in replaced and _reads_alike(rule, was[n])}
        added = [rule for label, rule in changed.items() if label not in kept]
        gone = (was.keys() - new.core.keys()) | (changed.keys() & was.keys() - kept)
        removed = tuple(label for label in was if label in gone) if gone else ()
        again = _retyped(old, new, typed, changed, kept)
        layers, strata = self._strata_in_force(before, old), None
        layers = layers.exchanging({id(was[label]): new.core[label] for label in kept})
        layers = layers.without([was[label] for label in removed])
        if added:  # removing rules splits nothing: parts stay one stratum
            layers, strata = layers.with_rules(added)
        self._next = rules.core, layers
        form = self.forming(rules)
        plus, retyped = tuple(map(form, added)), tuple(map(form, again))
        work = EpochWork(arities, inserts, deletes, plus, removed, retyped, strata, places, is_question=is_question)
        mappings = columns or {}
        return replace(work, renewed={name: mappings.get(name) for name in sorted(renewed)}) if renewed else work

    def _strata_in_force(self, rules: Ruleset, form: Form) -> Layers:
        """The strata of the rules in force; they are read from the runtime once."""
        if self._layers is None:
            self._layers = rules.core, Layers.of(form.core.values(), self._groups())
        return self._layers[1]

    def forming(self, rules: Ruleset) -> Callable[[Rule], RuleForm]:
        """Return the function that converts a rule to the form in which it runs among ``rules``."""
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
        """Record the commit of an epoch that put ``rules`` in force."""
        self._placing.commit(rules)
        self._known = rules.schema
        if self._next is not None and self._next[0] is rules.core:
            self._layers = self._next
        elif self._layers is not None and self._layers[0] is not rules.core:
            self._layers = None
        self._next = None


def _renewed(old: Form, new: Form, changed: Iterable[str]) -> frozenset[str]:
    """The relations that lose their records when some get other columns; what a min or max exposes goes with it."""
    known = old.schema.keys() & new.schema.keys()
    found = {name for name in known if name in set(changed) or len(old.schema[name]) != len(new.schema[name])}
    rules = [*old.core.values(), *new.core.values()]
    found |= {s for r in rules if r.head.predicate in found and (s := exposed_source(r)) is not None and s in known}
    return frozenset(found)


def _retyped(old: Form, new: Form, typed: Sequence[str], changed: Mapping[str, Rule], kept: set[str]) -> list[Rule]:
    """The remaining rules that read or derive different types than before; ``typed`` relations may have others."""
    others = {name for name in typed if name in old.schema and new.schema[name] != old.schema[name]}
    found = [
        label for label in kept if new.core[label] != old.core[label] or not others.isdisjoint(_names(new.core[label]))
    ]
    if others:
        found += [n for n, rule in new.core.items() if n not in changed and not others.isdisjoint(_names(rule))]
    wanted = set(found)
    return [rule for label, rule in new.core.items() if label in wanted] if wanted else []


def _names(rule: Rule) -> list[str]:
    """The relations that a rule names, and those of the formulas of its model."""
    model = model_of(rule)
    formulas = () if model is None else (rule_of(each.formula) for each in model.ground if each.formula is not None)
    return [atom.predicate for each in (rule, *formulas) for atom in (each.head, *atoms(each.body))]


def _reads_alike(rule: Rule, other: Rule) -> bool:
    """Whether two forms of a rule have the same supports in the same places."""
    if rule is other:
        return True
    if is_folded(rule) != is_folded(other) or rule.head.predicate != other.head.predicate:
        return False
    return [getattr(x, "predicate", None) for x in rule.body] == [getattr(x, "predicate", None) for x in other.body]


def _replaced(before: Ruleset, rules: Ruleset) -> set[str]:
    """Core rules that another of the user's rules replaces under the same label."""
    if before.program is rules.program and before.inlined is rules.inlined:
        return set()
    is_subsuming = any(ruleset.governing is not None and ruleset.governing.subsumed for ruleset in (before, rules))
    other = _meant_otherwise(before.program, rules.program, is_subsuming=is_subsuming)
    written = rules.program.rules
    if before.inlined == rules.inlined and not other:  # so that only new rules can replace others
        written = tuple(_added(before.program.rules, written))
        if not written:
            return set()
    labels = before.core_labels.keys() & [rule.label or "" for rule in written]
    rules_before = before.program.rules if labels else ()
    old = {r.label or "": before.inlined.get(r.label or "", r) for r in rules_before if r.label in labels}
    found: set[str] = set()
    for each in written:
        rule = rules.inlined.get(each.label or "", each)
        if old.get(rule.label or "", rule) != rule or each.head.predicate in other:
            found.update(rules.core_labels[rule.label or ""])
    return {label for label in found if rules.core[label] != before.core.get(label)}


def _added(before: Sequence[Rule], after: Sequence[Rule]) -> Sequence[Rule]:
    """The rules that are not among those before, by identity; what both begin or end with is not searched."""
    first = next(compress(count(), map(is_not, before, after)), min(len(before), len(after)))
    before, after = before[first:], after[first:]
    last = next(compress(count(), map(is_not, reversed(before), reversed(after))), min(len(before), len(after)))
    known = set(map(id, before[: len(before) - last]))
    return [rule for rule in after[: len(after) - last] if id(rule) not in known]


def _meant_otherwise(before: Program, after: Program, *, is_subsuming: bool) -> set[str]:
    """The relations whose rules have the same text but another meaning, because of keys, subsumptions or choices."""
    found: set[str] = set()
    meanings: list[tuple[Mapping[str, object], Mapping[str, object]]] = []
    if after.keys or before.declarations is not after.declarations or before.keys is not after.keys:
        meanings += [(key_columns(before), key_columns(after)), (choices(before), choices(after))]
    if is_subsuming:
        meanings.append((_clauses(before), _clauses(after)))
    for one, two in meanings:
        found |= {name for name in {*one, *two} if one.get(name) != two.get(name)}
    return found


def _clauses(program: Program) -> dict[str, tuple[Rule, ...]]:
    return {name: tuple(rules) for name, rules in subsumed_relations(program.rules).items()}
