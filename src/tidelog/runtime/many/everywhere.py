"""The facts of several partitions, read on all of them.

Law: every partition answers for the facts that it owns, and for a mirrored relation one answers for all. All answers of
one read belong to one epoch; if a node is lost during a read, the reader waits until the nodes are started again, and
then receives its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np

from tidelog.io.view_files import Kinds
from tidelog.kernel.cells import Cells
from tidelog.partition.base.net_changes import NetChange
from tidelog.partition.base.owner import owners_of
from tidelog.partition.code.plan_counts import PlanCounts, add_up, by_label
from tidelog.plan.steps import Plan
from tidelog.runtime.base.call import Call
from tidelog.runtime.base.distribution import Distribution
from tidelog.runtime.base.outcome import RowChanges
from tidelog.runtime.base.runs import Runs
from tidelog.runtime.many.freeze_partitions import freeze_partitions
from tidelog.runtime.many.search import Search
from tidelog.runtime.one.rule_node import RuleNode
from tidelog.runtime.protocol.frozen_facts import Counts, FrozenFacts
from tidelog.runtime.protocol.nodes import Nodes
from tidelog.runtime.protocol.recovery import Recovery
from tidelog.runtime.protocol.service import Service

T = TypeVar("T")
P = ParamSpec("P")


class PartitionedFacts:
    """The facts of one engine with several partitions; ``distribution`` returns the present one."""

    def __init__(
        self, nodes: Nodes, recovery: Recovery, rules: RuleNode, runs: Runs, distribution: Callable[[], Distribution]
    ) -> None:
        self._nodes, self._recovery, self._rules, self._runs = nodes, recovery, rules, runs
        self._distribution = distribution
        self.unevenness: Callable[[str], float] = lambda name: distribution().unevenness(name)
        self._stills = 0
        self.search = Search(nodes, recovery, distribution)
        self.find, self.key_counts = self.search.find, self.search.key_counts

    @property
    def memory(self) -> int:
        """Bytes held by facts, indexes, journals and texts on all partitions."""
        return sum(self._ask(Service.memory))

    @property
    def fact_count(self) -> int:
        """The number of facts held, auxiliary relations included; may be read while an epoch runs."""
        return self._distribution().fact_count

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation."""
        return self._rules.node.arity(name)

    def rows(self, name: str, *, by_column: bool = False) -> Cells:
        """The facts of a relation at the last committed epoch."""
        return np.concatenate(self._ask_owners(name, Service.rows, name))

    def one_epoch(self) -> AbstractContextManager[object]:
        """A context in which no epoch becomes the committed one."""
        return self._recovery.together

    def some_rows(self, name: str, first: int, count: int) -> Cells:
        """``count`` of them, starting with number ``first``, in the same order."""
        parts = self._ask_owners(name, Service.rows, name, 0, first + count)
        return np.concatenate(parts)[first : first + count]

    def count(self, name: str) -> int:
        """The number of facts of a relation, counted one by one."""
        return len(self.rows(name))

    def matching(self, name: str, columns: tuple[int, ...], key: Sequence[int]) -> Cells:
        """The facts that have these cells in these columns; to be called while no epoch runs."""
        row = np.zeros((1, max(columns) + 1), np.int64)
        row[0, list(columns)] = key
        place, ask = self._distribution().places.get(name, 0), Service.rows_with_keys
        if place not in columns:
            return np.concatenate(self._ask_owners(name, ask, name, columns, row, is_question=True))
        (owner,) = owners_of(row[:, place], self._nodes.partitions).tolist()
        return self._recovery.ask(lambda: self._nodes.ask_one(owner, ask, name, columns, row, is_question=True))

    def mark_facts(self, name: str, rows: Cells) -> Cells:
        """1 for each row that is a fact of the relation, otherwise 0; to be called while no epoch runs."""
        marks: Cells = np.maximum.reduce(self._ask_owners(name, Service.mark_facts, name, rows))
        return marks

    def counts(self, name: str) -> Counts:
        """The facts of a relation at the last committed epoch with their counts, every fact once."""
        return tuple(map(np.concatenate, zip(*self._ask_owners(name, Service.counts, name), strict=True)))

    def freeze(self, names: Sequence[str]) -> FrozenFacts:
        """The state of some relations, to be read in batches while epochs continue."""
        number = self._stills = self._stills + 1
        return freeze_partitions(self._nodes, self._recovery, number, names, self._distribution().is_mirrored)

    def held(self, name: str) -> list[Counts]:
        """The same state as each partition holds it."""
        return self._ask(Service.counts, name)

    def rows_with_keys(self, name: str, columns: tuple[int, ...], rows: Cells) -> Cells:
        """The rows present before the epoch that share a key with one of ``rows``."""
        return np.concatenate(self._ask_owners(name, Service.rows_with_keys, name, columns, rows))

    def assertions(self, name: str) -> NetChange[Cells]:
        """The facts of a relation that the epoch that ran last, and is not committed, has asserted and retracted."""
        asserted, retracted = zip(*self._ask_owners(name, Service.changes, None, name), strict=True)
        return NetChange(np.concatenate(asserted), np.concatenate(retracted))

    def live(self, name: str) -> int:
        """The number of facts of a relation."""
        return self._distribution().live(name)

    def plans(self) -> dict[str, tuple[Plan, ...]]:
        """The plans of every core rule, by label, as partition 0 runs them; each plans by its own facts."""
        counted = by_label(self._recovery.ask(lambda: self._nodes.ask_one(0, Service.plan_counts)))
        return {label: tuple(part.plan for part in parts if part.is_in_force) for label, parts in counted.items()}

    def plan_counts(self) -> list[PlanCounts]:
        """What the plans of all rules did since they were made, added up over the partitions."""
        return add_up(part for parts in self._ask(Service.plan_counts) for part in parts)

    def model_sizes(self) -> dict[str, str]:
        """The sizes of the models of cycles through negation, by the rules that read truth from them."""
        return self._recovery.ask(lambda: self._nodes.ask_one(0, Service.model_sizes))

    def changes(self, run: int, names: Iterable[str]) -> RowChanges:
        """What a run changed in some relations; the run is forgotten when the result is no longer referenced."""
        changes = RowChanges({name: partial(self._changed, run, name) for name in names})
        changes.run = run
        self._runs.forget_with(changes)
        return changes

    def _changed(self, run: int, name: str) -> NetChange[Cells]:
        # the number is looked up at every attempt: after a loss the run has another one
        found = self._recovery.ask(lambda: self._of_owners(name, Service.changes, self._runs.present(run), name))
        inserted, deleted = zip(*found, strict=True)
        return NetChange(np.concatenate(inserted), np.concatenate(deleted))

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
        """Let every partition write its rows of a relation, or of an epoch's changes in it, to a separate file."""
        files = [f"{folder}/part-{number}.parquet" for number in range(self._nodes.partitions)]

        def write() -> list[Kinds]:
            run = None if changes is None else self._runs.present(changes.run)
            arguments = (name, tuple(types), tuple(columns), run, lists_as_text, tuple(outside))
            if self._distribution().is_mirrored(name):
                return [self._nodes.ask_one(0, Service.write_view, files[0], *arguments)]
            return self._nodes.ask_each([Call(Service.write_view, file, *arguments) for file in files])

        return self._recovery.ask(write)

    def _ask(self, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> list[T]:
        """The answers of all nodes to the same call, from one epoch."""
        return self._recovery.ask(lambda: self._nodes.ask(method, *args, **named))

    def _ask_owners(
        self, name: str, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs
    ) -> list[T]:
        """The answers of the owners of a relation, from one epoch."""
        return self._recovery.ask(lambda: self._of_owners(name, method, *args, **named))

    def _of_owners(
        self, name: str, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs
    ) -> list[T]:
        """Ask all partitions, or one if each of them holds the whole relation."""
        if self._distribution().is_mirrored(name):
            return [self._nodes.ask_one(0, method, *args, **named)]
        return self._nodes.ask(method, *args, **named)
