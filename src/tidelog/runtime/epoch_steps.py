"""A host: one partition with its strata, and an epoch as the steps that it takes.

Law: strata are visited lower ones first; only those are visited that a change reaches, so that the cost of an epoch
follows the change. All hosts of an engine take the same steps: where one could send messages all of them stop, are
given what the others sent, and learn together whether there was any. A stratum none of whose rules sends is visited
without waiting for anybody. A failed epoch is undone: facts, counts, ranks, rules and strata are those of the epoch
before.
"""

from __future__ import annotations

import heapq
import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tidelog.kernel.cells import Cells
from tidelog.partition.clean_up import needs_clean_up, restore_shown, retract_stale
from tidelog.partition.dictionary import Dictionary
from tidelog.partition.exchange import take_leaving
from tidelog.partition.fold import Fold, fold_of
from tidelog.partition.gain import absorb_gains, end_gain, gain
from tidelog.partition.journal import Changes, net_changes
from tidelog.partition.limits import Limits
from tidelog.partition.partition import Partition
from tidelog.partition.progress import progress, supports_found
from tidelog.partition.ranks import close_ranks
from tidelog.partition.records import arity_of, columns_of
from tidelog.partition.retract import absorb_losses, retract
from tidelog.partition.rule_supports import absorb_comparisons, absorb_lost_rules, lose_rule
from tidelog.partition.stratum import RuleCode, Stratum
from tidelog.plan.work import EpochWork, PlannedRule
from tidelog.program import Atom, Negation
from tidelog.program.functions import Function
from tidelog.runtime.mail import Mailbox
from tidelog.runtime.outcome import EpochOutcome, RowChanges, StratumStatistics
from tidelog.runtime.request import Request, Steps
from tidelog.runtime.restratify import Restratification

CODE_LIMIT = 1 << 20
RANK_LIMIT = 1 << 50  # ranks have 55 bits; merging strata stacks them
ACTIVE, SENT = 1, 2  # bits of a request: a partition has something to do in the stratum; it sent messages


@dataclass
class _Undo:
    """What the host itself must restore when an epoch fails."""

    strata: dict[str, Stratum]
    orders: dict[int, int]
    rules: dict[int, dict[str, RuleCode]]
    removed: list[RuleCode] = field(default_factory=list)
    lost: dict[str, int] = field(default_factory=dict)
    added: list[RuleCode] = field(default_factory=list)
    replaced: list[tuple[RuleCode, PlannedRule, Fold | None]] = field(default_factory=list)


@dataclass
class _Visit:
    """What an epoch brings to the strata it visits, by number of relation."""

    deletes: Mapping[int, Cells]
    inserts: Mapping[int, Cells]
    added: Mapping[int, list[RuleCode]]  # by identity of their stratum
    changes: dict[int, Changes] = field(default_factory=dict)


class Host:
    """One partition, its strata, and the steps of an epoch."""

    def __init__(
        self,
        functions: Mapping[str, tuple[Function, ...]],
        number: int = 0,
        partitions: int = 1,
        dictionary: Dictionary | None = None,
        mailbox: Mailbox | None = None,
    ) -> None:
        self.partition = Partition(functions, number, partitions, dictionary)
        self.mailbox = mailbox or Mailbox()
        self.strata: dict[str, Stratum] = {}
        self._readers: dict[str, set[str]] = {}
        self._undo: _Undo | None = None
        self._came: list[str] = []  # relations that the epoch made, and which readers it noted
        self._noted: list[tuple[str, str]] = []
        self._unread: Callable[[], RowChanges | None] = lambda: None
        self._messages = self._exchanges = 0
        self._stratum: tuple[str, ...] = ()  # the one that is visited

    def set_limits(self, limits: Limits) -> None:
        """The limits of every epoch from now on."""
        self.partition.machine.limits = limits

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation, or only one that a rollback left."""
        number = self.partition.relations.numbers.get(name) if name in self.strata else None
        return None if number is None else arity_of(self.partition.relations, number)

    @property
    def closes_ranks(self) -> bool:
        """Whether the next commit numbers all ranks anew, which a log of records must know of."""
        return self.partition.clock > RANK_LIMIT and self.partition.partitions == 1

    @property
    def groups(self) -> list[frozenset[str]]:
        """The relations evaluated together, lower strata first; relations without rules stand in none."""
        strata = {id(s): s for s in self.strata.values() if s.order >= 0}
        return [s.relations for s in sorted(strata.values(), key=lambda s: s.order)]

    def adopt(
        self,
        arities: Mapping[str, int],
        groups: Iterable[Iterable[str]],
        rules: Iterable[PlannedRule],
        places: Mapping[str, int] | None = None,
    ) -> None:
        """Take over the strata and rules of a state that was read: their supports are counted already."""
        for name, arity in arities.items():
            self.partition.add_relation(name, arity, (places or {}).get(name, 0))
            self.strata[name] = Stratum(frozenset((name,)), order=-1)
        for order, group in enumerate(groups):
            stratum = Stratum(frozenset(group), order=order)
            self.strata.update((name, stratum) for name in stratum.relations)
        for planned in rules:
            stratum = self.strata[planned.rule.head.predicate]
            code = self._take_in(planned, stratum)
            stratum.rules[code.label] = code
            self._note_readers(code)
        self._keep()

    def steps(self, work: EpochWork) -> Steps[EpochOutcome]:
        """Carry out an epoch up to its commit; raises and leaves no trace if it cannot be done."""
        self._settle()
        self._undo = self._remember() if work.changes_rules else None
        self.partition.begin()
        self._messages = self._exchanges = 0
        try:
            return (yield from self._steps(work, self._undo))
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
        for name in self._came:  # another partition may not have come so far: all must know the same
            self.strata.pop(name, None)
        for name, head in self._noted:
            self._readers[name].discard(head)
        self._keep()

    def _keep(self) -> None:
        """What the epoch made is not taken back any more."""
        self._came, self._noted = [], []

    def commit(self) -> None:
        """Make the epoch that ran last the committed one."""
        self.partition.commit()
        if self._undo is not None and (self._undo.removed or self._undo.replaced):
            self.partition.rules.drop_unused_indexes()
        self._undo = None
        self._keep()
        strata = {id(s): s for s in self.strata.values()}.values()
        if self.partition.machine.code_length > CODE_LIMIT:
            self.partition.rules.compact_code(strata)
        if self.closes_ranks:
            self.partition.set_clock(max(close_ranks(self.partition.relations, s.relations) for s in strata))

    def _steps(self, work: EpochWork, undo: _Undo | None) -> Steps[EpochOutcome]:
        began = time.perf_counter()
        outcome = EpochOutcome()
        for name, arity in work.arities.items():
            self.partition.add_relation(name, arity, work.places.get(name, 0))
            if name not in self.strata:
                self.strata[name] = Stratum(frozenset((name,)), order=-1)
                self._came.append(name)
        added: dict[int, list[RuleCode]] = {}
        if undo is not None:
            added = yield from self._change_rules(work, undo)
        yield from self._visit(work, added, outcome)
        outcome.seconds = time.perf_counter() - began
        _, outcome.rounds, outcome.suspended, outcome.revived = progress(self.partition.machine)
        outcome.messages, outcome.exchanges = self._messages, self._exchanges
        outcome.facts, outcome.bytes = self._used()
        self._count_supports(undo, outcome)
        return outcome

    # Rules

    def _change_rules(self, work: EpochWork, undo: _Undo) -> Steps[dict[int, list[RuleCode]]]:
        """Removed rules lose their supports, strata are computed again; returns the new rules of each stratum."""
        yield from self._remove_rules(work, undo)
        if work.strata is not None:
            yield from self._restratify(work.strata)
        for planned in work.replanned:
            self._replan(planned, undo)
        return self._add_rules(work, undo)

    def _remove_rules(self, work: EpochWork, undo: _Undo) -> Steps[None]:
        codes = [self.partition.rules.codes[label] for label in work.removed]
        for code in codes:
            lose_rule(self.partition, code)
        if any(code.sends for code in codes):
            while (yield from self._exchange()):
                for parcel in self.mailbox.collect():
                    absorb_lost_rules(self.partition, parcel)
        for code in codes:
            stratum = self.strata[code.rule.head.predicate]
            del stratum.rules[code.label]
            stratum.forget_tables()
            undo.lost[code.label] = int(self.partition.machine.tally[code.number])
            self.partition.rules.forget(code)
            undo.removed.append(code)

    def _restratify(self, groups: tuple[frozenset[str], ...]) -> Steps[None]:
        grouped = frozenset().union(*groups)
        alone = [s for name, s in self.strata.items() if name not in grouped]
        move = Restratification(self.partition, dict(self.strata), self._exchange_comparisons, self._highest)
        found = yield from move.apply(groups)
        self.strata = {name: s for s in found for name in s.relations}
        for stratum in alone:
            for name in stratum.relations - grouped:
                single = stratum if len(stratum.relations) == 1 else Stratum(frozenset((name,)))
                single.order = -1
                self.strata[name] = single

    def _exchange_comparisons(self, sign: int) -> Steps[None]:
        while (yield from self._exchange()):
            for parcel in self.mailbox.collect():
                absorb_comparisons(self.partition, parcel, sign)

    def _highest(self, rank: int) -> Steps[int]:
        answer = rank if self.partition.partitions == 1 else (yield self._request("highest", rank))
        assert isinstance(answer, int)
        return answer

    def _take_in(self, planned: PlannedRule, stratum: Stratum) -> RuleCode:
        return self.partition.rules.add(
            planned.rule,
            planned.plans,
            planned.whole,
            stratum.relations,
            fold_of(planned),
            everywhere=planned.everywhere,
            sends=planned.sends,
        )

    def _replan(self, planned: PlannedRule, undo: _Undo) -> None:
        assert planned.rule.label is not None
        code = self.partition.rules.codes[planned.rule.label]
        undo.replaced.append((code, PlannedRule(code.rule, code.plans, code.whole), code.fold))
        code.rule, code.plans, code.whole, code.fold = planned.rule, planned.plans, planned.whole, fold_of(planned)
        stratum = self.strata[code.rule.head.predicate]
        self.partition.rules.assemble(code, stratum.relations)
        stratum.forget_tables()

    def _add_rules(self, work: EpochWork, undo: _Undo) -> dict[int, list[RuleCode]]:
        added: dict[int, list[RuleCode]] = {}
        for planned in work.added:
            stratum = self.strata[planned.rule.head.predicate]
            code = self._take_in(planned, stratum)
            undo.added.append(code)
            added.setdefault(id(stratum), []).append(code)
        return added

    # Strata

    def _visit(self, work: EpochWork, added: dict[int, list[RuleCode]], outcome: EpochOutcome) -> Steps[None]:
        """Visit the strata that the epoch reaches, lower ones first."""
        numbers, names = self.partition.relations.numbers, self.partition.relations.names
        visit = _Visit(
            {numbers[name]: rows for name, rows in work.deletes.items()},
            {numbers[name]: rows for name, rows in work.inserts.items()},
            added,
        )
        heads = [code.rule.head.predicate for codes in added.values() for code in codes]
        start = [*work.deletes, *work.inserts, *heads]
        if self.partition.partitions == 1:
            self._visit_alone([*start, *sorted(self.partition.waiting)], visit, outcome)
        else:
            yield from self._visit_together(start, visit, outcome, removing=bool(work.removed))
        changes = visit.changes
        live = self.partition.relations.live  # with the records that the commit will free
        outcome.sizes = {names[n]: live(n) - len(change.vanished) for n, change in changes.items()}
        outcome.changes = RowChanges({names[n]: self._reader(n, change) for n, change in changes.items()})
        self._unread = weakref.ref(outcome.changes)

    def _visit_alone(self, start: Iterable[str], visit: _Visit, outcome: EpochOutcome) -> None:
        """With nobody to wait for: the strata that changes reach, one after the other."""
        heap: list[tuple[int, int]] = []
        seen: dict[int, Stratum] = {}
        self._reach(start, heap, seen)
        while heap:
            stratum = seen[heapq.heappop(heap)[1]]
            found = self._visit_locally(stratum, visit, outcome)
            visit.changes.update(found)
            for number in found:
                self._reach(self._readers.get(self.partition.relations.names[number], ()), heap, seen)

    def _visit_together(
        self, start: Iterable[str], visit: _Visit, outcome: EpochOutcome, *, removing: bool
    ) -> Steps[None]:
        """The strata that changes could reach on any partition, in the same order everywhere."""
        names = frozenset(start)
        if removing:
            answer = yield self._request("union", frozenset(self.partition.waiting))
            assert isinstance(answer, frozenset)
            names |= answer
        for stratum in self._within_reach(names):
            mine = self._has_work(stratum, visit)
            if stratum.sends or any(code.sends for code in visit.added.get(id(stratum), ())):
                visit.changes.update((yield from self._visit_with_others(stratum, visit, outcome, mine)))
            elif mine:
                visit.changes.update(self._visit_locally(stratum, visit, outcome))

    def _within_reach(self, names: Iterable[str]) -> list[Stratum]:
        """The strata of some relations and all that read them, directly or not, lower ones first."""
        heap: list[tuple[int, int]] = []
        seen: dict[int, Stratum] = {}
        self._reach(names, heap, seen)
        waiting = list(seen.values())
        while waiting:
            before = len(seen)
            for name in waiting.pop().relations:
                self._reach(self._readers.get(name, ()), heap, seen)
            waiting += list(seen.values())[before:]
        return sorted(seen.values(), key=lambda s: (s.order, sorted(s.relations)))

    def _has_work(self, stratum: Stratum, visit: _Visit) -> bool:
        """Whether this partition itself has something to do in a stratum."""
        if id(stratum) in visit.added or not self.partition.waiting.isdisjoint(stratum.relations):
            return True
        for name in stratum.relations:
            number = self.partition.relations.numbers[name]
            if any(len(rows.get(number, ())) for rows in (visit.deletes, visit.inserts)):
                return True
        lower, negated, _ = stratum.tables(self.partition.relations.numbers)
        sources = (self.partition.relations.numbers[code.source] for code in stratum.folds)
        return any(number in visit.changes for number in (*lower.relations, *negated.relations, *sources))

    def _visit_locally(self, stratum: Stratum, visit: _Visit, outcome: EpochOutcome) -> dict[int, Changes]:
        """Both phases of a stratum from which nothing is sent."""
        note = self._watch(stratum, outcome)
        partition, new_rules = self.partition, visit.added.get(id(stratum), [])
        retract(partition, stratum, visit.deletes, visit.changes)
        for code in new_rules:
            self._note_readers(code)
        gain(partition, stratum, visit.inserts, visit.changes, new_rules)
        if needs_clean_up(partition):
            retract_stale(partition, stratum)
            restore_shown(partition, stratum)
        end_gain(partition, stratum)
        note()
        return net_changes(partition.relations, stratum.relations)

    def _visit_with_others(
        self, stratum: Stratum, visit: _Visit, outcome: EpochOutcome, mine: bool
    ) -> Steps[dict[int, Changes]]:
        """Both phases of a stratum whose rules may send messages."""
        note = self._watch(stratum, outcome)
        partition, new_rules = self.partition, visit.added.get(id(stratum), [])
        retract(partition, stratum, visit.deletes, visit.changes)
        answer = yield from self._exchange(ACTIVE if mine else 0)
        if not answer:
            return {}
        while answer & SENT:
            for parcel in self.mailbox.collect():
                absorb_losses(partition, stratum, parcel)
            answer = yield from self._exchange()
        for code in new_rules:
            self._note_readers(code)
        gain(partition, stratum, visit.inserts, visit.changes, new_rules)
        yield from self._absorb_gains(stratum)
        if stratum.choices and (yield from self._exchange(ACTIVE if needs_clean_up(partition) else 0)):
            yield from self._clean_up(stratum)
        end_gain(partition, stratum)
        note()
        return net_changes(partition.relations, stratum.relations)

    def _absorb_gains(self, stratum: Stratum) -> Steps[None]:
        while (yield from self._exchange()):
            for parcel in self.mailbox.collect():
                absorb_gains(self.partition, stratum, parcel)

    def _clean_up(self, stratum: Stratum) -> Steps[None]:
        """Retract on all partitions what was improved upon, then restore what groups showed."""
        retract_stale(self.partition, stratum)
        while (yield from self._exchange()):
            for parcel in self.mailbox.collect():
                absorb_losses(self.partition, stratum, parcel, cleaning=True)
        restore_shown(self.partition, stratum)
        yield from self._absorb_gains(stratum)

    def _exchange(self, value: int = 0) -> Steps[int]:
        """Send what leaves and wait for the others: the bits of all; SENT as long as there is mail for anybody."""
        if self.partition.partitions == 1:
            return 0
        sent = self.mailbox.deliver(take_leaving(self.partition))
        answer = yield self._request("any", value | (SENT if sent else 0), sent)
        assert isinstance(answer, int)
        return answer

    def _request(self, kind: str, value: int | frozenset[str], sent: int = 0) -> Request:
        self._messages += sent
        self._exchanges += 1
        return Request(kind, value, sent, *self._used(), self._stratum)

    def _used(self) -> tuple[int, int]:
        """Facts that the epoch made, and the bytes held if those are limited."""
        machine = self.partition.machine
        return progress(machine).facts, 0 if machine.limits.memory is None else self.partition.relations.memory()

    def _reach(self, names: Iterable[str], heap: list[tuple[int, int]], seen: dict[int, Stratum]) -> None:
        for name in names:
            stratum = self.strata.get(name)  # None: a query that was taken back read the relation
            if stratum is not None and id(stratum) not in seen:
                seen[id(stratum)] = stratum
                heapq.heappush(heap, (stratum.order, id(stratum)))

    # Telling

    def _watch(self, stratum: Stratum, outcome: EpochOutcome) -> Callable[[], None]:
        """Notes what the visit of a stratum did, when called at its end."""
        self._stratum = tuple(sorted(stratum.relations)) if self.partition.partitions > 1 else ()
        began = time.perf_counter()
        machine = self.partition.machine
        before, supports = progress(machine), supports_found(machine)

        def note() -> None:
            now = progress(machine)
            outcome.strata.append(
                StratumStatistics(
                    tuple(sorted(stratum.relations)),
                    time.perf_counter() - began,
                    supports=supports_found(machine) - supports,
                    suspended=now.suspended - before.suspended,
                    revived=now.revived - before.revived,
                )
            )

        return note

    def _reader(self, number: int, change: Changes) -> Callable[[], tuple[Cells, Cells]]:
        """Reads the rows of a change; those that vanished are read now, before their records are freed."""
        relations = self.partition.relations
        vanished = columns_of(relations, change.vanished, number)
        return lambda: (columns_of(relations, change.appeared, number), vanished)

    def _settle(self) -> None:
        """Changes of the epoch before that somebody may still read are read before records move."""
        unread = self._unread()
        if unread is not None:
            unread.settle()

    def _note_readers(self, code: RuleCode) -> None:
        """Which strata read a relation; entries of removed rules stay and cost nothing but a look."""
        for literal in code.rule.body:
            atom = literal.atom if isinstance(literal, Negation) else literal
            if isinstance(atom, Atom):
                heads = self._readers.setdefault(atom.predicate, set())
                if code.rule.head.predicate not in heads:
                    heads.add(code.rule.head.predicate)
                    self._noted.append((atom.predicate, code.rule.head.predicate))

    def _count_supports(self, undo: _Undo | None, outcome: EpochOutcome) -> None:
        """Supports found or lost per rule; rules that were removed have lost all of theirs."""
        tally = self.partition.machine.tally
        for number in tally.nonzero()[0]:
            code = self.partition.rules.numbered(int(number))
            if code is not None:
                outcome.supports[code.label] = int(tally[number])
        if undo is not None:
            outcome.supports.update(undo.lost)

    # Undoing

    def _remember(self) -> _Undo:
        strata = {id(s): s for s in self.strata.values()}
        return _Undo(
            dict(self.strata),
            {key: s.order for key, s in strata.items()},
            {key: dict(s.rules) for key, s in strata.items()},
        )

    def _restore(self, undo: _Undo) -> None:
        for code in undo.added:
            self.partition.rules.forget(code)
        for code in undo.removed:
            self.partition.rules.restore(code)
        for code, planned, fold in undo.replaced:
            code.rule, code.plans, code.whole, code.fold = planned.rule, planned.plans, planned.whole, fold
        self.strata = undo.strata
        for key, stratum in {id(s): s for s in self.strata.values()}.items():
            stratum.order, stratum.rules = undo.orders[key], undo.rules[key]
            stratum.forget_tables()
            for code in stratum.rules.values():
                self.partition.rules.assemble(code, stratum.relations)
        self.partition.rules.drop_unused_indexes()
