"""The durable side of an engine: it logs epochs, takes snapshots when they are due, and reads the state back.

Law: an epoch is in the log, synced, before it is reported as committed, unless its maker waits for a common sync of
several epochs before reporting it; if it cannot be written, the epoch fails and nothing changes. What happens
afterwards (snapshots, removal of old files) may fail without harm, since the log is complete. With several partitions,
each writes its own piece first (`piece`); the frame written here makes all of them valid.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from tidelog.errors import StateError, StateWarning
from tidelog.partition.phases.partition import Partition
from tidelog.plan.ruleset import Ruleset, Schema
from tidelog.store.base import store_failures as failures
from tidelog.store.base.frame import EPOCH, SNAPSHOT, Bytes, Frame, framed
from tidelog.store.base.header import COLUMNS, SYNCED
from tidelog.store.base.notes import FORMAT_FILE, NOTE_FILE, check_format, write_format, write_note
from tidelog.store.base.store import HISTORY, Store, open_store
from tidelog.store.folder.recovery import read_pieces, recover
from tidelog.store.folder.state_reader import part_of
from tidelog.store.image.capture import everything, held_bytes, renewed_header, touched
from tidelog.store.image.delta import encode_deltas
from tidelog.store.image.entries import encode_columns
from tidelog.store.image.image import Image
from tidelog.store.image.rules import ruleset_to_values
from tidelog.store.log.log import FOLDER as LOG_FOLDER
from tidelog.store.log.log import Log
from tidelog.store.log.markers import Marker, PieceContext, PieceNote, counts_of
from tidelog.store.log.snapshot import FOLDER as SNAPSHOT_FOLDER
from tidelog.store.log.snapshot import ObsoleteFiles, remove_old, snapshot_name, snapshots, write_snapshot

MARGIN = 1 << 20  # bytes by which the log may outgrow the state before a snapshot is due


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """What the log keeps of an epoch besides its records, for `tidelog log` and to recognise repeated input."""

    seconds: float = 0.0
    added: Sequence[str] = ()
    removed: Sequence[str] = ()
    source: str | None = None
    offset: int | None = None
    facts: Sequence[str] | None = None  # those of the program's text, where the epoch changes them
    before: Schema = field(default_factory=dict)  # types of deleted facts, where the epoch changes them
    author: str | None = None
    note: str | None = None
    memos: Mapping[str, str | None] = field(default_factory=dict)  # of the source, where the epoch changes them
    columns: Sequence[str] = ()  # how the epoch changes the columns of relations, for people


class RecordedNode(Protocol):
    """What a state folder keeps of a node: its facts, its relations, and which of them are evaluated together."""

    @property
    def partition(self) -> Partition:
        """The facts."""

    @property
    def closes_ranks(self) -> bool:
        """Whether the next commit renumbers all ranks."""

    @property
    def groups(self) -> list[frozenset[str]]:
        """The relations evaluated together, lower strata first."""

    @property
    def strata(self) -> Mapping[str, object]:
        """By name, all relations."""

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation."""


@dataclass
class Durable:
    """A state folder in use. ``image`` is the state that was read, until the engine has taken it over.

    ``markers`` names the last piece of each partition where there are several; with one embedded partition it is empty.
    ``begun`` is the last epoch in which all records were rewritten for another number of partitions. ``pieces`` are
    the contents of the old partitions if their number changes, until the engine has rewritten them.
    """

    store: Store
    history: int | None
    writable: bool
    image: Image
    log: Log
    offsets: dict[str, int] = field(default_factory=dict)
    memos: dict[str, str] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    placements: dict[str, int] = field(default_factory=dict)
    begun: int = 0
    pieces: list[Image] = field(default_factory=list)
    _parts: int = 0
    _checksum: int = 0
    _epoch: int = 0
    _entries: int = 0
    _rules: Ruleset | None = None
    _noted: int = 0
    _failed_at: int = 0
    _held: int = 0
    waits: bool = False  # whether the next epoch is synced later, with others (`sync`)
    synced: int = 0  # the last epoch that is durable

    @classmethod
    def open(
        cls,
        place: str | Path | Store,
        at: int | None,
        history: int | None = HISTORY,
        partitions: Callable[[int], int] = int,
    ) -> Durable:
        """Open a folder as its only writer, or read it as it was at an epoch.

        ``partitions`` maps the number of partitions with separate parts (0 for one embedded) to the new number.
        """
        store = open_store(place)
        writable = at is None
        if writable:
            store.lock()
        try:
            if not check_format(store) and not writable:
                raise failures.NO_STATE.error(name=store.name)
            log = Log(store)
            recovered = recover(store, log, at)
            image = recovered.image
            if writable:
                if image.epoch and partitions(image.partitions) != image.partitions:
                    image.pieces = read_pieces(store, image) or [image]
                _tidy(store, log, recovered.damaged, max(image.parts, image.partitions))
        except BaseException:
            store.unlock()
            raise
        found = cls(store, history, writable, image, log, image.offsets, image.memos, image.facts)
        found.markers, found.placements = image.markers, image.placements
        found._checksum, found._epoch, found._noted = image.checksum, image.epoch, image.epoch
        found.synced = image.epoch
        found.begun, found._parts, found.pieces = image.begun, image.parts, image.pieces if writable else []
        return found

    @property
    def is_new(self) -> bool:
        """Whether no epoch has ever been committed here."""
        return self.image.epoch == 0

    @property
    def epoch(self) -> int:
        """The last committed epoch, or the one that is read."""
        return self._epoch

    @property
    def checksum(self) -> int:
        """The checksum of the last committed epoch, which names that epoch and, through it, all before it."""
        return self._checksum

    @property
    def partitions(self) -> int:
        """The number of partitions with separate parts; 0 for one embedded partition, or if nothing was written yet."""
        return len(self.markers)

    def must_be_writable(self) -> None:
        """Refuse to change a state that is only read."""
        if not self.writable:
            raise failures.READ_ONLY.error(name=self.store.name, epoch=self._epoch)

    def _must_be_sole_writer(self) -> None:
        """Refuse to write to a read-only state, or over another writer's changes; called by the owner of the turn."""
        self.must_be_writable()
        self.log.must_end_here(self._epoch + 1)

    def must_be_exact(self) -> None:
        """Refuse to try out changes on facts that were merged from several partitions: their ranks differ."""
        if not self.writable and self.partitions:
            raise failures.NOT_EXACT.error(name=self.store.name, partitions=self.partitions)

    def taken_over(self, rules: Ruleset, entries: int) -> None:
        """Note that the engine now holds the state, exactly as the files have it."""
        self._rules, self._entries = rules, entries
        self.image, self.pieces = Image(self.image.epoch), []

    def moved_in(self) -> None:
        """Note that the engine now holds the state, rewritten for other partitions."""
        self.image, self.pieces = Image(self._epoch), []

    # Epochs

    def changes_rules(self, rules: Ruleset) -> bool:
        """Whether an epoch with these rules writes rules and strata to the state again."""
        return rules is not self._rules

    def record(self, epoch: int, node: RecordedNode, rules: Ruleset, note: EpochRecord) -> None:
        """Make the epoch that ran last durable; StateError if that cannot be done."""
        partition = node.partition
        found = touched(partition, rules.schema, bases=self.changes_rules(rules), before=note.before)
        entries = partition.dictionary.entries.columns_since(self._entries)
        counts = {"asserted": found.asserted, "retracted": found.retracted, "changed": found.changed}
        header = self._header(rules, node, note, {"clock": partition.clock, **counts}) | renewed_header(found)
        if node.closes_ranks:
            header["ranks closed"] = True
        messages: list[tuple[str, Bytes]] = [("deltas", encode_deltas(found.deltas))] if found.deltas else []
        if len(entries.cells):
            messages.append(("entries", encode_columns(entries)))
        self._append(epoch, rules, header, messages)
        self._entries += len(entries.cells)

    def keeping(self, epoch: int, rules: Ruleset, schema: Schema, before: Schema) -> PieceContext:
        """What partitions must know to write their pieces of an epoch that results in these rules."""
        if self.markers and self.writable:  # pieces are written before the frame
            self._must_be_sole_writer()
        return PieceContext(epoch, dict(schema), self.changes_rules(rules), dict(before))

    def record_pieces(
        self,
        epoch: int,
        notes: Sequence[PieceNote],
        node: RecordedNode,
        rules: Ruleset,
        note: EpochRecord,
        placements: Mapping[str, int],
    ) -> None:
        """Commit an epoch whose pieces are durable in every partition; StateError if that cannot be done.

        ``placements``: where relations live, as `rewrite.place.placement` numbers it.
        """
        known = {**self.placements, **placements}
        markers = [Marker(n.checksum, n.size, n.clock) for n in notes]
        counts = {"clock": max(n.clock for n in notes), **counts_of(notes, known)}
        header = self._header(rules, node, note, counts) | {"pieces": markers}
        if known != self.placements:
            header["placements"] = known
        self._append(epoch, rules, header, [])
        self.markers, self.placements = markers, known
        self.log.bytes += sum(n.size for n in notes)
        self._held = sum(n.held for n in notes)

    def record_anew(
        self,
        epoch: int,
        node: RecordedNode,
        rules: Ruleset,
        note: EpochRecord,
        notes: Sequence[PieceNote] = (),
        placements: Mapping[str, int] | None = None,
    ) -> None:
        """Commit an epoch that rewrites all records for another number of partitions; StateError if it fails.

        Several partitions have written theirs; of one embedded partition they are in the frame.
        """
        partition, places = node.partition, dict(placements or {})
        messages: list[tuple[str, Bytes]] = []
        if not notes:
            messages = _everything(partition, rules)
        markers = [Marker(n.checksum, n.size, n.clock) for n in notes]
        clock = max((n.clock for n in notes), default=partition.clock)
        header = self._header(rules, node, note, {"clock": clock, "asserted": {}, "retracted": {}, "changed": {}})
        parts = max(self._parts, self.partitions, len(notes))
        header |= {"anew": epoch, "parts": parts, "before": {"partitions": self.partitions, "begun": self.begun}}
        header["before"]["placements"] = self.placements
        header |= {"pieces": markers, "placements": places, **_about_rules(rules, node)}
        self.sync()
        self.log.begin_segment()  # all frames of a segment are of one number of partitions
        self._append(epoch, rules, header, messages)
        self.markers, self.placements, self.begun, self._parts = markers, places, epoch, parts
        self._held = sum(n.held for n in notes)
        self._entries = 0 if notes else len(partition.dictionary.entries.columns_since(0).cells)

    def _header(
        self, rules: Ruleset, node: RecordedNode, note: EpochRecord, counts: Mapping[str, Any]
    ) -> dict[str, Any]:
        header: dict[str, Any] = {"time": round(time.time(), 3), "seconds": round(note.seconds, 6), **counts}
        if note.added or note.removed:
            header |= {"rules added": list(note.added), "rules removed": list(note.removed)}
        if note.source is not None:
            header["offsets"] = {note.source: note.offset}
        if note.memos:
            header["memos"] = dict(note.memos)
        header |= {key: text for key, text in (("author", note.author), ("note", note.note)) if text is not None}
        if self.changes_rules(rules):
            header |= _about_rules(rules, node)
        if note.facts is not None:
            header["facts"] = list(note.facts)
        if note.columns:
            header[COLUMNS] = list(note.columns)
        return header

    def _append(
        self, epoch: int, rules: Ruleset, header: Mapping[str, Any], messages: Sequence[tuple[str, Bytes]]
    ) -> None:
        self._must_be_sole_writer()
        waits, synced = self.waits and self.log.can_wait(), self.synced
        if waits and synced < epoch - 1:
            header = {**header, SYNCED: synced}
        parts, checksum = framed(EPOCH, epoch, self._checksum, header, messages)
        self.log.append(epoch, parts, sync=not waits)
        self._checksum, self._epoch, self._rules = checksum, epoch, rules
        if not waits:
            self.synced = epoch
        self.facts = header.get("facts", self.facts)

    def sync(self) -> int:
        """Make all recorded epochs durable, and return the last of them; another thread may record others meanwhile."""
        epoch = self._epoch
        if self.synced < epoch:
            self.log.sync()
            self.synced = max(self.synced, epoch)
        return epoch

    # Snapshots

    def is_due(self, held: int) -> bool:
        """Whether the log has outgrown a state of about this size in bytes."""
        return self.log.bytes > max(MARGIN + held, 2 * self._failed_at)

    def snapshot(self, node: RecordedNode, rules: Ruleset) -> None:
        """Write the whole state at the last committed epoch, then remove the files that are no longer needed."""
        partition = node.partition

        about = {"clock": partition.clock}
        self._snapshot(node, rules, about, lambda: _everything(partition, rules))

    def snapshot_if_due(self, node: RecordedNode, rules: Ruleset) -> None:
        """After a commit: errors are reported as a warning, because the epoch itself is safe."""
        if self.is_due(held_bytes(node.partition)):
            self._try(lambda: self.snapshot(node, rules))

    def snapshot_pieces(
        self,
        node: RecordedNode,
        rules: Ruleset,
        take: Callable[[int], object],
        remove: Callable[[ObsoleteFiles], object],
    ) -> None:
        """The same with several partitions: ``take`` makes each of them write its snapshot, ``remove`` its old files.

        The pieces are written first, so that every partition has each snapshot that the driver has. Old files are
        removed in the opposite order, so that the driver keeps nothing that a partition lacks.
        """

        def messages() -> list[tuple[str, Bytes]]:
            take(self._epoch)
            return []

        about = {"clock": max(m.clock for m in self.markers), "pieces": self.markers, "placements": self.placements}
        old = self._snapshot(node, rules, about, messages)
        try:
            remove(old)
        except OSError as error:
            warnings.warn(f"{self.store.name}: old files could not be removed: {error}", StateWarning, stacklevel=3)

    def snapshot_pieces_if_due(
        self,
        node: RecordedNode,
        rules: Ruleset,
        take: Callable[[int], object],
        remove: Callable[[ObsoleteFiles], object],
    ) -> None:
        """After a commit with several partitions; errors are reported as a warning."""
        if self.is_due(self._held):
            self._try(lambda: self.snapshot_pieces(node, rules, take, remove))

    def _snapshot(
        self,
        node: RecordedNode,
        rules: Ruleset,
        about: Mapping[str, Any],
        messages: Callable[[], list[tuple[str, Bytes]]],
    ) -> ObsoleteFiles:
        """Put the snapshot in place unless it exists, and remove old files; returns which were removed."""
        self._must_be_sole_writer()
        if self._epoch and self._epoch not in snapshots(self.store)[-1:]:
            kept = {"offsets": self.offsets, "facts": self.facts, **_about_rules(rules, node)}
            header = {"time": round(time.time(), 3), **about, **kept}
            if self.memos:
                header["memos"] = self.memos
            if self.begun:
                header |= {"anew": self.begun, "parts": self._parts}
            self.sync()
            self.log.begin_segment()  # before the snapshot exists: later epochs are looked up in later segments
            parts, _ = framed(SNAPSHOT, self._epoch, self._checksum, header, messages())
            write_snapshot(self.store, self._epoch, parts)
        self.log.bytes = self._failed_at = 0
        try:
            old = remove_old(self.store, self.log, self.history)
            if old.before > self.begun:  # files of former partitions are not read
                _remove_parts(self.store, self.partitions, self._parts)
                self._parts = self.partitions
            return old
        except OSError as error:
            warnings.warn(f"{self.store.name}: old files could not be removed: {error}", StateWarning, stacklevel=5)
            return ObsoleteFiles()

    def _try(self, take: Callable[[], None]) -> None:
        try:
            take()
        except StateError as error:
            self._failed_at = self.log.bytes
            warnings.warn(
                f"no snapshot was written: {error}; the log still contains every epoch", StateWarning, stacklevel=5
            )

    # History

    def frames(self, after: int) -> Iterator[Frame]:
        """The epochs after one, up to the one that is open; StateError if they are not kept."""
        segments = self.log.segments
        if after < self._epoch and (not segments or segments[0] > after + 1):
            oldest = segments[0] - 1 if segments else self._epoch
            raise failures.CHANGES_NOT_KEPT.error(name=self.store.name, oldest=oldest, after=after)
        return Log(self.store).frames(after, self._epoch)

    def close(self) -> None:
        """Note what was committed, and allow another writer."""
        try:
            if self.writable and self._epoch > self._noted:
                self.sync()
                self._must_be_sole_writer()
                write_note(self.store, NOTE_FILE, {"epoch": self._epoch})
        except (OSError, StateError) as error:
            warnings.warn(f"{self.store.name}/{NOTE_FILE} was not written: {error}", StateWarning, stacklevel=3)
        finally:
            self.store.unlock()


def _everything(partition: Partition, rules: Ruleset) -> list[tuple[str, Bytes]]:
    """All that one embedded partition holds."""
    found = [("deltas", encode_deltas([d])) for d in everything(partition, rules.schema)]
    return [*found, ("entries", encode_columns(partition.dictionary.entries.columns_since(0)))]


def _about_rules(rules: Ruleset, node: RecordedNode) -> dict[str, Any]:
    """Rules, strata, and the number of columns of every relation in a stratum, whether it has facts or not."""
    return {
        "rules": ruleset_to_values(rules),
        "strata": [sorted(group) for group in node.groups],
        "arities": {name: node.arity(name) for name in node.strata},
    }


def _remove_parts(store: Store, first: int, last: int | None = None) -> None:
    """Remove what the partitions from one number up to another wrote, or all from that number on."""
    for number in count(first) if last is None else range(first, last):
        part = part_of(store, number)
        found = [f"{folder}/{name}" for folder in (LOG_FOLDER, SNAPSHOT_FOLDER) for name in part.names(folder)]
        for name in found:
            part.remove(name)
        if not found and last is None:
            return


def _tidy(store: Store, log: Log, damaged: Iterable[int], parts: int) -> None:
    """Prepare a folder for a new writer: mark it, cut off uncommitted data, remove unusable files."""
    try:
        for epoch in damaged:
            store.remove(snapshot_name(epoch))
        if FORMAT_FILE not in store.names(""):
            write_format(store)
        log.repair()
        store.clean()
        _remove_parts(store, parts)  # of partitions that never took over
    except OSError as error:
        raise failures.NOT_WRITABLE.error(name=store.name, reason=error.strerror or error) from error
