"""Frames: a file format in which damage is recognised.

Everything that Tidelog keeps in a state folder, except two small JSON files, is stored in frames: an epoch in the log,
or a snapshot.

    head     48 bytes: magic, format version, kind, epoch, checksum of the frame before, lengths, checksum of the head
    header   JSON, padded with spaces to a multiple of 8
    body     Arrow IPC messages, each a multiple of 8 bytes; their lengths are in the header
    tail     16 bytes: checksum of all of the above, end mark

Law: a frame that reads without an error is the frame that was written. A frame that is cut off by the end of the
file, or that is all zeros from some position to its end, was never completed (*torn*); any other mismatch means that
a complete frame was *altered*. Checksums are xxHash3 with 64 bits: they detect accidents and do not stop a forger.
Further checks limit what a forger can do: of the form of headers (`header`), of parts (`delta`, `entries`), and of
whether their contents are consistent (`content`).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import xxhash

from tidelog.store.base import store_failures as failures
from tidelog.store.base.corruption import AlteredError, TornError
from tidelog.store.base.header import read_header

FORMAT = 1
EPOCH, SNAPSHOT = 1, 2
MAGIC, END = b"TIDE", b"TIDE-END"
HEAD = struct.Struct("<4sHHqQQQ")
TAIL = struct.Struct("<Q8s")
CHECK = struct.Struct("<Q")
HEAD_SIZE = HEAD.size + CHECK.size
Bytes = bytes | bytearray | memoryview


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that was read: ``checksum`` is its own, ``previous`` that of the frame before it, ``file`` its place."""

    kind: int
    epoch: int
    previous: int
    header: Mapping[str, Any]
    body: memoryview = field(repr=False)
    checksum: int
    start: int
    end: int
    file: str = ""

    @property
    def size(self) -> int:
        """Bytes from head to tail."""
        return self.end - self.start


def checksum_of(parts: Sequence[Bytes]) -> int:
    """The checksum of consecutive pieces of bytes."""
    state = xxhash.xxh3_64()
    for part in parts:
        state.update(part)
    return int(state.intdigest())


def encode_frame(
    kind: int, epoch: int, previous: int, header: Mapping[str, Any], body: Sequence[Bytes]
) -> tuple[list[Bytes], int]:
    """The bytes of a frame in parts, and its checksum.

    >>> parts, checksum = encode_frame(EPOCH, 7, 0, {"clock": 3, "body": [["deltas", 8]]}, [b"12345678"])
    >>> frame = decode_frame(memoryview(b"".join(parts)), 0)
    >>> frame.epoch, frame.header, bytes(frame.body), frame.checksum == checksum
    (7, {'clock': 3, 'body': [['deltas', 8]]}, b'12345678', True)
    """
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    head = HEAD.pack(MAGIC, FORMAT, kind, epoch, previous, len(text), sum(memoryview(p).nbytes for p in body))
    parts: list[Bytes] = [head + CHECK.pack(checksum_of([head])), text, *body]
    checksum = checksum_of(parts)
    return [*parts, TAIL.pack(checksum, END)], checksum


def framed(
    kind: int, epoch: int, previous: int, header: Mapping[str, Any], messages: Sequence[tuple[str, Bytes]]
) -> tuple[list[Bytes], int]:
    """A frame whose header lists the kinds and lengths of the messages in its body."""
    body = [[name, memoryview(message).nbytes] for name, message in messages]
    return encode_frame(kind, epoch, previous, {**header, "body": body}, [message for _, message in messages])


def decode_frame(data: memoryview, start: int, file: str = "", *, verify: bool = True) -> Frame:
    """The frame that begins at ``start``; without ``verify`` only its head is checked, to skip it."""
    kind, epoch, previous, header_size, body_size = _head(data, start)
    body_start = start + HEAD_SIZE + header_size
    body_end = body_start + body_size
    end = body_end + TAIL.size
    if end > len(data):
        raise TornError(f"it ends {end - len(data)} bytes before the end of epoch {epoch}")
    checksum, mark = TAIL.unpack_from(data, body_end)
    header: Mapping[str, Any] = {}
    if verify:
        if not any(data[end - 1 :]):
            raise TornError(f"the end of epoch {epoch} was never written")
        if mark != END or checksum != checksum_of([data[start:body_end]]):
            raise AlteredError(f"the checksum of epoch {epoch} does not match")
        header = read_header(bytes(data[start + HEAD_SIZE : body_start]), body_size)
    return Frame(kind, epoch, previous, header, data[body_start:body_end], checksum, start, end, file)


def _head(data: memoryview, start: int) -> tuple[int, int, int, int, int]:
    """Kind, epoch, checksum of the frame before, and the lengths of header and body."""
    rest = data[start : start + HEAD_SIZE]
    if len(rest) < HEAD_SIZE:
        raise TornError("it ends inside the header of a frame")
    magic, version, *fields = HEAD.unpack_from(rest)
    if CHECK.unpack_from(rest, HEAD.size)[0] != checksum_of([rest[: HEAD.size]]) or magic != MAGIC:
        if not any(data[start + HEAD_SIZE - 1 :]):
            raise TornError("it ends in zeros")
        raise AlteredError(f"the checksum of the frame header does not match at byte {start}")
    if version > FORMAT:
        raise failures.NEWER_FRAME.error(found=version, known=FORMAT)
    kind, epoch, previous, header_size, body_size = fields
    if epoch < 0:
        raise AlteredError(f"there is no epoch {epoch}")
    return kind, epoch, previous, header_size, body_size
