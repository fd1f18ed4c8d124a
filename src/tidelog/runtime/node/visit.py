"""Visits of strata: the two phases of every stratum that an epoch reaches.

Law: lower strata are visited first. A stratum none of whose rules sends messages is visited without waiting for other
partitions; if a rule may send messages, all partitions visit it together, whether they have work there or not. Where
nothing can be lost (`with_losses`), they do not wait for each other's losses.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tidelog.kernel.cells import Cells
from tidelog.partition.base.demanded_groups import Due
from tidelog.partition.base.owner import Messages
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.partition.memory.journal import Items, net_changes
from tidelog.partition.phases.clean_up import (
    SettleCounter,
    is_unsettled,
    needs_clean_up,
    restore_shown,
    retract_stale,
    show_others,
)
from tidelog.partition.phases.demanded_folds import next_due
from tidelog.partition.phases.exchange import VOID
from tidelog.partition.phases.gain import absorb_gains, begin_again, end_gain, gain, gain_demanded
from tidelog.partition.phases.rebuild import empty_stratum
from tidelog.partition.phases.retract import absorb_losses, end_retract, retract
from tidelog.plan.work import EpochWork
from tidelog.runtime.base.outcome import EpochOutcome, StratumStatistics
from tidelog.runtime.base.reach import Agenda, with_losses, within_reach
from tidelog.runtime.base.request import Steps
from tidelog.runtime.node.node_state import ACTIVE, REBUILD, UNCLEAN, UNSETTLED, NodeState
from tidelog.runtime.node.rule_change import NewRules


@dataclass(slots=True)
class EpochChanges:
    """The input of an epoch for the strata it visits, by number of relation, and what these have changed so far."""

    deletes: Mapping[int, Cells]
    inserts: dict[int, Cells]
    new_rules: NewRules
    changes: dict[int, Items] = field(default_factory=dict)
    visits: list[StratumStatistics] = field(default_factory=list)

    def rules_of(self, stratum: Stratum) -> list[RuleCode]:
        """The new rules of a stratum."""
        return self.new_rules.get(id(stratum), [])


def visit_strata(
    node: NodeState, work: EpochWork, new_rules: NewRules, outcome: EpochOutcome
) -> Steps[dict[int, Items]]:
    """Visit the strata that the epoch reaches; returns the net changes of every relation that changed, by number."""
    given = changes_of(node, work, {}, new_rules)
    heads = [code.rule.head.predicate for codes in new_rules.values() for code in codes]
    start = [*work.deletes, *work.inserts, *heads]
    if node.is_alone:
        _visit_alone(node, start, given, work)
    else:
        yield from _visit_together(node, start, given, work)
    outcome.strata = given.visits
    return given.changes


def changes_of(
    node: NodeState, work: EpochWork, changes: dict[int, Items], new_rules: NewRules | None = None
) -> EpochChanges:
    """The input of an epoch for its strata, after these changes."""
    numbers = node.partition.relations.numbers
    deletes = {numbers[name]: rows for name, rows in work.deletes.items()}
    inserts = {numbers[name]: rows for name, rows in work.inserts.items()}
    return EpochChanges(deletes, inserts, new_rules or {}, changes)


def _visit_alone(node: NodeState, start: Iterable[str], epoch: EpochChanges, work: EpochWork) -> None:
    """Visit the strata that changes reach in turn, without waiting for other partitions.

    Rows to be inserted are freed as soon as they are facts, if the work will not be carried out again.
    """
    names = node.partition.relations.names
    agenda = Agenda(node.strata)
    agenda.add(start)
    agenda.add(sorted(node.partition.pending))
    for stratum in agenda:
        changes = visit_here(node, stratum, epoch)
        epoch.changes.update(changes)
        for name in stratum.relations & work.inserts.keys() if node.frees_rows else ():
            work.inserts[name] = epoch.inserts[node.partition.relations.numbers[name]] = work.inserts[name][:0].copy()
        for number in changes:
            agenda.add(node.readers.of(names[number]))


def _visit_together(node: NodeState, start: Iterable[str], epoch: EpochChanges, work: EpochWork) -> Steps[None]:
    """Visit the strata that changes could reach on any partition, in the same order everywhere."""
    names = frozenset(start)
    if work.removed:
        names |= yield from node.union(node.partition.pending)
    reached = within_reach(node.strata, node.readers, names)
    # Other rules may lose supports by themselves; the signs of rows that Spark sent are known to their owner only.
    may_shrink = names if work.changes_rules or work.signed else work.deletes.keys()
    for stratum, is_losing in with_losses(reached, may_shrink):
        has_work = _has_work(node, stratum, epoch)
        if stratum.sends or any(code.sends for code in epoch.rules_of(stratum)):
            epoch.changes.update((yield from _visit_with_others(node, stratum, epoch, has_work, is_losing)))
        elif has_work:
            epoch.changes.update(visit_here(node, stratum, epoch))


def _has_work(node: NodeState, stratum: Stratum, epoch: EpochChanges) -> bool:
    """Whether this partition itself has work in a stratum."""
    if epoch.rules_of(stratum) or not node.partition.pending.isdisjoint(stratum.relations):
        return True
    numbers = node.partition.relations.numbers
    for name in stratum.relations:
        if any(len(rows.get(numbers[name], ())) for rows in (epoch.deletes, epoch.inserts)):
            return True
    lower, negated, _ = stratum.tables(numbers)
    sources = (numbers[name] for code in stratum.folds for name in (code.source, *code.sources))
    return any(number in epoch.changes for number in (*lower.relations, *negated.relations, *sources))


def visit_here(node: NodeState, stratum: Stratum, epoch: EpochChanges) -> dict[int, Items]:
    """Run both phases of a stratum from which no messages are sent."""
    partition = node.partition
    watch = _Watch(node, stratum)
    partition.replanner.enter(stratum)
    if not retract(partition, stratum, epoch.deletes, epoch.changes):
        _empty(node, stratum, watch)
    _gain(node, stratum, epoch, watch)
    features = stratum.features
    if features.choices:
        _settle_here(node, stratum)
    while features.demanded_folds and (due := next_due(partition, stratum)) is not None:
        _gain_due(node, stratum, epoch, watch, due)
        _settle_here(node, stratum)
    end_gain(partition, stratum)
    epoch.visits.append(watch.statistics())
    return net_changes(partition.relations, stratum.relations)


def _visit_with_others(
    node: NodeState, stratum: Stratum, epoch: EpochChanges, has_work: bool, is_losing: bool
) -> Steps[dict[int, Items]]:
    """Run both phases of a stratum whose rules may send messages."""
    partition = node.partition
    watch = _Watch(node, stratum)
    partition.replanner.enter(stratum)
    is_done = retract(partition, stratum, epoch.deletes, epoch.changes, exchanges=is_losing)
    active = ACTIVE if has_work else 0
    if is_losing and not (yield from _retract_together(node, stratum, watch, active | (0 if is_done else REBUILD))):
        return {}  # no partition has work here
    _gain(node, stratum, epoch, watch)
    left = yield from _exchange_gains(node, stratum, active)
    if not left and not is_losing:
        return {}
    yield from _settle_together(node, stratum, left)
    while (due := (yield from _due_together(node, stratum))) is not None:
        _gain_due(node, stratum, epoch, watch, due)
        yield from _settle_together(node, stratum, (yield from _exchange_gains(node, stratum)))
    end_gain(partition, stratum)
    epoch.visits.append(watch.statistics())
    return net_changes(partition.relations, stratum.relations)


def _retract_together(node: NodeState, stratum: Stratum, watch: _Watch, bits: int) -> Steps[int]:
    """Exchange losses until there are none; empty the stratum if any partition requests a rebuild. Returns all bits."""
    wanted = bits

    def absorb(messages: Messages) -> None:
        nonlocal wanted
        if not wanted & REBUILD and not absorb_losses(node.partition, stratum, messages):
            wanted |= REBUILD
            node.partition.epoch.arriving = VOID

    if wanted & REBUILD:
        node.partition.epoch.arriving = VOID
    answer = yield from node.flow(absorb, lambda: wanted)
    if answer & REBUILD:
        _empty(node, stratum, watch)
        node.partition.epoch.arriving = VOID
        yield from node.flow(lambda messages: None)  # messages sent meanwhile are void
    return answer


def _empty(node: NodeState, stratum: Stratum, watch: _Watch) -> None:
    """Empty a stratum that is built again, and record the reason."""
    scale = node.partition.machine.scale
    watch.rebuilt = (scale.reason if scale is not None else "") or "another partition requested it"
    empty_stratum(node.partition, stratum)


def _gain(node: NodeState, stratum: Stratum, epoch: EpochChanges, watch: _Watch) -> None:
    end_retract(node.partition)
    new_rules = epoch.rules_of(stratum)
    for code in new_rules:
        node.readers.add(code)
        node.partition.replanner.plan(code, stratum.relations)
    gain(node.partition, stratum, epoch.inserts, epoch.changes, new_rules, rebuild=bool(watch.rebuilt))


def _settle_here(node: NodeState, stratum: Stratum) -> None:
    """Retract what was improved upon, and restore what groups of a min or max showed, until all of them show a row."""
    partition, settling = node.partition, SettleCounter(stratum)
    while needs_clean_up(partition):
        retract_stale(partition, stratum)
        restore_shown(partition, stratum)
        if is_unsettled(partition, stratum):
            settling.go_on()
            show_others(partition, stratum)


def _settle_together(node: NodeState, stratum: Stratum, left: int) -> Steps[None]:
    """After an exchange of gains with these bits, clean up and exchange again, as long as any partition needs it."""
    settling = SettleCounter(stratum)
    while left & UNCLEAN:
        retract_stale(node.partition, stratum)
        yield from node.flow(lambda messages: _absorb_clean_up(node, stratum, messages))
        restore_shown(node.partition, stratum)
        left = yield from _exchange_gains(node, stratum)
        if left & UNSETTLED:
            settling.go_on()
            show_others(node.partition, stratum)
            left = yield from _exchange_gains(node, stratum)


def _due_together(node: NodeState, stratum: Stratum) -> Steps[Due | None]:
    """What is due next on any partition."""
    if not stratum.demanded_folds:
        return None
    return (yield from node.first_due(next_due(node.partition, stratum)))


def _gain_due(node: NodeState, stratum: Stratum, epoch: EpochChanges, watch: _Watch, due: Due) -> None:
    """Derive the results that are due; if one has changed from below, the stratum is built again first."""
    begin_again(node.partition)
    if not due.is_stale:
        gain_demanded(node.partition, stratum, due.level)
        return
    watch.rebuilt = "a group of an aggregate that the recursion reads has changed"
    empty_stratum(node.partition, stratum)
    gain(node.partition, stratum, epoch.inserts, epoch.changes, (), rebuild=True)


def _exchange_gains(node: NodeState, stratum: Stratum, bits: int = 0) -> Steps[int]:
    """Exchange gains until none are sent; returns these bits, and what is then left to do, of any partition."""
    partition = node.partition

    def left() -> int:
        if not stratum.choices:
            return bits
        unclean = UNCLEAN if needs_clean_up(partition) else 0
        return bits | unclean | (UNSETTLED if is_unsettled(partition, stratum) else 0)

    return (yield from node.flow(lambda messages: absorb_gains(partition, stratum, messages), left))


def _absorb_clean_up(node: NodeState, stratum: Stratum, messages: Messages) -> None:
    absorb_losses(node.partition, stratum, messages, cleaning=True)


class _Watch:
    """Measures the visit of a stratum, starting with its creation."""

    __slots__ = ("before", "began", "machine", "rebuilt", "relations")

    def __init__(self, node: NodeState, stratum: Stratum) -> None:
        self.machine = node.partition.machine
        self.relations = tuple(sorted(stratum.relations))
        node.visiting = self.relations
        self.rebuilt = ""  # why, if the stratum was built again
        self.began = time.perf_counter()
        self.before = self.machine.progress

    def statistics(self) -> StratumStatistics:
        """What the visit did."""
        now = self.machine.progress
        return StratumStatistics(
            self.relations,
            time.perf_counter() - self.began,
            supports=now.supports - self.before.supports,
            suspended=now.suspended - self.before.suspended,
            revived=now.revived - self.before.revived,
            rebuilt=self.rebuilt,
        )
