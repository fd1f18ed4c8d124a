"""The log: committed epochs in order, as frames in segments.

Law: frames number the epochs without a gap, and each contains the checksum of the one before, so that a lost, repeated
or swapped frame is detected. Only the very end of the last segment may be torn: epochs that were never committed. A
frame that is synced with later ones names the last epoch that was durable when it was written: if power is lost before
the sync, any part of the frames after that epoch may be missing.
A segment is named after its first epoch; where files cannot be extended, every epoch is a separate segment. A snapshot
ends a segment, so that what comes after it is found without reading what came before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tidelog.errors import StateError
from tidelog.store.base import store_failures as failures
from tidelog.store.base.corruption import AlteredError, TornError, damage
from tidelog.store.base.frame import EPOCH, MAGIC, Bytes, Frame, decode_frame
from tidelog.store.base.header import OF_EPOCHS, SYNCED, need
from tidelog.store.base.store import Store

FOLDER = "log"
ENDING = ".log"
SEGMENT = 64 << 20
BLOCK = 4096  # bytes that a disk writes as a whole, or a multiple of them
SHORTEST = 64  # bytes of a part of a block from which zeros are not chance


def segment_name(epoch: int) -> str:
    """The file of the segment that begins with an epoch.

    >>> segment_name(7)
    'log/000000000007.log'
    """
    return f"{FOLDER}/{epoch:012}{ENDING}"


def numbered(store: Store, folder: str, ending: str) -> list[int]:
    """The epochs in the names of a folder's files, in order."""
    stems = (name.removesuffix(ending) for name in store.names(folder) if name.endswith(ending))
    return sorted(int(stem) for stem in stems if stem.isdigit())


@dataclass(slots=True)
class End:
    """Where the log ends: the last segment, the length of its good part, and whether a torn frame follows."""

    segment: int = 0
    size: int = 0
    torn: bool = False


class Log:
    """The segments of a store, with any number of readers and one writer."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.end = End()
        self._half = 0  # the segment whose first frame could not be written
        self.bytes = 0  # appended since the last snapshot, as far as this process knows
        self._lost: StateError | None = None  # the error of a sync that failed

    @property
    def segments(self) -> list[int]:
        """The first epochs of all segments."""
        return numbered(self._store, FOLDER, ENDING)

    def frames(self, after: int, until: int | None = None) -> Iterator[Frame]:
        """The frames of the epochs after one, in order."""
        segments = self.segments
        first = max((s for s in segments if s <= after + 1), default=0)
        return self._frames([s for s in segments if s >= first], after, until, None)

    def frames_after_snapshot(self, after: int, until: int | None, checksum: int) -> Iterator[Frame]:
        """The frames of the epochs after a snapshot whose epoch has this checksum; afterwards `end` is known."""
        self.end = End()
        return self._frames([s for s in self.segments if s > after], after, until, checksum)

    def _frames(self, segments: list[int], after: int, until: int | None, checksum: int | None) -> Iterator[Frame]:
        wanted = after + 1
        for segment in segments:
            if segment > wanted:
                raise self._missing(wanted, segment)
            last = segment == segments[-1]
            for frame in self._segment(segment, after, last):
                if frame.epoch <= after:
                    continue
                if until is not None and frame.epoch > until:
                    return
                if frame.epoch != wanted or (checksum is not None and frame.previous != checksum):
                    raise self._damaged(segment, f"epoch {frame.epoch} does not follow the previous epoch")
                wanted, checksum = wanted + 1, frame.checksum
                yield frame

    def _segment(self, segment: int, after: int, last: bool) -> Iterator[Frame]:
        """The frames of one segment; those up to ``after`` are skipped unread."""
        data, at, reached = memoryview(self._store.read(segment_name(segment))), 0, segment - 1
        while at < len(data):
            try:
                frame = decode_frame(data, at, verify=False)
                if frame.epoch > after:
                    frame = decode_frame(data, at, f"{self._store.name}/{segment_name(segment)}")
                    need(frame.header, OF_EPOCHS)
            except TornError as torn:
                if not last or not self._store.appends:
                    raise self._damaged(segment, str(torn)) from None
                self.end = End(segment, at, torn=True)
                return
            except AlteredError as altered:
                if last and self._store.appends and self._was_never_synced(data, at, max(after, reached)):
                    self.end = End(segment, at, torn=True)
                    return
                raise damage(f"{self._store.name}/{segment_name(segment)}", altered) from None
            if frame.kind != EPOCH:
                raise self._damaged(segment, f"epoch {frame.epoch} is not an epoch of a log")
            if at == 0 and frame.epoch != segment:
                raise self._damaged(segment, f"it starts with epoch {frame.epoch}")
            yield frame
            at, reached = frame.end, frame.epoch
        self.end = End(segment, at)

    @staticmethod
    def _was_never_synced(data: memoryview, at: int, epoch: int) -> bool:
        """Whether complete frames after a damaged one show that it was not durable; ``epoch`` is the one before it."""
        found = [frame for frame in _complete_frames(data, at) if frame.kind == EPOCH]
        after = all(frame.header.get(SYNCED, frame.epoch) <= epoch for frame in found)
        return bool(found) and after and _has_lost_block(data, at, found[0].start)

    def must_end_here(self, epoch: int) -> None:
        """Refuse to write if the log does not end where this writer left it, before an epoch (D38)."""
        if self._lost is not None:
            raise self._lost
        kept, begun = self.end.segment, epoch != self._half and epoch != self.end.segment
        if kept and self._store.appends and not self.end.torn:
            found = self._store.size(segment_name(kept))
            if found != self.end.size:
                raise self._other_writer(epoch, kept, found, f"{self.end.size} bytes long")
        if begun and (found := self._store.size(segment_name(epoch))) >= 0:
            raise self._other_writer(epoch, epoch, found, "unwritten")

    def _other_writer(self, epoch: int, segment: int, previous: int, known: str) -> StateError:
        length = f"{previous} bytes long" if previous >= 0 else "gone"
        file = f"{self._store.name}/{segment_name(segment)}"
        return failures.OTHER_WRITER.error(file=file, found=length, known=known, epoch=epoch - 1)

    def can_wait(self) -> bool:
        """Whether the next epoch can be synced later: it is appended to a file."""
        return bool(self._store.appends and self.end.segment and self.end.size < SEGMENT)

    def append(self, epoch: int, parts: Sequence[Bytes], *, sync: bool = True) -> None:
        """Make an epoch durable; raises StateError and leaves the log as it was if that cannot be done.

        Without ``sync`` it is durable after the next `sync` or `append` with it. The first epoch of a segment is
        durable at once.
        """
        grows = self.can_wait()
        if not grows:
            self.sync()
        segment, at = (self.end.segment, self.end.size) if grows else (epoch, 0)
        size = sum(memoryview(part).nbytes for part in parts)
        try:
            self._store.append(segment_name(segment), parts, at, sync=sync)
        except OSError as error:
            self.end.torn = self.end.segment == segment
            self._half = 0 if grows else segment
            raise failures.EPOCH_NOT_WRITTEN.error(
                file=f"{self._store.name}/{segment_name(segment)}", epoch=epoch, reason=error.strerror or error
            ) from error
        self.end = End(segment, at + size)
        self.bytes += size

    def sync(self) -> None:
        """Make all that was appended durable. If it fails, this log is not written again; any thread may call it."""
        segment = self.end.segment
        if self._lost is not None:
            raise self._lost
        if not segment:
            return
        try:
            self._store.sync(segment_name(segment))
        except OSError as error:
            file = f"{self._store.name}/{segment_name(segment)}"
            self._lost = failures.NOT_SYNCED.error(file=file, reason=error.strerror or error)
            raise self._lost from error

    def begin_segment(self) -> None:
        """Let the next epoch begin a new segment: a snapshot is about to be taken."""
        try:
            self.repair()
        except OSError as error:
            name = segment_name(self.end.segment)
            raise failures.NOT_CUT.error(file=f"{self._store.name}/{name}", reason=error.strerror or error) from error
        self.end = End()

    def repair(self) -> None:
        """Cut off what a writer left uncommitted."""
        if self.end.torn:
            name = segment_name(self.end.segment)
            if self.end.size:
                self._store.cut(name, self.end.size)
            else:
                self._store.remove(name)
                self.end = End()
            self.end.torn = False

    def remove_before(self, epoch: int) -> None:
        """Remove the segments that contain only epochs before a given one."""
        segments = self.segments
        for segment, following in pairwise(segments):
            if following <= epoch:
                self._store.remove(segment_name(segment))

    def _damaged(self, segment: int, what: str) -> StateError:
        return failures.DAMAGED.error(file=f"{self._store.name}/{segment_name(segment)}", what=what)

    def _missing(self, expected: int, first: int) -> StateError:
        return failures.LOG_MISSING.error(name=self._store.name, wanted=expected, found=first, file=segment_name(first))


def _complete_frames(data: memoryview, at: int) -> Iterator[Frame]:
    """The frames that are complete, anywhere after a place: searched for by their first bytes."""
    content = data.tobytes()
    while (at := content.find(MAGIC, at)) >= 0:
        try:
            frame = decode_frame(data, at)
        except (TornError, AlteredError, StateError):
            at += len(MAGIC)
            continue
        yield frame
        at = frame.end


def _has_lost_block(data: memoryview, start: int, end: int) -> bool:
    """Whether a block of the disk, from the start of a damaged frame on, is all zeros: it was never written."""
    starts = [start, *range(start - start % BLOCK + BLOCK, end, BLOCK)]
    blocks = (data[first:last] for first, last in pairwise([*starts, end]))
    return any(len(block) >= SHORTEST and not any(block) for block in blocks)
