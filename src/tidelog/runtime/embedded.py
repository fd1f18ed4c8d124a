"""The embedded runtime: one partition in this process, called directly.

Law: the one partition has nobody to wait for, so that an epoch is one step.
"""

from __future__ import annotations

from collections.abc import Callable

from tidelog.kernel.cells import Cells
from tidelog.partition.dictionary import Dictionary
from tidelog.partition.keys import rows_with_keys
from tidelog.plan.work import EpochWork
from tidelog.runtime.epoch_steps import Host
from tidelog.runtime.outcome import EpochOutcome


class EmbeddedRuntime(Host):
    """Carries out epochs on one partition."""

    partitions = 1

    def run(self, work: EpochWork) -> EpochOutcome:
        """Carry out an epoch up to its commit; raises and leaves no trace if it cannot be done."""
        steps = self.steps(work)
        try:
            request = next(steps)
        except StopIteration as end:
            outcome: EpochOutcome = end.value
            return outcome
        raise AssertionError(f"one partition asks nobody: {request}")

    @property
    def book(self) -> EmbeddedRuntime:
        """Where rules, plans and strata are written down: here."""
        return self

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary of the engine."""
        return self.partition.dictionary

    @property
    def on_slice(self) -> Callable[[], None]:
        """What is called between slices of work."""
        return self.partition.machine.on_slice

    @on_slice.setter
    def on_slice(self, call: Callable[[], None]) -> None:
        self.partition.machine.on_slice = call

    def rows(self, name: str) -> Cells:
        """The facts of a relation at the last committed epoch."""
        return self.partition.rows(name)

    def counts(self, name: str) -> tuple[Cells, ...]:
        """Columns, ranks, ``all``, ``low`` and assertion of the facts of a relation at the last committed epoch."""
        return self.partition.counts(name)

    def rows_with_keys(self, name: str, columns: tuple[int, ...], rows: Cells) -> Cells:
        """The rows present before the epoch that share a key with one of ``rows``."""
        return rows_with_keys(self.partition.relations, name, columns, rows)

    def live(self, name: str) -> int:
        """The number of facts of a relation."""
        number = self.partition.relations.numbers.get(name)
        return 0 if number is None else self.partition.relations.live(number)

    def distinct_keys(self, name: str, columns: tuple[int, ...]) -> int | None:
        """How many keys a relation has, if there is an index that tells."""
        number = self.partition.relations.numbers.get(name)
        return None if number is None else self.partition.relations.distinct_keys(number, columns)

    @property
    def memory(self) -> int:
        """Bytes held by facts, indexes and journals."""
        return self.partition.relations.memory()

    @property
    def fact_count(self) -> int:
        """The number of facts held, auxiliary relations included; may be read while an epoch runs."""
        relations = self.partition.relations
        return sum(relations.live(number) for number in range(len(relations.names)))

    def close(self) -> None:
        """Nothing to end: memory goes with the object."""
