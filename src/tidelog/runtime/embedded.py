"""The embedded runtime: one partition in this process, called directly.

Law: strata are visited lower ones first; only those are visited that a change reaches, so that the cost of an epoch
follows the change. A failed epoch is undone: facts, counts, ranks, rules and strata are those of the epoch before.
"""

from __future__ import annotations

import heapq
import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tidelog.kernel import layout as at
from tidelog.partition.fold import Fold
from tidelog.partition.machine import Limits
from tidelog.partition.partition import Changes, Partition
from tidelog.partition.relations import Cells
from tidelog.partition.stratum import RuleCode, Stratum
from tidelog.plan.build import aggregate_of, is_folded
from tidelog.program import Atom, Negation
from tidelog.program.functions import Function
from tidelog.runtime.protocol import EpochOutcome, EpochWork, PlannedRule, RowChanges, StratumStatistics
from tidelog.runtime.strata import Restratification

CODE_LIMIT = 1 << 20
RANK_LIMIT = 1 << 50  # ranks have 55 bits; merging strata stacks them


@dataclass
class _Undo:
    """What the runtime itself must restore when an epoch fails."""

    strata: dict[str, Stratum]
    orders: dict[int, int]
    rules: dict[int, dict[str, RuleCode]]
    removed: list[RuleCode] = field(default_factory=list)
    lost: dict[str, int] = field(default_factory=dict)
    added: list[RuleCode] = field(default_factory=list)
    replaced: list[tuple[RuleCode, PlannedRule]] = field(default_factory=list)


def fold_of(planned: PlannedRule) -> Fold | None:
    """The fold of a count, sum or mean."""
    aggregate, source = aggregate_of(planned.rule), planned.rule.body[0] if planned.rule.body else None
    if aggregate is None or not is_folded(planned.rule) or not isinstance(source, Atom):
        return None
    keys = [arg for arg in planned.rule.head.args if arg is not aggregate]
    head = tuple(-1 if arg is aggregate else keys.index(arg) for arg in planned.rule.head.args)
    group = tuple(source.args.index(arg) for arg in keys)
    value = None if aggregate.value is None else source.args.index(aggregate.value)
    return Fold(aggregate.kind, planned.value_type, group, value, head, planned.rule.root.label or "")


class EmbeddedRuntime:
    """Carries out epochs on one partition."""

    def __init__(self, functions: Mapping[str, tuple[Function, ...]]) -> None:
        self.partition = Partition(functions)
        self.strata: dict[str, Stratum] = {}
        self._readers: dict[str, set[str]] = {}
        self._undo: _Undo | None = None
        self._unread: Callable[[], RowChanges | None] = lambda: None

    def set_limits(self, limits: Limits) -> None:
        """The limits of every epoch from now on."""
        self.partition.machine.limits = limits

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation, or only one that a rollback left."""
        number = self.partition.relations.numbers.get(name) if name in self.strata else None
        return None if number is None else int(self.partition.relations.directory[number, at.ARITY])

    @property
    def closes_ranks(self) -> bool:
        """Whether the next commit numbers all ranks anew, which a log of records must know of."""
        return self.partition.clock > RANK_LIMIT

    @property
    def groups(self) -> list[frozenset[str]]:
        """The relations evaluated together, lower strata first; relations without rules stand in none."""
        strata = {id(s): s for s in self.strata.values() if s.order >= 0}
        return [s.relations for s in sorted(strata.values(), key=lambda s: s.order)]

    def adopt(self, arities: Mapping[str, int], groups: Iterable[Iterable[str]], rules: Iterable[PlannedRule]) -> None:
        """Take over the strata and rules of a state that was read: their supports are counted already."""
        for name, arity in arities.items():
            self.partition.add_relation(name, arity)
            self.strata[name] = Stratum(frozenset((name,)), order=-1)
        for order, group in enumerate(groups):
            stratum = Stratum(frozenset(group), order=order)
            self.strata.update((name, stratum) for name in stratum.relations)
        for planned in rules:
            stratum = self.strata[planned.rule.head.predicate]
            code = self.partition.add_rule(
                planned.rule, planned.plans, planned.whole, stratum.relations, fold_of(planned)
            )
            stratum.rules[code.label] = code
            self._note_readers(code)

    def run(self, work: EpochWork) -> EpochOutcome:
        """Carry out an epoch up to its commit; raises and leaves no trace if it cannot be done."""
        self._settle()
        self._undo = self._remember() if work.changes_rules else None
        self.partition.begin()
        try:
            return self._run(work, self._undo)
        except BaseException:
            self.rollback()
            raise

    def rollback(self) -> None:
        """Undo the epoch that ran last and is not committed."""
        self._settle()
        self.partition.undo()
        if self._undo is not None:
            self._restore(self._undo)
            self._undo = None

    def commit(self) -> None:
        """Make the epoch that ran last the committed one."""
        self.partition.commit()
        if self._undo is not None and (self._undo.removed or self._undo.replaced):
            self.partition.drop_unused_indexes()
        self._undo = None
        strata = {id(s): s for s in self.strata.values()}.values()
        if self.partition.machine.code_length > CODE_LIMIT:
            self.partition.compact_code(strata)
        if self.closes_ranks:
            self.partition.set_clock(max(self.partition.close_ranks(s.relations) for s in strata))

    def _run(self, work: EpochWork, undo: _Undo | None) -> EpochOutcome:
        began = time.perf_counter()
        outcome = EpochOutcome()
        for name, arity in work.arities.items():
            self.partition.add_relation(name, arity)
            self.strata.setdefault(name, Stratum(frozenset((name,)), order=-1))
        added = {} if undo is None else self._change_rules(work, undo)
        self._visit(work, added, outcome)
        outcome.seconds = time.perf_counter() - began
        outcome.rounds = int(self.partition.machine.state[at.ROUNDS])
        outcome.suspended = int(self.partition.machine.state[at.SUSPENDED])
        outcome.revived = int(self.partition.machine.state[at.REVIVED])
        self._count_supports(undo, outcome)
        return outcome

    def _change_rules(self, work: EpochWork, undo: _Undo) -> dict[int, list[RuleCode]]:
        """Removed rules lose their supports, strata are computed again; returns the new rules of each stratum."""
        self._remove_rules(work, undo)
        if work.strata is not None:
            self._restratify(work.strata)
        for planned in work.replanned:
            self._replan(planned, undo)
        return self._add_rules(work, undo)

    def _remove_rules(self, work: EpochWork, undo: _Undo) -> None:
        for label in work.removed:
            code = self.partition.codes[label]
            self.partition.lose_rule(code)
        for label in work.removed:
            code = self.partition.codes[label]
            stratum = self.strata[code.rule.head.predicate]
            del stratum.rules[label]
            stratum.forget_tables()
            undo.lost[label] = int(self.partition.machine.tally[code.number])
            self.partition.forget_rule(code)
            undo.removed.append(code)

    def _restratify(self, groups: tuple[frozenset[str], ...]) -> None:
        grouped = frozenset().union(*groups)
        alone = [s for name, s in self.strata.items() if name not in grouped]
        found = Restratification(self.partition, dict(self.strata)).apply(groups)
        self.strata = {name: s for s in found for name in s.relations}
        for stratum in alone:
            for name in stratum.relations - grouped:
                single = stratum if len(stratum.relations) == 1 else Stratum(frozenset((name,)))
                single.order = -1
                self.strata[name] = single

    def _replan(self, planned: PlannedRule, undo: _Undo) -> None:
        assert planned.rule.label is not None
        code = self.partition.codes[planned.rule.label]
        undo.replaced.append((code, PlannedRule(code.rule, code.plans, code.whole)))
        self._give_plans(code, planned)

    def _give_plans(self, code: RuleCode, planned: PlannedRule) -> None:
        code.rule, code.plans, code.whole, code.fold = planned.rule, planned.plans, planned.whole, fold_of(planned)
        stratum = self.strata[code.rule.head.predicate]
        self.partition.place_code(code, stratum.relations)
        stratum.forget_tables()

    def _add_rules(self, work: EpochWork, undo: _Undo) -> dict[int, list[RuleCode]]:
        added: dict[int, list[RuleCode]] = {}
        for planned in work.added:
            stratum = self.strata[planned.rule.head.predicate]
            code = self.partition.add_rule(
                planned.rule, planned.plans, planned.whole, stratum.relations, fold_of(planned)
            )
            undo.added.append(code)
            added.setdefault(id(stratum), []).append(code)
        return added

    def _visit(self, work: EpochWork, added: dict[int, list[RuleCode]], outcome: EpochOutcome) -> None:
        """Visit the strata that the epoch reaches, lower ones first."""
        numbers = self.partition.relations.numbers
        deletes = {numbers[name]: rows for name, rows in work.deletes.items()}
        inserts = {numbers[name]: rows for name, rows in work.inserts.items()}
        heads = [code.rule.head.predicate for codes in added.values() for code in codes]
        heap: list[tuple[int, int]] = []
        seen: dict[int, Stratum] = {}
        self._reach([*work.deletes, *work.inserts, *heads, *sorted(self.partition.pending)], heap, seen)
        changes: dict[int, Changes] = {}
        while heap:
            stratum = seen[heapq.heappop(heap)[1]]
            found = self._visit_stratum(stratum, deletes, inserts, changes, added.get(id(stratum), []), outcome)
            changes.update(found)
            for number in found:
                name = self.partition.relations.names[number]
                self._reach(self._readers.get(name, ()), heap, seen)
        names = self.partition.relations.names
        outcome.changes = RowChanges({names[n]: self._reader(n, change) for n, change in changes.items()})
        self._unread = weakref.ref(outcome.changes)

    def _reader(self, number: int, change: Changes) -> Callable[[], tuple[Cells, Cells]]:
        """Reads the rows of a change; those that vanished are read now, before their records are freed."""
        vanished = self.partition.columns_of(change.vanished, number)
        return lambda: (self.partition.columns_of(change.appeared, number), vanished)

    def _settle(self) -> None:
        """Changes of the epoch before that somebody may still read are read before records move."""
        unread = self._unread()
        if unread is not None:
            unread.settle()

    def _reach(self, names: object, heap: list[tuple[int, int]], seen: dict[int, Stratum]) -> None:
        for name in names:  # type: ignore[attr-defined]  # any iterable of names
            stratum = self.strata.get(name)  # None: a query that was taken back read the relation
            if stratum is not None and id(stratum) not in seen:
                seen[id(stratum)] = stratum
                heapq.heappush(heap, (stratum.order, id(stratum)))

    def _visit_stratum(
        self,
        stratum: Stratum,
        deletes: Mapping[int, Cells],
        inserts: Mapping[int, Cells],
        changes: Mapping[int, Changes],
        new_rules: list[RuleCode],
        outcome: EpochOutcome,
    ) -> dict[int, Changes]:
        began = time.perf_counter()
        state = self.partition.machine.state
        suspended, revived = int(state[at.SUSPENDED]), int(state[at.REVIVED])
        supports = int(self.partition.machine.tally.sum())
        self.partition.retract(stratum, deletes, changes)
        for code in new_rules:
            self._note_readers(code)
        self.partition.gain(stratum, inserts, changes, new_rules)
        outcome.strata.append(
            StratumStatistics(
                tuple(sorted(stratum.relations)),
                time.perf_counter() - began,
                supports=int(self.partition.machine.tally.sum()) - supports,
                suspended=int(state[at.SUSPENDED]) - suspended,
                revived=int(state[at.REVIVED]) - revived,
            )
        )
        return self.partition.net_changes(stratum)

    def _note_readers(self, code: RuleCode) -> None:
        """Which strata read a relation; entries of removed rules stay and cost nothing but a look."""
        for literal in code.rule.body:
            atom = literal.atom if isinstance(literal, Negation) else literal
            if isinstance(atom, Atom):
                self._readers.setdefault(atom.predicate, set()).add(code.rule.head.predicate)

    def _count_supports(self, undo: _Undo | None, outcome: EpochOutcome) -> None:
        """Supports found or lost per rule; rules that were removed have lost all of theirs."""
        tally = self.partition.machine.tally
        for number in tally.nonzero()[0]:
            label = self.partition.label_of(int(number))
            if label is not None:
                outcome.supports[label] = int(tally[number])
        if undo is not None:
            outcome.supports.update(undo.lost)

    def _remember(self) -> _Undo:
        strata = {id(s): s for s in self.strata.values()}
        return _Undo(
            dict(self.strata),
            {key: s.order for key, s in strata.items()},
            {key: dict(s.rules) for key, s in strata.items()},
        )

    def _restore(self, undo: _Undo) -> None:
        for code in undo.added:
            self.partition.forget_rule(code)
        for code in undo.removed:
            self.partition.take_back(code)
        for code, planned in undo.replaced:
            code.rule, code.plans, code.whole, code.fold = planned.rule, planned.plans, planned.whole, fold_of(planned)
        self.strata = undo.strata
        for key, stratum in {id(s): s for s in self.strata.values()}.items():
            stratum.order, stratum.rules = undo.orders[key], undo.rules[key]
            stratum.forget_tables()
            for code in stratum.rules.values():
                self.partition.place_code(code, stratum.relations)
        self.partition.drop_unused_indexes()
