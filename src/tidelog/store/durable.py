"""The durable side of an engine: epochs into the log, snapshots when they are due, and the way back.

Law: an epoch is in the log, synced, before it is reported as committed; if it cannot be written the epoch fails and
nothing changes. What happens afterwards (snapshots, removal of old files) may fail without harm: the log has it all.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tidelog.errors import EngineError, StateError, StateWarning
from tidelog.partition.partition import Partition
from tidelog.ruleset import Ruleset
from tidelog.runtime.embedded import EmbeddedRuntime
from tidelog.store.capture import everything, held_bytes, touched
from tidelog.store.delta import encode_deltas
from tidelog.store.entries import encode_entries
from tidelog.store.frame import EPOCH, SNAPSHOT, Bytes, Frame, encode_frame
from tidelog.store.image import Image
from tidelog.store.log import Log
from tidelog.store.notes import FORMAT_FILE, NOTE_FILE, check_format, write_format, write_note
from tidelog.store.recovery import recover
from tidelog.store.rules import ruleset_to_values
from tidelog.store.snapshot import remove_old, snapshot_name, snapshots, write_snapshot
from tidelog.store.store import Store, open_store

HISTORY = 1000  # epochs that stay readable
MARGIN = 1 << 20  # bytes by which the log may outgrow the state before a snapshot is due


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """What the log keeps of an epoch beside the records: for `tidelog log` and for recognising repeated input."""

    seconds: float = 0.0
    added: Sequence[str] = ()
    removed: Sequence[str] = ()
    source: str | None = None
    offset: int | None = None
    facts: Sequence[str] | None = None  # those of the program's text, where the epoch changes them


@dataclass
class Durable:
    """A state folder in use. ``image`` is the state that was read, until the engine has taken it over."""

    store: Store
    history: int | None
    writable: bool
    image: Image
    log: Log
    offsets: dict[str, int] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    _checksum: int = 0
    _epoch: int = 0
    _entries: int = 0
    _rules: Ruleset | None = None
    _noted: int = 0
    _failed_at: int = 0

    @classmethod
    def open(cls, place: str | Path | Store, at: int | None, history: int | None = HISTORY) -> Durable:
        """Take a folder over as its one writer, or read it as it was at an epoch."""
        store = open_store(place)
        writable = at is None
        if writable:
            store.lock()
        try:
            if not check_format(store) and not writable:
                raise StateError(f"{store.name} holds no state")
            log = Log(store)
            recovered = recover(store, log, at)
            image = recovered.image
            if writable:
                _tidy(store, log, recovered.damaged)
        except BaseException:
            store.unlock()
            raise
        found = cls(store, history, writable, image, log, image.offsets, image.facts)
        found._checksum, found._epoch, found._noted = image.checksum, image.epoch, image.epoch
        return found

    @property
    def is_new(self) -> bool:
        """Whether no epoch was ever committed here."""
        return self.image.epoch == 0

    def must_be_writable(self) -> None:
        """Refuse to change a state that is only read."""
        if not self.writable:
            raise EngineError(
                f"{self.store.name} was opened at epoch {self._epoch} to be read; open it without `at` to write"
            )

    def taken_over(self, rules: Ruleset, entries: int) -> None:
        """The engine holds the state now; it differs from the files in nothing."""
        self._rules, self._entries = rules, entries
        self.image = Image(self.image.epoch)

    def record(self, epoch: int, runtime: EmbeddedRuntime, rules: Ruleset, note: EpochRecord) -> None:
        """Make the epoch that ran last durable; StateError if that cannot be done."""
        self.must_be_writable()
        partition = runtime.partition
        rules_changed = rules is not self._rules
        found = touched(partition, rules.schema, bases=rules_changed)
        entries = partition.dictionary.entries_since(self._entries)
        header: dict[str, Any] = {
            "time": round(time.time(), 3),
            "seconds": round(note.seconds, 6),
            "clock": partition.clock,
            "asserted": found.asserted,
            "retracted": found.retracted,
            "changed": found.changed,
        }
        if note.added or note.removed:
            header |= {"rules added": list(note.added), "rules removed": list(note.removed)}
        if runtime.closes_ranks:
            header["ranks closed"] = True
        if note.source is not None:
            header["offsets"] = {note.source: note.offset}
        if rules_changed:
            header |= _about_rules(rules, runtime)
        if note.facts is not None:
            header["facts"] = list(note.facts)
        messages: list[tuple[str, Bytes]] = [("deltas", encode_deltas(found.deltas))] if found.deltas else []
        if entries:
            messages.append(("entries", encode_entries(entries)))
        parts, checksum = _framed(EPOCH, epoch, self._checksum, header, messages)
        self.log.append(epoch, parts)
        self._checksum, self._epoch = checksum, epoch
        self.facts = header.get("facts", self.facts)
        self._rules, self._entries = rules, self._entries + len(entries)

    # Snapshots

    def is_due(self, partition: Partition) -> bool:
        """Whether the log has outgrown the state."""
        return self.log.bytes > max(MARGIN + held_bytes(partition), 2 * self._failed_at)

    def snapshot(self, runtime: EmbeddedRuntime, rules: Ruleset) -> None:
        """Write the whole state at the last committed epoch, then remove what nothing needs any more."""
        self.must_be_writable()
        partition = runtime.partition
        if self._epoch and self._epoch not in snapshots(self.store)[-1:]:
            header = {
                "time": round(time.time(), 3),
                "clock": partition.clock,
                "offsets": self.offsets,
                "facts": self.facts,
                **_about_rules(rules, runtime),
            }
            messages = [("deltas", encode_deltas([d])) for d in everything(partition, rules.schema)]
            messages.append(("entries", encode_entries(partition.dictionary.entries_since(0))))
            parts, _ = _framed(SNAPSHOT, self._epoch, self._checksum, header, messages)
            self.log.begin_segment()  # before the snapshot is there: what comes after it is sought in later segments
            write_snapshot(self.store, self._epoch, parts)
        self.log.bytes = self._failed_at = 0
        try:
            remove_old(self.store, self.log, self.history)
        except OSError as error:
            warnings.warn(f"{self.store.name}: old files are left: {error}", StateWarning, stacklevel=4)

    def snapshot_if_due(self, runtime: EmbeddedRuntime, rules: Ruleset) -> None:
        """After a commit: what goes wrong here is told as a warning, since the epoch itself is safe."""
        if not self.is_due(runtime.partition):
            return
        try:
            self.snapshot(runtime, rules)
        except StateError as error:
            self._failed_at = self.log.bytes
            warnings.warn(
                f"no snapshot was taken: {error}; the log still holds every epoch", StateWarning, stacklevel=4
            )

    # History

    def frames(self, after: int) -> Iterator[Frame]:
        """The epochs after one, up to the one that is open; StateError if they are not kept."""
        segments = self.log.segments
        if after < self._epoch and (not segments or segments[0] > after + 1):
            oldest = segments[0] - 1 if segments else self._epoch
            raise StateError(f"{self.store.name}: changes are kept since epoch {oldest}; those since {after} are not")
        return Log(self.store).frames(after, self._epoch)

    def close(self) -> None:
        """Note what was committed and let another writer in."""
        try:
            if self.writable and self._epoch > self._noted:
                write_note(self.store, NOTE_FILE, {"epoch": self._epoch})
        except OSError as error:
            warnings.warn(f"{self.store.name}/{NOTE_FILE} was not written: {error}", StateWarning, stacklevel=3)
        finally:
            self.store.unlock()


def _about_rules(rules: Ruleset, runtime: EmbeddedRuntime) -> dict[str, Any]:
    """Rules, strata and the number of columns of every relation that stands in one, facts or not."""
    return {
        "rules": ruleset_to_values(rules),
        "strata": [sorted(group) for group in runtime.groups],
        "arities": {name: runtime.arity(name) for name in runtime.strata},
    }


def _framed(
    kind: int, epoch: int, previous: int, header: Mapping[str, Any], messages: Sequence[tuple[str, Bytes]]
) -> tuple[list[Bytes], int]:
    """A frame whose header tells the kinds and lengths of the messages in its body."""
    body = [[name, memoryview(message).nbytes] for name, message in messages]
    return encode_frame(kind, epoch, previous, {**header, "body": body}, [message for _, message in messages])


def _tidy(store: Store, log: Log, damaged: Iterable[int]) -> None:
    """What a new writer does first: mark the folder, cut off what was never committed, remove what nobody can use."""
    try:
        for epoch in damaged:
            store.remove(snapshot_name(epoch))
        if FORMAT_FILE not in store.names(""):
            write_format(store)
        log.repair()
        store.clean()
    except OSError as error:
        raise StateError(f"{store.name} cannot be written: {error.strerror or error}") from error
