"""The progress of a state in a stream: sources and offsets of epochs.

Law: a source is one slot, one selection of tables and columns, one database, and one snapshot; its offsets increase.
A new snapshot starts a new source, so that no offset of another history can hide an epoch. Offset 0 means that
the snapshot was started: the slot belongs to this state, and if it exists it has to be created again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidelog.follow.catalog import FollowedTable

SNAPSHOT_STARTED = 0


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """A source and its offset; None if the state has never seen it."""

    slot: str
    fingerprint: str
    generation: int
    offset: int | None

    @property
    def source(self) -> str:
        """The source of the epochs."""
        return f"{prefix(self.slot)}{self.fingerprint} {self.generation}"

    @property
    def follows(self) -> bool:
        """Whether there is a snapshot from which the stream continues."""
        return bool(self.offset)

    def next_generation(self) -> SourceProgress:
        """The source of the next snapshot."""
        return SourceProgress(self.slot, self.fingerprint, self.generation + 1, None)

    def at(self, offset: int) -> SourceProgress:
        """The same source at a later offset."""
        return SourceProgress(self.slot, self.fingerprint, self.generation, offset)


def prefix(slot: str) -> str:
    """The prefix of the sources of a slot.

    >>> prefix("tidelog")
    'postgresql tidelog '
    """
    return f"postgresql {slot} "


def fingerprint_of(system: str, tables: Sequence[FollowedTable]) -> str:
    """A short fingerprint of the selected tables of a database."""
    text = "\n".join([system, *sorted(table.fingerprint for table in tables)])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def find(offsets: Mapping[str, int], slot: str, fingerprint: str) -> SourceProgress:
    """The progress of the newest source of a slot; if that has other tables, the progress of a new source."""
    sources = [name.removeprefix(prefix(slot)).split(" ") for name in offsets if name.startswith(prefix(slot))]
    newest = max(((int(generation), old) for old, generation in sources), default=(0, fingerprint))
    progress = SourceProgress(slot, newest[1], newest[0], offsets.get(f"{prefix(slot)}{newest[1]} {newest[0]}"))
    return progress if newest[1] == fingerprint else SourceProgress(slot, fingerprint, newest[0], None)


def was_followed(offsets: Mapping[str, int], slot: str) -> bool:
    """Whether a state has ever followed a slot."""
    return any(name.startswith(prefix(slot)) for name in offsets)
