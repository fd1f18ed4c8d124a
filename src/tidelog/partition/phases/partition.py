"""One partition: its facts, its rules, and the beginning and the end of epochs.

Laws: I1 and I2 of the design hold after every committed epoch; an epoch that is undone leaves no trace. The phases in
between are functions over a partition: `retract`, `gain`, `clean_up`, `rule_supports`. The caller (`runtime`) decides
which strata to visit and in which order; the partition keeps the counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tidelog.kernel import layout as at
from tidelog.kernel import settle
from tidelog.kernel.cells import Cells
from tidelog.partition.base.demanded_groups import DemandedGroups
from tidelog.partition.code.answers import answer, room_left
from tidelog.partition.code.assemble import Assembler
from tidelog.partition.code.call import call_function
from tidelog.partition.code.fold import Fold
from tidelog.partition.code.instance_model import InstanceModel
from tidelog.partition.code.machine import Machine, close_machine, nothing
from tidelog.partition.code.replan import Replanner
from tidelog.partition.code.rules import Rules
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.partition.memory.committed_facts import CommittedFacts
from tidelog.partition.memory.journal import NOTHING, unmark
from tidelog.partition.memory.query_indexes import QueryIndexes
from tidelog.partition.memory.records import STATE, asserted, counts_of, later, present, rank_base
from tidelog.partition.memory.relations import BRIEF, Relations
from tidelog.partition.memory.trim import LONG_JOURNAL, clear, trim, trim_journal
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.functions.table import Function
from tidelog.rewrite.place.placement import MIRRORED

MEMORY_LIMIT = 1 << 20


@dataclass(slots=True)
class OpenEpoch:
    """The initial state of an epoch that is not in journals, and what one phase leaves for a later one."""

    is_open: bool = False
    clock: int = 0
    rank_bases: Cells = field(default_factory=lambda: NOTHING)
    touched: set[int] = field(default_factory=set)  # relations whose journal a commit reads
    pending: dict[int, Cells] = field(default_factory=dict)  # suspended before their stratum is visited, by relation
    fold_gains: list[tuple[RuleCode, Cells]] = field(default_factory=list)  # results to add once all is retracted
    folds: dict[int, Fold | InstanceModel] = field(default_factory=dict)  # whose groups the epoch touched, by identity
    rebuilt: dict[int, tuple[int, int]] = field(default_factory=dict)  # rules built again: tally and losses till then
    demanded_groups: dict[str, DemandedGroups] = field(default_factory=dict)  # of aggregates in recursion, by label
    settle_visited: Callable[[], None] = nothing  # commits the relations of strata that a trip visited
    losses_seen: int = 0  # items of the queue of losses that were searched for their groups
    arriving: tuple[int, int] | None = None  # the phase and sign in which messages may be counted when they arrive
    fold_messages: list[tuple[int, int, Cells]] = field(default_factory=list)  # partition, relation, rows to be sent


class Partition:
    """The state of one partition."""

    def __init__(
        self,
        functions: Mapping[str, tuple[Function, ...]],
        number: int = 0,
        partitions: int = 1,
        dictionary: Dictionary | None = None,
        threads: int = 1,
    ) -> None:
        self.functions = functions
        self.number, self.partitions = number, partitions
        self.dictionary = Dictionary() if dictionary is None else dictionary
        self.relations = Relations()
        self.assembler = Assembler(self.relations, self.dictionary)
        self.machine = Machine(self.relations, self.assembler, self._call, answer, number, partitions, threads)
        self.replanner = Replanner(self.machine, self.assembler, functions, partitions)
        self.machine.refresh = self.replanner.refresh
        self.machine.functions = functions
        self.machine.texts = lambda: self.dictionary.entries.memory
        self.rules = Rules(self.machine, self.replanner)
        self.epoch = OpenEpoch()
        self.spans: Cells = np.zeros((64, 2), np.int64)  # scratch of `fire`
        self.committed = CommittedFacts(self.relations)
        self.kept = QueryIndexes(self.relations)
        self._drops = 0
        self.closings = 0  # how often all ranks were renumbered

    def close(self) -> None:
        """Stop the threads; the memory is freed with the last reader. No epoch can be run afterwards."""
        close_machine(self.machine)

    def memory(self) -> int:
        """Bytes held by facts, indexes, journals, and the texts that are counted for this partition."""
        folds = sum(code.fold.memory for code in list(self.rules.codes.values()) if isinstance(code.fold, Fold))
        folds += sum(model.memory for model in list(self.rules.models.values()))
        return self.relations.memory() + folds + self.dictionary.memory_at(self.number)

    def add_relation(self, name: str, arity: int, place: int = 0) -> int:
        """The number of a relation, which is created if missing; ``place`` determines the owners of its facts."""
        number = self.relations.add(name, arity)
        self.relations.directory[number, at.PLACE] = place
        self.machine.messages.fit(arity)
        return number

    def renew_relation(self, name: str, arity: int, place: int = 0) -> None:
        """Replace a relation by an empty one, in the same stratum; no rule may read or derive it now."""
        directory, before = self.relations.directory, self.relations.numbers[name]
        base = directory[before, at.RANK_BASE]
        number = self.relations.create(name, arity)
        self.relations.directory[number, [at.PLACE, at.RANK_BASE]] = place, base
        self.machine.messages.fit(arity)

    # Ranks

    @property
    def clock(self) -> int:
        """The greatest depth of a rank assigned or seen, with the clock: no rank is above."""
        return int(self.machine.state[at.CLOCK])

    def raise_clock(self, rank: int) -> None:
        """Ensure that revived facts rank above ``rank``, and later facts of its depth after it."""
        self.set_clock(later(self.clock, rank))

    def set_clock(self, rank: int) -> None:
        """Set the highest rank after the ranks of all strata are closed up."""
        self.machine.state[at.CLOCK] = rank

    # Epochs

    def begin(self) -> None:
        """Start an epoch; remembered results of functions are dropped if texts were, since they may refer to these."""
        if self._drops != self.dictionary.drops:
            self._drops = self.dictionary.drops
            self._trim_memories(0)
        rows, rank_bases = np.empty((2, len(self.relations.names)), np.int64)
        self.machine.start_epoch(rows, rank_bases)
        self.relations.replaced.clear()
        self.committed.epoch_begins(rows)
        self.replanner.start_epoch()
        self.epoch = OpenEpoch(True, self.clock, rank_bases)

    def touch(self, stratum: Stratum) -> list[int]:
        """The numbers of a stratum's relations, whose records the epoch is about to touch."""
        numbers = self.relations.numbers
        members = [numbers[name] for name in stratum.relations if name in numbers]
        self.epoch.touched.update(members, *((c.shown, c.candidates) for c in stratum.choices))
        return members

    @property
    def pending(self) -> set[str]:
        """The relations with facts that were suspended before their stratum is visited."""
        return {self.relations.names[n] for n, items in self.epoch.pending.items() if len(items)}

    def commit(self, shown: Callable[[], None] = lambda: None) -> None:
        """Commit the epoch: readers see it at once, ``shown`` is called at that moment, then records are settled."""
        self.machine.end_epoch()
        self.committed.show(shown)
        if self.epoch.is_open:
            self.rules.count_supports(self.epoch.rebuilt)
        ended, self.epoch = self.epoch, OpenEpoch()
        ended.settle_visited()
        for number in ended.touched:
            built = self.relations.directory.item(number, at.FRESH)
            if built and self.machine.settle_present(number):
                self.relations.directory[number, [at.JROWS, at.FRESH]] = 0
            else:
                brief = self.relations.directory.item(number, at.ROWS if built else at.JROWS) <= BRIEF
                settle.commit.when_brief(brief)(self.relations.directory, self.relations.indexes, number)
            if built:
                trim(self.relations, number)
            if self.relations.directory.item(number, at.JCAP) > LONG_JOURNAL:
                trim_journal(self.relations, number)
        self.committed.epoch_ends()
        for number in self.relations.replaced.values():
            clear(self.relations, number)
        self.machine.queue.trim()
        self.machine.messages.forget_leaving()
        for fold in ended.folds.values():
            fold.commit()
        self._trim_memories()
        self.kept.epoch_ends()

    def undo(self) -> None:
        """Restore the state at `begin`; does nothing if no epoch is open."""
        self.machine.end_epoch()
        if not self.epoch.is_open:
            return
        before, self.epoch = self.epoch, OpenEpoch()
        self.machine.messages.forget_leaving()
        self._undo_records(before.rank_bases)
        self.relations.numbers.update(self.relations.replaced)
        self.committed.epoch_ends()
        for fold in before.folds.values():
            fold.undo()
        self.set_clock(before.clock)

    def _undo_records(self, rank_bases: Cells) -> None:
        directory = self.relations.directory
        unmark(self.relations, self.machine.queue.items)
        for number in range(len(self.relations.names)):
            if directory[number, at.FRESH] and directory[number, at.ROWS] and number not in self.assembler.memories:
                clear(self.relations, number)
            elif directory[number, at.JROWS]:
                settle.undo(directory, self.relations.indexes, number)
                trim_journal(self.relations, number)
        directory[: len(rank_bases), at.RANK_BASE] = rank_bases
        directory[len(rank_bases) :, at.RANK_BASE] = 0
        directory[:, at.CANDIDATES] = 0

    def _trim_memories(self, most: int = MEMORY_LIMIT) -> None:
        for number in self.assembler.memories:
            if self.relations.live(number) > most:
                clear(self.relations, number)

    # Reading

    def rows(self, name: str, *, by_column: bool = False) -> Cells:
        """The columns of the facts of a relation at the last committed epoch."""
        return self.committed.rows(name, by_column=by_column)

    def counts(self, name: str) -> tuple[Cells, Cells, Cells, Cells, npt.NDArray[Any]]:
        """Columns, ranks, ``all``, ``low`` and assertion of the facts of a relation; no epoch runs."""
        return counts_of(self.committed.records(name), rank_base(self.relations, self.relations.numbers[name]))

    def asserted_rows(self, name: str) -> Cells:
        """The asserted facts of a relation before the epoch; of facts on every partition, the first returns all."""
        number = self.relations.numbers[name]
        records = self.relations.records(number)
        if self.number and self.relations.directory[number, at.PLACE] == MIRRORED:
            return records[:0, :STATE].copy()
        return np.ascontiguousarray(records[present(records) & asserted(records), :STATE])

    def running_label(self) -> str | None:
        """The label of the rule whose join runs now, if one does."""
        if self.machine.state[at.PC] < 0:
            return None
        code = self.rules.numbered(self.machine.current_rule())
        return None if code is None else code.label

    def _call(self, number: int, args: tuple[int, ...]) -> int:
        step = self.assembler.memories[number]
        return call_function(step, args, self.functions, self.dictionary, lambda: room_left(self.machine))
