"""A change of rules, before any stratum is visited: rules removed, strata computed again, rules retyped, rules added.

Law: removed rules lose their supports first, in the strata of the epoch before; new rules gain theirs when their
stratum is visited. Everything done here is written down, to be undone with the epoch.
"""

from __future__ import annotations

from functools import partial

from tidelog.partition.code.fold import fold_of
from tidelog.partition.code.stratum import RuleCode
from tidelog.partition.phases.rule_supports import absorb_lost_rules, lose_rule
from tidelog.plan.work import EpochWork, RuleForm
from tidelog.runtime.base.request import Steps
from tidelog.runtime.node.node_state import NodeState
from tidelog.runtime.node.restratify import restratify
from tidelog.runtime.node.undo import RuleUndo

NewRules = dict[int, list[RuleCode]]  # by identity of their stratum


def change_rules(node: NodeState, work: EpochWork, undo: RuleUndo) -> Steps[NewRules]:
    """Carry out the change of rules of an epoch; gives the new rules of each stratum."""
    yield from _remove_rules(node, work, undo)
    if work.strata is not None:
        yield from restratify(node, work.strata)
    for form in work.retyped:
        _retype(node, form, undo)
    return _add_rules(node, work, undo)


def _remove_rules(node: NodeState, work: EpochWork, undo: RuleUndo) -> Steps[None]:
    partition = node.partition
    codes = [partition.rules.codes[label] for label in work.removed]
    for code in codes:
        lose_rule(partition, code)
    if any(code.sends for code in codes):
        yield from node.flow(partial(absorb_lost_rules, partition))
    for code in codes:
        stratum = node.strata[code.rule.head.predicate]
        del stratum.rules[code.label]
        stratum.forget_tables()
        undo.lost_supports[code.label] = int(partition.machine.losses[code.number])
        partition.rules.forget(code)
        undo.removed.append(code)


def _retype(node: NodeState, form: RuleForm, undo: RuleUndo) -> None:
    """Other types ask for other code; the supports stay."""
    assert form.rule.label is not None
    partition, stratum = node.partition, node.strata[form.rule.head.predicate]
    code = partition.rules.codes[form.rule.label]
    undo.retyped.append((code, code.rule, code.planning, code.plans, code.fold))
    code.rule, code.planning, code.fold = (
        form.rule,
        partition.replanner.planning(form),
        fold_of(form, partition.dictionary),
    )
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
