"""The embedded runtime: one partition in this process, called directly.

Law: a single partition never waits for others, so that an epoch is one step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from tidelog.io.view_files import Kinds, changes_writer, rows_writer
from tidelog.partition.memory.journal import assertions
from tidelog.partition.memory.keys import rows_with_keys
from tidelog.partition.memory.records import mark_facts
from tidelog.partition.reading.fact_pages import find
from tidelog.runtime.node.node import Node
from tidelog.runtime.protocol.frozen_facts import FrozenFacts, freeze_partition

if TYPE_CHECKING:
    from tidelog.kernel.cells import Cells
    from tidelog.partition.base.limits import Limits
    from tidelog.partition.base.net_changes import NetChange
    from tidelog.partition.code.plan_counts import PlanCounts
    from tidelog.partition.reading.fact_pages import FactPage, FactPattern
    from tidelog.partition.texts.dictionary import Dictionary
    from tidelog.plan.ruleset import Ruleset, Schema
    from tidelog.plan.steps import Plan
    from tidelog.plan.work import EpochWork, RuleForm
    from tidelog.program import Rule
    from tidelog.program.functions.table import Function
    from tidelog.runtime.base.outcome import EpochOutcome, RowChanges
    from tidelog.runtime.protocol.facts import KeyCounts
    from tidelog.runtime.protocol.frozen_facts import Counts
    from tidelog.runtime.protocol.runtime import DirectRows
    from tidelog.store.folder.durable import Durable, EpochRecord
    from tidelog.store.image.image import Image
    from tidelog.store.log.markers import PieceContext


class EmbeddedFacts:
    """The facts of one partition."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._partition = node.partition

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation."""
        return self._node.arity(name)

    def rows(self, name: str, *, by_column: bool = False) -> Cells:
        """The facts of a relation at the last committed epoch."""
        return self._partition.rows(name, by_column=by_column)

    def one_epoch(self) -> AbstractContextManager[object]:
        """A context in which no epoch becomes the committed one."""
        return self._partition.committed.lock

    def some_rows(self, name: str, first: int, count: int) -> Cells:
        """``count`` of them, starting with number ``first``, in the same order."""
        return self._partition.committed.some_rows(name, first, count)

    def count(self, name: str) -> int:
        """The number of facts of a relation, counted one by one."""
        return self._partition.committed.count(name)

    def matching(self, name: str, columns: tuple[int, ...], key: Sequence[int]) -> Cells:
        """The facts that have these cells in these columns; to be called while no epoch runs."""
        return self._partition.kept.matching(name, columns, key)

    def mark_facts(self, name: str, rows: Cells) -> Cells:
        """1 for each row that is a fact of the relation, otherwise 0; to be called while no epoch runs."""
        return mark_facts(self._partition.relations, name, rows)

    def counts(self, name: str) -> Counts:
        """The facts of a relation at the last committed epoch with their counts."""
        return self._partition.counts(name)

    def freeze(self, names: Sequence[str]) -> FrozenFacts:
        """The state of some relations, to be read in batches while epochs continue."""
        return freeze_partition(self._partition, names)

    def held(self, name: str) -> list[Counts]:
        """The same state as the only partition holds it."""
        return [self._partition.counts(name)]

    def rows_with_keys(self, name: str, columns: tuple[int, ...], rows: Cells) -> Cells:
        """The rows present before the epoch that share a key with one of ``rows``."""
        return rows_with_keys(self._partition.relations, name, columns, rows)

    def assertions(self, name: str) -> NetChange[Cells]:
        """The facts of a relation that the epoch that ran last, and is not committed, has asserted and retracted."""
        return assertions(self._partition.relations, name)

    def unevenness(self, name: str) -> float:
        """Always 1: the only partition holds all facts."""
        return 1.0

    def live(self, name: str) -> int:
        """The number of facts of a relation."""
        relations = self._partition.relations
        number = relations.numbers.get(name)
        return 0 if number is None else relations.live(number)

    def key_counts(self) -> KeyCounts:
        """A function that returns the number of keys of an index on some columns, None if there is no such index."""
        relations = self._partition.relations

        def count(name: str, columns: tuple[int, ...]) -> int | None:
            number = relations.numbers.get(name)
            return None if number is None else relations.distinct_keys(number, columns)

        return count

    @property
    def memory(self) -> int:
        """Bytes held by facts, indexes, journals and texts."""
        return self._partition.memory()

    @property
    def fact_count(self) -> int:
        """The number of facts held, auxiliary relations included; may be read while an epoch runs."""
        relations = self._partition.relations
        return sum(relations.live(number) for number in range(len(relations.names)))

    def plans(self) -> dict[str, tuple[Plan, ...]]:
        """The plans of every core rule, by label."""
        return self._partition.rules.plans()

    def plan_counts(self) -> list[PlanCounts]:
        """What the plans of all rules did since they were made."""
        return self._partition.rules.plan_counts()

    def model_sizes(self) -> dict[str, str]:
        """The sizes of the models of cycles through negation, by the rules that read truth from them."""
        return self._partition.rules.model_sizes()

    def find(self, patterns: Sequence[FactPattern], *, running: bool = False) -> list[FactPage]:
        """The facts that a question looks for."""
        return find(self._partition, patterns, running=running)

    def write_view(
        self,
        folder: str,
        name: str,
        columns: Sequence[str],
        types: Sequence[str | None],
        changes: RowChanges | None = None,
        *,
        lists_as_text: bool = False,
        outside: Sequence[str] = (),
    ) -> list[Kinds]:
        """Write a relation, or what an epoch changed in it, as one file of a folder."""
        dictionary = self._partition.dictionary
        if changes is not None:
            return changes_writer(*changes[name], columns, types, dictionary, outside)(folder)
        write = rows_writer(self.rows(name), columns, types, dictionary, lists_as_text=lists_as_text, outside=outside)
        return write(folder)


class EmbeddedHandover:
    """The handing over of the facts of one partition."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def images(self) -> list[Image]:
        """What the only partition holds; its dictionary is that of the engine."""
        from tidelog.store.image.capture import held_image

        return [held_image(self.node.partition)]

    def rest(self) -> None:
        """Read changes of the last epoch that are still referenced."""
        self.node.settle()

    def go_on(self) -> None:
        """Do nothing: the partition never stopped."""

    def take(self, images: Sequence[Image]) -> None:
        """Fill the empty partition with the contents of others."""
        from tidelog.store.image.restore import fill_partition

        (image,) = images
        fill_partition(self.node.partition, image)

    def record(self, durable: Durable, epoch: int, rules: Ruleset, schema: Schema, note: EpochRecord) -> None:
        """Make all that the partition holds durable, as an epoch."""
        durable.record_anew(epoch, self.node, rules, note)


class EmbeddedRuntime:
    """Carries out epochs on one partition."""

    partitions = 1
    session = None

    def __init__(
        self,
        functions: Mapping[str, tuple[Function, ...]],
        *,
        dictionary: Dictionary | None = None,
        threads: int = 1,
    ) -> None:
        self.node = Node(functions, dictionary=dictionary, threads=threads)
        self.partition = self.node.partition
        self.facts = EmbeddedFacts(self.node)
        self.handover = EmbeddedHandover(self.node)

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary of the engine."""
        return self.partition.dictionary

    # Epochs

    def run(
        self, work: EpochWork, arriving: Sequence[DirectRows] = (), keeping: PieceContext | None = None
    ) -> EpochOutcome:
        """Carry out an epoch up to its commit; raises and leaves no trace if it cannot be done.

        A single partition has no separate piece: `record` writes the epoch.
        """
        assert not arriving, "rows reach an embedded partition through this process"
        small = self.node.run_small(work)
        if small is not None:
            return small
        steps = self.node.steps(work)
        try:
            request = next(steps)
        except StopIteration as end:
            outcome: EpochOutcome = end.value
            return outcome
        raise AssertionError(f"a single partition makes no requests: {request}")

    def commit(self, shown: Callable[[], None] = lambda: None) -> None:
        """Make the epoch that ran last the committed one; ``shown`` is called when readers see it."""
        self.node.commit(shown)

    def rollback(self) -> None:
        """Undo the epoch that ran last and is not committed."""
        self.node.rollback()

    def set_limits(self, limits: Limits) -> None:
        """Set the limits of every epoch from now on."""
        self.node.set_limits(limits)

    @property
    def limits(self) -> Limits:
        """The limits of every epoch."""
        return self.partition.machine.limits

    def adopt(
        self,
        arities: Mapping[str, int],
        groups: Iterable[Iterable[str]],
        rules: Iterable[RuleForm],
        places: Mapping[str, int] | None = None,
    ) -> None:
        """Take over the strata and rules of a state that was read."""
        self.node.adopt(arities, groups, rules, places)

    @property
    def on_slice(self) -> Callable[[], None]:
        """The function that is called between slices of work."""
        return self.partition.machine.on_slice

    @on_slice.setter
    def on_slice(self, call: Callable[[], None]) -> None:
        self.partition.machine.on_slice = call

    def close(self) -> None:
        """Stop the threads; memory is freed with the object."""
        self.partition.close()

    # The state folder

    def open_state(self, durable: Durable) -> None:
        """Do nothing: a single partition writes into the folder itself."""

    def fill(self, durable: Durable, core: Iterable[Rule]) -> None:
        """Fill the empty partition with the facts of a state folder."""
        from tidelog.store.image.restore import fill_partition

        fill_partition(self.partition, durable.image, core)

    def record(self, durable: Durable, epoch: int, rules: Ruleset, schema: Schema, note: EpochRecord) -> None:
        """Make the epoch that ran last durable."""
        durable.record(epoch, self.node, rules, note)

    def snapshot(self, durable: Durable, rules: Ruleset, schema: Schema, *, only_if_due: bool) -> None:
        """Write the whole state; failures of a snapshot that was not requested only warn."""
        (durable.snapshot_if_due if only_if_due else durable.snapshot)(self.node, rules)
