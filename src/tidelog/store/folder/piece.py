"""The durable side of one partition among several: it writes its pieces of epochs and snapshots, and reads them back.

Law: a piece is durable before its note is returned; it counts once the driver's frame names it (`markers`). A partition
is called in every epoch and is not notified of commits: when it is called for the next epoch, the last attempt at the
one before was committed, and any other attempt is a leftover that is never read. A partition that an epoch did not
touch writes nothing.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tidelog.partition.base.owner import owners_of
from tidelog.partition.phases.partition import Partition
from tidelog.plan.ruleset import Schema
from tidelog.store.base.frame import EPOCH, SNAPSHOT, Bytes, framed
from tidelog.store.base.store import Store, open_store
from tidelog.store.folder.state_reader import part_of, read_piece
from tidelog.store.image.capture import everything, held_bytes, renewed_header, touched
from tidelog.store.image.delta import encode_deltas
from tidelog.store.image.entries import Entry, encode_entries
from tidelog.store.image.restore import fill_partition
from tidelog.store.log.markers import PieceNote
from tidelog.store.log.piece_log import PieceLog
from tidelog.store.log.snapshot import ObsoleteFiles, snapshot_name, snapshots, write_snapshot


@dataclass(frozen=True, slots=True)
class _WrittenFiles:
    """The content of the files after an epoch: the last piece, and the number of dictionary entries.

    ``closings`` is how often ranks had been renumbered before it.
    """

    epoch: int = 0
    checksum: int = 0
    entries: int = 0
    closings: int = 0


class Piece:
    """What one partition keeps in a state folder. A pickled copy opens the same place in another process."""

    def __init__(self, place: str | Path | Store, partition: int, begun: int = 0) -> None:
        self.number = partition
        self._begun = begun  # the epoch in which all pieces were rewritten, 0 for none
        self._store = open_store(place)
        self._part = part_of(self._store, partition)
        self._log = PieceLog(self._part)
        self._before = _WrittenFiles()  # the epoch before the one that was attempted last: it is committed
        self._last = _WrittenFiles()
        self._loaded: Container[int] = ()  # entries that were there when the partition was filled

    def __reduce__(self) -> tuple[type[Piece], tuple[Store, int, int]]:
        return Piece, (self._store, self.number, self._begun)

    def write(
        self,
        epoch: int,
        partition: Partition,
        schema: Schema,
        *,
        bases: bool,
        entries: Sequence[Entry] | None = None,
        before: Schema | None = None,
    ) -> PieceNote:
        """Make the partition's part of an uncommitted epoch durable; StateError if that fails.

        ``bases``: the strata may have changed. ``entries``: the dictionary entries to keep; None: the new ones that
        the partition owns. ``before``: the types of deleted facts where the epoch changes them.
        """
        if epoch > self._last.epoch:
            self._before = self._last
        known, seen = self._before, len(partition.dictionary)
        closed = partition.closings != known.closings
        found = touched(partition, schema, bases=bases, ranks=closed, before=before)
        kept = self._new_entries(partition, known.entries) if entries is None else entries
        messages: list[tuple[str, Bytes]] = [("deltas", encode_deltas(found.deltas))] if found.deltas else []
        if kept:
            messages.append(("entries", encode_entries(kept)))
        size, checksum = 0, known.checksum
        if messages or found.renewed:
            header = {"clock": partition.clock, **renewed_header(found)}
            parts, checksum = framed(EPOCH, epoch, known.checksum, header, messages)
            size = self._log.append(epoch, parts)
        self._last = _WrittenFiles(epoch, checksum, seen, partition.closings)
        return PieceNote(
            checksum, size, partition.clock, held_bytes(partition), found.asserted, found.retracted, found.changed
        )

    def write_anew(self, epoch: int, partition: Partition, schema: Schema) -> PieceNote:
        """Write the whole content of the partition durably as its first separate piece; StateError if that fails.

        Like any other piece, it counts once the driver's frame of the epoch names it.
        """
        self._log.begin_file()
        messages = self._whole(partition, schema, None)
        parts, checksum = framed(EPOCH, epoch, 0, {"clock": partition.clock}, messages)
        size = self._log.append(epoch, parts)
        self._begun, self._loaded = epoch, ()
        self._last = self._before = _WrittenFiles(epoch, checksum, len(partition.dictionary), partition.closings)
        return PieceNote(checksum, size, partition.clock, held_bytes(partition))

    def snapshot(
        self, epoch: int, partition: Partition, schema: Schema, entries: Sequence[Entry] | None = None
    ) -> None:
        """Write all that the partition holds at the last committed epoch; ``entries``: None for all that it owns."""
        known = self._last if self._last.epoch <= epoch else self._before
        messages = self._whole(partition, schema, entries)
        parts, _ = framed(SNAPSHOT, epoch, known.checksum, {"clock": partition.clock}, messages)
        self._log.begin_file()
        write_snapshot(self._part, epoch, parts)

    def _whole(self, partition: Partition, schema: Schema, entries: Sequence[Entry] | None) -> list[tuple[str, Bytes]]:
        """All records and the entries, by default those that the partition owns."""
        messages = [("deltas", encode_deltas([delta])) for delta in everything(partition, schema)]
        kept = owned_entries(partition) if entries is None else entries
        return [*messages, ("entries", encode_entries(kept))]

    def load(self, epoch: int, partition: Partition) -> None:
        """Fill an empty partition with its state at a committed epoch, and continue from there."""
        recovered = read_piece(self._store, self.number, epoch, self._begun)
        image = recovered.image
        self._last = self._before = _WrittenFiles(epoch, image.checksum)
        self._loaded = frozenset(image.entries)
        self._log.begin_file()
        fill_partition(partition, image)
        for start in recovered.damaged:
            self._part.remove(snapshot_name(start))
        self._part.clean()

    def _new_entries(self, partition: Partition, known: int) -> list[Entry]:
        """Entries made after the first ``known``; right after `load`, all that are not in the files."""
        if known:
            self._loaded = ()
        return [e for e in _owned(partition.dictionary.entries.since(known), partition) if e[0] not in self._loaded]

    def remove_old(self, old: ObsoleteFiles) -> None:
        """Remove the snapshots and pieces that none of the epochs kept by the driver needs."""
        for epoch in snapshots(self._part):
            if epoch < old.newest and epoch not in old.kept:
                self._part.remove(snapshot_name(epoch))
        if old.before:
            self._log.remove_before(old.before)


def owned_entries(partition: Partition) -> list[Entry]:
    """All entries of the dictionary that a partition owns."""
    return _owned(partition.dictionary.entries.since(0), partition)


def _owned(entries: list[Entry], partition: Partition) -> list[Entry]:
    """The entries that a partition owns (D15), so that each is kept once."""
    if partition.partitions == 1 or not entries:
        return entries
    owners = owners_of(np.array([cell for cell, _ in entries], np.int64), partition.partitions)
    return [entry for entry, owner in zip(entries, owners.tolist(), strict=True) if owner == partition.number]
