"""Scrubbing: every file of a state is read and checked, including those that opening it skips.

Law: what is not reported here can be read: every kept epoch, from every snapshot before it, in every partition. A
snapshot must contain the facts that the epochs before it add up to. Nothing is changed and no lock is taken, so that a
state can be scrubbed while it is being written.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from tidelog.errors import StateError, StateWarning
from tidelog.partition.memory.records import in_use
from tidelog.store.base import store_failures as failures
from tidelog.store.base.corruption import AlteredError, TornError, damage
from tidelog.store.base.frame import Frame, decode_frame
from tidelog.store.base.notes import FORMAT_FILE, NOTE_FILE, check_format, read_note
from tidelog.store.base.store import Store, open_store
from tidelog.store.folder.recovery import image_of_snapshot
from tidelog.store.folder.state_reader import part_of, read_piece
from tidelog.store.image.content import check_distinct_facts, check_image
from tidelog.store.image.image import Image, RelationImage, deltas_of, entries_of
from tidelog.store.log.log import Log, segment_name
from tidelog.store.log.markers import partitions_of
from tidelog.store.log.piece_log import PieceLog
from tidelog.store.log.snapshot import read_snapshot, snapshot_name, snapshots


@dataclass(slots=True)
class ScrubResult:
    """What was read of a state, and the problems found, each with the name of its file."""

    name: str
    files: int = 0
    frames: int = 0
    bytes: int = 0
    epoch: int = 0
    wrong: list[str] = field(default_factory=list)
    written: dict[int, tuple[int, int]] = field(default_factory=dict)  # by epoch: partitions, and since which epoch

    def note(self, image: Image) -> None:
        """Note how many partitions wrote a state, and since which epoch."""
        self.written[image.epoch] = (image.partitions, image.begun)

    def report(self, error: object) -> None:
        """Record a problem, once."""
        if str(error) not in self.wrong:
            self.wrong.append(str(error))


def scrub(place: str | Store) -> ScrubResult:
    """Read and check every file of a state; StateError if there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StateWarning)  # damage that is otherwise ignored is reported here, too
        store = open_store(place)
        if not check_format(store):
            raise failures.NO_STATE.error(name=store.name)
        result = ScrubResult(store.name)
        _read_notes(store, result)
        _read_driver(store, result)
        try:
            partitions = partitions_of(store)
        except StateError as error:
            result.report(error)
            return result
        for number in range(max(partitions, *(count for count, _ in result.written.values()), 0)):
            _read_partition(store, number, result)
        return result


def _read_notes(store: Store, result: ScrubResult) -> None:
    for name in (FORMAT_FILE, NOTE_FILE):
        if name in store.names(""):
            result.files += 1
            if read_note(store, name) is None:
                result.report(f"{store.name}/{name} is damaged; it is not needed")


def _attempt(result: ScrubResult, read: Callable[[], object]) -> None:
    try:
        read()
    except (StateError, FileNotFoundError) as error:  # a writer may remove old files meanwhile; those are not missed
        if isinstance(error, StateError):
            result.report(error)


def _read_driver(store: Store, result: ScrubResult) -> None:
    """The log and the snapshots of one embedded partition, or of the driver of several."""
    log, taken = Log(store), snapshots(store)
    images = {epoch: image for epoch in taken if (image := _snapshot_image(store, epoch, result)) is not None}
    for image in images.values():
        result.note(image)
    segments = log.segments
    for segment in segments:
        _count(store, segment_name(segment), result)
    first = segments[0] - 1 if segments else 0
    start = images.get(first) or (Image() if first == 0 else None)
    if start is None and segments:  # the oldest snapshot that the kept part of the log continues
        start = next((images[epoch] for epoch in taken if epoch >= first and epoch in images), None)
    if start is None:
        _attempt(result, partial(_drain, log.frames(first), result))
        return
    _attempt(result, partial(_drain, log.frames(first, start.epoch), result))
    _attempt(result, partial(_replay, store, log, start, images, result))


def _drain(frames: Iterable[Frame], result: ScrubResult) -> None:
    for frame in frames:
        _read_parts(frame, result)


def _replay(store: Store, log: Log, image: Image, images: dict[int, Image], result: ScrubResult) -> None:
    """Replay the log from a snapshot on, and compare the result with every snapshot on the way."""
    checksum: int | None = image.checksum
    for frame in log.frames(image.epoch):
        if checksum is not None and frame.previous != checksum:
            problem = f"epoch {frame.epoch} does not follow the previous epoch"
            raise failures.DAMAGED.error(file=frame.file, what=problem)
        image.apply(frame)
        result.note(image)
        result.frames += 1
        result.epoch = max(result.epoch, frame.epoch)
        checksum = frame.checksum
        taken = images.get(frame.epoch)
        if taken is not None and taken is not image and (taken.checksum != checksum or not _agree(taken, image)):
            file = f"{store.name}/{snapshot_name(frame.epoch)}"
            result.report(failures.IMPOSSIBLE.error(file=file, what="it contradicts the log"))
    check_image(image, store.name)
    check_distinct_facts(image, store.name)


def _agree(one: Image, other: Image) -> bool:
    """Whether two images hold the same facts, supports and rules."""
    names = {name for image in (one, other) for name, held in image.relations.items() if not held.is_empty()}
    return one.rules == other.rules and all(
        name in one.relations and name in other.relations and _same(one.relations[name], other.relations[name])
        for name in names
    )


def _same(one: RelationImage, other: RelationImage) -> bool:
    """Whether both have the same facts in the same rows, with the same counts; ranks may have been renumbered."""
    parts = []
    for relation in (one, other):
        records = relation.records[: relation.rows]
        rows = in_use(records).nonzero()[0]
        parts.append((rows, np.delete(records[rows], relation.arity, axis=1)))
    return all(np.array_equal(left, right) for left, right in zip(*parts, strict=True))


def _snapshot_image(store: Store, epoch: int, result: ScrubResult) -> Image | None:
    _count(store, snapshot_name(epoch), result)
    result.frames += 1
    result.epoch = max(result.epoch, epoch)
    try:
        image = image_of_snapshot(store, epoch)
        check_distinct_facts(image, f"{store.name}/{snapshot_name(epoch)}")
        return image
    except FileNotFoundError:
        return None
    except StateError as error:
        result.report(error)
        return None


def _read_partition(store: Store, number: int, result: ScrubResult) -> None:
    """The pieces of a partition: every frame of every file, and its state at every snapshot and at the end."""
    part = part_of(store, number)
    for _, name in PieceLog(part).files():
        _count(part, name, result)
        _attempt(result, partial(_drain, _frames(part, name), result))
    taken = snapshots(part)
    for epoch in taken:
        _count(part, snapshot_name(epoch), result)
        _attempt(result, partial(_read_snapshot, part, epoch, result))
    for epoch in (*sorted({*taken} & {*snapshots(store)}), result.epoch):
        partitions, begun = result.written.get(epoch, (number + 1, 0))
        if number < partitions:
            _attempt(result, partial(_check_piece, store, number, epoch, begun))


def _check_piece(store: Store, number: int, epoch: int, begun: int) -> None:
    image = read_piece(store, number, epoch, begun).image
    check_distinct_facts(image, image.place)


def _read_snapshot(part: Store, epoch: int, result: ScrubResult) -> None:
    _read_parts(read_snapshot(part, epoch), result)


def _frames(part: Store, name: str) -> Iterator[Frame]:
    """All frames of a file of pieces; what was never completed at its end is never used."""
    data, at, file = memoryview(part.read(name)), 0, f"{part.name}/{name}"
    while at < len(data):
        try:
            frame = decode_frame(data, at, file)
        except TornError:
            return
        except AlteredError as wrong:
            raise damage(file, wrong) from None
        yield frame
        at = frame.end


def _read_parts(frame: Frame, result: ScrubResult) -> None:
    """Read everything that a frame contains."""
    result.frames += 1
    for _ in deltas_of(frame):
        pass
    entries_of(frame)


def _count(store: Store, name: str, result: ScrubResult) -> None:
    result.files += 1
    try:
        result.bytes += memoryview(store.read(name)).nbytes
    except FileNotFoundError:
        result.files -= 1
