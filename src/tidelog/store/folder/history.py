"""History: what past epochs did, read from the log.

Law: a fact that is added or removed in an epoch is in the delta of its relation exactly once, whether facts or rules
changed; so the change feed of a view is its deltas in order, each epoch once, before and after a restart alike. With
several partitions, each reports the facts it owns; facts on all of them are reported by the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from tidelog.io.columns import decode_column
from tidelog.partition.base.net_changes import NetChange
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.ruleset import Ruleset
from tidelog.program.values.shape import Shape
from tidelog.program.values.term import RECORD
from tidelog.rewrite.place.placement import MIRRORED, SINGLE
from tidelog.store.base import store_failures as failures
from tidelog.store.base.frame import Frame
from tidelog.store.folder.assertions import rules_at
from tidelog.store.folder.durable import Durable
from tidelog.store.folder.state_reader import read_piece
from tidelog.store.folder.stretches import stretches
from tidelog.store.image.delta import Cells
from tidelog.store.image.image import deltas_of
from tidelog.store.image.rules import ruleset_from_values
from tidelog.store.log.markers import markers_of


class Change(NamedTuple):
    """A fact that was inserted (sign 1) or deleted (-1) in an epoch."""

    epoch: int
    sign: int
    fact: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An epoch in the log; ``changed`` contains the numbers of inserted and deleted facts of each relation."""

    epoch: int
    time: float
    seconds: float
    added: tuple[str, ...]
    removed: tuple[str, ...]
    asserted: Mapping[str, int]
    retracted: Mapping[str, int]
    changed: Mapping[str, NetChange[int]]
    source: str | None
    offset: int | None
    size: int
    author: str | None = None
    note: str | None = None


class PastSchemas:
    """The types of relations in past epochs, with the records and algebraic types that the rules declared then.

    Deltas have one type for all of them. Past rules are read when a column of that type is first met.
    """

    def __init__(self, state: Durable, since: int, now: Ruleset) -> None:
        self._state, self._since, self._now = state, since, now

    @cached_property
    def _rules(self) -> list[tuple[int, Ruleset]]:
        """The rule sets since then, each with the epoch in which it begins."""
        changed = [(f.epoch, f.header["rules"]) for f in self._state.frames(self._since) if "rules" in f.header]
        if not changed:
            return [(0, self._now)]
        stored = [(0, rules_at(self._state, self._since)), *changed]
        functions, place = self._now.functions, self._state.store.name
        return [(e, ruleset_from_values(values, functions, place)) for e, values in stored if values is not None]

    def types(self, relation: str, epoch: int, types: Sequence[str | None]) -> Sequence[str | None]:
        """The types of a relation's columns after an epoch whose delta contains ``types``."""
        if RECORD not in types:
            return types
        known = [rules for first, rules in self._rules if first <= epoch]
        return with_shapes(types, known[-1] if known else self._now, relation)


def with_shapes(types: Sequence[str | None], rules: Ruleset, relation: str) -> Sequence[str | None]:
    """The types of columns, with the declared types of records and algebraic values."""
    declared = rules.schema.get(relation, types)
    pairs = zip(types, declared, strict=True) if len(declared) == len(types) else ()
    return tuple(own if own == RECORD and isinstance(own, Shape) else type_ for type_, own in pairs) or types


def view_changes(state: Durable, relation: str, since: int, dictionary: Dictionary, rules: Ruleset) -> Iterator[Change]:
    """The changes of a relation in the epochs after ``since``; ``rules`` are those in force now."""
    schemas = PastSchemas(state, since, rules)
    for frame in _frames_with(state, relation, since):
        for delta in deltas_of(frame):
            if delta.relation == relation:
                before = delta.types if delta.types_before is None else delta.types_before
                for sign, cells, types, epoch in (
                    (-1, delta.deleted[:, 1:], before, frame.epoch - 1),
                    (1, delta.inserted[:, :-2], delta.types, frame.epoch),
                ):
                    if len(cells):
                        for fact in _facts(cells, schemas.types(relation, epoch, types), dictionary, frame):
                            yield Change(frame.epoch, sign, fact)


def _frames_with(state: Durable, relation: str, since: int) -> Iterator[Frame]:
    """The frames with the changes of a relation, in the order of epochs, from the log or from several partitions."""
    for stretch in stretches(state, since):
        alone = stretch.placements.get(relation) in (MIRRORED, SINGLE)
        yield from stretch.frames(state, range(1 if alone else stretch.partitions))


def _facts(cells: Cells, types: Sequence[str | None], dictionary: Dictionary, frame: Frame) -> list[tuple[Any, ...]]:
    if not cells.shape[1]:
        return [()] * len(cells)
    try:
        columns = [decode_column(cells[:, i], type_, dictionary) for i, type_ in enumerate(types)]
    except (KeyError, ValueError, OverflowError) as error:
        problem = f"epoch {frame.epoch} has a cell that is not a valid value of its column: {error}"
        raise failures.IMPOSSIBLE.error(file=frame.file, what=problem) from None
    return list(zip(*columns, strict=True))


def log_entries(state: Durable, after: int | None = None) -> Iterator[LogEntry]:
    """The epochs that are kept, oldest first; or those after one, StateError if they are not kept."""
    segments = state.log.segments
    oldest = segments[0] - 1 if segments else 0
    for frame in state.frames(oldest if after is None else after):
        header = frame.header
        source, offset = next(iter(header.get("offsets", {}).items()), (None, None))
        yield LogEntry(
            frame.epoch,
            header["time"],
            header["seconds"],
            tuple(header.get("rules added", ())),
            tuple(header.get("rules removed", ())),
            header["asserted"],
            header["retracted"],
            {name: NetChange(*counts) for name, counts in header["changed"].items()},
            source,
            offset,
            frame.size + sum(marker.size for marker in markers_of(header)),
            header.get("author"),
            header.get("note"),
        )


def texts_of(state: Durable) -> Dictionary:
    """The values behind all ids that the partitions keep at the open epoch; reads everything they hold."""
    found = Dictionary()
    for number in range(state.partitions):
        found.enter(read_piece(state.store, number, state.epoch, state.begun, records=False).image.entries.items())
    return found
