"""One partition: its facts, its rules, and the two phases in which a stratum follows a change.

Laws: I1 and I2 of the design hold after every committed epoch; an epoch that is undone leaves no trace. The caller
(`runtime`) says which strata to visit and in which order; the partition keeps the counts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from tidelog.errors import EvaluationError
from tidelog.kernel import layout as at
from tidelog.kernel import support
from tidelog.kernel.index import collect
from tidelog.partition.assemble import Assembler
from tidelog.partition.call import call_function
from tidelog.partition.dictionary import Dictionary
from tidelog.partition.fold import Fold
from tidelog.partition.machine import Machine
from tidelog.partition.relations import Cells, Relations, address
from tidelog.partition.stratum import RuleCode, Stratum, Triggers
from tidelog.plan.steps import Expose, Plan
from tidelog.program import Rule
from tidelog.program.functions import Function

NOTHING: Cells = np.zeros(0, np.int64)
WHOLE_ITEM: Cells = np.full(1, -1, np.int64)
WHOLE_SPAN: Cells = np.array([[0, 1]], np.int64)
MEMORY_LIMIT = 1 << 20


@dataclass(slots=True)
class Changes:
    """Net changes of a relation in an epoch, as items (relation << 32 | row)."""

    appeared: Cells = field(default_factory=lambda: NOTHING)
    vanished: Cells = field(default_factory=lambda: NOTHING)


class Partition:
    """State and phases of one partition."""

    def __init__(self, functions: Mapping[str, tuple[Function, ...]]) -> None:
        self.functions = functions
        self.dictionary = Dictionary()
        self.relations = Relations()
        self.assembler = Assembler(self.relations, self.dictionary)
        self.machine = Machine(self.relations, self.assembler, self._call)
        self.codes: dict[str, RuleCode] = {}
        self.lock = threading.RLock()
        self._numbers: dict[int, RuleCode] = {}
        self._free_numbers: list[int] = []
        self._spans: Cells = np.zeros((64, 2), np.int64)
        self._touched: set[int] = set()
        self._pending: dict[int, Cells] = {}
        self._saved_clock = 0
        self._saved_bases: Cells = NOTHING
        self._gained: list[tuple[RuleCode, Cells]] = []

    # Relations and rules

    def add_relation(self, name: str, arity: int) -> int:
        """The number of a relation, which is made if it is not there."""
        number = self.relations.add(name, arity)
        self.machine.fit_messages(arity)
        self._spans_for(number)
        return number

    def _spans_for(self, number: int) -> None:
        if number >= len(self._spans):
            self._spans = np.zeros((2 * (number + 1), 2), np.int64)

    def add_rule(
        self, rule: Rule, plans: tuple[Plan, ...], whole: Plan, same: frozenset[str], fold: Fold | None = None
    ) -> RuleCode:
        """Take a rule in; its supports are found when its stratum is asserted."""
        number = self._free_numbers.pop() if self._free_numbers else len(self._numbers)
        self.machine.fit_tally(number + 1)
        self.machine.tally[number] = 0
        code = RuleCode(rule, number, plans, whole, fold=fold)
        self._numbers[number] = code
        self.place_code(code, same)
        assert rule.label is not None
        self.codes[rule.label] = code
        return code

    def place_code(self, code: RuleCode, same: frozenset[str]) -> None:
        """Assemble the plans of a rule for a stratum with these relations."""
        assemble = self.assembler.assemble
        code.places = [self.machine.add_code(assemble(plan, code.number, same)) for plan in code.plans]
        code.whole_place = self.machine.add_code(assemble(code.whole, code.number, same))
        last = code.whole.steps[-1] if code.whole.steps else None
        code.choice = self.assembler.choice(code.rule, last) if isinstance(last, Expose) else None
        if code.choice is not None:
            self._spans_for(code.choice.shown)

    def forget_rule(self, code: RuleCode) -> None:
        """Leave a rule out; its supports are already lost, or the epoch that added it is undone."""
        del self.codes[code.label]
        del self._numbers[code.number]
        self._free_numbers.append(code.number)

    def label_of(self, number: int) -> str | None:
        """The label of the rule with this number, if there is one."""
        code = self._numbers.get(number)
        return None if code is None else code.label

    def take_back(self, code: RuleCode) -> None:
        """Undo `forget_rule`: the rule gets a number again."""
        code.number = self._free_numbers.pop() if self._free_numbers else len(self._numbers)
        self._numbers[code.number] = code
        self.codes[code.label] = code

    def drop_unused_indexes(self) -> None:
        """Forget the indexes that no plan needs any more."""
        used = {
            (self.relations.numbers[relation], columns[: at.MAX_KEY])
            for code in self.codes.values()
            for plan in (*code.plans, code.whole)
            for relation, columns in plan.indexes
        }
        for number, columns in self.relations.index_columns():
            if (number, columns) not in used and number not in self.assembler.memories:
                self.relations.drop_index(number, columns)

    def compact_code(self, strata: Iterable[Stratum]) -> None:
        """Write the code of all rules anew when most of it belongs to rules that are gone."""
        self.machine.code_length = 0
        for stratum in strata:
            for code in stratum.rules.values():
                self.place_code(code, stratum.relations)
            stratum.forget_tables()

    # Epochs

    def begin(self) -> None:
        """Start an epoch."""
        self.machine.start_epoch()
        self._saved_clock = int(self.machine.state[at.CLOCK])
        self._saved_bases = self.relations.directory[:, at.RANK_BASE].copy()
        self._pending.clear()
        self._touched.clear()

    def lose_rule(self, code: RuleCode) -> None:
        """A removed rule loses its supports, over the old state and compared the old way."""
        self.machine.reset_queue()
        if code.fold is not None:
            lost = code.fold.rows(code.fold.totals(self._source_rows(code, at.OLD)).items())
            self._change_folded(at.RETRACT_LOWER, code, lost)
        else:
            self._whole(code, at.OLD_RULE, -1)
        if code.choice is not None:
            self._touched.update((code.choice.shown, code.choice.candidates))
        self._touch(code.rule.head.predicate)
        self._set_aside(self.machine.queue.copy())

    def compare_rule(self, code: RuleCode, sign: int) -> None:
        """Count (sign 1) or discount (-1) the supports of lower rank of a rule as its code compares them now."""
        if code.fold is None:  # what is folded comes from a lower stratum, and counts alike
            self.machine.state[at.PEEK] = 1
            self._whole(code, at.OLD_RULE, 2 * sign)
            self.machine.state[at.PEEK] = 0
        self._touch(code.rule.head.predicate)

    def settle_split(self) -> None:
        """After the comparisons of a split: facts set aside that have supports of lower rank now are not suspended."""
        for number, items in list(self._pending.items()):
            kept = np.empty_like(items)
            count = support.reinstate(self.relations.directory, items, len(items), kept)
            self._pending[number] = kept[:count]

    def raise_ranks(self, names: Iterable[str], offset: int) -> None:
        """Merge of strata: all facts of these relations rank higher by ``offset``."""
        for name in names:
            self.relations.directory[self.relations.numbers[name], at.RANK_BASE] += offset

    def highest_rank(self, names: Iterable[str]) -> int:
        """The highest rank of the facts of some relations."""
        highest = 0
        for name in names:
            number = self.relations.numbers[name]
            records = self.relations.records(number)
            if len(records):
                arity, base = (int(self.relations.directory[number, f]) for f in (at.ARITY, at.RANK_BASE))
                highest = max(highest, int((records[:, arity] >> at.FLAG_BITS).max()) + base)
        return highest

    @property
    def clock(self) -> int:
        """The highest rank given or seen."""
        return int(self.machine.state[at.CLOCK])

    def raise_clock(self, rank: int) -> None:
        """See to it that fresh ranks are above ``rank``."""
        self.machine.state[at.CLOCK] = max(int(self.machine.state[at.CLOCK]), rank)

    def close_ranks(self, names: Iterable[str]) -> int:
        """Number the ranks of a stratum's facts anew from 1, in the same order; no count changes. The highest rank."""
        numbers = [self.relations.numbers[name] for name in names]
        states = []
        for number in numbers:
            arity, base = (int(self.relations.directory[number, f]) for f in (at.ARITY, at.RANK_BASE))
            states.append((self.relations.records(number)[:, arity], base))
        ranks = np.concatenate([(state >> at.FLAG_BITS) + base for state, base in states])
        live = np.concatenate([(state & at.LIVE) != 0 for state, _ in states])
        order = np.unique(ranks[live])
        for number, (state, base) in zip(numbers, states, strict=True):
            used = (state & at.LIVE) != 0
            closed = np.searchsorted(order, (state[used] >> at.FLAG_BITS) + base) + 1
            state[used] = (closed << at.FLAG_BITS) | (state[used] & at.FLAGS)
            self.relations.directory[number, at.RANK_BASE] = 0
        return len(order)

    def set_clock(self, rank: int) -> None:
        """After `close_ranks` of all strata: the highest rank there is."""
        self.machine.state[at.CLOCK] = rank

    def retract(self, stratum: Stratum, deletes: Mapping[int, Cells], changes: Mapping[int, Changes]) -> None:
        """Phase 1: all supports that the change takes away, to quiescence."""
        machine, numbers = self.machine, self.relations.numbers
        lower, negated, own = stratum.tables(numbers)
        members = [numbers[name] for name in stratum.relations if name in numbers]
        machine.reset_queue(_joined([self._pending.pop(n, NOTHING) for n in members]))
        machine.state[at.OTAIL] = 0
        self._touched.update(members, *((c.shown, c.candidates) for c in stratum.choices))
        for number in members:
            if number in deletes:
                machine.change_facts(at.RETRACT_LOWER, number, deletes[number], at.BASE)
        self._gained = [self._fold(code, changes) for code in stratum.folds]
        self._fire(at.RETRACT_LOWER, lower, [changes[n].vanished for n in lower.relations if n in changes], -1)
        self._fire(at.RETRACT_LOWER, negated, [changes[n].appeared for n in negated.relations if n in changes], -1)
        if own.ranges:
            self._run(at.RETRACT_SAME, own, -1)
        else:
            machine.hide_queue()  # nothing reads them, but a rule that is about to come would

    def gain(
        self,
        stratum: Stratum,
        inserts: Mapping[int, Cells],
        changes: Mapping[int, Changes],
        new_rules: Sequence[RuleCode],
    ) -> None:
        """Phase 2, after the barrier: suspended facts that still have supports, then everything that is gained."""
        machine, numbers = self.machine, self.relations.numbers
        for code in new_rules:
            stratum.rules[code.label] = code
            stratum.forget_tables()
        lower, negated, own = stratum.tables(numbers)
        members = [numbers[name] for name in stratum.relations if name in numbers]
        self._touched.update(members, *((c.shown, c.candidates) for c in stratum.choices))
        with self._choosing(stratum):
            self._revive()
            for choice in stratum.choices:
                machine.reopen(choice)
            for code in new_rules:
                self._gain_rule(code)
            for code, gained in self._gained:
                self._change_folded(at.ASSERT_LOWER, code, gained)
            self._gain_facts(members, inserts, changes, lower, negated)
            if own.ranges:
                self._run(at.ASSERT_SAME, own, 1)
                self._clean_up(own)
        self._gained = []

    def _gain_facts(
        self,
        members: list[int],
        inserts: Mapping[int, Cells],
        changes: Mapping[int, Changes],
        lower: Triggers,
        negated: Triggers,
    ) -> None:
        """What the strata below and the base facts of the stratum itself give."""
        machine = self.machine
        self._fire(at.ASSERT_LOWER, lower, [changes[n].appeared for n in lower.relations if n in changes], 1)
        self._fire(at.ASSERT_LOWER, negated, [changes[n].vanished for n in negated.relations if n in changes], 1)
        for number in members:
            if number in inserts:
                self.relations.reserve(number, len(inserts[number]))
                machine.change_facts(at.ASSERT_LOWER, number, inserts[number], at.BASE)

    def _revive(self) -> None:
        """Suspended facts that still have supports are present again, in order of old rank."""
        suspended = self.machine.queue.copy()
        self.machine.reset_queue()
        if len(suspended):
            self.machine.revive(suspended[np.argsort(self._ranks(suspended), kind="stable")])

    def _gain_rule(self, code: RuleCode) -> None:
        """A new rule gains its supports."""
        if code.fold is None:
            self._whole(code, at.NEW_RULE, 1)
        else:
            gained = code.fold.rows(code.fold.totals(self._source_rows(code, at.NEW)).items())
            self._change_folded(at.ASSERT_LOWER, code, gained)

    @contextmanager
    def _choosing(self, stratum: Stratum) -> Iterator[None]:
        """While a stratum is asserted, new candidates of its own go to the heap."""
        own = [c for c in stratum.choices if self.relations.names[c.candidates] in stratum.relations]
        for choice in own:
            self.relations.directory[choice.candidates, at.CANDIDATES] = ((choice.column + 1) << 4) | choice.order
        try:
            yield
        finally:
            for choice in own:
                self.relations.directory[choice.candidates, at.CANDIDATES] = 0

    def _clean_up(self, own: Triggers) -> None:
        """Retract what was improved upon; every group must show again what it showed before."""
        machine = self.machine
        stale = machine.stale.copy()
        if not len(stale):
            return
        machine.state[at.STAIL] = 0
        machine.state[at.CLEANING] = 1
        machine.reset_queue()
        self._fire(at.CLEAN_RETRACT, own, [stale], -1)
        self._run(at.CLEAN_RETRACT, own, -1)
        self._revive()
        self._run(at.ASSERT_SAME, own, 1)
        machine.state[at.CLEANING] = 0
        if machine.state[at.HIDDEN]:
            raise EvaluationError(
                f"{machine.state[at.HIDDEN]} groups of a min or max inside recursion depend on values that were "
                "improved upon; the rules are not monotone in the value; nothing was changed"
            )

    def _fold(self, code: RuleCode, changes: Mapping[int, Changes]) -> tuple[RuleCode, Cells]:
        """Take back the results of groups that change; gives the results that replace them."""
        assert code.fold is not None
        number = self.relations.numbers[code.source]
        change = changes.get(number)
        if change is None:
            return code, np.zeros((0, len(code.fold.head)), np.int64)
        index = self.relations.index(number, tuple(sorted(code.fold.group))) if code.fold.group else None

        def group_rows(group: tuple[int, ...]) -> Cells | None:
            return None if index is None else self._rows_of_group(number, index, code, group)

        lost, gained = code.fold.change(
            self.columns_of(change.appeared, number),
            self.columns_of(change.vanished, number),
            group_rows if index is not None else lambda group: self._source_rows(code, at.OLD),
            lambda: self._source_rows(code, at.OLD),
        )
        self._change_folded(at.RETRACT_LOWER, code, lost)
        return code, gained

    def _rows_of_group(self, number: int, index: int, code: RuleCode, group: tuple[int, ...]) -> Cells:
        assert code.fold is not None
        by_column = dict(zip(code.fold.group, group, strict=True))
        key: Cells = np.array([by_column[c] for c in sorted(by_column)], np.int64)
        found = np.empty(16, np.int64)
        while (
            count := collect(self.relations.directory, self.relations.indexes, index, number, address(key), found)
        ) < 0:
            found = np.empty(2 * len(found), np.int64)
        return self.columns_of(found[:count] | (number << 32), number)

    def _change_folded(self, phase: int, code: RuleCode, rows: Cells) -> None:
        if len(rows):
            number = self.relations.numbers[code.rule.head.predicate]
            self.machine.change_facts(phase, number, np.ascontiguousarray(rows), 0)

    def _source_rows(self, code: RuleCode, flag: int) -> Cells:
        """The source rows of a fold: those before the epoch (OLD) or those now (NEW)."""
        number = self.relations.numbers[code.source]
        arity = int(self.relations.directory[number, at.ARITY])
        records = self.relations.records(number)
        return records[(records[:, arity] & flag) != 0, :arity]

    def net_changes(self, stratum: Stratum) -> dict[int, Changes]:
        """What the stratum hands to those above: facts suspended and revived are no change."""
        found: dict[int, Changes] = {}
        for name in stratum.relations:
            number = self.relations.numbers.get(name)
            count = 0 if number is None else int(self.relations.directory[number, at.JROWS])
            if number is None or count == 0:
                continue
            plus, minus = np.empty(count, np.int64), np.empty(count, np.int64)
            p, m = support.net_changes(self.relations.directory, number, 0, plus, minus)
            if p or m:
                found[number] = Changes(plus[:p], minus[:m])
        return found

    def commit(self) -> None:
        """What is new becomes old."""
        with self.lock:
            for number in self._touched:
                support.commit(self.relations.directory, self.relations.indexes, number)
                self.relations.trim_journal(number)
        for code in self.codes.values():
            if code.fold is not None:
                code.fold.commit()
        self._touched.clear()
        self._trim_memories()

    def undo(self) -> None:
        """Back to the state at `begin`."""
        with self.lock:
            for number in range(len(self.relations.names)):
                if self.relations.directory[number, at.JROWS]:
                    support.undo(self.relations.directory, self.relations.indexes, number)
                    self.relations.trim_journal(number)
            bases = self._saved_bases
            self.relations.directory[: len(bases), at.RANK_BASE] = bases
            self.relations.directory[len(bases) :, at.RANK_BASE] = 0
        for code in self.codes.values():
            if code.fold is not None:
                code.fold.undo()
        self.machine.state[at.CLOCK] = self._saved_clock
        self._touched.clear()
        self._pending.clear()

    # Reading

    def rows(self, name: str) -> Cells:
        """The columns of the facts of a relation at the last committed epoch."""
        with self.lock:
            number = self.relations.numbers[name]
            arity = int(self.relations.directory[number, at.ARITY])
            records = self.relations.records(number)
            return records[(records[:, arity] & at.OLD) != 0, :arity].copy()

    def counts(self, name: str) -> tuple[Cells, Cells, Cells, Cells, Cells]:
        """Columns, ranks, ``all``, ``low`` and assertion of the facts of a relation at the last committed epoch."""
        with self.lock:
            number = self.relations.numbers[name]
            arity, base = (int(self.relations.directory[number, f]) for f in (at.ARITY, at.RANK_BASE))
            records = self.relations.records(number)
            live = records[(records[:, arity] & at.OLD) != 0]
            state, counts = live[:, arity], live[:, arity + 1]
            ranks = (state >> at.FLAG_BITS) + base
            return live[:, :arity].copy(), ranks, counts >> 32, counts & at.LOW32, (state & at.BASE) != 0

    def columns_of(self, items: Cells, number: int) -> Cells:
        """The columns of some facts of one relation, present or just vanished."""
        arity = int(self.relations.directory[number, at.ARITY])
        return self.relations.records(number)[items & at.LOW32, :arity].copy()

    # Inner workings

    def _touch(self, name: str) -> None:
        self._touched.add(self.relations.numbers[name])

    def _set_aside(self, items: Cells) -> None:
        """Facts that lost their last support of lower rank wait for the retract phase of their stratum."""
        for number in np.unique(items >> 32):
            mine = items[(items >> 32) == number]
            self._pending[int(number)] = _joined([self._pending.get(int(number), NOTHING), mine])

    @property
    def pending(self) -> set[str]:
        """The relations with facts set aside."""
        return {self.relations.names[n] for n, items in self._pending.items() if len(items)}

    def _ranks(self, items: Cells) -> Cells:
        ranks = np.empty(len(items), np.int64)
        support.old_ranks(self.relations.directory, items, len(items), ranks)
        return ranks

    def _whole(self, code: RuleCode, phase: int, sign: int) -> None:
        plans: Cells = np.array([code.whole_place], np.int64)
        self._guard(lambda: self.machine.fire(phase, WHOLE_ITEM, WHOLE_SPAN, plans, sign))

    def _fire(self, phase: int, triggers: Triggers, items: list[Cells], sign: int) -> None:
        batch = _joined(items)
        if len(batch):
            with_spans = self._with_spans(triggers)
            self._guard(lambda: self.machine.fire(phase, batch, with_spans, triggers.plans, sign))
            self._without_spans(triggers)

    def _run(self, phase: int, triggers: Triggers, sign: int) -> None:
        if not self.machine.has_work:
            return
        with_spans = self._with_spans(triggers)
        self._guard(lambda: self.machine.run_queue(phase, with_spans, triggers.plans, sign))
        self._without_spans(triggers)

    def _with_spans(self, triggers: Triggers) -> Cells:
        for number, first, last in triggers.ranges:
            self._spans[number] = (first, last)
        return self._spans

    def _without_spans(self, triggers: Triggers) -> None:
        for number, _, _ in triggers.ranges:
            self._spans[number] = 0

    def _guard(self, run: Callable[[], None]) -> None:
        """Run a kernel; a value that cannot be computed is told with the rule that wanted it."""
        try:
            run()
        except EvaluationError as error:
            self._spans[:] = 0
            code = self._numbers[self.machine.current_rule()]
            raise EvaluationError(f"rule {code.rule.root.label or code.label}: {error}; nothing was changed") from error
        except BaseException:
            self._spans[:] = 0
            raise

    def _call(self, number: int, args: tuple[int, ...]) -> int:
        return call_function(self.assembler.memories[number], args, self.functions, self.dictionary)

    def _trim_memories(self) -> None:
        for number in self.assembler.memories:
            if self.relations.live(number) > MEMORY_LIMIT:
                self.relations.clear(number)


def _joined(parts: list[Cells]) -> Cells:
    full = [p for p in parts if len(p)]
    if len(full) == 1:
        return full[0]
    return np.concatenate(full) if full else NOTHING
