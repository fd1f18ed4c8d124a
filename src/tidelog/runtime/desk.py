"""A desk: what a coordinator may ask of a host, with plain values in and out.

Law: the same questions are asked by function calls in one process and over a network; everything that goes in or comes
out can be pickled. Changes of an epoch stay readable here until the coordinator says that nobody wants them any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.keys import rows_with_keys
from tidelog.partition.limits import Limits
from tidelog.partition.records import arity_of
from tidelog.plan.work import EpochWork, PlannedRule
from tidelog.runtime.epoch_steps import Host
from tidelog.runtime.outcome import EpochOutcome, RowChanges
from tidelog.runtime.request import Answer, Request, Steps


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of an epoch on one partition: what it did, and the relations that changed."""

    outcome: EpochOutcome
    changed: tuple[str, ...]


class Desk:
    """One host, asked step by step."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._steps: Steps[EpochOutcome] | None = None
        self._changes: dict[int, RowChanges] = {}
        self._run = 0

    # Epochs

    def start(self, run: int, work: EpochWork, forgotten: Sequence[int] = ()) -> Request | Ended:
        """Begin the epoch ``run``; changes of the runs ``forgotten`` are not wanted any more."""
        for old in forgotten:
            self._changes.pop(old, None)
        self._run = run
        self._steps = self.host.steps(work)
        return self._advance(None)

    def resume(self, answer: Answer, run: int) -> Request | Ended:
        """Go on with the answer to the last request of the epoch ``run``."""
        assert run == self._run, "an answer that came too late"
        return self._advance(answer)

    def _advance(self, answer: Answer | None) -> Request | Ended:
        assert self._steps is not None, "no epoch runs"
        try:
            return next(self._steps) if answer is None else self._steps.send(answer)
        except StopIteration as end:
            self._steps = None
            outcome: EpochOutcome = end.value
            self._changes[self._run] = outcome.changes
            return Ended(replace(outcome, changes=RowChanges({})), tuple(outcome.changes))

    def rollback(self) -> None:
        """Undo the epoch that runs or ran last and is not committed."""
        steps, self._steps = self._steps, None
        if steps is not None:
            steps.close()  # which undoes it
        else:
            self.host.rollback()

    def commit(self) -> None:
        """Make the epoch that ran last the committed one."""
        self.host.commit()

    def adopt(
        self,
        arities: Mapping[str, int],
        groups: Iterable[Iterable[str]],
        rules: Iterable[PlannedRule],
        places: Mapping[str, int],
    ) -> None:
        """Take over the strata and rules of a state that was read."""
        self.host.adopt(arities, groups, rules, places)

    def set_limits(self, limits: Limits) -> None:
        """The limits of every epoch from now on."""
        self.host.set_limits(limits)

    # Reading

    def rows(self, name: str) -> Cells:
        """The facts of a relation at the last committed epoch."""
        return self.host.partition.rows(name)

    def counts(self, name: str) -> tuple[Cells, ...]:
        """Columns, ranks, ``all``, ``low`` and assertion of the facts of a relation."""
        return self.host.partition.counts(name)

    def changes(self, run: int, name: str) -> tuple[Cells, Cells]:
        """The rows of a relation that came and went in an epoch."""
        found = self._changes[run].get(name)
        if found is not None:
            return found
        relations = self.host.partition.relations
        empty: Cells = np.zeros((0, arity_of(relations, relations.numbers[name])), np.int64)
        return empty, empty

    def rows_with_keys(self, name: str, columns: tuple[int, ...], rows: Cells) -> Cells:
        """The rows present before the epoch that share a key with one of ``rows``."""
        return rows_with_keys(self.host.partition.relations, name, columns, rows)

    def sizes(self) -> dict[str, int]:
        """The number of facts held of every relation."""
        relations = self.host.partition.relations
        return {name: relations.live(number) for name, number in relations.numbers.items()}

    def distinct_keys(self, name: str, columns: tuple[int, ...]) -> int | None:
        """The number of keys of an index, if there is one."""
        relations = self.host.partition.relations
        return relations.distinct_keys(relations.numbers[name], columns) if name in relations.numbers else None

    def memory(self) -> int:
        """Bytes held by facts, indexes and journals."""
        return self.host.partition.relations.memory()
