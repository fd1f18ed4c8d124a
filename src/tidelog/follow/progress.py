"""How far a state has come in which stream: sources and offsets of epochs.

Law: a source is one slot, one choice of tables and columns, one database, and one snapshot; its offsets rise. Whatever
needs a new snapshot starts a new source, so that no offset of another history can hide an epoch. Offset 0 means that
the snapshot was started: the slot is ours, and if it exists it has to be created again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidelog.follow.catalog import FollowedTable

BEGUN = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """A source and its offset; None if the state has never seen it."""

    slot: str
    print: str
    generation: int
    offset: int | None

    @property
    def source(self) -> str:
        """The source of the epochs."""
        return f"{prefix(self.slot)}{self.print} {self.generation}"

    @property
    def follows(self) -> bool:
        """Whether there is a snapshot that the stream goes on from."""
        return bool(self.offset)

    def anew(self) -> Progress:
        """Where the next snapshot begins."""
        return Progress(self.slot, self.print, self.generation + 1, None)

    def at(self, offset: int) -> Progress:
        """The same source, further on."""
        return Progress(self.slot, self.print, self.generation, offset)


def prefix(slot: str) -> str:
    """How the sources of a slot begin.

    >>> prefix("tidelog")
    'postgresql tidelog '
    """
    return f"postgresql {slot} "


def print_of(system: str, tables: Sequence[FollowedTable]) -> str:
    """A short fingerprint of a choice of tables of a database."""
    text = "\n".join([system, *sorted(table.print for table in tables)])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def find(offsets: Mapping[str, int], slot: str, print_: str) -> Progress:
    """The progress of the newest source of a slot, or, if that was of other tables, that of one to begin."""
    known = [name.removeprefix(prefix(slot)).split(" ") for name in offsets if name.startswith(prefix(slot))]
    newest = max(((int(generation), old) for old, generation in known), default=(0, print_))
    progress = Progress(slot, newest[1], newest[0], offsets.get(f"{prefix(slot)}{newest[1]} {newest[0]}"))
    return progress if newest[1] == print_ else Progress(slot, print_, newest[0], None)


def was_followed(offsets: Mapping[str, int], slot: str) -> bool:
    """Whether a state has ever followed a slot."""
    return any(name.startswith(prefix(slot)) for name in offsets)
