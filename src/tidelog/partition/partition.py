"""One partition: its facts, its rules, and epochs of both; the two phases of a stratum are in `phases`.

Laws: I1 and I2 of the design hold after every committed epoch; an epoch that is undone leaves no trace. The caller
(`runtime`) says which strata to visit and in which order; the partition keeps the counts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tidelog.kernel import layout as at
from tidelog.kernel import support
from tidelog.kernel.cells import Cells
from tidelog.partition.assemble import Assembler
from tidelog.partition.call import call_function
from tidelog.partition.dictionary import Dictionary
from tidelog.partition.fold import Fold
from tidelog.partition.journal import NOTHING, Changes, net_changes
from tidelog.partition.machine import Machine
from tidelog.partition.owner import Parcel
from tidelog.partition.phases import Phases, joined
from tidelog.partition.records import (
    STATE,
    all_counts,
    asserted,
    close_ranks,
    low_counts,
    present,
    rank_base,
    ranks,
)
from tidelog.partition.relations import Relations
from tidelog.partition.stratum import RuleCode, Stratum
from tidelog.plan.steps import Expose, Plan
from tidelog.program import Rule
from tidelog.program.functions import Function

MEMORY_LIMIT = 1 << 20


class Partition(Phases):
    """State and phases of one partition."""

    def __init__(
        self,
        functions: Mapping[str, tuple[Function, ...]],
        number: int = 0,
        partitions: int = 1,
        dictionary: Dictionary | None = None,
    ) -> None:
        self.functions = functions
        self.number, self.partitions = number, partitions
        self.dictionary = Dictionary() if dictionary is None else dictionary
        self.relations = Relations()
        self.assembler = Assembler(self.relations, self.dictionary)
        self.machine = Machine(self.relations, self.assembler, self._call, number, partitions)
        self.codes: dict[str, RuleCode] = {}
        self.lock = threading.RLock()
        self._numbers: dict[int, RuleCode] = {}
        self._free_numbers: list[int] = []
        self._spans: Cells = np.zeros((64, 2), np.int64)
        self._touched: set[int] = set()
        self._pending: dict[int, Cells] = {}
        self._running = False  # an epoch that is neither committed nor undone
        self._saved_clock = 0
        self._saved_bases: Cells = NOTHING
        self._gained: list[tuple[RuleCode, Cells]] = []
        self._folded_away: list[tuple[int, int, Cells]] = []

    # Relations and rules

    def add_relation(self, name: str, arity: int, place: int = 0) -> int:
        """The number of a relation, which is made if it is not there; ``place`` says who owns its facts."""
        number = self.relations.add(name, arity)
        self.relations.directory[number, at.PLACE] = place
        self.machine.fit_messages(arity)
        self._spans_for(number)
        return number

    def _spans_for(self, number: int) -> None:
        if number >= len(self._spans):
            self._spans = np.zeros((2 * (number + 1), 2), np.int64)

    def add_rule(
        self,
        rule: Rule,
        plans: tuple[Plan, ...],
        whole: Plan,
        same: frozenset[str],
        fold: Fold | None = None,
        *,
        everywhere: bool = False,
        sends: bool = False,
    ) -> RuleCode:
        """Take a rule in; its supports are found when its stratum is asserted."""
        number = self._free_numbers.pop() if self._free_numbers else len(self._numbers)
        self.machine.fit_tally(number + 1)
        self.machine.tally[number] = 0
        code = RuleCode(rule, number, plans, whole, fold=fold, everywhere=everywhere, sends=sends)
        self._numbers[number] = code
        self.place_code(code, same)
        assert rule.label is not None
        self.codes[rule.label] = code
        return code

    def place_code(self, code: RuleCode, same: frozenset[str]) -> None:
        """Assemble the plans of a rule for a stratum with these relations."""

        everywhere = code.everywhere and self.partitions > 1

        def add(plan: Plan) -> int:
            return self.machine.add_code(self.assembler.assemble(plan, code.number, same, everywhere))

        code.places = [add(plan) for plan in code.plans]
        code.whole_place = add(code.whole)
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
        self._running = True
        self._saved_clock = int(self.machine.state[at.CLOCK])
        self._saved_bases = self.relations.directory[:, at.RANK_BASE].copy()
        self._pending.clear()
        self._touched.clear()
        self._folded_away.clear()

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

    def absorb_lost_rules(self, parcel: Parcel) -> None:
        """Supports that removed rules lose on other partitions."""
        self.machine.reset_queue()
        self._absorb(at.OLD_RULE, parcel, -1)
        self._touched.update(self.relations.numbers[name] for name in parcel)
        self._set_aside(self.machine.queue.copy())

    def absorb_comparisons(self, parcel: Parcel, sign: int) -> None:
        """Supports that other partitions compare anew, counted (1) or discounted (-1)."""
        self._absorb(at.OLD_RULE, parcel, 2 * sign)
        self._touched.update(self.relations.numbers[name] for name in parcel)

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
        numbers = [self.relations.numbers[name] for name in names]
        found = (ranks(self.relations.records(n), rank_base(self.relations, n)) for n in numbers)
        return max((int(part.max(initial=0)) for part in found), default=0)

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
        highest = close_ranks([(self.relations.records(n), rank_base(self.relations, n)) for n in numbers])
        self.relations.directory[numbers, at.RANK_BASE] = 0
        return highest

    def set_clock(self, rank: int) -> None:
        """After `close_ranks` of all strata: the highest rank there is."""
        self.machine.state[at.CLOCK] = rank

    def net_changes(self, stratum: Stratum) -> dict[int, Changes]:
        """What the stratum hands to those above: facts suspended and revived are no change."""
        found: dict[int, Changes] = {}
        for name in stratum.relations:
            number = self.relations.numbers.get(name)
            changes = None if number is None else net_changes(self.relations, number)
            if number is not None and changes is not None:
                found[number] = changes
        return found

    def commit(self) -> None:
        """What is new becomes old."""
        self._running = False
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
        """Back to the state at `begin`; nothing happens if no epoch runs."""
        if not self._running:
            return
        self._running = False
        with self.lock:
            for number in range(len(self.relations.names)):
                if self.relations.directory[number, at.JROWS]:
                    support.undo(self.relations.directory, self.relations.indexes, number)
                    self.relations.trim_journal(number)
            bases = self._saved_bases
            self.relations.directory[: len(bases), at.RANK_BASE] = bases
            self.relations.directory[len(bases) :, at.RANK_BASE] = 0
            self.relations.directory[:, at.CANDIDATES] = 0
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
            records = self.relations.records(self.relations.numbers[name])
            return records[present(records), :STATE].copy()

    def counts(self, name: str) -> tuple[Cells, Cells, Cells, Cells, npt.NDArray[Any]]:
        """Columns, ranks, ``all``, ``low`` and assertion of the facts of a relation at the last committed epoch."""
        with self.lock:
            number = self.relations.numbers[name]
            records = self.relations.records(number)
            facts = records[present(records)]
            found = ranks(facts, rank_base(self.relations, number))
            return facts[:, :STATE].copy(), found, all_counts(facts), low_counts(facts), asserted(facts)

    # Inner workings

    def _touch(self, name: str) -> None:
        self._touched.add(self.relations.numbers[name])

    def _set_aside(self, items: Cells) -> None:
        """Facts that lost their last support of lower rank wait for the retract phase of their stratum."""
        for number in np.unique(items >> 32):
            mine = items[(items >> 32) == number]
            self._pending[int(number)] = joined([self._pending.get(int(number), NOTHING), mine])

    @property
    def pending(self) -> set[str]:
        """The relations with facts set aside."""
        return {self.relations.names[n] for n, items in self._pending.items() if len(items)}

    def _call(self, number: int, args: tuple[int, ...]) -> int:
        return call_function(self.assembler.memories[number], args, self.functions, self.dictionary)

    def _trim_memories(self) -> None:
        for number in self.assembler.memories:
            if self.relations.live(number) > MEMORY_LIMIT:
                self.relations.clear(number)
