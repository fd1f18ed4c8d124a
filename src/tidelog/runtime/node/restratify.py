"""Strata at run time: which relations are evaluated together, and what changes when the rules change.

Laws (design, section 3). *Merging*: stack the old strata in their old order, one rank offset per old stratum; no count
changes. *Splitting*: parts stay one stratum; only if that would put a negation inside a group are they really split,
and then the supports of rules that cross the parts are compared again. The same holds for min and max: a value that
was improved upon may support another group's best only if the rules themselves are recursive. All partitions do the
same at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.partition.memory.ranks import highest_rank, raise_ranks
from tidelog.partition.memory.records import at_depth, rank_depth
from tidelog.partition.phases.rule_supports import absorb_comparisons, compare_rule, settle_split
from tidelog.plan.work import StrataChange
from tidelog.program import Atom
from tidelog.runtime.base.request import Steps
from tidelog.runtime.node.node_state import NodeState

OldStrata = Mapping[str, Stratum]


def left_in_order(node: NodeState, change: StrataChange) -> list[Stratum]:
    """The strata with rules, lower ones first, without those that a change removes."""
    if not change.dropped:
        return node.ordered
    return [stratum for stratum in node.ordered if change.dropped.isdisjoint(stratum.relations)]


def restratify(node: NodeState, change: StrataChange) -> Steps[None]:
    """Move a node from its old strata to new ones, before any stratum is evaluated."""
    old, left = node.strata, left_in_order(node, change)
    last = len(left) if change.last is None else change.last
    moving = left[change.first : last]
    strata = yield from _new_strata(node, old, change.groups)
    node.strata = {**old, **{name: stratum for stratum in strata for name in stratum.relations}}
    node.ordered = [*left[: change.first], *strata, *left[last:]]
    start = 0 if change.dropped else change.first
    for order, stratum in enumerate(node.ordered[start:], start):
        stratum.order = order
    placed = frozenset[str]().union(*change.groups)
    unplaced = {name for stratum in moving for name in stratum.relations} - placed
    for name in unplaced | change.dropped:  # a relation without rules now: a separate stratum, in no order
        stratum = old[name]
        alone = stratum if len(stratum.relations) == 1 else Stratum(frozenset((name,)))
        alone.order = -1
        node.strata[name] = alone


def _new_strata(node: NodeState, old: OldStrata, groups: Sequence[frozenset[str]]) -> Steps[list[Stratum]]:
    """The new strata in order; a stratum whose relations did not change is the old object."""
    found, made = [], []
    for group in groups:
        stratum = next((s for name in group if (s := old.get(name)) and s.relations == group), None)
        if stratum is None:
            stratum = Stratum(group)
            made.append(stratum)
        found.append(stratum)
    for stratum in made:
        yield from _move_rules(node, old, stratum)
    for stratum in made:
        yield from _stack(node, old, stratum)
    settle_split(node.partition)
    return found


def _move_rules(node: NodeState, old: OldStrata, stratum: Stratum) -> Steps[None]:
    """Give every rule of a new stratum its new code; those that cross the parts of a split are compared again."""
    for name in sorted(stratum.relations & old.keys()):
        before = old[name]
        left = before.relations - stratum.relations
        for code in [c for c in before.rules.values() if c.rule.head.predicate == name]:
            if any(isinstance(x, Atom) and x.predicate in left for x in code.rule.body):
                yield from _compare(node, code, -1)
                node.partition.replanner.assemble(code, stratum.relations & before.relations)
                yield from _compare(node, code, 1)
            node.partition.replanner.assemble(code, stratum.relations)
            stratum.rules[code.label] = code


def _compare(node: NodeState, code: RuleCode, sign: int) -> Steps[None]:
    """Count or discount a rule's supports of lower rank, here and where their heads are owned."""
    compare_rule(node.partition, code, sign)
    yield from node.flow(lambda messages: absorb_comparisons(node.partition, messages, sign))


def _stack(node: NodeState, old: OldStrata, stratum: Stratum) -> Steps[None]:
    """Stack the ranks of old strata in a merged one, in their old order, in the same way on all partitions."""
    parts: dict[int, set[str]] = {}
    for name in stratum.relations & old.keys():
        parts.setdefault(old[name].order, set()).add(name)
    offset, relations = 0, node.partition.relations
    for order in sorted(parts):
        top = yield from node.highest(highest_rank(relations, parts[order]))
        raise_ranks(relations, parts[order], offset)
        offset += at_depth(rank_depth(top) + 1)
    node.partition.raise_clock(offset)
