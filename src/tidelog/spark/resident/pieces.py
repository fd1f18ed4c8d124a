"""Split large messages into small pieces.

Law: joining the pieces restores the message; a message larger than the limit is refused by the sender and by the
receiver, before it is joined. A batch of rows has at least one row, however large that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from tidelog.spark.resident.resident_failures import TOO_LARGE

PIECE = 16 << 20  # bytes


def cut(body: bytes, limit: int) -> list[memoryview]:
    """The pieces of a message.

    >>> [len(piece) for piece in cut(bytes(PIECE + 1), PIECE + 1)]
    [16777216, 1]
    """
    check_size(len(body), limit)
    whole = memoryview(body)
    return [whole[first : first + PIECE] for first in range(0, len(whole), PIECE)] or [whole]


def join(pieces: Iterable[bytes | memoryview | pa.Buffer], limit: int) -> bytes | memoryview:
    """Join the pieces of a message."""
    found, size = [], 0
    for piece in pieces:
        size += len(memoryview(piece))
        check_size(size, limit)
        found.append(memoryview(piece))
    return found[0] if len(found) == 1 else b"".join(found)


def check_size(size: int, limit: int) -> None:
    """Raise ResidentError if a message exceeds the limit."""
    if size > limit:
        raise TOO_LARGE.error(size=size, limit=limit)


def batches(table: pa.Table, limit: int) -> Iterator[pa.RecordBatch]:
    """The rows of a table in batches of about one piece each.

    >>> [batch.num_rows for batch in batches(pa.table({"x": range(3 << 20)}), 1 << 30)]
    [2097152, 1048576]
    """
    rows = max(1, PIECE * table.num_rows // max(1, table.nbytes))
    for batch in table.to_batches(max_chunksize=rows):
        check_size(batch.nbytes, limit)
        yield batch
