"""What past epochs asserted and retracted, and what they changed in a relation, read from the log.

Law: a record contains whether its fact is asserted. A delta lists the records that an epoch touched, with their content
afterwards; their content before is in the image of the previous epoch. So the base facts of every epoch differ from
those before it by exactly what is returned here. With several partitions, each reports the facts it owns; facts on all
of them are reported by the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tidelog.partition.memory.records import asserted
from tidelog.rewrite.place.placement import MIRRORED
from tidelog.store.base.frame import Frame
from tidelog.store.folder.durable import Durable
from tidelog.store.folder.recovery import recover
from tidelog.store.folder.state_reader import read_piece
from tidelog.store.folder.stretches import Stretch, stretches
from tidelog.store.image.delta import Cells, Delta
from tidelog.store.image.image import Image, RelationImage, deltas_of
from tidelog.store.log.log import Log

Types = tuple[str | None, ...]
SignedRows = tuple[str, int, Cells, Types]  # relation, +1 or -1, columns of facts, their types


@dataclass(slots=True)
class PastEpoch:
    """An epoch of the log: its header, the base facts that it changed, and the facts of all relations wanted."""

    epoch: int
    header: Mapping[str, Any]
    assertions: list[SignedRows] = field(default_factory=list)
    rows: list[SignedRows] = field(default_factory=list)


def rules_at(state: Durable, epoch: int) -> dict[str, Any] | None:
    """The rule set of an epoch, as plain values; None before the first."""
    return _image_at(state, epoch).rules if epoch else None


def past_epochs(state: Durable, since: int, until: int, selects: Callable[[str], bool]) -> Iterator[PastEpoch]:
    """The epochs after one, up to another, with what they changed in the given relations."""
    found = {f.epoch: PastEpoch(f.epoch, f.header) for f in state.frames(since) if f.epoch <= until}
    for stretch in stretches(state, since, until):
        for number, image, frames in _streams(state, stretch):
            for frame in frames:
                for delta in deltas_of(frame):
                    is_counted = not number or stretch.placements.get(delta.relation) != MIRRORED
                    if is_counted and selects(delta.relation):
                        _add_delta(found[frame.epoch], delta, image.relations.get(delta.relation))
                image.apply(frame)
    return iter(found.values())


def _streams(state: Durable, stretch: Stretch) -> Iterator[tuple[int, Image, Iterator[Frame]]]:
    """The image of every partition before a stretch, numbered, and what it wrote in it."""
    if not stretch.markers:
        return
    if not stretch.partitions:
        yield 0, _image_at(state, stretch.after), stretch.frames(state, ())
    for number in range(stretch.partitions):
        after = stretch.after
        image = read_piece(state.store, number, after, stretch.begun).image if after else Image()
        yield number, image, stretch.of_partition(state.store, number)


def _image_at(state: Durable, epoch: int) -> Image:
    """The driver's image of an epoch; with one embedded partition it holds the records."""
    return recover(state.store, Log(state.store), epoch).image if epoch else Image()


def _add_delta(epoch: PastEpoch, delta: Delta, before: RelationImage | None) -> None:
    name, types = delta.relation, delta.types
    old_types = types if delta.types_before is None else delta.types_before
    columns = delta.inserted[:, :-2]
    epoch.rows += [(name, 1, columns, types), (name, -1, delta.deleted[:, 1:], old_types)]
    inserted = [columns[asserted(delta.inserted)]]
    deleted: list[Cells] = []
    if before is not None and before.arity == delta.arity:
        old = before.records[delta.deleted[:, 0]]
        deleted.append(delta.deleted[asserted(old), 1:])
        kept = before.records[delta.changed[:, 0]]
        is_now, was = asserted(delta.changed), asserted(kept)
        inserted.append(kept[is_now & ~was, :-2])
        deleted.append(kept[was & ~is_now, :-2])
    for sign, parts, column_types in ((1, inserted, types), (-1, deleted, old_types)):
        cells = np.concatenate(parts) if parts else columns[:0]
        if len(cells):
            epoch.assertions.append((name, sign, cells, column_types))
