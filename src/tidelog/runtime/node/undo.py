"""What an epoch that changes rules must restore when it is undone: rules, plans and strata.

Law: facts, counts and ranks are the partition's to undo; afterwards the rules are those of the epoch before, in the
strata of the epoch before, with code that compares ranks as it did then.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tidelog.partition.code.fold import Fold
from tidelog.partition.code.pick import Pick
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.plan.build import Planning
from tidelog.plan.steps import Plan
from tidelog.program import Rule
from tidelog.runtime.node.node_state import NodeState


@dataclass
class RuleUndo:
    """Strata and rules before the epoch, and what the epoch did to rules."""

    strata: dict[str, Stratum]
    orders: dict[int, int]  # by identity of the stratum, as the next
    rules: dict[int, dict[str, RuleCode]]
    removed: list[RuleCode] = field(default_factory=list)
    lost_supports: dict[str, int] = field(default_factory=dict)  # of removed rules, by label
    added: list[RuleCode] = field(default_factory=list)
    kept: set[tuple[int, tuple[int, ...]]] | None = None  # for a question: the indexes of plans before it
    retyped: list[tuple[RuleCode, Rule, Planning, tuple[Plan, ...], Fold | Pick | None]] = field(default_factory=list)


def remember_rules(node: NodeState) -> RuleUndo:
    """The strata and rules as they are now."""
    strata = node.distinct_strata()
    return RuleUndo(
        dict(node.strata),
        {id(stratum): stratum.order for stratum in strata},
        {id(stratum): dict(stratum.rules) for stratum in strata},
    )


def restore_rules(node: NodeState, undo: RuleUndo) -> None:
    """Rules, plans and strata as they were remembered."""
    rules = node.partition.rules
    for code in undo.added:
        rules.forget(code)
    for code in undo.removed:
        rules.restore(code)
    for code, rule, planning, plans, fold in undo.retyped:
        code.rule, code.planning, code.plans, code.fold = rule, planning, plans, fold
    node.strata = undo.strata
    for stratum in node.distinct_strata():
        stratum.order, stratum.rules = undo.orders[id(stratum)], undo.rules[id(stratum)]
        stratum.forget_tables()
        for code in stratum.rules.values():
            node.partition.replanner.assemble(code, stratum.relations)
    if undo.kept is not None:
        node.partition.kept.keep(node.partition.replanner.hand_over(undo.kept))
    node.partition.replanner.settle(node.distinct_strata())
