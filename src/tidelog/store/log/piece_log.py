"""The log of one partition: its pieces of epochs, of which only those named by the driver's frames count.

Laws. (1) Nothing is ever overwritten: only one process creates a file and appends to it, its name contains a unique
token, and after a failure nothing more is appended to it. So neither a repeated epoch nor a process that was presumed
lost can damage a piece that counts. (2) A file is named after the first epoch in it; the pieces in it that count come
before those of every file with a later first epoch. (3) A piece counts if and only if the driver's frame of its epoch
contains its checksum; all others are leftovers of epochs that were never committed.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence

from tidelog.errors import StateError
from tidelog.store.base import store_failures as failures
from tidelog.store.base.corruption import AlteredError, TornError, damage
from tidelog.store.base.frame import EPOCH, Bytes, Frame, decode_frame
from tidelog.store.base.store import Store
from tidelog.store.log.log import ENDING, FOLDER, SEGMENT


def file_name(epoch: int, token: str) -> str:
    """The name of the file that begins with a piece of an epoch.

    >>> file_name(7, "0a1b2c3d")
    'log/000000000007-0a1b2c3d.log'
    """
    return f"{FOLDER}/{epoch:012}-{token}{ENDING}"


class PieceLog:
    """The files of a partition's log, with any number of readers; only the partition writes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._name = ""
        self._size = 0

    def files(self) -> list[tuple[int, str]]:
        """The first epoch and the name of every file, in order."""
        found = []
        for name in self._store.names(FOLDER):
            epoch, _, token = name.removesuffix(ENDING).partition("-")
            if name.endswith(ENDING) and epoch.isdigit() and token:
                found.append((int(epoch), f"{FOLDER}/{name}"))
        return sorted(found)

    def frames(self, epochs: Mapping[int, int]) -> Iterator[Frame]:
        """The pieces that count, by epoch and checksum, in the order of the epochs given; StateError if one is lost."""
        left = dict(epochs)
        if not left:
            return
        broken: dict[int, StateError] = {}
        for first, name in self._reaching(next(iter(left))):
            for frame in self._read(name, epochs, first, broken):
                if left.get(frame.epoch) == frame.checksum:
                    if frame.epoch != next(iter(left)):
                        break
                    del left[frame.epoch]
                    yield frame
        for epoch in left:
            raise self._lost(epoch, broken)

    def _reaching(self, epoch: int) -> list[tuple[int, str]]:
        """The files that may hold pieces of an epoch or of later ones (law 2)."""
        files = self.files()
        last = max((first for first, _ in files if first <= epoch), default=0)
        return [file for file in files if file[0] >= last]

    def _read(self, name: str, epochs: Mapping[int, int], first: int, broken: dict[int, StateError]) -> Iterator[Frame]:
        """The frames of a file up to the first damaged one; those that do not count are skipped unread.

        A damaged frame may be a leftover: it is noted in ``broken`` under the first epoch that it may concern.
        """
        data, at, epoch = memoryview(self._store.read(name)), 0, first
        while at < len(data):
            try:
                frame = decode_frame(data, at, verify=False)
                epoch = frame.epoch
                if epochs.get(epoch) == frame.checksum:
                    frame = decode_frame(data, at, f"{self._store.name}/{name}")
                elif epoch in epochs:
                    broken[epoch] = self._damaged(name, f"the checksum of epoch {epoch} does not match")
            except (TornError, AlteredError) as wrong:
                broken.setdefault(epoch, damage(f"{self._store.name}/{name}", wrong))
                return
            if frame.kind == EPOCH:
                yield frame
            at = frame.end

    def _damaged(self, name: str, what: object) -> StateError:
        return failures.DAMAGED.error(file=f"{self._store.name}/{name}", what=what)

    def _lost(self, epoch: int, broken: Mapping[int, StateError]) -> StateError:
        """The error for a piece that was not found: most likely it was in a damaged part of a file."""
        near = [error for place, error in broken.items() if place <= epoch]
        return near[-1] if near else failures.PIECE_MISSING.error(name=self._store.name, epoch=epoch)

    def append(self, epoch: int, parts: Sequence[Bytes]) -> int:
        """Write a piece durably and return its size; it counts when the driver has recorded it."""
        if not self._store.appends or not self._name or self._size >= SEGMENT:
            self._name, self._size = file_name(epoch, secrets.token_hex(4)), 0
        size = sum(memoryview(part).nbytes for part in parts)
        try:
            self._store.append(self._name, parts, self._size)
        except OSError as error:
            name = self._name
            self.begin_file()
            raise failures.PIECE_NOT_WRITTEN.error(
                file=f"{self._store.name}/{name}", epoch=epoch, reason=error.strerror or error
            ) from error
        self._size += size
        return size

    def begin_file(self) -> None:
        """Let the next piece begin a new file."""
        self._name, self._size = "", 0

    def remove_before(self, epoch: int) -> None:
        """Remove the files in which all pieces that count precede an epoch (law 2)."""
        files = self.files()
        for first, name in files:
            following = min((other for other, _ in files if other > first), default=None)
            if following is not None and following <= epoch:
                self._store.remove(name)
