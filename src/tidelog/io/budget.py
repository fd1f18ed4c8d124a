"""Limits for reading files: bytes of all files together, bytes of one line, and time.

Law: bytes are counted as they are read, after decompression, so that reading a small file with large content stops at
the limit instead of exhausting memory. No rows of a refused file are used. The time is checked with every count, so
a file whose lines are already being parsed is finished first.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from tidelog.io import io_failures as failures

PACKED = b"\x1f\x8b"  # the first bytes of a gzip file
CHUNK = 1 << 20
PIECE = 1 << 20
LONGEST_LINE = 1 << 28  # bytes; as many as the characters of the longest text


@dataclass(slots=True)
class Budget:
    """The maximum bytes of the files of an epoch, and the maximum seconds from now; None for no limit."""

    limit: int | None = None
    seconds: float | None = None
    used: int = field(default=0, init=False)
    began: float = field(default_factory=time.monotonic, init=False)

    def take(self, size: int, path: Path) -> None:
        """Count bytes of a file; raise if a limit is exceeded."""
        self.used += size
        if self.limit is not None and self.used > self.limit:
            raise failures.TOO_MUCH_READ.error(path=path, limit=self.limit)
        if self.seconds is not None and time.monotonic() - self.began > self.seconds:
            raise failures.TOO_LONG_READ.error(path=path, limit=self.seconds)


def read_bytes(path: Path, budget: Budget) -> bytes:
    """The content of a text file, decompressed if necessary."""
    with path.open("rb") as file:
        packed = file.read(len(PACKED)) == PACKED
        file.seek(0)
        if not packed:
            budget.take(path.stat().st_size, path)
            data = file.read()
            if len(data) > LONGEST_LINE:
                _check_lines(data, path)
            return data
        with gzip.open(file) as unpacked:
            return _unpack(unpacked, path, budget)


def read_pieces(path: Path, budget: Budget) -> Iterator[bytes]:
    """The same in pieces of some megabytes, each of whole lines."""
    with path.open("rb") as file:
        packed = file.read(len(PACKED)) == PACKED
        file.seek(0)
        with gzip.open(file) if packed else nullcontext(file) as stream:
            rest = b""
            while chunk := stream.read(PIECE):
                budget.take(len(chunk), path)
                end = chunk.rfind(b"\n") + 1
                if end:
                    yield b"".join((rest, memoryview(chunk)[:end]))
                    rest = chunk[end:]
                else:
                    rest += chunk
                _check_line(len(rest), path)
            if rest:
                yield rest


def _unpack(file: gzip.GzipFile | BinaryIO, path: Path, budget: Budget) -> bytes:
    chunks: list[bytes] = []
    since = 0  # bytes since the last line end
    while chunk := file.read(CHUNK):
        budget.take(len(chunk), path)
        end = chunk.rfind(b"\n")
        since = since + len(chunk) if end < 0 else len(chunk) - end - 1
        _check_line(since, path)
        chunks.append(chunk)
    return b"".join(chunks)


def _check_lines(data: bytes, path: Path) -> None:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        _check_line(end - start, path)
        later = data.rfind(b"\n", start, start + LONGEST_LINE)  # no line before it is too long
        start = max(end, later) + 1


def _check_line(length: int, path: Path) -> None:
    if length > LONGEST_LINE:
        raise failures.LONG_LINE.error(path=path, most=LONGEST_LINE)
