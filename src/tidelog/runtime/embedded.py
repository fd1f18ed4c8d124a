"""The embedded runtime: one partition in this process, called directly.

Law: the one partition has nobody to wait for, so that an epoch is one step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from tidelog.io.view_files import Kinds, changes_writer, rows_writer
from tidelog.partition.journal import assertions
from tidelog.partition.keys import rows_with_keys
from tidelog.runtime.node import Node

if TYPE_CHECKING:
    from tidelog.kernel.cells import Cells
    from tidelog.partition.dictionary import Dictionary
    from tidelog.partition.limits import Limits
    from tidelog.partition.net import NetChange
    from tidelog.partition.plan_counts import PlanCounts
    from tidelog.plan.form import Form
    from tidelog.plan.ruleset import Ruleset, Schema
    from tidelog.plan.steps import Plan
    from tidelog.plan.work import EpochWork, RuleForm
    from tidelog.program import Rule
    from tidelog.program.functions import Function
    from tidelog.runtime.facts import Counts, Forming
    from tidelog.runtime.outcome import EpochOutcome, RowChanges
    from tidelog.runtime.runtime import Arriving
    from tidelog.store.durable import Durable, EpochRecord


class EmbeddedFacts:
    """The facts of one partition."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._partition = node.partition

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation."""
        return self._node.arity(name)

    def rows(self, name: str) -> Cells:
        """The facts of a relation at the last committed epoch."""
        return self._partition.rows(name)

    def one_epoch(self) -> AbstractContextManager[object]:
        """While it is held no epoch becomes the committed one."""
        return self._partition.committed.lock

    def some_rows(self, name: str, first: int, count: int) -> Cells:
        """As many of them as are wanted, after the first so many, in the same order."""
        return self._partition.committed.some_rows(name, first, count)

    def count(self, name: str) -> int:
        """How many facts of a relation there are; counted one by one."""
        return self._partition.committed.count(name)

    def matching(self, name: str, columns: tuple[int, ...], key: Sequence[int]) -> Cells:
        """The facts that have these cells in these columns; to be asked while no epoch runs."""
        return self._partition.kept.matching(name, columns, key)

    def counts(self, name: str) -> Counts:
        """The facts of a relation at the last committed epoch with their counts."""
        return self._partition.counts(name)

    def held(self, name: str) -> list[Counts]:
        """The same as the one partition holds it."""
        return [self._partition.counts(name)]

    def rows_with_keys(self, name: str, columns: tuple[int, ...], rows: Cells) -> Cells:
        """The rows present before the epoch that share a key with one of ``rows``."""
        return rows_with_keys(self._partition.relations, name, columns, rows)

    def assertions(self, name: str) -> NetChange[Cells]:
        """The facts of a relation that the epoch that ran last, and is not committed, has asserted and retracted."""
        return assertions(self._partition.relations, name)

    def live(self, name: str) -> int:
        """The number of facts of a relation."""
        number = self._partition.relations.numbers.get(name)
        return 0 if number is None else self._partition.relations.live(number)

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

    def whole(self, form: Form, rules: Ruleset, forming: Forming, *, running: bool = False) -> Node:
        """The one partition holds every fact."""
        return self._node

    def write_view(
        self,
        folder: str,
        name: str,
        columns: Sequence[str],
        types: Sequence[str | None],
        changes: RowChanges | None = None,
        *,
        lists_as_text: bool = False,
    ) -> list[Kinds]:
        """Write a relation, or what an epoch changed in it, as one file of a folder."""
        dictionary = self._partition.dictionary
        if changes is not None:
            return changes_writer(*changes[name], columns, types, dictionary)(folder)
        return rows_writer(self.rows(name), columns, types, dictionary, lists_as_text=lists_as_text)(folder)


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

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary of the engine."""
        return self.partition.dictionary

    # Epochs

    def run(self, work: EpochWork, arriving: Sequence[Arriving] = ()) -> EpochOutcome:
        """Carry out an epoch up to its commit; raises and leaves no trace if it cannot be done."""
        assert not arriving, "rows reach an embedded partition through this process"
        steps = self.node.steps(work)
        try:
            request = next(steps)
        except StopIteration as end:
            outcome: EpochOutcome = end.value
            return outcome
        raise AssertionError(f"one partition asks nobody: {request}")

    def commit(self, shown: Callable[[], None] = lambda: None) -> None:
        """Make the epoch that ran last the committed one; ``shown`` is called when readers see it."""
        self.node.commit(shown)

    def rollback(self) -> None:
        """Undo the epoch that ran last and is not committed."""
        self.node.rollback()

    def set_limits(self, limits: Limits) -> None:
        """The limits of every epoch from now on."""
        self.node.set_limits(limits)

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
        """What is called between slices of work."""
        return self.partition.machine.on_slice

    @on_slice.setter
    def on_slice(self, call: Callable[[], None]) -> None:
        self.partition.machine.on_slice = call

    def close(self) -> None:
        """End the threads; memory goes with the object."""
        self.partition.close()

    # The state folder

    def open_state(self, durable: Durable) -> None:
        """One partition writes into the folder itself."""

    def fill(self, durable: Durable, core: Iterable[Rule]) -> None:
        """Give the empty partition the facts that a state folder holds."""
        from tidelog.store.restore import fill_partition

        fill_partition(self.partition, durable.image, core)

    def record(self, durable: Durable, epoch: int, rules: Ruleset, schema: Schema, note: EpochRecord) -> None:
        """Make the epoch that ran last durable."""
        durable.record(epoch, self.node, rules, note)

    def snapshot(self, durable: Durable, rules: Ruleset, schema: Schema, *, only_if_due: bool) -> None:
        """Write the whole state; when that is due by itself, what goes wrong is a warning."""
        (durable.snapshot_if_due if only_if_due else durable.snapshot)(self.node, rules)
