"""What an epoch did, as a value for the user.

Law: rows are read on request; relations that did not change have an empty change set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from tidelog.engine.core.core import Core
from tidelog.engine.read.changes_page import changes_page
from tidelog.engine.read.view import ChangeSet, Rows
from tidelog.kernel.cells import Cells
from tidelog.plan.ruleset import Ruleset, Schema
from tidelog.runtime.base.outcome import StratumStatistics

Types = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class EpochStatistics:
    """What an epoch cost. ``supports`` counts the supports found or lost per rule; times are in seconds.

    With several partitions ``messages`` counts the messages sent from one to another, and ``exchanges`` is the largest
    number of times that one of them waited for others. ``replans`` counts the rules that were planned again during the
    epoch because the relations they read had grown or shrunk by a factor.
    """

    seconds: float = 0.0
    supports: Mapping[str, int] = field(default_factory=dict)
    suspended: int = 0
    revived: int = 0
    strata: tuple[StratumStatistics, ...] = ()
    messages: int = 0
    exchanges: int = 0
    replans: int = 0


class Changes(Mapping[str, ChangeSet]):
    """What an epoch changed, by relation; relations that did not change have an empty change set."""

    def __init__(self, made: Mapping[str, Callable[[], ChangeSet]], empty: Callable[[str], ChangeSet]) -> None:
        self._make = made
        self._made: dict[str, ChangeSet] = {}
        self._empty = empty

    def __getitem__(self, name: str) -> ChangeSet:
        if name not in self._make:
            return self._empty(name)
        if name not in self._made:
            self._made[name] = self._make[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._make

    def __iter__(self) -> Iterator[str]:
        return iter(self._make)

    def __len__(self) -> int:
        return len(self._make)

    def __reduce__(self) -> tuple[object, ...]:
        return changes_of, (dict(self),)

    def _repr_html_(self) -> str:
        return changes_page(self)

    def __repr__(self) -> str:
        return ", ".join(f"{name}: {change!r}" for name, change in self.items()) or "no change"


def changes_of(change_sets: Mapping[str, ChangeSet]) -> Changes:
    """The changes of an epoch that were pickled."""
    return Changes({name: partial(change_sets.__getitem__, name) for name in change_sets}, change_sets.__getitem__)


def shown_types(after: Types, before: Types) -> Types:
    """The types of inserted and deleted rows in one table: those that columns have, or had if they have none."""
    return tuple(old if new is None else new for new, old in zip(after, before, strict=True))


def no_change(core: Core, name: str) -> ChangeSet:
    """The change set of a relation that did not change."""
    if name not in core.schema:
        raise core.unknown_relation(name)
    empty = fixed_rows(core, name, np.zeros((0, len(core.schema[name])), np.int64))
    return ChangeSet(empty, empty)


def fixed_rows(
    core: Core,
    name: str,
    cells: Cells | Callable[[], Cells],
    schema: Schema | None = None,
    rules: Ruleset | None = None,
) -> Rows:
    """Immutable rows of a relation; ``rules`` describe relations that are not committed."""
    known = schema or core.schema
    types = known[name] if name in known else core.rules.schema[name]  # declared, but in no epoch yet
    names = core.columns(name, rules if name not in core.rules.schema else None)
    return Rows(name, names[: len(types)], types, core.dictionary, cells, core.outside(name))


def row_text(core: Core, rules: Ruleset) -> Callable[[str, Cells], str]:
    """A function that prints a row of cells as a fact."""

    def show(name: str, row: Cells) -> str:
        rows = Rows(name, core.columns(name), rules.schema[name], core.dictionary, row.reshape(1, -1))
        return core.fact_writer(name, rules)(rows.rows()[0])

    return show
