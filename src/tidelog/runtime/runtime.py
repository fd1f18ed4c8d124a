"""What an engine asks of the place where its partitions live: one protocol for this process and for many.

Law: an epoch's work is a value; a runtime carries it out whole, or raises and is as it was before. Between `run` and
`commit` or `rollback` the epoch is done but does not count. Nobody above asks what kind of runtime it is: what differs
between one partition and several is answered here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from tidelog.io.view_files import Kinds
from tidelog.kernel.cells import Cells
from tidelog.partition.dictionary import Dictionary
from tidelog.partition.limits import Limits
from tidelog.plan.form import Form
from tidelog.plan.ruleset import Ruleset, Schema
from tidelog.plan.work import EpochWork, PlannedRule
from tidelog.program import Rule
from tidelog.runtime.epoch_steps import Host
from tidelog.runtime.outcome import EpochOutcome, RowChanges
from tidelog.store.durable import Durable, EpochRecord

Planning = Callable[[], Callable[[Rule], PlannedRule]]  # makes the function that plans a rule, where it is needed
Counts = tuple[Cells, ...]  # columns, ranks, ``all``, ``low`` and assertion of the facts of a relation


class Arriving(Protocol):
    """Rows that go to the partitions by themselves, and not through this process."""

    @property
    def relation(self) -> str:
        """The relation that they are for."""

    @property
    def types(self) -> tuple[str, ...]:
        """The types of its columns."""


class Runtime(Protocol):
    """The partitions of one engine."""

    on_slice: Callable[[], None]  # called between slices of work

    @property
    def partitions(self) -> int:
        """How many partitions there are."""

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary of the engine."""

    @property
    def session(self) -> object | None:
        """The Spark session that the partitions live in; None in this process."""

    @property
    def node(self) -> Host:
        """Where rules, plans and strata are known: the one partition, or with several a node without facts."""

    @property
    def memory(self) -> int:
        """Bytes held by facts, indexes and journals."""

    @property
    def fact_count(self) -> int:
        """The number of facts held, auxiliary relations included; may be read while an epoch runs."""

    # Epochs

    def set_limits(self, limits: Limits) -> None:
        """The limits of every epoch from now on."""

    def adopt(
        self,
        arities: Mapping[str, int],
        groups: Iterable[Iterable[str]],
        rules: Iterable[PlannedRule],
        places: Mapping[str, int],
    ) -> None:
        """Take over the strata and rules of a state that was read."""

    def run(self, work: EpochWork, arriving: Sequence[Arriving] = ()) -> EpochOutcome:
        """Carry out an epoch up to its commit; raises and leaves no trace if it cannot be done."""

    def commit(self) -> None:
        """Make the epoch that ran last the committed one."""

    def rollback(self) -> None:
        """Undo the epoch that ran last and is not committed."""

    def close(self) -> None:
        """End the partitions."""

    # The state folder

    def open_state(self, durable: Durable) -> None:
        """Get ready to keep epochs in a state folder."""

    def fill(self, durable: Durable, core: Iterable[Rule]) -> None:
        """Give empty partitions the facts that a state folder holds."""

    def record(self, durable: Durable, epoch: int, rules: Ruleset, schema: Schema, note: EpochRecord) -> None:
        """Make the epoch that ran last durable; StateError if that cannot be done."""

    def snapshot(self, durable: Durable, rules: Ruleset, schema: Schema, *, only_if_due: bool) -> None:
        """Write the whole state; when that is due by itself, what goes wrong is a warning."""

    # Reading

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation."""

    def rows(self, name: str) -> Cells:
        """The facts of a relation at the last committed epoch."""

    def counts(self, name: str) -> Counts:
        """The facts of a relation at the last committed epoch with their counts, every fact once."""

    def held(self, name: str) -> list[Counts]:
        """The same as each partition holds it."""

    def rows_with_keys(self, name: str, columns: tuple[int, ...], rows: Cells) -> Cells:
        """The rows present before the epoch that share a key with one of ``rows``."""

    def live(self, name: str) -> int:
        """The number of facts of a relation."""

    def distinct_keys(self, name: str, columns: tuple[int, ...]) -> int | None:
        """About how many keys a relation has, if there is an index that tells."""

    def whole(self, form: Form, rules: Ruleset, planning: Planning) -> Host:
        """A node that holds every fact once, to be asked questions; what several hold is put together for it."""

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
        """Write a relation, or what an epoch changed in it, as files of a folder; tells what the lists of each hold."""
