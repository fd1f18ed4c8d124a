"""The texts of a dictionary in separate memory: bytes that never move, under their ids.

Law (D15): each text is kept once, as its UTF-8, without a Python object for it; records are numbered in the order in
which they were added, and are appended or, after an epoch that failed, dropped from the end. Lists are kept here, too,
as JSON, as in state folders, and structures as the cells of their parts, which compiled code reads
(`kernel.structures`). Writers hold the dictionary's lock; readers need no lock: arrays that grow are replaced, and
bytes never move.
"""

from __future__ import annotations

import ctypes
import json
import math
import struct
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tidelog.kernel.cells import Cells
from tidelog.kernel.texts import (
    ADDRESS,
    CLASH,
    COUNT,
    FREE,
    ID,
    KINDS,
    LEFT,
    RECORD_WIDTH,
    ROOM_WIDTH,
    SIZE,
    STRUCTURE,
    copy_texts,
    enter_texts,
    fill_table,
    find_texts,
)
from tidelog.partition.base.block import Block
from tidelog.partition.texts.packed_cells import KEY, PackedStructure
from tidelog.program.values.term import NAN, Value

TEXT, LIST, BROKEN = range(3)  # kinds: UTF-8; JSON; text with lone surrogates, which is not UTF-8
SMALLEST, SMALLEST_HEAP, LARGEST_HEAP = 16, 1 << 12, 1 << 24
SLICE_ROWS, SLICE_BYTES = 1 << 16, 1 << 24  # a slice takes some milliseconds; Ctrl-C is handled between slices
LOW32 = 0xFFFFFFFF
Bytes = npt.NDArray[np.uint8]
_CONSTANTS = {"NaN": NAN, "Infinity": math.inf, "-Infinity": -math.inf}
_NO_KINDS: Cells = np.zeros(0, np.int64)


class Clash(Exception):
    """Row ``row`` of the entered values has the id of record ``number``, but not its bytes."""

    def __init__(self, row: int, number: int) -> None:
        super().__init__(row, number)
        self.row, self.number = row, number


def to_bytes(value: Value) -> tuple[bytes, int]:
    """A value in the form of state folders, and the kind of that form.

    >>> to_bytes("a"), to_bytes((1, 2.0, ("b",)))
    ((b'a', 0), (b'[1, 2.0, ["b"]]', 1))
    """
    if isinstance(value, PackedStructure):
        return json.dumps(value.to_json()).encode(), LIST
    if not isinstance(value, str):
        return json.dumps(value).encode(), LIST
    try:
        return value.encode(), TEXT
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass"), BROKEN


def to_kept_bytes(value: Value) -> tuple[bytes, int]:
    """A value in the form in which it is kept in memory, and the kind of that form.

    >>> to_kept_bytes(PackedStructure((1,)))
    (b'\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00', 3)
    """
    return (
        (struct.pack(f"<{len(value)}q", *value), STRUCTURE) if isinstance(value, PackedStructure) else to_bytes(value)
    )


def from_kept_bytes(raw: bytes, kind: int) -> Value:
    """The value behind bytes that are kept in memory."""
    return (
        PackedStructure(struct.unpack(f"<{len(raw) // 8}q", raw))
        if kind == STRUCTURE
        else from_bytes(raw, kind == LIST)
    )


def from_bytes(raw: bytes, is_list: bool) -> Value:
    """The symbol or list behind stored bytes.

    >>> from_bytes(b'[1, 2.0, ["b"]]', True), from_bytes(b"[1]", False)
    ((1, 2.0, ('b',)), '[1]')
    """
    return _tuple(json.loads(raw, parse_constant=_CONSTANTS.get)) if is_list else raw.decode("utf-8", "surrogatepass")


def _tuple(value: object) -> Value:
    if isinstance(value, list):
        return tuple(_tuple(part) for part in value)
    if isinstance(value, dict):
        return PackedStructure(value[KEY])
    assert isinstance(value, int | float | str)
    return value


def laid_out(parts: Sequence[bytes]) -> tuple[Bytes, Cells]:
    """Consecutive byte strings, and where each begins and ends."""
    offsets: Cells = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return np.frombuffer(b"".join(parts) or b"\0", np.uint8), offsets


class TextColumn(NamedTuple):
    """A column of texts: the bytes of the distinct ones, where each begins and ends, and which of them each row has."""

    data: Bytes
    offsets: Cells
    places: Cells


class KnownRecords(NamedTuple):
    """The present records: table, records, their number, and the memory that they point to."""

    table: Cells
    records: Cells
    size: int
    heaps: tuple[Bytes, ...]


class EntryColumns(NamedTuple):
    """Entries as columns: ids, which of them are lists, the bytes of all values, where each begins and ends."""

    cells: Cells
    lists: npt.NDArray[np.bool_]
    data: Bytes
    offsets: Cells


def to_strings(data: Bytes, offsets: Cells) -> list[Value]:
    """The texts that are stored consecutively."""
    raw, ends = data.tobytes(), offsets.tolist()
    if raw.isascii():
        text = raw.decode("ascii")
        return [text[start:end] for start, end in pairwise(ends)]
    return [raw[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(ends)]


class TextMark(NamedTuple):
    """The extent of the texts: numbers of records and of pieces of memory, and the room in the last piece."""

    records: int
    heaps: int
    room: Cells


class Texts:
    """Records of texts by number and by id."""

    def __init__(self) -> None:
        self._table: Cells = np.zeros(SMALLEST, np.int64)
        self._block = Block(np.empty((SMALLEST, RECORD_WIDTH), np.int64))
        self._heaps: list[Bytes] = []
        self._room: Cells = np.zeros(ROOM_WIDTH, np.int64)

    def __len__(self) -> int:
        return int(self._room[COUNT])

    @property
    def memory(self) -> int:
        """Bytes in use: texts, records and the table of ids."""
        texts = sum(len(heap) for heap in self._heaps) - int(self._room[LEFT])
        return texts + 8 * RECORD_WIDTH * len(self) + self._table.nbytes

    def enter(self, address: int, offsets: Cells, cells: Cells, seed: int, kinds: Cells = _NO_KINDS) -> None:
        """Enter texts stored at an address (`enter_texts`); Clash if an id exists with other bytes."""
        start = 0
        while start < len(cells):
            stop = self._end_of_slice(offsets, start)
            places, ids, marks = offsets[start : stop + 1], cells[start:stop], kinds[start:stop]
            done = 0
            while done < len(ids):
                table, records = self._table, self._block.array
                done = enter_texts(
                    address, places, done, seed, marks, ids, table, table.ctypes.data, records, self._room
                )
                if self._room[CLASH] >= 0:
                    raise Clash(start + done, int(self._room[CLASH]))
                if done < len(ids):
                    self._make_room(int(places[done + 1] - places[done]))
            start = stop

    @staticmethod
    def _end_of_slice(offsets: Cells, start: int) -> int:
        rows = min(start + SLICE_ROWS, len(offsets) - 1)
        return max(start + 1, min(rows, int(np.searchsorted(offsets, offsets[start] + SLICE_BYTES))))

    def _make_room(self, length: int) -> None:
        """Make room for another text of this length; all memory is allocated before anything changes."""
        count = len(self)
        if length > self._room[LEFT]:
            size = max(length, min(LARGEST_HEAP, max(SMALLEST_HEAP, sum(map(len, self._heaps)))))
            heap: Bytes = np.empty(size, np.uint8)
            self._heaps.append(heap)
            self._room[FREE], self._room[LEFT] = heap.ctypes.data, size
        if count == len(self._block.array):
            self._block.resize(2 * count)
        if 2 * count >= len(self._table):
            table: Cells = np.zeros(2 * len(self._table), np.int64)
            fill_table(table, table.ctypes.data, self._block.array, count)
            self._table = table

    def mark(self) -> TextMark:
        """The present extent of the texts."""
        return TextMark(len(self), len(self._heaps), self._room.copy())

    def drop(self, mark: TextMark) -> None:
        """Drop all records after a mark; concurrent readers read those before it, which do not move."""
        table: Cells = np.zeros(len(self._table), np.int64)
        fill_table(table, table.ctypes.data, self._block.array, mark.records)
        self._table = table
        self._room[:] = mark.room
        del self._heaps[mark.heaps :]

    def find(self, cell: int) -> int:
        """The record with an id, -1 if there is none; fast for a single one."""
        table, records = self._table, self._block.array
        mask, place = len(table) - 1, cell & (len(table) - 1)
        while (entry := table.item(place)) != 0:
            if (entry ^ cell) & ~LOW32 == 0 and records.item((entry & LOW32) - 1, ID) == cell:
                return (entry & LOW32) - 1
            place = (place + 1) & mask
        return -1

    def find_all(self, cells: Cells) -> Cells:
        """The record of each id, -1 where there is none."""
        numbers: Cells = np.empty(len(cells), np.int64)
        table, records = self._table, self._block.array
        find_texts(np.ascontiguousarray(cells), table, table.ctypes.data, records, numbers)
        return numbers

    def kinds(self, numbers: Cells) -> Cells:
        """The kinds of some records."""
        found: Cells = self._block.array[numbers, SIZE] % KINDS
        return found

    def cells(self, start: int) -> Cells:
        """The ids of all records from one on."""
        return self._block.array[start : len(self), ID].copy()

    def value(self, number: int) -> Value:
        """The value of one record."""
        records = self._block.array
        size = records.item(number, SIZE)
        return from_kept_bytes(ctypes.string_at(records.item(number, ADDRESS), size // KINDS), size % KINDS)

    def entries(self, start: int) -> EntryColumns:
        """All records from one on."""
        numbers = np.arange(start, len(self))
        kinds, (data, offsets) = self.kinds(numbers), self.copied(numbers)
        structures = kinds == STRUCTURE
        if structures.any():
            parts = [data[begin:end].tobytes() for begin, end in pairwise(offsets.tolist())]
            for place in structures.nonzero()[0].tolist():
                parts[place] = to_bytes(from_kept_bytes(parts[place], STRUCTURE))[0]
            data, offsets = laid_out(parts)
        return EntryColumns(self.cells(start), (kinds == LIST) | structures, data, offsets)

    @property
    def known(self) -> KnownRecords:
        """The present records."""
        return KnownRecords(self._table, self._block.array, len(self), tuple(self._heaps))

    def structures(self, cells: Cells) -> tuple[Cells, Cells] | None:
        """The parts of all structures consecutively, and where those of each begin; None if one is not known."""
        numbers = self.find_all(cells)
        if len(numbers) and (numbers.min() < 0 or (self.kinds(numbers) != STRUCTURE).any()):
            return None
        data, offsets = self.copied(numbers)
        return data.view(np.int64), offsets[:-1] // 8

    def copied(self, numbers: Cells) -> tuple[Bytes, Cells]:
        """The bytes of some records consecutively, and where each begins and ends."""
        records = self._block.array
        offsets: Cells = np.zeros(len(numbers) + 1, np.int64)
        np.cumsum(records[numbers, SIZE] // KINDS, out=offsets[1:])
        data: Bytes = np.empty(int(offsets[-1]), np.uint8)
        copy_texts(numbers, records, data.ctypes.data)
        return data, offsets

    def values(self, numbers: Cells) -> list[Value]:
        """The values of some records."""
        (data, offsets), kinds = self.copied(numbers), self.kinds(numbers)
        if not kinds.any():
            return to_strings(data, offsets)
        raw, ends = data.tobytes(), pairwise(offsets.tolist())
        return [from_kept_bytes(raw[begin:end], kind) for (begin, end), kind in zip(ends, kinds.tolist(), strict=True)]
