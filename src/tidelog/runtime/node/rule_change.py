"""A change of rules, before any stratum is visited: rules removed, strata computed again, rules retyped, rules added.

Law: removed rules lose their supports first, in the strata of the previous epoch; new rules gain theirs when their
stratum is visited. Everything done here is recorded and can be undone with the epoch: afterwards the rules are those of
the previous epoch, in its strata, with code that compares ranks as it did then. Facts, counts and ranks are undone by
the partition.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from tidelog.partition.code.fold import Fold, fold_of
from tidelog.partition.code.gather import Gather
from tidelog.partition.code.instance_model import ModelPart
from tidelog.partition.code.pick import Pick
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.partition.memory.records import arity_of
from tidelog.partition.phases.rule_supports import absorb_lost_rules, lose_rule
from tidelog.plan.plan_rule import RulePlanner
from tidelog.plan.steps import Plan
from tidelog.plan.work import EpochWork, RuleForm
from tidelog.program import Rule
from tidelog.program.values.scope import atoms
from tidelog.runtime.base.request import Steps
from tidelog.runtime.node.node_state import NodeState
from tidelog.runtime.node.restratify import left_in_order, restratify

NewRules = dict[int, list[RuleCode]]  # by identity of their stratum


class StratumBefore(NamedTuple):
    """A stratum that an epoch changes, as it was."""

    stratum: Stratum
    order: int
    rules: dict[str, RuleCode]


@dataclass
class RuleUndo:
    """Strata before the epoch, those that it changes as they were, and what the epoch did to rules."""

    strata: dict[str, Stratum]
    ordered: list[Stratum]
    changed: list[StratumBefore]
    removed: list[RuleCode] = field(default_factory=list)
    lost_supports: dict[str, int] = field(default_factory=dict)  # of removed rules, by label
    added: list[RuleCode] = field(default_factory=list)
    kept: set[tuple[int, tuple[int, ...]]] | None = None  # for a question: the indexes that plans had before it
    retyped: list[tuple[RuleCode, Rule, RulePlanner, tuple[Plan, ...], Fold | Gather | Pick | ModelPart | None]] = (
        field(default_factory=list)
    )


def remember_rules(node: NodeState, work: EpochWork) -> RuleUndo:
    """Record the strata that an epoch may change, with their rules, as they are now."""
    codes = node.partition.rules.codes
    heads = {form.rule.head.predicate for form in (*work.added, *work.retyped)}
    heads.update(codes[label].rule.head.predicate for label in work.removed)
    heads.update(work.renewed)
    found = {id(stratum): stratum for name in heads if (stratum := node.strata.get(name)) is not None}
    if work.strata is not None:
        first, last = work.strata.first, work.strata.last
        moving = left_in_order(node, work.strata)[first:last]
        names = work.strata.dropped.union(*work.strata.groups)
        found.update((id(stratum), stratum) for stratum in moving)
        found.update((id(stratum), stratum) for name in names if (stratum := node.strata.get(name)) is not None)
    _forget_charts(node, work, heads)
    changed = [StratumBefore(stratum, stratum.order, dict(stratum.rules)) for stratum in found.values()]
    return RuleUndo(dict(node.strata), node.ordered, changed)


def _forget_charts(node: NodeState, work: EpochWork, heads: set[str]) -> None:
    """Forget the charts of strata and relations that a change of rules affects."""
    charts, rules, change = node.partition.replanner.charts, node.partition.rules, work.strata
    if work.renewed or (change is not None and change.first != change.last):  # strata are divided otherwise
        charts.forget()
        return
    codes = [rules.codes[label].rule for label in work.removed]
    read = {a.predicate for rule in (*codes, *(form.rule for form in work.added)) for a in atoms(rule.body)}
    names = heads | read if change is None else heads.union(read, change.dropped, *change.groups)
    numbers = node.partition.relations.numbers
    charts.forget_rules(heads, [numbers[name] for name in names if name in numbers])


def restore_rules(node: NodeState, undo: RuleUndo) -> None:
    """Restore rules, plans and strata as they were recorded."""
    rules = node.partition.rules
    for code in undo.added:
        rules.forget(code)
    for code in undo.removed:
        rules.restore(code)
    for code, rule, planning, plans, fold in undo.retyped:
        code.rule, code.planning, code.plans, code.fold = rule, planning, plans, fold
    if node.ordered is not undo.ordered:
        for order, stratum in enumerate(undo.ordered):
            stratum.order = order
    node.strata, node.ordered = undo.strata, undo.ordered
    for before in undo.changed:
        stratum = before.stratum
        stratum.order, stratum.rules = before.order, before.rules
        stratum.forget_tables()
        for code in stratum.rules.values():
            node.partition.replanner.assemble(code, stratum.relations)
    if undo.kept is not None:
        node.partition.kept.keep(node.partition.replanner.hand_over(undo.kept))
    node.partition.replanner.settle(node.strata)


def change_rules(node: NodeState, work: EpochWork, undo: RuleUndo) -> Steps[NewRules]:
    """Carry out the change of rules of an epoch; returns the new rules of each stratum."""
    yield from _remove_rules(node, work, undo)
    _renew_relations(node, work, undo)
    if work.strata is not None:
        yield from restratify(node, work.strata)
    for form in work.retyped:
        _retype(node, form, undo)
    return _add_rules(node, work, undo)


def _remove_rules(node: NodeState, work: EpochWork, undo: RuleUndo) -> Steps[None]:
    partition = node.partition
    codes = [partition.rules.codes[label] for label in work.removed]
    losing = [code for code in codes if code.rule.head.predicate not in work.renewed]
    for code in losing:
        lose_rule(partition, code)
    if any(code.sends for code in losing):
        yield from node.flow(partial(absorb_lost_rules, partition))
    for code in codes:
        stratum = node.strata[code.rule.head.predicate]
        del stratum.rules[code.label]
        stratum.forget_tables()
        undo.lost_supports[code.label] = int(partition.machine.losses[code.number])
        partition.rules.forget(code)
        undo.removed.append(code)


def _renew_relations(node: NodeState, work: EpochWork, undo: RuleUndo) -> None:
    """Replace the relations that get other columns, and with them the groups of a min or max that they showed."""
    partition = node.partition
    for name in work.renewed:
        partition.renew_relation(name, work.arities[name], work.places.get(name, 0))
        node.strata[name].forget_tables()
    for code in undo.removed:
        if code.choice is not None and code.rule.head.predicate in work.renewed:
            groups = partition.relations.names[code.choice.shown]
            partition.renew_relation(groups, arity_of(partition.relations, code.choice.shown))


def _retype(node: NodeState, form: RuleForm, undo: RuleUndo) -> None:
    """Give a rule the code for its new types; its supports stay."""
    assert form.rule.label is not None
    partition, stratum = node.partition, node.strata[form.rule.head.predicate]
    code = partition.rules.codes[form.rule.label]
    undo.retyped.append((code, code.rule, code.planning, code.plans, code.fold))
    code.rule, code.planning = form.rule, partition.replanner.planning(form)
    code.fold = fold_of(form, partition.dictionary, partition.rules.models, code.planning.functions)
    partition.replanner.plan(code, stratum.relations)
    stratum.forget_tables()


def _add_rules(node: NodeState, work: EpochWork, undo: RuleUndo) -> NewRules:
    added: NewRules = {}
    for form in work.added:
        stratum = node.strata[form.rule.head.predicate]
        code = node.partition.rules.add(form)
        undo.added.append(code)
        added.setdefault(id(stratum), []).append(code)
    return added
