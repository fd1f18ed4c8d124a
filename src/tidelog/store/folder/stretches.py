"""Stretches of a log: consecutive epochs written by the same number of partitions.

Law: an epoch that changes the number of partitions changes no fact, and records how many there were before and where
relations were placed. So the epochs between two of them are read as those of a state that always had its number.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidelog.store.base import store_failures as failures
from tidelog.store.base.frame import Frame
from tidelog.store.base.header import COLUMNS
from tidelog.store.base.store import Store
from tidelog.store.folder.durable import Durable
from tidelog.store.folder.state_reader import pieces
from tidelog.store.log.markers import Marker, markers_of


@dataclass(slots=True)
class Stretch:
    """Epochs after one, up to another, written by ``partitions`` partitions (0: one embedded); ``markers`` by epoch.

    ``begun`` is the epoch in which these partitions rewrote everything, 0 if there were no others before them.
    """

    after: int
    until: int
    partitions: int = 0
    begun: int = 0
    placements: Mapping[str, int] = field(default_factory=dict)
    markers: dict[int, Sequence[Marker]] = field(default_factory=dict)

    def of_partition(self, store: Store, number: int) -> Iterator[Frame]:
        """What one of several partitions wrote."""
        own = {epoch: markers[number] for epoch, markers in self.markers.items()}
        return pieces(store, number, own, self.after)

    def frames(self, state: Durable, numbers: Sequence[int]) -> Iterator[Frame]:
        """The frames with records, in the order of epochs, from the log or from some of several partitions."""
        if not self.partitions:
            return (frame for frame in state.frames(self.after) if frame.epoch <= self.until)
        streams = (self.of_partition(state.store, number) for number in numbers)
        return heapq.merge(*streams, key=lambda frame: frame.epoch)


def stretches(state: Durable, since: int, until: int | None = None) -> list[Stretch]:
    """The stretches of the epochs after one, up to another or to the open one."""
    last = state.epoch if until is None else until
    found = [Stretch(since, since)]
    for frame in state.frames(since):
        if COLUMNS in frame.header and frame.epoch <= last:
            raise failures.COLUMNS_CHANGED.error(
                name=state.store.name, epoch=frame.epoch, after=since, before=frame.epoch - 1
            )
        if "anew" in frame.header:
            _describe(found[-1], frame.header["before"])
            if frame.epoch > last:
                return found
            found.append(Stretch(frame.epoch, frame.epoch))
        elif frame.epoch <= last:
            found[-1].until = frame.epoch
            found[-1].markers[frame.epoch] = markers_of(frame.header)
    now = {"partitions": state.partitions, "begun": state.begun, "placements": state.placements}
    _describe(found[-1], now)
    return found


def _describe(stretch: Stretch, about: Mapping[str, object]) -> None:
    """Fill in what is known at the end of a stretch."""
    for name, value in about.items():
        setattr(stretch, name, value)
