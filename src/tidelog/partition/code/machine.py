"""The machine: state of a running phase, driven in slices.

Law (D19): a kernel call returns after at most some tens of milliseconds; between slices Python checks limits, signals
and progress, makes room, and computes functions. The next slice resumes where the last one stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from tidelog.kernel import aggregate, batches, blocks, steps, support
from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells, address
from tidelog.kernel.library import NoKernel
from tidelog.kernel.scalar import fault_of
from tidelog.kernel.visit import begin_epoch
from tidelog.kernel.warm import make_ready
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.base.choice_lists import FIELDS, ChoiceLists
from tidelog.partition.base.counters import KEPT as COUNTER_FIELDS
from tidelog.partition.base.counters import Counters
from tidelog.partition.base.limits import Limits, check_facts, check_memory
from tidelog.partition.code.assemble import GENERATORS, VARIABLES, Assembler, Choice
from tidelog.partition.code.fault import fault_error
from tidelog.partition.code.team import Frame, Team, TeamTask
from tidelog.partition.memory.journal import too_many_supports
from tidelog.partition.memory.messages import Messages
from tidelog.partition.memory.queue import NO_CELLS, Queue
from tidelog.partition.memory.records import later
from tidelog.partition.memory.relations import BRIEF, Relations
from tidelog.partition.texts.texts import KnownRecords
from tidelog.program.functions.table import FUNCTIONS, Function

KEPT = [
    at.CLOCK,
    at.QUEUE,
    at.QCAP,
    at.OUT,
    at.OUTCAP,
    at.STRIDE,
    at.SCRATCH,
    at.BLOCK,
    at.PARTITIONS,
    at.OWN,
    at.AWAY,
    at.AWAYCAP,
    at.AWAYTAB,
    at.AWAYMASK,
    at.IDS,
    at.ID_RECORDS,
    at.ID_MASK,
    at.ID_COUNT,
    *FIELDS,
    *COUNTER_FIELDS,
]  # of the state, from one epoch to the next
KEPT_FIELDS: Cells = np.isin(np.arange(at.STATE_FIELDS), KEPT).astype(np.int64)
DURING = [
    at.PHASE,
    at.APPLIED,
    at.BUDGET,
    at.NEED,
]  # of the state, what applying arrived messages changes besides counts
ARRIVING = 1 << 16  # messages from other partitions applied in one call of the kernel (D19)
SLICE_SECONDS = 0.025
EXPECTED, LITTLE = 1 << 14, 1 / 64  # facts, and the share of a batch, from which on the final number is estimated
FIRST_BUDGET = 1 << 14  # rows visited before checking whether the rest is worth sharing among threads


def load_kernel() -> None:
    """Load or compile the kernel, once in a process."""
    try:
        make_ready()
    except NoKernel as error:
        raise failures.NO_KERNEL.error(reason=str(error)) from None


def nothing() -> None:
    """The default callback between slices."""


def no_items() -> Cells:
    """The items of a machine that fires nothing."""
    return NO_CELLS


def no_texts() -> int:
    """Bytes of texts where there are none."""
    return 0


def refused(number: int, args: tuple[int, ...]) -> int:
    """The functions of a machine that is closed."""
    raise AssertionError(f"function {number} is called after the end")


def close_machine(machine: Machine) -> None:
    """Stop the threads, and drop references to the machine's owner: the memory is freed with the last reader."""
    if machine.team is not None:
        machine.team.close()
    machine.refresh = machine.on_slice = machine.relieve = machine.send = nothing
    machine.texts, machine.call = no_texts, refused


class CostComparison(Protocol):
    """Compares the cost of a retraction with that of a rebuild (`phases/scale`)."""

    budget: int
    reason: str

    def tips(self) -> bool:
        """Whether a rebuild is cheaper than continuing."""


class Progress(NamedTuple):
    """What an epoch has done so far: batches fired, supports found or lost, facts suspended and revived.

    The numbers only grow until its end, and may be read while a kernel runs.
    """

    batches: int
    supports: int
    suspended: int
    revived: int


class Machine:
    """Registers, queue and messages of a partition, and the loop that drives kernels over them."""

    def __init__(
        self,
        relations: Relations,
        assembler: Assembler,
        call: Callable[[int, tuple[int, ...]], int],
        answer: Callable[[Machine, int], None],
        number: int = 0,
        partitions: int = 1,
        threads: int = 1,
    ) -> None:
        load_kernel()
        self.relations = relations
        self.assembler = assembler
        self.call = call
        self.state: Cells = np.zeros(at.STATE_FIELDS, np.int64)
        self.registers: Cells = np.zeros(VARIABLES, np.int64)
        self.cursors: Cells = np.zeros(GENERATORS, np.int64)
        self.ranks: Cells = np.zeros(GENERATORS, np.int64)
        self.counted: Cells = np.zeros((2, 64), np.int64)  # supports found by each rule, and those lost
        self.tally, self.losses = self.counted
        self.code: Cells = np.zeros(1024, np.int64)
        self.code_length = 0
        self.limits = Limits()
        self.texts: Callable[[], int] = no_texts  # bytes of texts and lists
        self.texts_seen = 0  # their number when the memory limit was last checked
        self.on_slice: Callable[[], None] = nothing
        self.relieve: Callable[[], None] = nothing  # counts messages that have arrived, if there are too many
        self.send: Callable[[], None] = nothing  # sends the messages that fill their window
        self.refresh: Callable[[], None] = nothing  # replaces plans that have been outgrown
        self.answer = answer  # computes the function that a kernel stopped for
        self.functions: Mapping[str, tuple[Function, ...]] = FUNCTIONS
        self.batch: Callable[[], Cells] = no_items  # the items that are fired
        self.ahead: dict[int, int] = {}  # facts for which functions were last computed ahead, by place of the code
        self.beside: dict[int, Cells] = {}  # their results, beside rows
        self.scale: CostComparison | None = None  # of the running retraction
        self._shown: KnownRecords | None = None  # the part of the dictionary that the kernel sees
        self._budget = 200_000
        self._deadline: float | None = None
        self.scratch: Cells = np.zeros(VARIABLES, np.int64)
        self.state[at.PARTITIONS], self.state[at.OWN] = partitions, number
        self.state[at.SCRATCH] = address(self.scratch)
        self.block: Cells = np.zeros(blocks.CELLS, np.int64)
        self.state[at.BLOCK] = address(self.block)
        self.queue = Queue(self.state)
        self.messages = Messages(self.state)
        self.choices = ChoiceLists(self.state)
        self.counters = Counters(self.state)
        self.state[at.PC] = self.state[at.PLAN] = -1
        self.firing = False  # plans are run
        self._is_brief = False  # the kernel that is called now has little work
        alone = threads == 1 or partitions > 1
        self.team = None if alone else Team(self.state, relations, threads)

    def start_epoch(self, rows: Cells, rank_bases: Cells) -> None:
        """Discard what an earlier epoch left unfinished; note the rows and the rank base of every relation."""
        begin_epoch.when_brief(True)(
            self.relations.directory,
            self.state,
            KEPT_FIELDS,
            self.tally,
            self.losses,
            self.counters.visits,
            rows,
            rank_bases,
        )
        self.scale = None
        self.ahead.clear()
        self.state[at.MOST_BATCHES] = self.limits.rounds or 0
        seconds = self.limits.seconds
        self._deadline = None if seconds is None else time.monotonic() + seconds

    def forget_beside(self) -> None:
        """Forget the results kept beside rows: the rows may belong to other facts from now on."""
        for pc in self.beside:
            self.code[pc + at.A_ROWS] = 0
        self.beside.clear()

    def show_structures(self) -> None:
        """Show the kernel the structures that the dictionary has now, if a plan uses any.

        The memory is kept as long as the kernel may read it: others may grow or drop entries in the meantime.
        """
        if not self.assembler.has_structures:
            return
        known, shown = self.assembler.dictionary.entries.known_records, self._shown
        if shown is None or known.size != shown.size or known.table is not shown.table:
            self._shown = known
            self.state[[at.IDS, at.ID_RECORDS]] = address(known.table), address(known.records)
            self.state[[at.ID_MASK, at.ID_COUNT]] = len(known.table) - 1, known.size

    def add_code(self, cells: list[int]) -> int:
        """Append the code of a plan; returns its place."""
        start, end = self.code_length, self.code_length + len(cells)
        if end > len(self.code):
            self.code = np.concatenate([self.code, np.zeros(max(len(self.code), len(cells)), np.int64)])
            self.counters.fit_code(len(self.code))
        self.code[start:end] = cells
        self.code_length = end
        constants = self.assembler.constants
        if VARIABLES + len(constants) > len(self.registers):
            grown = np.zeros(VARIABLES + 2 * len(constants), np.int64)
            grown[:VARIABLES] = self.registers[:VARIABLES]
            self.registers = grown
        self.registers[VARIABLES : VARIABLES + len(constants)] = constants
        return start

    def fit_tally(self, rules: int) -> None:
        """Make room for the support counts of ``rules`` rules."""
        if rules > len(self.tally):
            self.counted = np.concatenate([self.counted, np.zeros((2, rules), np.int64)], axis=1)
            self.tally, self.losses = self.counted
            self.counters.fit_rules(len(self.tally))

    @property
    def has_work(self) -> bool:
        """Whether facts or candidates are waiting to be fired."""
        return bool(not self.queue.is_done or self.state[at.HTAIL])

    def hide_queue(self) -> None:
        """Hide the facts on the queue from joins."""
        end = self.state.item(at.QTAIL)
        batches.mark.when_brief(end <= BRIEF)(self.relations.directory, self.queue.cells, 0, end, at.VISIBLE, 0)

    def fire(self, phase: int, items: Cells, spans: Cells, plans: Cells, sign: int) -> bool:
        """Fire the plans that the items trigger and apply what they send; False if that was abandoned."""
        state = self.state
        self.batch = lambda: items
        state[at.PHASE] = phase
        state[at.ITEM], state[at.END], state[at.TRIGGER], state[at.STAGE] = 0, len(items), -1, 0
        tally = self.losses if sign < 0 else self.tally
        return self._drive(
            lambda: batches.fire_batch.when_brief(self._is_brief)(
                self.relations.directory,
                self.relations.indexes,
                state,
                self.code,
                self.registers,
                self.cursors,
                self.ranks,
                tally,
                items,
                spans,
                plans,
                sign,
            ),
            self._sharing(steps.ONCE, lambda: items, spans, plans, sign),
            len(items),
            fires=True,
        )

    def run_queue(self, phase: int, spans: Cells, plans: Cells, sign: int) -> bool:
        """Fire the queue until it is empty; False if that was abandoned."""
        self.state[at.PHASE], self.state[at.ITEM] = phase, self.state[at.QHEAD]
        self.batch = lambda: self.queue.cells
        tally = self.losses if sign < 0 else self.tally
        return self._drive(
            lambda: batches.run_queue.when_brief(self._is_brief)(
                self.relations.directory,
                self.relations.indexes,
                self.state,
                self.code,
                self.registers,
                self.cursors,
                self.ranks,
                tally,
                self.queue.cells,
                spans,
                plans,
                sign,
            ),
            self._sharing(steps.QUEUE_OF_BATCHES, lambda: self.queue.cells, spans, plans, sign),
            fires=True,
        )

    def change_facts(self, phase: int, number: int, rows: Cells, flag: int) -> None:
        """Add a support to facts, or remove it: by assertion (flag BASE), or by a fold (flag 0)."""
        state, crew = self.state, self.team
        state[at.PHASE], state[at.ITEM], state[at.END], state[at.TRIGGER] = phase, 0, len(rows), -1
        where, arity = address(rows), rows.shape[1]
        if crew is not None and len(rows) >= crew.facts_worth and not crew.chooses:
            self._share(TeamTask(crew, steps.ONCE, 1, crew.changing(number, rows, flag)))
            return
        self._drive(
            lambda: batches.change_facts.when_brief(len(rows) <= BRIEF)(
                self.relations.directory, self.relations.indexes, state, number, where, arity, flag
            )
        )

    def apply(self, phase: int, number: int, rows: Cells, sign: int) -> None:
        """Apply what arrived for a relation: rows of (body rank, supports, columns); also in the middle of a batch."""
        state = self.state
        kept, is_brief = state[DURING], self._is_brief
        state[at.CLOCK] = later(int(state[at.CLOCK]), int(rows[:, 0].max(initial=0)))  # no rank seen is above it
        state[at.PHASE] = phase
        where = count = 0

        def apply() -> int:
            relations = self.relations
            status: int = support.apply_arrived(
                relations.directory, relations.indexes, state, number, where, count, sign
            )
            return status

        try:
            for first in range(0, len(rows), ARRIVING):
                part = np.ascontiguousarray(rows[first : first + ARRIVING])
                where, count, state[at.APPLIED] = address(part), len(part), 0
                self._drive(apply)
        finally:
            state[DURING], self._is_brief = kept, is_brief

    def revive(self, items: Cells) -> None:
        """Revive suspended facts, given in order of old rank."""
        self.queue.reserve(len(items))
        self.choices.reserve_heap(len(items))
        support.revive(self.relations.directory, self.state, items, len(items))

    def reopen(self, choice: Choice) -> None:
        """Offer the best candidates of groups of a min or max that show nothing."""
        place, relations = 0, self.relations
        relations.catch_up(choice.candidates)
        fixed = (choice.candidates, choice.shown, choice.index, choice.order, choice.column, int(choice.ties))
        while (place := aggregate.reopen(relations.directory, relations.indexes, self.state, *fixed, place)) >= 0:
            self.choices.grow()

    def catch_up(self, number: int) -> None:
        """Link the pending rows of a relation in all its indexes."""
        crew = self.team
        for index in self.relations.indexes_of(number) if crew is not None else ():
            assert crew is not None
            if crew.is_worth_linking(index) and not self.relations.is_unread(index):
                self._share(TeamTask(crew, steps.ONLY_LINKS, 1, crew.linking(), open=partial(crew.open_index, index)))
        self.relations.catch_up(number)

    def settle_present(self, number: int) -> bool:
        """Let a team commit a relation that was empty, if it is large and holds nothing that is absent."""
        return self.team is not None and self.team.settle_present(number)

    def abandon(self) -> None:
        """Abandon all running work, and send nothing of it."""
        self.forget_beside()
        self.state[at.PC] = -1
        self.state[[at.OUTN, at.APPLIED, at.ROUTED, at.ITEM, at.END]] = 0
        self.messages.forget_leaving()
        self.queue.reset()
        self.scale = None

    def look_up(self) -> None:
        """Check limits and signals between slices of work."""
        self.check_limits()
        self.on_slice()

    def _sharing(
        self, kind: int, items: Callable[[], Cells], spans: Cells, plans: Cells, sign: int
    ) -> Callable[[], TeamTask] | None:
        """A function that returns how a team would fire this work; None if there is no team for it."""
        crew = self.team
        if crew is None or abs(sign) != 1:
            self.state[at.SHARE_FROM] = 0
            return None
        self.state[at.SHARE_FROM] = crew.items_worth

        def frame() -> Frame:
            tally = self.losses if sign < 0 else self.tally
            return Frame(self.code, self.registers, self.cursors, self.ranks, tally, items(), spans, plans, sign)

        def share() -> TeamTask:
            check, ready = (lambda: crew.may_run(self.code, plans)), (lambda: crew.open(self.code, plans))
            return TeamTask(crew, kind, sign, crew.firing(frame), check, ready)

        return share

    def _drive(
        self,
        kernel: Callable[[], int],
        share: Callable[[], TeamTask] | None = None,
        items: int = 0,
        *,
        fires: bool = False,
    ) -> bool:
        """Call a kernel until it is done; False if the scale finds that a rebuild is cheaper.

        Work that is large, or turns out to be, is shared among threads. A kernel that ``fires`` is first called for a
        brief slice, with the interpreter lock.
        """
        state, scale, sharing = self.state, self.scale, None
        if share is not None and items >= state.item(at.SHARE_FROM):
            sharing = share()
            done = self._share(sharing)
            if done is not None:
                return done
        self._is_brief = fires  # until it turns out not to be
        if fires:
            self.show_structures()
        while True:
            state[at.BUDGET] = budget = self._next_budget(share is not None)
            began, fired = time.perf_counter(), state.item(at.ITEM)
            status = kernel()
            if status == at.DONE:
                self.check_limits()
                return True
            if status == at.SLICE and self._is_brief:
                self._is_brief = False
            elif status == at.SLICE:
                if budget == self._budget:
                    self._adapt(time.perf_counter() - began)
                self.look_up()
                self.relieve()
                if scale is not None and scale.tips():
                    return False
                self.refresh()
                if share is not None and self._is_much_left(budget, fired):
                    sharing = sharing or share()
                    done = self._share(sharing)
                    if done is not None:
                        return done
            elif status == at.SHARE:
                assert share is not None
                sharing = sharing or share()
                done = self._share(sharing)
                if done is not None:
                    return done
            elif status == at.GROW_RELATION:
                self.check_limits()
                self._grow(int(state[at.NEED]))
            elif status == at.GROW_QUEUE:
                self.queue.double()
            elif status == at.GROW_AWAY:
                if self.messages.is_full:
                    self.send()
                else:
                    self.messages.grow_leaving(self.relations)
            elif status == at.GROW_LISTS:
                self.choices.grow()
            elif status == at.CALL:
                self.answer(self, int(state[at.NEED]))
            else:
                raise self._failure(status, int(state[at.NEED]))

    def _grow(self, number: int) -> None:
        """Make room in a relation; while it is built, for as many facts as the progress so far predicts.

        Inside recursion later facts are often known already, so that the prediction would be too high.
        """
        live, part = self.relations.live(number), self._part_fired()
        is_built = self.relations.directory.item(number, at.FRESH) == 1
        if is_built and live >= EXPECTED and part > LITTLE and self.limits.memory is None:
            sent = live + self.state.item(at.OUTN) - self.state.item(at.APPLIED)  # some messages still wait
            more = int(sent * 1.02 / part) + 1 - live
            self.relations.reserve(number, min(more, live) if self.state[at.PHASE] == at.ASSERT_SAME else more)
        self.relations.grow(number)

    def _part_fired(self) -> float:
        """How much of the batch is fired; of a plan over the whole state, how much of the relation it begins with."""
        item, end, plan = self.state[[at.ITEM, at.END, at.PLAN]].tolist()
        if not self.firing or plan < 0 or item >= end:
            return 0.0
        if self.batch()[item] >= 0:
            return item / end if end >= EXPECTED else 0.0
        step = plan + at.P_BINDS + 3 * int(self.code[plan + at.P_NBIND])
        if self.code[step + at.S_OP] != at.SCAN:
            return 0.0
        rows = self.relations.directory.item(int(self.code[step + at.S_REL]), at.ROWS)
        return self.cursors.item(int(self.code[step + at.S_GEN])) / max(rows, 1)

    def _is_much_left(self, visited: int, fired: int) -> bool:
        """Whether the rest of the batch is worth sharing: ``visited`` rows were visited since ``fired``."""
        assert self.team is not None
        now, end = self.state[[at.ITEM, at.END]].tolist()
        return bool((end - now - 1) * (visited // max(1, now - fired)) >= max(1, self.team.worth))

    def _share(self, sharing: TeamTask) -> bool | None:
        """Let the team continue: True if it finished, False if it was abandoned, None if one thread must continue."""
        if not sharing.is_possible:
            return None
        crew, tally = sharing.crew, self.losses if sharing.sign < 0 else self.tally
        crew.begin(sharing.kind, reads=sharing.open is not None)

        def go_on() -> int:
            if sharing.open is not None:
                sharing.open()
            return crew.go_on(sharing.part, self.registers, tally, self.counters)

        try:
            if not self._drive(go_on):
                return False
        finally:
            done = crew.end()
        self.state[at.SHARE_FROM] = crew.items_worth  # measured during the run
        return True if done else None

    @property
    def position(self) -> tuple[int, int]:
        """How many items were fired or are being fired, and how many there are with the batch."""
        running = None if self.team is None else self.team.position
        return running or (int(self.state[at.ITEM]), int(self.state[at.END]))

    def _next_budget(self, may_be_shared: bool) -> int:
        """The rows that the next slice may visit."""
        budget = self._budget if self.scale is None else min(self._budget, self.scale.budget)
        budget = min(budget, FIRST_BUDGET) if may_be_shared else budget
        return min(budget, BRIEF) if self._is_brief else budget

    def _adapt(self, seconds: float) -> None:
        if seconds > 1.6 * SLICE_SECONDS:
            self._budget = max(10_000, self._budget // 2)
        elif seconds < 0.4 * SLICE_SECONDS:
            self._budget = min(1 << 24, self._budget * 2)

    def end_epoch(self) -> None:
        """Lift the time limit for what follows, such as undoing."""
        self._deadline = None
        self.forget_beside()

    def check_time(self) -> None:
        """Raise LimitError if the epoch has exceeded its time limit."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise failures.TOO_LONG.error(seconds=self.limits.seconds)

    def check_limits(self) -> None:
        """Raise LimitError if the epoch has exceeded a limit."""
        limits = self.limits
        self.check_time()
        if limits.facts is not None:
            check_facts(limits, self.state.item(at.FACTS))
        if limits.memory is not None:
            check_memory(limits, self.relations.memory() + self.texts())
            self.texts_seen = self.texts()

    def _failure(self, status: int, where: int) -> Exception:
        """The error that ends the epoch."""
        if status == at.OVER:
            return failures.TOO_MANY_ROUNDS.error(rounds=self.limits.rounds)
        if status == at.OVERCOUNTED:
            return too_many_supports(self.relations.names[where])
        if status == at.BROKEN:
            name = self.relations.names[where]
            if self.relations.was_read:
                return failures.UNBALANCED.error(name=name)
            return AssertionError(f"the support counts of `{name}` do not balance; this is a defect of Tidelog")
        left, right = (int(self.registers[self.code[where + i]]) for i in (5, 6))
        return fault_error(fault_of(int(self.code[where + 3]), left, right))

    @property
    def progress(self) -> Progress:
        """What the epoch has done so far."""
        value = self.state.item
        return Progress(value(at.BATCHES), int(self.counted.sum()), value(at.SUSPENDED), value(at.REVIVED))

    @property
    def work_done(self) -> tuple[int, int, int]:
        """Batches fired, facts suspended and revived so far."""
        value = self.state.item
        return value(at.BATCHES), value(at.SUSPENDED), value(at.REVIVED)

    @property
    def facts_created(self) -> int:
        """The number of facts that became present so far."""
        return self.state.item(at.FACTS)

    def current_rule(self) -> int:
        """The number of the rule whose plan was started last, -1 before any was."""
        place = int(self.state[at.PLAN])
        return int(self.code[place]) if place >= 0 else -1
