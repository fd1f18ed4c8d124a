"""Reading the piece of one partition: from its files to its state at a committed epoch.

Law: as in `recovery`, the state is read from the newest intact snapshot and the pieces after it; nothing is evaluated.
A snapshot belongs to this history if it names the piece that the driver names for its epoch. A damaged one is skipped
with a warning if an older one and the log lead to the same epoch.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tidelog.errors import StateError, StateWarning
from tidelog.store.base import store_failures as failures
from tidelog.store.base.frame import Frame
from tidelog.store.base.store import Store
from tidelog.store.base.subfolder import Subfolder
from tidelog.store.image.content import check_image, check_owned
from tidelog.store.image.image import Image
from tidelog.store.log.markers import Marker, PartitionMarkers, read_marked
from tidelog.store.log.piece_log import PieceLog
from tidelog.store.log.snapshot import read_snapshot, snapshot_name, snapshots


@dataclass(slots=True)
class RecoveredState:
    """A state, and what is wrong with the snapshots that could not be used, by epoch."""

    image: Image = field(default_factory=Image)
    damaged: dict[int, StateError] = field(default_factory=dict)


def part_of(store: Store, partition: int) -> Subfolder:
    """The folder of a partition."""
    return Subfolder(store, f"part-{partition}")


def read_piece(store: Store, partition: int, epoch: int, begun: int = 0, *, records: bool = True) -> RecoveredState:
    """The state of a partition at a committed epoch; StateError if it cannot be read from the files.

    ``begun`` is the epoch in which all pieces were rewritten for another number of partitions (0: never), up to the
    epoch that is read; nothing from before it counts. Without ``records`` the dictionary alone is read.
    """
    found = RecoveredState()
    nothing = max(begun - 1, 0)
    starts = [s for s in snapshots(part_of(store, partition)) if nothing < s <= epoch]
    errors: list[StateError] = []
    for start in [*reversed(starts), nothing]:
        try:
            found.image = _read_from(store, partition, start, epoch, records, start == nothing)
        except StateError as error:
            errors.append(error)
            if start != nothing:
                found.damaged[start] = error
            continue
        for problem in errors:
            warnings.warn(
                f"{problem}; the exact state was restored from an older snapshot and the log",
                StateWarning,
                stacklevel=3,
            )
        return found
    if len(errors) == 1:
        raise errors[0]
    raise errors[0].reworded(f"{errors[0]}; without it the log is not sufficient: {errors[-1]}")


def _read_from(store: Store, partition: int, start: int, epoch: int, records: bool, empty: bool) -> Image:
    image = Image()
    marked = (
        read_marked(store, partition, start, epoch, empty=empty)
        if epoch
        else PartitionMarkers(partition, {0: Marker()})
    )
    markers = marked.markers
    if not empty:
        frame = read_snapshot(part_of(store, partition), start)
        if frame.previous != markers[start].checksum:
            name = f"{part_of(store, partition).name}/{snapshot_name(start)}"
            raise failures.DAMAGED.error(file=name, what=f"it does not belong to epoch {start} of this state")
        image.apply(frame, records=records)
    for frame in pieces(store, partition, markers, start):
        image.apply(frame, records=records)
    image.place, image.arities = part_of(store, partition).name, marked.arities
    check_image(image, image.place)
    check_owned(image, partition, marked.partitions, marked.placements)
    if start < epoch:  # a snapshot has its own clock: ranks may have been renumbered before it was taken
        image.clock = markers[epoch].clock
    image.epoch, image.checksum, image.markers = epoch, markers[epoch].checksum, [markers[epoch]]
    return image


def pieces(store: Store, partition: int, markers: Mapping[int, Marker], after: int) -> Iterator[Frame]:
    """The pieces that a partition wrote in the epochs after one, as the markers name them."""
    wanted = {epoch: marker.checksum for epoch, marker in markers.items() if epoch > after and marker.size}
    return PieceLog(part_of(store, partition)).frames(wanted)
