"""Rows of a file that are read when the epoch encodes them, one piece of the file at a time.

Law: they are the rows that would have been read at once; a file that cannot be read fails the epoch. A piece is freed
before the next one is read, so that a large file is never in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class UnreadRows:
    """Rows that ``read`` returns, table by table, with names and Arrow types of their columns."""

    names: tuple[str, ...]
    types: tuple[pa.DataType, ...]
    read: Callable[[], Iterable[pa.Table]]
    places: tuple[int, ...] = ()  # the columns to be used, if not all in order

    def columns(self) -> tuple[pa.ChunkedArray, ...]:
        """The columns without rows."""
        return tuple(pa.chunked_array([], type_) for type_ in self.types)

    def select(self, places: Sequence[int]) -> UnreadRows:
        """The same rows with these columns."""
        own = self.places or range(len(self.names))
        return replace(self, places=tuple(own[place] for place in places))

    def tables(self) -> Iterator[pa.Table]:
        """The rows, read now."""
        for table in self.read():
            yield table.select(list(self.places)) if self.places else table
