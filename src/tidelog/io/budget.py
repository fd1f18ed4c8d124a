"""How much may be read: bytes of all files together, and of one line; and for how long.

Law: what is read is counted as it comes, after it is unpacked: a small file that unpacks to a large one ends where its
limit is, not where memory is. Nothing of a file that is refused is taken. The time is looked at with every count, so
that a file whose lines are already being taken apart is finished first.
"""

from __future__ import annotations

import gzip
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from tidelog.io import io_failures as failures

PACKED = b"\x1f\x8b"  # how gzip begins
CHUNK = 1 << 20
LONGEST_LINE = 1 << 28  # bytes; as many as the characters of the longest text


@dataclass(slots=True)
class Budget:
    """The bytes that the files of an epoch may have, and the seconds from now that they may take; None: any number."""

    limit: int | None = None
    seconds: float | None = None
    taken: int = field(default=0, init=False)
    began: float = field(default_factory=time.monotonic, init=False)

    def take(self, size: int, path: Path) -> None:
        """Count some bytes of a file."""
        self.taken += size
        if self.limit is not None and self.taken > self.limit:
            raise failures.TOO_MUCH_READ.error(path=path, limit=self.limit)
        if self.seconds is not None and time.monotonic() - self.began > self.seconds:
            raise failures.TOO_LONG_READ.error(path=path, limit=self.seconds)


def read_bytes(path: Path, budget: Budget) -> bytes:
    """The content of a file of lines, unpacked if it is packed."""
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
            return _unpacked(unpacked, path, budget)


def _unpacked(file: gzip.GzipFile | BinaryIO, path: Path, budget: Budget) -> bytes:
    found: list[bytes] = []
    since = 0  # bytes since the last line end
    while chunk := file.read(CHUNK):
        budget.take(len(chunk), path)
        end = chunk.rfind(b"\n")
        since = since + len(chunk) if end < 0 else len(chunk) - end - 1
        _check_line(since, path)
        found.append(chunk)
    return b"".join(found)


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
