"""The coordinator: one engine over several partitions, each on a separate node.

Law: an epoch is run in rounds (`rounds`); it is committed on all partitions or undone on all. Messages are sent from
node to node and never through the coordinator, which also knows the rules, in a node without facts (`rule_node`).

Recovery (D18): when a node is lost, all nodes are started again from the last committed epoch in the state folder, and
the unfinished epoch is run again, a bounded number of times (`recovery`). Once an epoch is in the state folder it is
committed, whatever happens to the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from tidelog.errors import LimitError
from tidelog.partition.base.limits import Limits
from tidelog.partition.phases.running_rule import names_running_rule
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.ruleset import Ruleset, Schema
from tidelog.plan.work import EpochWork, RuleForm
from tidelog.program import Rule
from tidelog.program.functions.table import Function
from tidelog.runtime.base import runtime_failures as failures
from tidelog.runtime.base.call import Call
from tidelog.runtime.base.distribution import Distribution
from tidelog.runtime.base.outcome import EpochOutcome, join_outcomes
from tidelog.runtime.base.request import NodeLost
from tidelog.runtime.base.runs import Runs
from tidelog.runtime.many.everywhere import PartitionedFacts
from tidelog.runtime.many.handover_of_nodes import HandoverOfNodes
from tidelog.runtime.many.rounds import Rounds
from tidelog.runtime.node.node import Node
from tidelog.runtime.one.rule_node import RuleNode
from tidelog.runtime.protocol.handover import RestartPoint
from tidelog.runtime.protocol.nodes import Nodes
from tidelog.runtime.protocol.recovery import Recovery
from tidelog.runtime.protocol.runtime import DirectRows
from tidelog.runtime.protocol.service import EpochEnd, Service
from tidelog.store.folder.durable import Durable, EpochRecord
from tidelog.store.log.markers import PieceContext, PieceNote
from tidelog.store.log.snapshot import ObsoleteFiles

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class UncommittedEpoch:
    """An epoch that ran and is not committed, under the number of its first run."""

    run: int
    work: EpochWork
    arriving: Sequence[DirectRows]
    keeping: PieceContext | None


class Coordinator:
    """Carries out epochs on several partitions."""

    def __init__(self, functions: Mapping[str, tuple[Function, ...]], nodes: Nodes, dictionary: Dictionary) -> None:
        self.nodes = nodes
        self._rules = RuleNode(functions, dictionary)
        self._distribution = self._before = Distribution.empty(nodes.partitions)
        self._runs = Runs()
        self._rounds = Rounds(nodes)
        self._recovery = Recovery(self._restart, self._position)
        self.facts = PartitionedFacts(nodes, self._recovery, self._rules, self._runs, lambda: self._distribution)
        self._unfinished: UncommittedEpoch | None = None
        self._notes: list[PieceNote] = []  # of the epoch that ran last, if its pieces are durable
        self._beginning, self._next_epoch = RestartPoint(), 0
        self.handover = HandoverOfNodes(
            nodes, self._recovery, self._rules, self._runs, lambda: self._distribution, self._beginning
        )

    @property
    def partitions(self) -> int:
        """How many partitions there are."""
        return self.nodes.partitions

    @property
    def session(self) -> object | None:
        """The Spark session that the partitions live in; None in this process."""
        return self.nodes.session

    @property
    def node(self) -> Node:
        """Where rules, plans and strata are known: a node without facts."""
        return self._rules.node

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary of the engine itself."""
        return self._rules.node.partition.dictionary

    @property
    def on_slice(self) -> Callable[[], None]:
        """The function that is called between slices of work."""
        return self._rounds.on_slice

    @on_slice.setter
    def on_slice(self, call: Callable[[], None]) -> None:
        self._rounds.on_slice = call
        self._rules.watch(call)
        self.nodes.watch(call)

    def close(self) -> None:
        """End the nodes."""
        self._recovery.is_over = True
        self._rules.close()
        self.nodes.close()

    def repeat(self, act: Callable[[], T]) -> T:
        """Do something that the loss of a node may prevent, and repeat it as often as needed."""
        return self._recovery.repeat(act)

    # Epochs

    def set_limits(self, limits: Limits) -> None:
        """Set the limits of every epoch from now on."""
        self._rounds.limits = limits
        self._rules.set_limits(limits)
        self.nodes.ask(Service.set_limits, limits)

    @property
    def limits(self) -> Limits:
        """The limits of every epoch."""
        return self._rounds.limits

    def adopt(
        self,
        arities: Mapping[str, int],
        groups: Iterable[Iterable[str]],
        rules: Iterable[RuleForm],
        places: Mapping[str, int],
    ) -> None:
        """Take over the strata and rules of a state that was read."""
        self._distribution = Distribution.empty(self.partitions).with_places(places)
        self._rules.adopt(arities, groups, rules, places)
        generation = self._recovery.generation

        def teach() -> list[dict[str, int]]:
            if generation == self._recovery.generation:  # otherwise they received them when they were restarted
                self._rules.teach(self.nodes, places)
            return self.nodes.ask(Service.sizes)

        self._distribution = self._distribution.with_sizes(self._recovery.repeat(teach))

    def run(
        self, work: EpochWork, arriving: Sequence[DirectRows] = (), keeping: PieceContext | None = None
    ) -> EpochOutcome:
        """Carry out an epoch up to its commit; raises and leaves no trace if it cannot be done.

        ``keeping``: every partition makes its piece durable with its last step.
        """
        self._recovery.take_turn()
        try:
            ended = self._recovery.repeat(lambda: self._attempt(work, arriving, keeping))
        except BaseException:
            self._recovery.end_turn()
            raise
        run = self._runs.last
        self._unfinished = UncommittedEpoch(run, work, arriving, keeping)
        changed = sorted({name for end in ended for name in end.changed})
        return join_outcomes([end.outcome for end in ended], self.facts.changes(run, changed))

    def rollback(self) -> None:
        """Undo the epoch that ran last and is not committed."""
        self._unfinished, self._notes = None, []
        self._take_back()
        with self._undisturbed():
            self._recovery.try_once(lambda: self.nodes.ask(Service.rollback))
        self._recovery.end_turn()

    def commit(self, shown: Callable[[], None] = lambda: None) -> None:
        """Make the epoch that ran last the committed one; ``shown`` is called at the moment when readers see it.

        Nodes in this process show it first, which is immediate, and readers continue while records are settled. Other
        nodes are notified, and answer later requests after they have committed.
        """
        assert self._unfinished is not None, "no epoch ran"
        work, self._unfinished = self._unfinished.work, None
        shows_first = self.session is None
        with self._undisturbed():
            with self._recovery.together:
                self._rules.commit(work)
                self._beginning.epoch = self._next_epoch
                self._runs.committed(self._beginning.epoch)
                self._recovery.try_once(lambda: self.nodes.post(Service.commit, shows_only=shows_first))
                shown()
            if shows_first:
                self.nodes.ask(Service.commit)
        self._recovery.end_turn()

    # The state folder

    def open_state(self, durable: Durable) -> None:
        """Each partition opens its piece of a state folder."""
        self._beginning.store, self._beginning.begun = durable.store, durable.begun
        self.nodes.ask(Service.open_piece, durable.store, {}, durable.begun)

    def fill(self, durable: Durable, core: Iterable[Rule]) -> None:
        """Empty partitions take over their pieces."""
        epoch = self._beginning.epoch = durable.epoch
        self._recovery.try_once(lambda: self.nodes.ask(Service.load_piece, epoch))

    def record(self, durable: Durable, epoch: int, rules: Ruleset, schema: Schema, note: EpochRecord) -> None:
        """Each partition makes its part of the epoch that ran last durable; then the epoch is recorded."""
        self._next_epoch = epoch
        if not self._notes:
            keeping = durable.keeping(epoch, rules, schema, note.before)
            self._notes = self._recovery.repeat(lambda: self.nodes.ask(Service.write_piece, keeping))
        durable.record_pieces(epoch, self._notes, self.node, rules, note, self._distribution.places)

    def snapshot(self, durable: Durable, rules: Ruleset, schema: Schema, *, only_if_due: bool) -> None:
        """Let each partition write all that it holds; failures of a snapshot that was not requested only warn."""

        def take(epoch: int) -> object:
            return self._recovery.repeat(lambda: self.nodes.ask(Service.snapshot_piece, epoch, dict(schema)))

        def remove(old: ObsoleteFiles) -> object:
            return self._recovery.repeat(lambda: self.nodes.ask(Service.remove_old_piece, old))

        act = durable.snapshot_pieces_if_due if only_if_due else durable.snapshot_pieces
        act(self.node, rules, take, remove)

    # Attempts and recovery

    def _attempt(self, work: EpochWork, arriving: Sequence[DirectRows], keeping: PieceContext | None) -> list[EpochEnd]:
        """One attempt at an epoch."""
        run = self._runs.begin()
        self._notes = []
        self.nodes.start_epoch(run, self._beginning.epoch + 1)
        self._before = self._distribution
        self._distribution = placed = self._before.with_places(work.places)
        try:
            self._rules.run(work)
            if arriving:
                work = work.with_sent(self.nodes.send(arriving, placed.places))
            forgotten = self._runs.take_forgotten()
            starts = [Call(Service.start, run, share, forgotten, keeping) for share in placed.shares(work)]
            ended = self._rounds.run(run, starts)
        except NodeLost:
            self._take_back()
            raise
        except BaseException as error:
            self._take_back()
            with self._undisturbed():
                where = self._running_rules(error)
                self._recovery.try_once(self._undo)
            self._runs.forget(run)  # nodes that finished keep its changes, which are never read
            if where:
                raise _with_rules(error, where) from None
            raise
        self._distribution = placed.with_sizes(end.outcome.sizes for end in ended)
        notes = [end.note for end in ended if end.note is not None]
        self._notes = notes if len(notes) == len(ended) else []
        return ended

    def _running_rules(self, error: BaseException) -> str:
        """The rules that the nodes run in an epoch that is abandoned, unless the error names them or a node is lost."""
        if not isinstance(error, KeyboardInterrupt | LimitError) or names_running_rule(error):
            return ""
        with suppress(NodeLost):
            return "".join(str(where) for where in self.nodes.ask(Service.running_rule) if where is not None)
        return ""

    def _undo(self) -> None:
        """Undo an epoch that nodes are still running, or have run."""
        self.nodes.interrupt()
        self.nodes.ask(Service.rollback)

    def _take_back(self) -> None:
        """Undo the epoch that ran last in this process."""
        self._distribution = self._before
        self._rules.rollback()

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Suspend interrupts during work that must not be interrupted halfway."""
        self.nodes.watch(lambda: None)
        try:
            yield
        finally:
            self.nodes.watch(self._rounds.on_slice)

    def _restart(self) -> None:
        """Start new nodes at the last committed epoch, and run the uncommitted epoch on them again, if there is one.

        The epoch derives the same facts again, possibly with other ranks.
        """
        if self._beginning.store is None:
            raise failures.NOTHING_TO_BEGIN_FROM.error()
        if self._unfinished is not None:
            self._take_back()
        self.nodes.restart()
        self.nodes.ask(Service.set_limits, self._rounds.limits)
        self.nodes.ask(Service.open_piece, self._beginning.store, dict(self._runs.epochs), self._beginning.begun)
        if self._beginning.epoch:
            self.nodes.ask(Service.load_piece, self._beginning.epoch)
        self._rules.teach(self.nodes, self._distribution.places)
        if self._unfinished is not None:
            self._attempt(self._unfinished.work, self._unfinished.arriving, self._unfinished.keeping)
            self._runs.replaced(self._unfinished.run)

    def _position(self) -> str:
        """The position of the last epoch, and the state that is in force."""
        stratum = self._rounds.stratum
        own = [f"`{label}`" for label in self._rules.labels(stratum)]
        rules = ", ".join(own[:5]) + (", ..." if len(own) > 5 else "")
        place = f", stratum {', '.join(stratum)} (rules {rules or 'none'})" if stratum else ""
        return (
            f"the last known position is round {self._rounds.number}{place}; the state is that of epoch "
            f"{self._beginning.epoch}"
        )


def _with_rules(error: BaseException, where: str) -> BaseException:
    """The same error with the rules that the epoch was running."""
    return error.reworded(f"{error}{where}") if isinstance(error, LimitError) else KeyboardInterrupt(where)
