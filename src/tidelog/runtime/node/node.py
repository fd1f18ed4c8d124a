"""A node: one partition with its strata, and the steps that it takes in an epoch.

Law: an epoch changes rules first (`rule_change`), then visits the strata that it reaches, lower ones first (`visit`).
A failed epoch is undone: facts, counts, ranks, rules and strata are those of the epoch before.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from functools import reduce

from tidelog.kernel.cells import Cells
from tidelog.partition.base.limits import Limits
from tidelog.partition.base.net_changes import NetChange
from tidelog.partition.code.check_groups import check_shown
from tidelog.partition.code.stratum import Stratum
from tidelog.partition.memory.journal import NOTHING, Items
from tidelog.partition.memory.ranks import close_ranks
from tidelog.partition.memory.records import arity_of, at_depth, columns_of, later
from tidelog.partition.memory.relations import Relations
from tidelog.partition.phases.partition import Partition
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.work import EpochWork, RuleForm
from tidelog.program.functions.table import Function
from tidelog.runtime.base.channel import Channel
from tidelog.runtime.base.outcome import EpochOutcome, RowChanges
from tidelog.runtime.base.request import Steps
from tidelog.runtime.node.map_facts import map_facts
from tidelog.runtime.node.node_state import NodeState
from tidelog.runtime.node.rule_change import NewRules, RuleUndo, change_rules, remember_rules, restore_rules
from tidelog.runtime.node.small_epoch import SmallEpochs
from tidelog.runtime.node.visit import visit_strata

CODE_LIMIT = 1 << 20
RANK_LIMIT = at_depth(1 << 23)  # half of the depths that ranks have room for


class Node:
    """One partition, its strata, and the steps of an epoch."""

    def __init__(
        self,
        functions: Mapping[str, tuple[Function, ...]],
        number: int = 0,
        partitions: int = 1,
        dictionary: Dictionary | None = None,
        channel: Channel | None = None,
        threads: int = 1,
    ) -> None:
        self.partition = Partition(functions, number, partitions, dictionary, threads)
        self.state = NodeState(self.partition, channel or Channel())
        self._closed_at = 0  # the clock when all ranks were last renumbered
        self._rule_undo: RuleUndo | None = None
        self._new_relations: list[str] = []  # that the epoch created
        self._unread: Callable[[], RowChanges | None] = _nothing_unread
        self._small = SmallEpochs(self.state)

    @property
    def strata(self) -> dict[str, Stratum]:
        """The stratum of every relation."""
        return self.state.strata

    @property
    def channel(self) -> Channel:
        """The messages between this partition and the others."""
        return self.state.channel

    @channel.setter
    def channel(self, channel: Channel) -> None:
        self.state.channel = channel

    def set_limits(self, limits: Limits) -> None:
        """Set the limits of every epoch from now on."""
        self.partition.machine.limits = limits

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if it does not exist or was only left behind by a rollback."""
        number = self.partition.relations.numbers.get(name) if name in self.strata else None
        return None if number is None else arity_of(self.partition.relations, number)

    @property
    def closes_ranks(self) -> bool:
        """Whether the next commit renumbers all ranks, which a log of records must reflect."""
        return self.partition.clock > self._closed_at + RANK_LIMIT and self.state.is_alone

    @property
    def groups(self) -> list[frozenset[str]]:
        """The relations evaluated together, lower strata first; relations without rules are left out."""
        return [stratum.relations for stratum in self.state.ordered]

    def adopt(
        self,
        arities: Mapping[str, int],
        groups: Iterable[Iterable[str]],
        rules: Iterable[RuleForm],
        places: Mapping[str, int] | None = None,
    ) -> None:
        """Take over the strata and rules of a state that was read: their supports are already counted."""
        for name, arity in arities.items():
            self.partition.add_relation(name, arity, (places or {}).get(name, 0))
            self.strata[name] = Stratum(frozenset((name,)), order=-1)
        for order, group in enumerate(groups):
            stratum = Stratum(frozenset(group), order=order)
            self.state.ordered.append(stratum)
            self.strata.update((name, stratum) for name in stratum.relations)
        for form in rules:
            stratum = self.strata[form.rule.head.predicate]
            code = self.partition.rules.add(form)
            self.partition.replanner.plan(code, stratum.relations)
            code.supports = -1
            stratum.rules[code.label] = code
            self.state.readers.add(code)
        codes = self.partition.rules.codes.values()
        check_shown(self.partition.relations, (code.choice for code in codes if code.choice is not None))
        self._forget_undo()

    # Epochs

    def run_small(self, work: EpochWork) -> EpochOutcome | None:
        """Carry out a small epoch up to its commit in a few calls; None, without a trace, if it is not small."""
        if work.changes_rules or not self._small.fits(work):
            return None
        self.settle()
        self.state.begin()
        try:
            outcome = self._small.run(work)
        except BaseException:
            self.rollback()
            raise
        if outcome is None:
            self.rollback()
            return None
        self._unread = _nothing_unread  # its changes are copies
        self._report_statistics(None, outcome)
        return outcome

    def steps(self, work: EpochWork) -> Steps[EpochOutcome]:
        """Carry out an epoch up to its commit; raises and leaves no trace if it cannot be done."""
        self.settle()
        self._rule_undo = remember_rules(self.state, work) if work.changes_rules else None
        self.partition.replanner.keeps_indexes = work.is_question
        if self._rule_undo is not None and work.is_question:
            self._rule_undo.kept = self.partition.replanner.indexes_created
        self.state.begin()
        try:
            return (yield from self._steps(work, self._rule_undo))
        except BaseException:
            self.rollback()
            raise

    def _steps(self, work: EpochWork, undo: RuleUndo | None) -> Steps[EpochOutcome]:
        began = time.perf_counter()
        outcome = EpochOutcome()
        self._add_relations(work)
        if work.renewed:
            work = yield from map_facts(self.state, work)
        new_rules: NewRules = {}
        if undo is not None:
            new_rules = yield from change_rules(self.state, work, undo)
        changes = yield from visit_strata(self.state, work, new_rules, outcome)
        for name in work.renewed:  # also if no fact is left
            changes.setdefault(self.partition.relations.numbers[name], Items(NOTHING, NOTHING))
        self._report_changes(changes, outcome)
        outcome.seconds = time.perf_counter() - began
        self._report_statistics(undo, outcome)
        return outcome

    def _add_relations(self, work: EpochWork) -> None:
        for name, arity in work.arities.items():
            if name in work.renewed:
                continue
            self.partition.add_relation(name, arity, work.places.get(name, 0))
            if name not in self.strata:
                self.strata[name] = Stratum(frozenset((name,)), order=-1)
                self._new_relations.append(name)

    def rollback(self) -> None:
        """Undo the epoch that ran last and is not committed."""
        self.settle()
        self.partition.undo()
        if self._rule_undo is not None:
            failed = self.state.ordered
            restore_rules(self.state, self._rule_undo)
            self.partition.replanner.charts.reorder(failed, self.state.ordered)
        if self._new_relations or self.partition.relations.replaced:
            self.partition.replanner.charts.forget()
        for name in self._new_relations:  # some partitions may not have them yet, and all must agree
            self.strata.pop(name, None)
        self.state.readers.undo()
        self._forget_undo()

    def commit(self, shown: Callable[[], None] = lambda: None) -> None:
        """Make the epoch that ran last the committed one; ``shown`` is called when readers see it."""
        self.partition.commit(shown)
        if self.partition.replanner.is_loose:
            self.partition.replanner.settle(self.strata)
        if self._rule_undo is not None:
            self.partition.replanner.charts.reorder(self._rule_undo.ordered, self.state.ordered)
        self._forget_undo()
        if self.partition.machine.code_length > CODE_LIMIT:
            self.partition.rules.compact_code(self.state.distinct_strata())
        if self.closes_ranks:
            strata = self.state.distinct_strata()
            self._closed_at = reduce(later, (close_ranks(self.partition.relations, s.relations) for s in strata))
            self.partition.set_clock(self._closed_at)
            self.partition.closings += 1

    def _forget_undo(self) -> None:
        """Forget how to undo the epoch."""
        self._rule_undo, self._new_relations = None, []
        self.state.readers.commit()

    def settle(self) -> None:
        """Before records move, read the changes of the previous epoch that may still be requested."""
        unread = self._unread()
        if unread is not None:
            unread.settle()

    # What an epoch did

    def _report_changes(self, changes: Mapping[int, Items], outcome: EpochOutcome) -> None:
        relations = self.partition.relations
        names = relations.names
        outcome.changes = RowChanges({names[n]: _reader(relations, n, change) for n, change in changes.items()})
        self._unread = weakref.ref(outcome.changes)

    def _report_statistics(self, undo: RuleUndo | None, outcome: EpochOutcome) -> None:
        machine = self.partition.machine
        outcome.rounds, outcome.suspended, outcome.revived = machine.work_done
        outcome.messages, outcome.exchanges = self.state.messages, self.state.exchanges
        outcome.sent, outcome.waiting = self.state.sent, self.state.waiting
        outcome.replans = self.partition.replanner.replans
        outcome.facts, outcome.bytes = self.state.used()
        rules = self.partition.rules
        outcome.supports = rules.by_label(machine.tally + machine.losses)
        outcome.visits = rules.by_label(machine.counters.visits)
        if undo is not None:  # removed rules have lost all of theirs
            outcome.supports.update(undo.lost_supports)


def _nothing_unread() -> None:
    """Do nothing: there are no changes that may still be read."""


def _reader(relations: Relations, number: int, change: Items) -> Callable[[], NetChange[Cells]]:
    """Reads the rows of a change; deleted rows are read now, before their records are freed."""
    deleted = columns_of(relations, change.deleted, number)
    return lambda: NetChange(columns_of(relations, change.inserted, number), deleted)
