"""The interface between an engine and its partitions: one protocol for this process and for many.

Law: an epoch's work is a value; a runtime carries it out completely, or raises an error and is as it was before.
Between `run` and `commit` or `rollback` the epoch is done but does not count. The layers above do not distinguish kinds
of runtime: the differences between one partition and several are handled here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tidelog.io.nulls import NullCounts
    from tidelog.partition.base.limits import Limits
    from tidelog.partition.texts.dictionary import Dictionary
    from tidelog.plan.ruleset import Ruleset, Schema
    from tidelog.plan.work import EpochWork, RuleForm
    from tidelog.program import Rule
    from tidelog.runtime.base.outcome import EpochOutcome
    from tidelog.runtime.node.node import Node
    from tidelog.runtime.protocol.facts import Facts
    from tidelog.runtime.protocol.handover import Handover
    from tidelog.store.folder.durable import Durable, EpochRecord
    from tidelog.store.log.markers import PieceContext


class DirectRows(Protocol):
    """Rows that go directly to the partitions, and not through this process."""

    @property
    def relation(self) -> str:
        """The relation that they are for."""

    @property
    def types(self) -> tuple[str, ...]:
        """The types of its columns."""

    @property
    def outside(self) -> tuple[str, ...] | None:
        """The types in the source, if it has types."""

    @property
    def ignored(self) -> tuple[str, ...]:
        """Columns of the source that the relation does not have."""

    @property
    def count_nulls(self) -> Callable[[], NullCounts] | None:
        """How many nulls were skipped or replaced on the way, after the run; None if nulls are refused."""


class Runtime(Protocol):
    """The partitions of one engine."""

    on_slice: Callable[[], None]  # called between slices of work

    @property
    def partitions(self) -> int:
        """How many partitions there are."""

    @property
    def handover(self) -> Handover:
        """The handing over of facts to other partitions, or from them."""

    @property
    def limits(self) -> Limits:
        """The limits of every epoch."""

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary of the engine."""

    @property
    def session(self) -> object | None:
        """The Spark session that the partitions live in; None in this process."""

    @property
    def node(self) -> Node:
        """Where rules, plans and strata are known: the one partition, or with several a node without facts."""

    @property
    def facts(self) -> Facts:
        """What can be read of the facts that the partitions hold."""

    # Epochs

    def set_limits(self, limits: Limits) -> None:
        """Set the limits of every epoch from now on."""

    def adopt(
        self,
        arities: Mapping[str, int],
        groups: Iterable[Iterable[str]],
        rules: Iterable[RuleForm],
        places: Mapping[str, int],
    ) -> None:
        """Take over the strata and rules of a state that was read."""

    def run(
        self, work: EpochWork, arriving: Sequence[DirectRows] = (), keeping: PieceContext | None = None
    ) -> EpochOutcome:
        """Carry out an epoch up to its commit; raises and leaves no trace if it cannot be done.

        ``keeping`` lets partitions that write pieces of a state folder do it at once; `record` then makes them valid.
        """

    def commit(self, shown: Callable[[], None] = ...) -> None:
        """Make the epoch that ran last the committed one; ``shown`` is called at the moment when readers see it."""

    def rollback(self) -> None:
        """Undo the epoch that ran last and is not committed."""

    def close(self) -> None:
        """End the partitions."""

    # The state folder

    def open_state(self, durable: Durable) -> None:
        """Prepare to keep epochs in a state folder."""

    def fill(self, durable: Durable, core: Iterable[Rule]) -> None:
        """Fill empty partitions with the facts of a state folder."""

    def record(self, durable: Durable, epoch: int, rules: Ruleset, schema: Schema, note: EpochRecord) -> None:
        """Make the epoch that ran last durable; StateError if that cannot be done."""

    def snapshot(self, durable: Durable, rules: Ruleset, schema: Schema, *, only_if_due: bool) -> None:
        """Write the whole state; failures of a snapshot that was not requested only warn."""
