"""Commit markers of several partitions: what the driver's frame contains about the pieces of an epoch.

Law: the driver writes its frame when all pieces are durable; the frame contains the checksum of each, so that it, and
nothing else, makes all of them valid at once. A relation that is on every partition is read once, from partition 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from tidelog.errors import StateError
from tidelog.partition.base.net_changes import NetChange
from tidelog.plan.ruleset import Schema
from tidelog.rewrite.place.placement import MIRRORED
from tidelog.store.base import store_failures as failures
from tidelog.store.base.frame import Frame
from tidelog.store.base.store import Store
from tidelog.store.log.log import Log
from tidelog.store.log.snapshot import read_snapshot, snapshots


class Marker(NamedTuple):
    """The last piece that a partition wrote up to an epoch (size 0: before it), and the partition's clock then."""

    checksum: int = 0
    size: int = 0
    clock: int = 0


@dataclass(frozen=True, slots=True)
class PieceContext:
    """What a partition must know to write its piece of an epoch (`Piece.write`)."""

    epoch: int
    schema: Schema
    bases: bool
    before: Schema


@dataclass(frozen=True, slots=True)
class PieceNote:
    """What a partition reports to the driver about its piece of an epoch; size 0 if the epoch did not touch it.

    ``held`` is the approximate size of a snapshot of the partition in bytes.
    """

    checksum: int = 0
    size: int = 0
    clock: int = 0
    held: int = 0
    asserted: Mapping[str, int] = field(default_factory=dict)
    retracted: Mapping[str, int] = field(default_factory=dict)
    changed: Mapping[str, Sequence[int]] = field(default_factory=dict)


NONE = NetChange(0, 0)


def counts_of(notes: Sequence[PieceNote], placements: Mapping[str, int]) -> dict[str, Any]:
    """Per relation, the facts asserted, retracted, inserted and deleted in all partitions, mirrored ones once."""
    asserted: dict[str, int] = {}
    retracted: dict[str, int] = {}
    changed: dict[str, NetChange[int]] = {}
    for number, note in enumerate(notes):
        for name in {*note.asserted, *note.retracted, *note.changed}:
            if number == 0 or placements.get(name) != MIRRORED:
                _add(asserted, name, note.asserted.get(name, 0))
                _add(retracted, name, note.retracted.get(name, 0))
                before, more = changed.get(name, NONE), NetChange(*note.changed.get(name, NONE))
                if any(more):
                    changed[name] = NetChange(before.inserted + more.inserted, before.deleted + more.deleted)
    return {"asserted": asserted, "retracted": retracted, "changed": changed}


def _add(counts: dict[str, int], name: str, more: int) -> None:
    if more:
        counts[name] = counts.get(name, 0) + more


def markers_of(header: Mapping[str, Any]) -> list[Marker]:
    """The markers in the header of a driver's frame, one per partition; none if there is one embedded partition."""
    return [Marker(*values) for values in header.get("pieces", ())]


@dataclass(slots=True)
class PartitionMarkers:
    """The markers of a partition by epoch, and what the driver recorded about all partitions.

    This is their number, and the placement of relations with their numbers of columns. Information from before the
    first of these epochs may be missing.
    """

    partition: int
    markers: dict[int, Marker] = field(default_factory=dict)
    partitions: int = 0
    placements: dict[str, int] = field(default_factory=dict)
    arities: dict[str, int] = field(default_factory=dict)

    def take(self, frame: Frame) -> None:
        """Note what a frame of the driver contains."""
        markers = markers_of(frame.header)
        if self.partition >= len(markers):
            what = f"epoch {frame.epoch} has no part of partition {self.partition}"
            raise failures.IMPOSSIBLE.error(file=frame.file, what=what)
        self.markers[frame.epoch], self.partitions = markers[self.partition], len(markers)
        self.placements.update(frame.header.get("placements", {}))
        self.arities = frame.header.get("arities", self.arities)


def read_markers(store: Store, partition: int, since: int, until: int) -> dict[int, Marker]:
    """The markers of a partition for the epochs from ``since`` to ``until``, both included."""
    return read_marked(store, partition, since, until).markers


def read_marked(store: Store, partition: int, since: int, until: int, *, empty: bool = False) -> PartitionMarkers:
    """The same, with what the driver recorded about all partitions.

    Epoch 0 has an empty marker, and with ``empty`` so has the epoch ``since``: all pieces were rewritten after it.
    """
    found = PartitionMarkers(partition)
    if since == 0 or empty:
        found.markers[since] = Marker()
    elif since in snapshots(store):
        with suppress(StateError):  # the log has it too, if it is still kept
            found.take(read_snapshot(store, since))
    for frame in Log(store).frames(max(found.markers, default=since - 1), until):
        found.take(frame)
    if until not in found.markers:
        raise failures.NO_EPOCH.error(name=store.name, epoch=until, last=max(found.markers, default=0))
    return found


def partitions_of(store: Store) -> int:
    """The number of partitions with separate parts in a state; 0 for one embedded partition, or before any epoch.

    All frames of a segment have the same number, so that the first of the newest is read and nothing is recovered; a
    damaged one is skipped as long as another can be read.
    """
    damage: StateError | None = None
    for read in _frame_readers(store):
        try:
            frame = read()
        except FileNotFoundError:
            continue  # a writer has removed it in the meantime
        except StateError as error:
            damage = error
            continue
        if frame is not None:
            return len(markers_of(frame.header))
    if damage is not None:
        raise damage
    return 0


def _frame_readers(store: Store) -> Iterator[Callable[[], Frame | None]]:
    """Functions that read a frame of the driver: the first of each segment of the log, newest first, then snapshots."""
    log = Log(store)
    for segment in reversed(log.segments):
        yield partial(_first_frame, log, segment)
    for epoch in reversed(snapshots(store)):
        yield partial(read_snapshot, store, epoch)


def _first_frame(log: Log, segment: int) -> Frame | None:
    """The first frame of a segment; None if it was never completed."""
    return next(log.frames(segment - 1, segment), None)
