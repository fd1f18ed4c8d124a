"""Entries of a large table on their way to its new size, moved by one thread or by several.

Law: entries that could be found before can be found afterwards. Places are kept in the order of hashes, so that the
entries of a range of the table move to another range. Ranges are moved in turn, in an order in which the target of each
is empty or contains entries that have already moved. A range is divided among threads: each fills separate places, and
entries that do not fit there are spilled, and placed when all others have moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.kernel.maintain import gather, put_all, spread
from tidelog.partition.base.workers import Workers

SPILLED = 1 << 12  # entries
SHARED = 1 << 16  # places that are worth sharing among threads


class Span(NamedTuple):
    """Places whose entries move, and those to which they may move."""

    low: int
    high: int
    first: int
    limit: int


Move: TypeAlias = Callable[[int, Span], None]


class Moves:
    """The entries of one table, on their way from ``slots`` to ``wanted`` slots."""

    def __init__(self, table: int, slots: int, size: int, workers: Workers | None) -> None:
        self._table = table
        self._slots = slots
        self._size = size
        self._workers = workers
        self._threads = workers.count if workers is not None and slots > SHARED else 1
        self._spills = [_spill(slots // (8 * self._threads)) for _ in range(self._threads)]

    def spread(self) -> None:
        """Move to more slots, the last entries first; cells beyond the old ones hold zeros."""
        high = self._slots
        while self._threads > 1 and high > SHARED:
            low = -(-high * self._slots // self._size)
            self._share(Span(low, high, high, self._size), self._spread)
            high = low
        self._spread(0, Span(0, high, 0, self._size))
        self._put_spilled()

    def gather(self) -> None:
        """Move to fewer slots, the first entries first."""
        low = min(SHARED, self._slots) if self._threads > 1 and 10 * self._size < 9 * self._slots else self._slots
        self._gather(0, Span(0, low, 0, self._size))
        while low < self._slots:
            high = min(self._slots, low * self._slots // self._size)
            self._share(Span(low, high, 0, min(low, self._size)), self._gather)
            low = high
        self._put_spilled()

    def _share(self, span: Span, move: Move) -> None:
        """Move the entries of a span, with each thread moving a part of it."""
        assert self._workers is not None
        parts = list(self._parts(span))

        def part(number: int) -> int:
            move(number, parts[number])
            return 0

        self._workers.run(part)

    def _parts(self, span: Span) -> Iterator[Span]:
        low, first = span.low, span.first
        for number in range(1, self._threads + 1):
            high = span.low + (span.high - span.low) * number // self._threads
            limit = span.limit if number == self._threads else max(first, high * self._size // self._slots)
            yield Span(low, high, first, min(limit, span.limit))
            low, first = high, min(limit, span.limit)

    def _spread(self, number: int, span: Span) -> None:
        place = span.high - 1
        while place >= span.low:
            spill = self._spills[number]
            place = spread(self._table, self._size, spill, place, span.low, span.first, span.limit)
            self._lengthen(number, is_needed=place >= span.low)

    def _gather(self, number: int, span: Span) -> None:
        place = span.low
        while place < span.high:
            spill = self._spills[number]
            place = gather(self._table, self._size, spill, place, span.high, span.first, span.limit)
            self._lengthen(number, is_needed=place < span.high)

    def _lengthen(self, number: int, *, is_needed: bool) -> None:
        if is_needed:
            spill = self._spills[number]
            self._spills[number] = np.concatenate([spill, np.empty_like(spill)])

    def _put_spilled(self) -> None:
        for spill in self._spills:
            put_all(self._table, self._size, spill, 1, int(spill[0]) + 1)


def _spill(entries: int) -> Cells:
    """Room for the few entries that find no place in the pass; unused memory is never allocated."""
    spill = np.empty(max(SPILLED, entries), np.int64)
    spill[0] = 0
    return spill
