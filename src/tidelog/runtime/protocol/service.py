"""The service of a node: the requests that a partition serves, from this process or from another one.

Law: the same calls are made in one process and over a network; all arguments and results are values. The changes of an
epoch stay readable here until the coordinator reports that they are no longer needed. A piece of the state folder is
durable before the coordinator records its epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from tidelog.io.parquet import write_changes, write_rows
from tidelog.kernel.cells import Cells
from tidelog.partition.base.limits import Limits
from tidelog.partition.base.net_changes import NetChange
from tidelog.partition.code.plan_counts import PlanCounts
from tidelog.partition.memory.journal import assertions
from tidelog.partition.memory.keys import rows_with_keys
from tidelog.partition.memory.records import facts_held, mark_facts
from tidelog.partition.phases.running_rule import RunningRule, running_rule
from tidelog.partition.reading.fact_pages import FactPage, FactPattern, find, key_counts
from tidelog.plan.ruleset import Schema
from tidelog.plan.work import EpochWork, RuleForm
from tidelog.program.values.term import Value
from tidelog.runtime.base.call import call
from tidelog.runtime.base.interrupts import Interruption
from tidelog.runtime.base.outcome import EpochOutcome, RowChanges
from tidelog.runtime.base.request import Answer, Request, Steps
from tidelog.runtime.base.staged_rows import StagedRows
from tidelog.runtime.node.node import Node
from tidelog.runtime.node.run_changes import RunChanges
from tidelog.runtime.protocol.frozen_facts import Records
from tidelog.runtime.protocol.part_check import PartAnswer, answer_part
from tidelog.store.base.store import Store
from tidelog.store.folder.piece import Piece, owned_entries
from tidelog.store.image.capture import held_relations, relation_image
from tidelog.store.image.image import Image, RelationImage
from tidelog.store.image.restore import fill_partition
from tidelog.store.log.markers import PieceContext, PieceNote
from tidelog.store.log.snapshot import ObsoleteFiles
from tidelog.verify.local_strata import LocalStratum

GIVE_UP = 60.0  # seconds that a node has to leave an epoch


@dataclass(frozen=True, slots=True)
class EpochEnd:
    """The end of an epoch on one partition: what it did, the relations that changed, and the piece if it is durable.

    A partition that made dictionary entries in its last step has no note: their owners write their pieces again.
    """

    outcome: EpochOutcome
    changed: tuple[str, ...]
    note: PieceNote | None = None


class Service:
    """One node, asked step by step, with the rows sent to it and its piece of the state folder."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.staged = StagedRows()
        self.interruption = Interruption()
        self.changed = RunChanges(node)
        self.frozen: dict[int, Records] = {}
        self.working = Lock()  # held while the node changes
        self._run = 0
        self._steps: Steps[EpochOutcome] | None = None
        self._piece: Piece | None = None
        self._keeping: PieceContext | None = None

    # Epochs

    @call(limit=None, entries_first=True)
    def start(
        self, run: int, work: EpochWork, forgotten: Sequence[int] = (), keeping: PieceContext | None = None
    ) -> Request | EpochEnd:
        """Begin the epoch ``run``, with the rows that were sent for it, unless it was already abandoned.

        Changes of the runs ``forgotten`` are no longer needed. ``keeping``: write the piece with the last step.
        """
        self.interruption.begin(run)
        self.node.channel.begin(run)
        work = self.staged.added_to(work, self.rows_with_keys)
        self.staged.drop()
        self.changed.forget(forgotten)
        self._run, self._steps, self._keeping = run, self.node.steps(work), keeping
        return self.resume(None, run)

    @call(limit=None)
    def resume(self, answer: Answer, run: int) -> Request | EpochEnd:
        """Continue with the answer to the last request of the epoch ``run``; its first step begins with None."""
        assert run == self._run, "the response arrived too late"
        assert self._steps is not None, "no epoch is running"
        dictionary = self.node.partition.dictionary
        known = len(dictionary)
        try:
            return self._steps.send(answer)
        except StopIteration as end:
            self._steps = None
            outcome: EpochOutcome = end.value
        self.changed.keep(self._run, outcome.changes)
        relations = self.node.partition.relations
        sizes = {name: facts_held(relations, relations.numbers[name]) for name in outcome.changes}
        owners_may_have_ended = dictionary.has_news(known)  # and have written pieces without these entries
        dictionary.report_to_owners()  # a clash refuses the epoch
        keeping = None if owners_may_have_ended else self._keeping
        note = None if keeping is None else self.write_piece(keeping)
        return EpochEnd(replace(outcome, changes=RowChanges({}), sizes=sizes), tuple(outcome.changes), note)

    @call(any_time=True)
    def relieve(self) -> int:
        """Count the messages that have arrived if they are too many and this node is idle; returns their bytes."""
        if self.working.acquire(blocking=False):
            try:
                self.node.state.relieve()
            finally:
                self.working.release()
        return self.node.channel.arrived

    @call(any_time=True)
    def interrupt(self, run: int) -> None:
        """Abandon the epoch ``run``, and any before it, even if the call that starts it arrives later."""
        self.interruption.give_up(run)

    @call(reading=True, any_time=True)
    def running_rule(self) -> RunningRule | None:
        """What the running epoch is doing: the rule, its plan, and the work done so far."""
        return running_rule(self.node.partition)

    @call(limit=GIVE_UP, ending=True)
    def rollback(self) -> None:
        """Undo the epoch that runs or ran last and is not committed; rows sent for it are dropped, refused ones too."""
        self.staged.drop()
        steps, self._steps = self._steps, None
        if steps is not None:
            steps.close()  # which undoes it
        else:
            self.node.rollback()

    @call(ending=True)
    def commit(self, *, shows_only: bool = False) -> None:
        """Make the epoch that ran last the committed one; ``shows_only``: readers see it, the rest is done later."""
        if shows_only:
            self.node.partition.committed.show()
        else:
            self.node.commit()

    @call()
    def adopt(
        self,
        arities: Mapping[str, int],
        groups: Iterable[Iterable[str]],
        rules: Iterable[RuleForm],
        places: Mapping[str, int],
    ) -> None:
        """Take over the strata and rules of a state that was read."""
        self.node.adopt(arities, groups, rules, places)

    @call()
    def set_limits(self, limits: Limits) -> None:
        """Set the limits of every epoch from now on."""
        self.node.set_limits(limits)

    # Reading

    @call(reading=True, any_time=True)
    def rows(self, name: str, first: int = 0, count: int | None = None) -> Cells:
        """The facts of a relation at the last committed epoch: all, or ``count`` from number ``first`` on."""
        committed = self.node.partition.committed
        return committed.rows(name) if count is None else committed.some_rows(name, first, count)

    @call(reading=True, any_time=True)
    def counts(self, name: str) -> tuple[Cells, ...]:
        """Columns, ranks, ``all``, ``low`` and assertion of the facts of a relation."""
        return self.node.partition.counts(name)

    @call(reading=True)
    def keep_frozen(self, number: int, names: Sequence[str]) -> tuple[dict[str, int], dict[str, int]]:
        """Keep a copy of the records of some relations under a number.

        Returns the numbers of facts, and of asserted facts.
        """
        found = self.frozen[number] = Records(self.node.partition, names)
        return found.sizes, found.asserted

    @call(reading=True, any_time=True)
    def drop_frozen(self, number: int) -> None:
        """Drop such a copy, without waiting for an epoch."""
        self.frozen.pop(number, None)

    @call(reading=True, any_time=True)
    def frozen_counts(self, number: int, name: str, first: int, count: int) -> tuple[Cells, ...] | None:
        """Like `counts`, for some facts of such a copy; None if the node was restarted and has no copy."""
        kept = self.frozen.get(number)
        return None if kept is None else kept.counts(name, first, count)

    @call(limit=None, reading=True, any_time=True)
    def check_part(self, number: int, part: LocalStratum) -> PartAnswer | None:
        """Check a stratum over such a copy of the facts of this partition; None where there is none."""
        kept = self.frozen.get(number)
        return None if kept is None else answer_part(part, kept, self.node)

    @call(reading=True, any_time=True)
    def changes(self, run: int | None, name: str) -> NetChange[Cells]:
        """The rows of a relation that were inserted and deleted in an epoch.

        None: those that were asserted and retracted in the epoch that ran last and is not committed.
        """
        return assertions(self.node.partition.relations, name) if run is None else self.changed.read(run, name)

    @call(reading=True)
    def rows_with_keys(self, name: str, columns: tuple[int, ...], rows: Cells, *, is_question: bool = False) -> Cells:
        """The rows present before the epoch that share a key with one of ``rows``; a question has only one."""
        if is_question:
            return self.node.partition.kept.matching(name, columns, rows[0, list(columns)].tolist())
        return rows_with_keys(self.node.partition.relations, name, columns, rows)

    @call(reading=True)
    def mark_facts(self, name: str, rows: Cells) -> Cells:
        """1 for each row that is a fact of the relation on this partition, otherwise 0."""
        return mark_facts(self.node.partition.relations, name, rows)

    @call(reading=True)
    def key_counts(self) -> dict[tuple[str, tuple[int, ...]], int]:
        """The number of keys of each index that has no pending rows."""
        return key_counts(self.node.partition.relations)

    @call()
    def sizes(self) -> dict[str, int]:
        """The number of facts held of every relation."""
        relations = self.node.partition.relations
        return {name: relations.live(number) for name, number in relations.numbers.items()}

    @call(reading=True)
    def memory(self) -> int:
        """Bytes held by facts, indexes, journals and texts."""
        return self.node.partition.memory()

    @call(reading=True)
    def plan_counts(self) -> list[PlanCounts]:
        """What the plans of all rules did since they were made."""
        return self.node.partition.rules.plan_counts()

    @call(reading=True)
    def model_sizes(self) -> dict[str, str]:
        """The sizes of the models of cycles through negation; partition 0 holds their instances."""
        return self.node.partition.rules.model_sizes()

    @call(reading=True)
    def image(self, name: str) -> RelationImage | None:
        """The records of a relation at the last committed epoch, None if it holds none that are kept."""
        partition = self.node.partition
        return relation_image(partition, name) if name in held_relations(partition) else None

    @call(reading=True)
    def find(self, patterns: Sequence[FactPattern], running: bool = False) -> list[FactPage]:
        """The facts that a question looks for; ``running``: in the epoch that is not committed yet."""
        return find(self.node.partition, patterns, running=running)

    @call(limit=None, reading=True, any_time=True)
    def write_view(
        self,
        path: str,
        name: str,
        types: Sequence[str | None],
        columns: Sequence[str],
        run: int | None,
        lists_as_text: bool = False,
        outside: Sequence[str] = (),
    ) -> Mapping[str, str]:
        """Write the facts of a relation, or an epoch's changes in it, to a file; returns what its lists contain."""
        dictionary = self.node.partition.dictionary
        if run is not None:
            return write_changes(path, *self.changes(run, name), types, columns, dictionary, outside)
        rows = self.rows(name)
        return write_rows(path, rows, types, columns, dictionary, lists_as_text=lists_as_text, outside=outside)

    # Entries of the dictionary that this node owns

    @call(reading=True, any_time=True)
    def known_entries(self, cells: Sequence[int]) -> dict[int, Value]:
        """The values behind those of the ids that are known here."""
        return self.node.partition.dictionary.known(cells)

    @call(reading=True)
    def owned_entries(self) -> list[tuple[int, Value]]:
        """All entries that this node owns."""
        return owned_entries(self.node.partition)

    @call(reading=True)
    def clock(self) -> int:
        """The greatest depth and the latest clock of a rank here."""
        return self.node.partition.clock

    @call(any_time=True)
    def take_entries(self, entries: Sequence[tuple[int, Value]]) -> None:
        """Accept entries that another node or the coordinator made."""
        self.node.partition.dictionary.enter(entries)

    # The piece of the state folder

    @call()
    def open_piece(self, store: Store, epochs: Mapping[int, int], begun: int = 0) -> None:
        """Open the partition's piece of a state; ``epochs`` maps the runs of lost nodes to their epochs.

        ``begun`` is the epoch in which all pieces were rewritten, 0 for none.
        """
        self._piece = Piece(store, self.node.partition.number, begun)
        self.changed.open(store, epochs)

    @call(limit=None)
    def load_piece(self, epoch: int) -> None:
        """Fill the empty partition with its state at a committed epoch."""
        _opened(self._piece).load(epoch, self.node.partition)

    @call(limit=None)
    def write_piece(self, keeping: PieceContext) -> PieceNote:
        """Make the partition's part of the epoch that ran last durable."""
        partition, schema = self.node.partition, keeping.schema
        return _opened(self._piece).write(keeping.epoch, partition, schema, bases=keeping.bases, before=keeping.before)

    @call(limit=None)
    def write_anew(self, epoch: int, schema: Schema) -> PieceNote:
        """Make everything that the partition holds durable, as the first of its pieces."""
        return _opened(self._piece).write_anew(epoch, self.node.partition, schema)

    @call(limit=None)
    def take_image(self, held: Mapping[str, RelationImage], entries: Sequence[tuple[int, Value]], clock: int) -> None:
        """Fill the empty partition with records and entries that others held."""
        fill_partition(self.node.partition, Image(relations=dict(held), entries=dict(entries), clock=clock))

    @call(limit=None)
    def snapshot_piece(self, epoch: int, schema: Schema) -> None:
        """Write everything that the partition holds."""
        _opened(self._piece).snapshot(epoch, self.node.partition, schema)

    @call()
    def remove_old_piece(self, old: ObsoleteFiles) -> None:
        """Remove what no retained epoch needs."""
        _opened(self._piece).remove_old(old)


def _opened(piece: Piece | None) -> Piece:
    assert piece is not None, "the state folder was not opened"
    return piece
