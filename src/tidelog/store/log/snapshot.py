"""Snapshots: a whole state in one frame, and which of them are kept.

Law: a snapshot is the delta from nothing to an epoch, put in place whole. It contains the checksum of its epoch's
frame, so that only the log it belongs to can continue from it. A file is removed only when no epoch that must stay
readable needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tidelog.store.base import store_failures as failures
from tidelog.store.base.corruption import AlteredError, TornError, damage
from tidelog.store.base.frame import SNAPSHOT, Bytes, Frame, decode_frame
from tidelog.store.base.store import Store
from tidelog.store.log.log import Log, numbered

FOLDER = "snapshots"
ENDING = ".snapshot"
FALLBACK = 2  # newest snapshots that are always kept, so that one may be damaged


def snapshot_name(epoch: int) -> str:
    """The file of the snapshot of an epoch."""
    return f"{FOLDER}/{epoch:012}{ENDING}"


def snapshots(store: Store) -> list[int]:
    """The epochs of all snapshots."""
    return numbered(store, FOLDER, ENDING)


def write_snapshot(store: Store, epoch: int, parts: Sequence[Bytes]) -> None:
    """Put a snapshot in place."""
    name = snapshot_name(epoch)
    try:
        store.write(name, parts)
    except OSError as error:
        raise failures.SNAPSHOT_NOT_WRITTEN.error(
            file=f"{store.name}/{name}", reason=error.strerror or error
        ) from error


def read_snapshot(store: Store, epoch: int) -> Frame:
    """The frame of a snapshot; StateError if it is damaged."""
    name = snapshot_name(epoch)
    data = memoryview(store.read(name))
    try:
        frame = decode_frame(data, 0, f"{store.name}/{name}")
    except (TornError, AlteredError) as wrong:
        raise damage(f"{store.name}/{name}", wrong) from None
    if frame.end != len(data) or frame.kind != SNAPSHOT or frame.epoch != epoch:
        raise failures.DAMAGED.error(file=f"{store.name}/{name}", what=f"it is not the snapshot of epoch {epoch}")
    return frame


def kept_snapshots(epochs: Sequence[int], history: int | None) -> list[int]:
    """The snapshots to keep so that the last ``history`` epochs stay readable; None: all of them.

    These are the newest ones, the newest that is old enough to begin from, and some at a distance between those.

    >>> kept_snapshots([10, 20, 30, 40, 50, 60, 70, 80], history=40)
    [40, 50, 60, 70, 80]
    >>> kept_snapshots([10, 20, 30, 40, 50, 60, 70, 80], history=0)
    [70, 80]
    """
    if not epochs:
        return []
    spacing = 1000 if history is None else max(1, history // 4)
    oldest = 0 if history is None else epochs[-1] - history
    first = max((e for e in epochs if e <= oldest), default=0)
    kept: list[int] = []
    for epoch in epochs:
        newest = epoch in epochs[-FALLBACK:]
        if newest or (epoch >= first and (not kept or epoch - kept[-1] >= spacing)):
            kept.append(epoch)
    return kept


@dataclass(frozen=True, slots=True)
class ObsoleteFiles:
    """Files that are no longer needed: snapshots other than those kept, and, unless 0, the log before an epoch."""

    kept: tuple[int, ...] = ()
    before: int = 0

    @property
    def newest(self) -> int:
        """The newest snapshot that is kept."""
        return max(self.kept, default=0)


def remove_old(store: Store, log: Log, history: int | None) -> ObsoleteFiles:
    """Remove the snapshots and segments that are no longer needed, and return them."""
    found = snapshots(store)
    kept = kept_snapshots(found, history)
    for epoch in found:
        if epoch not in kept:
            store.remove(snapshot_name(epoch))
    if history is None or len(kept) < FALLBACK or kept[0] > max(0, found[-1] - history):
        return ObsoleteFiles(tuple(kept))
    log.remove_before(kept[0] + 1)
    return ObsoleteFiles(tuple(kept), kept[0] + 1)
