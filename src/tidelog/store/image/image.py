"""A state as it is stored in files: the records of every relation, the dictionary, rules, strata, clock.

Law: an image is the sum of a snapshot and the epochs after it; the cost of applying a frame is proportional to its
size, and nothing is evaluated.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Any

import numpy as np

from tidelog.partition.memory.records import close_ranks, in_use, later, release
from tidelog.partition.texts.texts import to_bytes
from tidelog.program.values.term import Value
from tidelog.store.base.corruption import AlteredError, ImpossibleError, damage
from tidelog.store.base.frame import Frame
from tidelog.store.base.header import RENEWED
from tidelog.store.base.memos import change_memos
from tidelog.store.image.delta import Cells, Delta, decode_deltas
from tidelog.store.image.duplicate_facts import IN, OUT, check_changes
from tidelog.store.image.entries import Entry, decode_entries
from tidelog.store.log.markers import Marker, markers_of

SMALLEST = 16


@cache
def installed_memory() -> int:
    """The size of this machine's memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@dataclass(slots=True)
class RelationImage:
    """The records of a relation by row; ``rows`` of them are or were in use.

    ``unchecked_changes`` are what epochs have added and removed since the last check (`duplicate_facts`).
    """

    arity: int
    base: int = 0
    rows: int = 0
    records: Cells = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    unchecked_changes: list[tuple[int, Cells]] = field(default_factory=list, repr=False, compare=False)

    def apply(self, delta: Delta) -> None:
        """Apply the changes of one epoch; raises ImpossibleError if they do not fit these records."""
        self.base = delta.base
        self._must_hold(delta.deleted[:, 0], delta.relation)
        if len(delta.deleted):
            self._remove(delta)
        self._must_hold(delta.changed[:, 0], delta.relation)
        if len(delta.inserted):
            if self.rows:
                self.unchecked_changes.append((IN, delta.inserted[:, : self.arity].copy()))
            self._add(delta)
        if len(delta.changed):
            self.records[delta.changed[:, 0], self.arity :] = delta.changed[:, 1:]

    def check_changes(self, name: str) -> None:
        """Raise ImpossibleError if an epoch since the last check inserted a fact that was present."""
        if self.unchecked_changes:
            records = self.records[: self.rows]
            check_changes(name, self.unchecked_changes, records[:, : self.arity], in_use(records))
            self.unchecked_changes = []

    def facts(self) -> Cells:
        """The columns of the records that hold facts."""
        records = self.records[: self.rows]
        live = in_use(records)
        found: Cells = (records if live.all() else records[live])[:, : self.arity]
        return found

    def _remove(self, delta: Delta) -> None:
        rows, facts = delta.deleted[:, 0], delta.deleted[:, 1:]
        if (self.records[rows, : self.arity] != facts).any():
            raise ImpossibleError(f"`{delta.relation}` does not contain the fact to delete in its row")
        self.unchecked_changes.append((OUT, facts.copy()))
        release(self.records, rows)

    def _must_hold(self, rows: Cells, name: str) -> None:
        if len(rows) and not (int(rows.max()) < self.rows and in_use(self.records[rows]).all()):
            raise ImpossibleError(f"`{name}` contains no fact in a row that changes")

    def _add(self, delta: Delta) -> None:
        places = delta.places()
        if not self.rows and len(delta.inserted) >= SMALLEST and isinstance(places, slice) and places.start == 0:
            own = delta.inserted.flags.writeable
            self.rows, self.records = len(delta.inserted), delta.inserted if own else delta.inserted.copy()
            return
        self._fit(places.stop if isinstance(places, slice) else int(places.max()) + 1, delta.relation)
        if in_use(self.records[places]).any():
            raise ImpossibleError(f"`{delta.relation}` already contains a fact in the row of a new one")
        self.records[places] = delta.inserted

    def _fit(self, rows: int, name: str) -> None:
        self.rows = max(self.rows, rows)
        if rows > len(self.records):
            used = len(self.records)
            capacity = max(SMALLEST, rows * 3 // 2 if used else rows)
            if 8 * capacity * (self.arity + 2) > installed_memory() // 2:
                raise ImpossibleError(
                    f"`{name}` has a row {rows - 1}, which does not fit into the memory of this machine"
                )
            grown = np.empty((capacity, self.arity + 2), np.int64)
            grown[:used] = self.records.reshape(used, self.arity + 2)
            release(grown, slice(used, None))  # until they are filled
            self.records = grown

    def is_empty(self) -> bool:
        """Whether no row holds a fact."""
        return not in_use(self.records[: self.rows]).any()


def _close_ranks(relations: Sequence[RelationImage]) -> int:
    """Renumber the ranks of some relations from 1, in the same order; returns the highest."""
    highest = close_ranks([(relation.records[: relation.rows], relation.base) for relation in relations])
    for relation in relations:
        relation.base = 0
    return highest


@dataclass(slots=True)
class Image:
    """A state at an epoch. ``checksum`` is that of the epoch's frame, which the next frame names as its predecessor.

    With several partitions, the driver's image has the markers, and that of a reader the ``pieces``: the images of
    the partitions, each with its own records. ``begun`` is the last epoch that rewrote all records for another
    number of partitions, 0 if there was none, and ``parts`` how many folders of partitions there may be.
    ``place`` is where the image was read; it is empty if it was not.
    """

    epoch: int = 0
    checksum: int = 0
    clock: int = 0
    relations: dict[str, RelationImage] = field(default_factory=dict)
    entries: dict[int, Value] = field(default_factory=dict)
    rules: dict[str, Any] | None = None
    strata: list[list[str]] = field(default_factory=list)
    arities: dict[str, int] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    offsets: dict[str, int] = field(default_factory=dict)
    memos: dict[str, str] = field(default_factory=dict)
    markers: list[Marker] = field(default_factory=list)
    placements: dict[str, int] = field(default_factory=dict)
    begun: int = 0
    parts: int = 0
    pieces: list[Image] = field(default_factory=list)
    place: str = ""

    @property
    def partitions(self) -> int:
        """The number of partitions with separate parts; 0 for one embedded partition."""
        return len(self.markers)

    def apply(self, frame: Frame, *, records: bool = True) -> None:
        """Apply the changes of one epoch, or begin from a snapshot; without ``records``, facts are left out."""
        header = frame.header
        if "anew" in header:
            self.relations, self.entries, self.placements = {}, {}, {}
        for name in header.get(RENEWED, ()):
            self.relations.pop(name, None)
        try:
            if records:
                self._apply_deltas(frame)
            self.enter(entries_of(frame))
        except AlteredError as wrong:
            raise damage(frame.file, wrong) from None
        self.epoch, self.clock = frame.epoch, header["clock"]
        self.rules = header.get("rules", self.rules)
        self.strata = header.get("strata", self.strata)
        self.arities = header.get("arities", self.arities)
        self.facts = header.get("facts", self.facts)
        self.offsets = {**self.offsets, **header.get("offsets", {})}
        if "memos" in header:
            self.memos = {**self.memos}
            change_memos(self.memos, header["memos"])
        self.markers = markers_of(header)
        self.begun, self.parts = header.get("anew", self.begun), header.get("parts", self.parts)
        self.placements = {**self.placements, **header.get("placements", {})}
        if header.get("ranks closed"):
            self._close_ranks()

    def _apply_deltas(self, frame: Frame) -> None:
        """Apply the changes of all relations, each of which occurs once."""
        seen: set[str] = set()
        for delta in deltas_of(frame):
            name, known = delta.relation, self.relations.get(delta.relation)
            if name in seen:
                raise ImpossibleError(f"the changes of `{name}` occur twice")
            seen.add(name)
            if known is None or known.arity != delta.arity:
                if known is not None and not known.is_empty():
                    raise ImpossibleError(f"`{name}` has {known.arity} columns, but receives facts with {delta.arity}")
                known = self.relations[name] = RelationImage(delta.arity)
            known.apply(delta)

    def enter(self, entries: list[Entry]) -> None:
        """Add entries of the dictionary; raises ImpossibleError if one contradicts an existing entry."""
        wanted = len(self.entries) + len(entries)
        before = {cell: self.entries[cell] for cell, _ in entries if cell in self.entries} if self.entries else {}
        self.entries.update(entries)
        if len(self.entries) == wanted:
            return
        for cell, value in entries:
            if to_bytes(before.setdefault(cell, value)) != to_bytes(value):
                raise ImpossibleError(f"the dictionary has two values with the id {cell}")

    def _close_ranks(self) -> None:
        """Renumber the ranks of every stratum from 1, as the partition did after this epoch (`close_ranks`)."""
        together = {name for group in self.strata for name in group}
        groups = [*self.strata, *([name] for name in self.arities if name not in together)]
        held = ([self.relations[name] for name in group if name in self.relations] for group in groups)
        self.clock = reduce(later, (_close_ranks(relations) for relations in held if relations), 0)


def deltas_of(frame: Frame) -> Iterator[Delta]:
    """The changes of all relations in a frame."""
    try:
        for message in _messages(frame, "deltas"):
            yield from decode_deltas(message)
    except AlteredError as wrong:
        raise damage(frame.file, wrong) from None


def entries_of(frame: Frame) -> list[Entry]:
    """The entries of the dictionary in a frame; StateError if they are not valid."""
    try:
        return [entry for message in _messages(frame, "entries") for entry in decode_entries(message)]
    except AlteredError as wrong:
        raise damage(frame.file, wrong) from None


def _messages(frame: Frame, name: str) -> Iterator[memoryview]:
    """The Arrow messages of one kind in the body of a frame."""
    at = 0
    for kind, size in frame.header["body"]:
        if kind == name:
            yield frame.body[at : at + size]
        at += size
