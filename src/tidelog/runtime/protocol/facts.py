"""What can be read of the facts that the partitions of an engine hold: one protocol for one partition and for many.

Law: reads return the last committed epoch, even while another one runs, and every answer belongs to one epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from tidelog.kernel.cells import Cells

if TYPE_CHECKING:
    from tidelog.io.view_files import Kinds
    from tidelog.partition.base.net_changes import NetChange
    from tidelog.partition.code.plan_counts import PlanCounts
    from tidelog.partition.reading.fact_pages import FactPage, FactPattern
    from tidelog.plan.steps import Plan
    from tidelog.runtime.base.outcome import RowChanges
    from tidelog.runtime.protocol.frozen_facts import Counts, FrozenFacts

KeyCounts = Callable[[str, tuple[int, ...]], int | None]


class Facts(Protocol):
    """The facts of one engine."""

    @property
    def memory(self) -> int:
        """Bytes held by facts, indexes, journals and texts."""

    @property
    def fact_count(self) -> int:
        """The number of facts held, auxiliary relations included; may be read while an epoch runs."""

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation."""

    def one_epoch(self) -> AbstractContextManager[object]:
        """A context in which no epoch becomes the committed one: all reads inside belong to the same epoch."""

    def rows(self, name: str, *, by_column: bool = False) -> Cells:
        """The facts of a relation; ``by_column``: for a reader of columns, which may be contiguous in memory."""

    def some_rows(self, name: str, first: int, count: int) -> Cells:
        """``count`` of them, starting with number ``first``, in the same order."""

    def count(self, name: str) -> int:
        """The number of facts of a relation, counted one by one."""

    def matching(self, name: str, columns: tuple[int, ...], key: Sequence[int]) -> Cells:
        """The facts that have these cells in these columns, which are ascending; to be called while no epoch runs."""

    def mark_facts(self, name: str, rows: Cells) -> Cells:
        """1 for each row that is a fact of the relation, otherwise 0; to be called while no epoch runs."""

    def counts(self, name: str) -> Counts:
        """The facts of a relation with their counts, every fact once."""

    def freeze(self, names: Sequence[str]) -> FrozenFacts:
        """The state of some relations, to be read in batches while epochs continue; to be called while none runs."""

    def held(self, name: str) -> list[Counts]:
        """The same state as each partition holds it."""

    def rows_with_keys(self, name: str, columns: tuple[int, ...], rows: Cells) -> Cells:
        """The rows present before the epoch that share a key with one of ``rows``."""

    def assertions(self, name: str) -> NetChange[Cells]:
        """The facts of a relation that the epoch that ran last, and is not committed, has asserted and retracted."""

    def unevenness(self, name: str) -> float:
        """The facts of a relation on the partition that has the most, as a multiple of the mean."""

    def live(self, name: str) -> int:
        """The number of facts of a relation."""

    def key_counts(self) -> KeyCounts:
        """A function that returns the present number of keys of an index on some columns, None if not counted."""

    def plans(self) -> dict[str, tuple[Plan, ...]]:
        """The plans of every core rule, by label, as one of the partitions runs them."""

    def plan_counts(self) -> list[PlanCounts]:
        """What the plans of all rules did since they were made, added up over the partitions."""

    def model_sizes(self) -> dict[str, str]:
        """The sizes of the models of cycles through negation, by the rules that read truth from them."""

    def find(self, patterns: Sequence[FactPattern], *, running: bool = False) -> list[FactPage]:
        """The facts that a question looks for, each once; to be called while no epoch runs.

        With ``running`` they are those of the epoch that ran last and is not committed.
        """

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
        """Write a relation, or an epoch's changes in it, as files of a folder; returns what the lists of each hold."""
