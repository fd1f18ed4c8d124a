"""A team: the threads of an engine work on one partition side by side (`kernel.team`).

Law (D34): threads affect only speed. Small work, and rules that call Python or choose a least value, stay on the
calling thread; a run that stops is settled, so that between slices everything is as if one thread had done it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tidelog.kernel import blocks, claim, link_rows, steps, team
from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells, address
from tidelog.partition.base.counters import Counters
from tidelog.partition.base.workers import Workers
from tidelog.partition.code.assemble import GENERATORS, VARIABLES
from tidelog.partition.memory.relations import Relations
from tidelog.partition.memory.widen import widen

HANDFUL = 256  # free records, journal entries or places of the queue that a thread takes at once
WORTH = 1 << 18  # rows that shared work must be expected to visit: about 15 milliseconds
LEAST = 1 << 10  # rows that a batch must be expected to visit for a run to continue
WAITS_FOR_ALL = False  # if True, a run does not begin without all threads, as tests require
FIRST_RATE = 16  # rows that an item is expected to visit before anything is measured
# Fields of a machine that are not copied from another, and those that begin at zero.
SEPARATE = [at.OUT, at.OUTCAP, at.STRIDE, at.SCRATCH, at.BLOCK, at.COUNTS, at.VISITS]
FROM_NOTHING = [at.OUTN, at.APPLIED, at.ITEM, at.END, at.FACTS, at.SUSPENDED, at.VISITED]
WORST_FIRST = (at.FAULT, at.BROKEN, at.OVERCOUNTED, at.OVER, at.GROW_RELATION, at.GROW_QUEUE, at.SLICE)
SETTLED = 1 << 14  # rows that a thread commits at a time
NO_CELLS: Cells = np.zeros(0, np.int64)
Part = Callable[[int], int]


class Frame(NamedTuple):
    """What the calling thread fires with; other threads have separate registers, cursors, ranks and tallies."""

    code: Cells
    registers: Cells
    cursors: Cells
    ranks: Cells
    tally: Cells
    items: Cells
    spans: Cells
    plans: Cells
    sign: int


class Team:
    """The threads that may work on a partition, each with a separate machine; thread 0 uses that of the partition."""

    def __init__(self, state: Cells, relations: Relations, threads: int) -> None:
        self.threads = threads
        self.state = state  # of the partition
        self.handful, self.worth, self.least = HANDFUL, WORTH, LEAST
        self.waits_for_all = WAITS_FOR_ALL
        self.rate = FIRST_RATE
        self.items_worth = max(1, self.worth // self.rate)  # items that are worth sharing
        self.facts_worth = max(1, self.worth // 4)  # base facts that are worth sharing
        self._relations = relations
        self._workers = relations.workers = Workers(threads)
        self._cells: Cells = np.zeros(claim.MEMBERS + claim.MEMBER_CELLS * threads, np.int64)
        self._machines: list[Cells] = [state, *(np.zeros_like(state) for _ in range(1, threads))]
        self._registers: list[Cells] = []
        self._counts: Cells = np.zeros((threads, 0), np.int64)
        self._visits: Cells = np.zeros((threads, 0), np.int64)
        self._tallies: Cells = np.zeros((threads, 0), np.int64)
        self._is_running = False
        self._cursors: Cells = np.zeros((threads, GENERATORS), np.int64)
        self._ranks: Cells = np.zeros((threads, GENERATORS), np.int64)
        self._scratch: Cells = np.zeros((threads, VARIABLES), np.int64)
        self._blocks: Cells = np.zeros((threads, blocks.CELLS), np.int64)
        self._shares: Cells = np.zeros((0, 0), np.int64)  # consecutive blocks, one for each thread
        self._index_shares: Cells = np.zeros((0, 0), np.int64)
        self._sent: list[Cells] = [np.zeros((0, 0), np.int64)] * threads
        for number, machine in enumerate(self._machines):
            self._cells[self._member(number) + claim.M_MACHINE] = address(machine)
            if number:
                machine[at.SCRATCH] = address(self._scratch[number])
                machine[at.BLOCK] = address(self._blocks[number])

    def close(self) -> None:
        """End the threads."""
        self._workers.close()

    def may_run(self, code: Cells, plans: Cells) -> bool:
        """Whether plans do nothing but walk and send, and what they send does nothing but count."""
        return not self.chooses and bool(team.only_walks(code, plans))

    @property
    def chooses(self) -> bool:
        """Whether facts go to the heap of a min or max."""
        return bool(self._machines[0][at.HTAIL] or self._relations.directory[:, at.CANDIDATES].any())

    # A run

    def begin(self, kind: int, *, reads: bool) -> None:
        """Begin a run with what the machine of the partition has not fired of its batch.

        ``reads``: indexes that are read catch up first (`open`).
        """
        state, cells = self._machines[0], self._cells
        under_way = state[at.PC] >= 0 or state[at.TRIGGER] >= 0  # an item in progress, which it finishes itself
        first, limit = int(state[at.ITEM]) + int(under_way), int(state[at.END])
        state[at.END] = first
        cells[: claim.THREADS] = 0
        cells[claim.THREADS : claim.MEMBERS] = 0
        cells[[claim.THREADS, claim.HANDFUL, claim.KIND]] = self.threads, self.handful, kind
        cells[[claim.BEGIN, claim.END_OF_BATCH, claim.NEXT, claim.LIMIT]] = state[at.QHEAD], limit, first, limit
        cells[[claim.START, claim.STEP, claim.INDEX]] = first, claim.LINKING if reads else claim.FIRING, -1
        cells[claim.GRAIN] = self._grain(limit - first)
        cells[[claim.LEAST, claim.RATE, claim.VISITED_BEFORE]] = self.least, self.rate, state[at.VISITED]
        # Thread 0 may have an item in progress: no step ends without it. The others may join later.
        awaited = self.threads if self.waits_for_all else 1
        cells[claim.ACTIVE] = awaited
        for number in range(self.threads):
            cells[self._member(number) + claim.M_JOINED] = int(number < awaited)
        self._registers = []
        self._is_running = True
        for number in range(1, self.threads):
            self._equip(number)

    def _equip(self, number: int) -> None:
        """Equip a thread's machine with what it needs to take part."""
        state, machine, sent = self._machines[0], self._machines[number], self._sent[number]
        kept = machine[SEPARATE]
        machine[:] = state
        machine[SEPARATE] = kept
        machine[FROM_NOTHING] = 0
        machine[at.PC] = machine[at.TRIGGER] = -1
        shape = int(state[at.OUTCAP]), int(state[at.STRIDE])
        if sent.shape != shape:
            sent = self._sent[number] = np.zeros(shape, np.int64)
            machine[[at.OUT, at.OUTCAP, at.STRIDE]] = address(sent), *shape

    def open(self, code: Cells, plans: Cells) -> None:
        """Before a run begins or continues, choose what to link, if linking is the next step."""
        if self._cells[claim.STEP] == claim.LINKING:
            relations = self._relations
            relations.catch_up_ordered()
            link_rows.make_readable_shared(address(self._cells), relations.directory, relations.indexes, code, plans)

    def open_index(self, index: int) -> None:
        """The same for one index that must catch up."""
        first, limit = self._waiting(index)
        values = index, first, limit, self._grain(limit - first)
        self._cells[[claim.INDEX, claim.NEXT, claim.LIMIT, claim.GRAIN]] = values

    def is_worth_linking(self, index: int) -> bool:
        """Whether many rows of an index are pending."""
        first, limit = self._waiting(index)
        return limit - first >= self.facts_worth and not self._relations.indexes.item(index, at.ORDER)

    def go_on(self, part: Part, registers: Cells, tally: Cells, counters: Counters) -> int:
        """Continue the run until a thread must stop; returns the reason, DONE if there is none."""
        state, cells = self._machines[0], self._cells
        cells[[claim.STOP, claim.WAITING]] = 0
        cells[[claim.TAIL, claim.TAILCAP]] = state[[at.QTAIL, at.QCAP]]
        for machine in self._machines:
            machine[[at.QUEUE, at.BUDGET]] = state[[at.QUEUE, at.BUDGET]]
            machine[[at.QTAIL, at.QCAP]] = 0
        self._fit_shares()
        self._fit_counts(counters)
        self._fit_registers(registers)
        try:
            statuses = self._workers.run(self._stopping(part))
        finally:
            tables = self._relations.directory, self._relations.indexes
            claim.settle(address(cells), *tables, self._shares, self._index_shares)
            tally += self._tallies.sum(axis=0)[: len(tally)]
            counters.add(self._counts.sum(axis=0), self._visits.sum(axis=0))
            self._tallies[:] = self._counts[:] = self._visits[:] = 0
        return self._report(statuses)

    @property
    def position(self) -> tuple[int, int] | None:
        """During a run: how many items are fired or being fired, and how many there are with the batch."""
        if not self._is_running:
            return None
        if self._cells[claim.STEP] == claim.LINKING:
            return int(self._cells[claim.START]), int(self._cells[claim.END_OF_BATCH])
        limit = int(self._cells[claim.LIMIT])
        return min(int(self._cells[claim.NEXT]), limit), limit

    def end(self) -> bool:
        """End a run that is closed; returns whether all is done, or the machine of the partition continues alone."""
        state, cells = self._machines[0], self._cells
        self._is_running = False
        self.rate = int(cells[claim.RATE])
        self.items_worth = max(1, self.worth // self.rate)
        state[at.PC] = state[at.TRIGGER] = -1
        state[at.STAGE] = 0
        if cells[claim.KIND] != steps.QUEUE_OF_BATCHES:
            state[at.ITEM] = state[at.END] = cells[claim.END_OF_BATCH]
            return True
        state[at.QHEAD] = state[at.ITEM] = cells[claim.BEGIN]
        state[at.END] = cells[claim.END_OF_BATCH]
        if cells[claim.CLOSED] == steps.ENDED:
            state[at.SHOWN] = 0
            return True
        return False

    # Parts

    def firing(self, frame: Callable[[], Frame]) -> Part:
        """The part of a thread in firing items."""
        relations, machines, where = self._relations, self._machines, address(self._cells)

        def part(number: int) -> int:
            own = frame()
            if number:
                own = own._replace(
                    registers=self._registers[number],
                    cursors=self._cursors[number],
                    ranks=self._ranks[number],
                    tally=self._tallies[number],
                )
            share = *self._share(number), machines[number]
            status: int = team.take_part(where, number, relations.directory, relations.indexes, *share, *own)
            return status

        return part

    def changing(self, relation: int, rows: Cells, flag: int) -> Part:
        """The part of a thread in adding a support to facts, or removing it."""
        relations, where = self._relations, address(self._cells)

        def part(number: int) -> int:
            share = *self._share(number), self._machines[number]
            status: int = team.change_shared(
                where,
                number,
                relations.directory,
                relations.indexes,
                *share,
                NO_CELLS,
                NO_CELLS,
                relation,
                address(rows),
                rows.shape[1],
                flag,
            )
            return status

        return part

    def linking(self) -> Part:
        """The part of a thread in letting an index catch up."""
        relations, where = self._relations, address(self._cells)

        def part(number: int) -> int:
            share = *self._share(number), self._machines[number]
            directory, indexes = relations.directory, relations.indexes
            status: int = team.link_part(where, number, directory, indexes, *share, NO_CELLS, NO_CELLS)
            return status

        return part

    def settle_present(self, number: int) -> bool:
        """Mark the facts of a relation that was empty as old; False if records must be freed, or facts are few."""
        rows = self._relations.directory.item(number, at.ROWS)
        if rows < self.facts_worth or not self._relations.live(number):
            return False
        cells: Cells = np.zeros(claim.MEMBERS, np.int64)
        cells[[claim.LIMIT, claim.GRAIN]] = rows, max(1, min(SETTLED, rows // (4 * self.threads)))
        where, directory = address(cells), self._relations.directory
        return sum(self._workers.run(lambda _: team.settle_present(where, directory, number))) == 0

    # Inside a slice

    def _grain(self, count: int) -> int:
        return max(1, min(link_rows.MOST_GRAIN, count // (16 * self.threads)))

    def _waiting(self, index: int) -> tuple[int, int]:
        relation = self._relations.indexes.item(index, at.REL)
        return self._relations.indexes.item(index, at.LINKED), self._relations.directory.item(relation, at.ROWS)

    def _member(self, number: int) -> int:
        return claim.MEMBERS + claim.MEMBER_CELLS * number

    def _fit_shares(self) -> None:
        directory, indexes = self._relations.directory, self._relations.indexes
        if len(self._shares) != self.threads * len(directory):
            self._shares = np.zeros((self.threads * len(directory), directory.shape[1]), np.int64)
        if len(self._index_shares) != self.threads * len(indexes):
            self._index_shares = np.zeros((self.threads * len(indexes), indexes.shape[1]), np.int64)

    def _share(self, number: int) -> tuple[Cells, Cells]:
        """One thread's information about relations and indexes."""
        relations, keys = len(self._shares) // self.threads, len(self._index_shares) // self.threads
        own = slice(number * relations, (number + 1) * relations), slice(number * keys, (number + 1) * keys)
        return self._shares[own[0]], self._index_shares[own[1]]

    def _fit_counts(self, counters: Counters) -> None:
        cells, rules = counters.sizes
        if (self._counts.shape[1], self._visits.shape[1]) != (cells, rules):
            self._counts, self._visits, self._tallies = (
                np.zeros((self.threads, length), np.int64) for length in (cells, rules, rules)
            )
        for number in range(1, self.threads):
            places = address(self._counts[number]), address(self._visits[number])
            self._machines[number][[at.COUNTS, at.VISITS]] = places

    def _fit_registers(self, registers: Cells) -> None:
        """Give every thread registers; constants that a new plan needs are the same for all."""
        self._registers = self._registers or [registers] * self.threads
        for number in range(1, self.threads):
            own = registers.copy()
            own[:VARIABLES] = self._registers[number][:VARIABLES]
            self._registers[number] = own
        self._registers[0] = registers

    def _stopping(self, part: Part) -> Part:
        """The same part, except that other threads do not keep waiting for it when it fails."""

        def guarded(number: int) -> int:
            try:
                return part(number)
            except BaseException:
                self._cells[claim.STOP] = 1
                raise

        return guarded

    def _report(self, statuses: list[int]) -> int:
        """The worst status; makes room for all, and copies what the worst machine needs to that of the partition."""
        state, more = self._machines[0], self.threads * (self.handful + int(self._cells[claim.GRAIN]))
        for machine, status in zip(self._machines, statuses, strict=True):
            if status == at.GROW_RELATION:
                widen(self._relations, int(machine[at.NEED]), more)
        for worst in WORST_FIRST:
            if worst in statuses:
                number = statuses.index(worst)
                state[at.NEED] = self._machines[number][at.NEED]
                if worst in (at.FAULT, at.OVERCOUNTED) and number:
                    state[[at.TRIGGER, at.PLAN]] = self._machines[number][[at.TRIGGER, at.PLAN]]
                    self._registers[0][:] = self._registers[number]
                return worst
        return at.DONE


@dataclass(slots=True)
class TeamTask:
    """How a team would run what one thread runs, and whether it may."""

    crew: Team
    kind: int
    sign: int
    part: Part
    check: Callable[[], bool] = lambda: True
    open: Callable[[], None] | None = None  # prepares the indexes that plans read
    _answer: bool | None = None

    @property
    def is_possible(self) -> bool:
        """Whether a team may run it at all; asked once, and only when there is much to do."""
        if self._answer is None:
            self._answer = self.check()
        return self._answer
