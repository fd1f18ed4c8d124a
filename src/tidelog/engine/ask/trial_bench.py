"""Trials: the state of an epoch with some of its changes undone, run on an engine and rolled back.

Law: undoing a set of changes means the same everywhere: the base facts and rules as the epoch left them, except for
these changes, and everything that follows from them. On an engine in the state after the epoch, the inverse of the
changes is run; in the state before it, the other changes are run, on all partitions. Nothing is committed; readers are
not interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tidelog.blame.change import Change, FactChanged, Row, RuleChanged
from tidelog.blame.search import UndoneChanges
from tidelog.engine.core.core import Core
from tidelog.engine.read import ask
from tidelog.engine.write.commit import previewed
from tidelog.engine.write.epoch import CollectedChanges
from tidelog.errors import TidelogError
from tidelog.io.rows import read_rows
from tidelog.partition.base.net_changes import NetChange
from tidelog.plan.ruleset import Ruleset
from tidelog.runtime.base.outcome import EpochOutcome
from tidelog.why import Bounds, Ledger, fact_key, fact_types

Fact = tuple[str, Row]
Cells = tuple[int, ...]


@dataclass(slots=True)
class Bench:
    """An engine in the state after an epoch, or before it, and the relevant changes of the epoch."""

    core: Core
    changes: Sequence[Change]
    is_after: bool
    runs: int = 0
    _cells: dict[Fact, Cells] = field(default_factory=dict)

    def trial(
        self, undone: UndoneChanges, relation: str, group: Mapping[int, int]
    ) -> NetChange[frozenset[Cells]] | None:
        """What undoing only these changes does to a group of a relation, relative to the state of the engine.

        None if that is impossible: without these changes the program is invalid, violates a key, or computes something
        that has no value.
        """
        try:
            with self._run(undone) as (_, outcome):
                if relation not in outcome.changes:
                    return NetChange(frozenset(), frozenset())
                inserted, deleted = outcome.changes[relation]
                return NetChange(_rows(inserted, group), _rows(deleted, group))
        except TidelogError:
            return None

    def refusal(self, undone: UndoneChanges) -> str:
        """Why some changes cannot be undone alone; empty if they can."""
        try:
            with self._run(undone):
                return ""
        except TidelogError as error:
            return str(error).splitlines()[0]

    @contextmanager
    def scene(self, undone: UndoneChanges) -> Iterator[Ledger]:
        """The state with some changes undone, for questions."""
        if self.is_after and not undone:
            with self.core.writing:
                yield ask.ledger_of(self.core, Bounds().work)
            return
        with self._run(undone) as (rules, _):
            yield ask.running_ledger(self.core, rules, Bounds().work)

    def cells(self, fact: Fact) -> Cells:
        """A fact converted to cells."""
        if fact not in self._cells:
            name, values = fact
            schema = {**self.core.schema, **self.core.rules.schema}
            types = fact_types(values, schema[name]) if name in schema else fact_types(values, (None,) * len(values))
            self._cells[fact] = fact_key(name, values, types, self.core.dictionary)[1]
        return self._cells[fact]

    @contextmanager
    def _run(self, undone: UndoneChanges) -> Iterator[tuple[Ruleset, EpochOutcome]]:
        self.runs += 1
        chosen = undone if self.is_after else [change for change in self.changes if change not in undone]
        collected = collect(chosen, undo=self.is_after)
        with previewed(self.core, collected) as (prepared, outcome):
            yield prepared.rules, outcome


def collect(changes: Iterable[Change], *, undo: bool) -> CollectedChanges:
    """Changes, or their inverse, in the form in which an epoch collects them."""
    collected = CollectedChanges(timeless=True)
    rows: dict[tuple[int, str], list[Row]] = {}
    for change in changes:
        if isinstance(change, FactChanged):
            for row, sign in ((change.new, -1 if undo else 1), (change.old, 1 if undo else -1)):
                if row is not None:
                    rows.setdefault((sign, change.relation), []).append(row)
        elif isinstance(change, RuleChanged):
            _collect_rule(collected, change, undo)
        else:
            collected.program = change.old if undo else change.new
    collected.facts = [(sign, name, read_rows(name, found)) for (sign, name), found in rows.items()]
    return collected


def _collect_rule(collected: CollectedChanges, change: RuleChanged, undo: bool) -> None:
    new, old = (change.old, change.new) if undo else (change.new, change.old)
    if old is not None:
        collected.removed.append(change.label)
    if new is not None:
        collected.added.append(replace(new, label=change.label))


def _rows(cells: np.ndarray[Any, Any], group: Mapping[int, int]) -> frozenset[Cells]:
    """The rows that have these cells in these columns, as tuples."""
    for column, cell in group.items():
        cells = cells[cells[:, column] == cell]
    return frozenset(map(tuple, cells.tolist()))
