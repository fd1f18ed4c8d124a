"""A change of rules, before any stratum is visited: rules removed, strata computed again, plans replaced, rules added.

Law: removed rules lose their supports first, in the strata of the epoch before; new rules gain theirs when their
stratum is visited. Everything done here is written down, to be undone with the epoch.
"""

from __future__ import annotations

from functools import partial

from tidelog.partition.fold import fold_of
from tidelog.partition.partition import Partition
from tidelog.partition.rule_supports import absorb_lost_rules, lose_rule
from tidelog.partition.stratum import RuleCode, Stratum
from tidelog.plan.work import EpochWork, PlannedRule
from tidelog.runtime.node_state import NodeState
from tidelog.runtime.request import Steps
from tidelog.runtime.restratify import restratify
from tidelog.runtime.undo import RuleUndo

NewRules = dict[int, list[RuleCode]]  # by identity of their stratum


def change_rules(node: NodeState, work: EpochWork, undo: RuleUndo) -> Steps[NewRules]:
    """Carry out the change of rules of an epoch; gives the new rules of each stratum."""
    yield from _remove_rules(node, work, undo)
    if work.strata is not None:
        yield from restratify(node, work.strata)
    for planned in work.replanned:
        _replan(node, planned, undo)
    return _add_rules(node, work, undo)


def take_in(partition: Partition, planned: PlannedRule, stratum: Stratum) -> RuleCode:
    """A planned rule as code of a partition."""
    return partition.rules.add(
        planned.rule,
        planned.plans,
        planned.whole,
        stratum.relations,
        fold_of(planned),
        everywhere=planned.everywhere,
        sends=planned.sends,
    )


def _remove_rules(node: NodeState, work: EpochWork, undo: RuleUndo) -> Steps[None]:
    partition = node.partition
    codes = [partition.rules.codes[label] for label in work.removed]
    for code in codes:
        lose_rule(partition, code)
    if any(code.sends for code in codes):
        yield from node.exchange_all(partial(absorb_lost_rules, partition))
    for code in codes:
        stratum = node.strata[code.rule.head.predicate]
        del stratum.rules[code.label]
        stratum.forget_tables()
        undo.lost_supports[code.label] = int(partition.machine.losses[code.number])
        partition.rules.forget(code)
        undo.removed.append(code)


def _replan(node: NodeState, planned: PlannedRule, undo: RuleUndo) -> None:
    assert planned.rule.label is not None
    code = node.partition.rules.codes[planned.rule.label]
    undo.replaced.append((code, PlannedRule(code.rule, code.plans, code.whole), code.fold))
    code.rule, code.plans, code.whole, code.fold = planned.rule, planned.plans, planned.whole, fold_of(planned)
    stratum = node.strata[code.rule.head.predicate]
    node.partition.rules.assemble(code, stratum.relations)
    stratum.forget_tables()


def _add_rules(node: NodeState, work: EpochWork, undo: RuleUndo) -> NewRules:
    added: NewRules = {}
    for planned in work.added:
        stratum = node.strata[planned.rule.head.predicate]
        code = take_in(node.partition, planned, stratum)
        undo.added.append(code)
        added.setdefault(id(stratum), []).append(code)
    return added
