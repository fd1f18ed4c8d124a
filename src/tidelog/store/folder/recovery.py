"""Recovery: from the files of a folder to the state of its last committed epoch, or of an earlier one.

Law: the state is read from the newest intact snapshot and the epochs after it; nothing is evaluated. A damaged snapshot
is skipped with a warning if an older one and the log lead to the same epoch; otherwise the error names the damaged
file.
"""

from __future__ import annotations

import warnings

from tidelog.errors import StateError, StateWarning
from tidelog.store.base import store_failures as failures
from tidelog.store.base.corruption import AlteredError, damage
from tidelog.store.base.header import OF_SNAPSHOTS, need
from tidelog.store.base.notes import NOTE_FILE, read_note
from tidelog.store.base.store import Store
from tidelog.store.folder.state_reader import RecoveredState, read_piece
from tidelog.store.image.content import check_image
from tidelog.store.image.image import Image
from tidelog.store.log.log import Log
from tidelog.store.log.snapshot import read_snapshot, snapshots

ATTEMPTS = 5


def recover(store: Store, log: Log, at: int | None = None) -> RecoveredState:
    """The state at the last committed epoch, or at epoch ``at``; the last is also -1, the one before it -2.

    For a writer (``at`` None), each of several partitions reads its own piece; a reader gets all of them.
    """
    for attempt in range(ATTEMPTS):
        listed = snapshots(store)
        try:
            found = _recover(store, log, _absolute(store, log, at))
            if at is not None:
                found.image.pieces = read_pieces(store, found.image)
            return found
        except (FileNotFoundError, StateError) as error:
            if attempt < ATTEMPTS - 1 and snapshots(store) != listed:
                continue  # a writer has taken a snapshot and removed old files in the meantime
            if isinstance(error, StateError):
                raise
            raise failures.FILE_MISSING.error(name=store.name, error=error) from error
    raise AssertionError("the loop returns or raises")


def _absolute(store: Store, log: Log, at: int | None) -> int | None:
    """The epoch that is meant, None for the last."""
    if at is None or at == -1:
        return None
    return at if at >= 0 else max(0, _recover(store, log, None).image.epoch + 1 + at)


def read_pieces(store: Store, image: Image) -> list[Image]:
    """The images of all partitions at the epoch of the driver's image."""
    return [read_piece(store, number, image.epoch, image.begun).image for number in range(image.partitions)]


def _recover(store: Store, log: Log, at: int | None) -> RecoveredState:
    known = _known_epoch(store)  # before the log is read: a writer may continue meanwhile
    found = _newest_snapshot(store, at)
    image = found.image
    _check_kept(store, log, at, found)
    log.bytes = 0
    try:
        for frame in log.frames_after_snapshot(image.epoch, at, image.checksum):
            image.apply(frame)
            image.checksum = frame.checksum
            log.bytes += frame.size + sum(marker.size for marker in image.markers)
        _check_end(store, image.epoch, at, known)
        if log.bytes:
            check_image(image, store.name)
        image.place = store.name
    except StateError as error:
        if found.damaged:
            first = next(iter(found.damaged.values()))
            raise first.reworded(f"{first}; without it the log is not sufficient: {error}") from error
        raise
    for text in found.damaged.values():
        warnings.warn(
            f"{text}; the exact state was restored from an older snapshot and the log", StateWarning, stacklevel=5
        )
    return found


def _newest_snapshot(store: Store, at: int | None) -> RecoveredState:
    """The image of the newest intact snapshot up to an epoch, and what is wrong with newer ones."""
    found = RecoveredState()
    for epoch in reversed(snapshots(store)):
        if at is not None and epoch > at:
            continue
        try:
            found.image = image_of_snapshot(store, epoch)
        except StateError as error:
            found.damaged[epoch] = error
            continue
        break
    return found


def image_of_snapshot(store: Store, epoch: int) -> Image:
    """The image that a snapshot holds."""
    frame = read_snapshot(store, epoch)
    try:
        need(frame.header, OF_SNAPSHOTS)
    except AlteredError as wrong:
        raise damage(frame.file, wrong) from None
    image = Image()
    image.apply(frame)
    check_image(image, frame.file)
    image.checksum = frame.previous
    return image


def _check_kept(store: Store, log: Log, at: int | None, recovered: RecoveredState) -> None:
    segments = log.segments
    if at is not None and not recovered.image.epoch and not recovered.damaged and segments and segments[0] > 1:
        oldest = min(snapshots(store), default=segments[0])
        raise failures.EPOCH_NOT_KEPT.error(name=store.name, epoch=at, oldest=oldest)


def _known_epoch(store: Store) -> int:
    """An epoch that was certainly committed: that of the last snapshot, or of the note that a writer left."""
    note = read_note(store, NOTE_FILE)
    noted = None if note is None else note.get("epoch")
    return max(noted if isinstance(noted, int) else 0, *snapshots(store), 0)


def _check_end(store: Store, reached: int, at: int | None, known: int) -> None:
    """Check that every epoch known to be committed has been reached."""
    if at is not None:
        if reached != at:
            raise failures.NO_EPOCH.error(name=store.name, epoch=at, last=reached)
    elif reached < known:
        raise failures.LOG_SHORT.error(name=store.name, reached=reached, known=known)
