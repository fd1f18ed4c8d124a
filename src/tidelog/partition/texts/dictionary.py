"""Cells: every value as one int64, and back.

Law (D15): numbers are themselves, floats their bits; the id of a symbol or list is a 64-bit xxHash, seeded with 42,
over (type tag, length, parts), lists by the tags and cells of their parts, records by their cells. Ids need no
coordination; two values with the same id are detected here and are an error, never a wrong answer. The same chain of
hashes can be written in Spark SQL.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tidelog.kernel.cells import Cells
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.texts.entries import Entries, ScratchEntries
from tidelog.partition.texts.ids import (
    LIST_SEED,
    LONG,
    SYMBOL_SEED,
    TAGS,
    TWO64,
    chain_of,
    hash_long,
    symbol_id,
    to_signed,
)
from tidelog.partition.texts.packed_cells import PackedStructure
from tidelog.partition.texts.structures import NIL_CELL, Leaf, decode_structures, encode_structure, take_apart
from tidelog.partition.texts.texts import TextColumn
from tidelog.program.values.shape import Shape
from tidelog.program.values.term import NAN, Value
from tidelog.program.values.variant import Variant

NAN_CELL = 0x7FF8000000000000
REMEMBERED = 1 << 16


def float_cell(value: float) -> int:
    """The bits of a float; one zero, one NaN (D11)."""
    if math.isnan(value):
        return NAN_CELL
    return int(struct.unpack("<q", struct.pack("<d", value + 0.0))[0])


def cell_float(cell: int) -> float:
    """The float with these bits; NaN is one object, which Python then holds equal to itself inside rows."""
    return NAN if cell == NAN_CELL else float(struct.unpack("<d", LONG.pack(cell))[0])


def natural_type(value: object) -> str:
    """The default type of a Python value; unsigned only if it does not fit into a number."""
    if isinstance(value, bool):
        return "number"
    if isinstance(value, int):
        return "number" if value < TWO64 >> 1 else "unsigned"
    for kind, name in ((float, "float"), (str, "symbol"), (tuple, "list"), (list, "list")):
        if isinstance(value, kind):
            return name
    raise failures.NO_VALUE.error(value=value, kind=type(value).__name__)


class Dictionary:
    """Ids of symbols and lists, and the values behind them."""

    def __init__(self) -> None:
        self.entries = Entries()
        self._cells: dict[str, int] = {}  # of recently used symbols
        self.drops = 0  # how often entries were dropped
        self.lent: Mapping[int, Value] | None = None  # all entries of the owners, while others take over from them

    def __len__(self) -> int:
        return len(self.entries)

    def memory_at(self, partition: int) -> int:
        """The bytes counted for a partition; partitions of one process share a dictionary, which is counted once."""
        return 0 if partition else self.entries.memory

    def symbol(self, text: str) -> int:
        """The cell of a symbol."""
        cell = None if self.entries.is_shared else self._cells.get(text)
        if cell is None:
            cell = self._make(symbol_id(text), text)
            if len(self._cells) >= REMEMBERED:
                self._cells = {}
            self._cells[text] = cell
        return cell

    def symbol_column(self, address: int, offsets: Cells) -> Cells:
        """The cells of symbols whose UTF-8 is in memory consecutively, each from ``offsets[i]`` to the next offset."""
        return self.entries.enter_column(address, offsets, SYMBOL_SEED)

    def enter(self, entries: Iterable[tuple[int, Value]]) -> None:
        """Add entries that others made; DataError if two values have the same id."""
        self.entries.enter_all(list(entries))

    def known(self, cells: Iterable[int]) -> dict[int, Value]:
        """The entries of these ids that are known here."""
        wanted = list(cells)
        found = zip(wanted, self.entries.values(wanted), strict=True)
        return {cell: value for cell, value in found if value is not None}

    def begin(self) -> None:
        """Begin an epoch, which may fail."""
        self.entries.begin()

    def end(self) -> None:
        """End an epoch that succeeded."""
        self.entries.end()

    def drop(self) -> None:
        """Drop the entries that only a failed epoch made; their ids must not be remembered."""
        if self.entries.drop():
            self._cells = {}
            self.drops += 1

    def showing(self, cells: Iterable[int]) -> Dictionary:
        """A separate dictionary for answers, which stays readable after the entries made for them are dropped.

        Returns this dictionary if none of their values was made since `begin`.
        """
        shown = set(cells)
        if shown.isdisjoint(self.entries.created()):
            return self
        own = Dictionary()
        while shown:
            found = self.known(shown)
            own.enter(found.items())
            parts = {part for value in found.values() if isinstance(value, PackedStructure) for part in value}
            shown = parts - own.known(parts).keys()
        return own

    def has_news(self, known: int) -> bool:
        """Whether entries have been added since the dictionary had this size."""
        return len(self) != known

    def report_to_owners(self) -> None:
        """Do nothing: a dictionary that is not distributed has no other owners."""

    def values_of(self, cells: Sequence[int]) -> list[Value]:
        """The values behind ids."""
        found = self.entries.values(cells)
        if None in found:
            raise KeyError(cells[found.index(None)])
        return found

    def values_or_cells(self, cells: Sequence[int]) -> list[Value]:
        """The values behind cells of a column whose type is not determined: cells that are not ids stay themselves."""
        found = self.entries.values(cells)
        return [cell if value is None else value for cell, value in zip(cells, found, strict=True)]

    def text_column(self, cells: Cells) -> TextColumn | None:
        """The texts behind a column of ids; None if one of them is not UTF-8."""
        return self.entries.text_column(cells)

    def encode(self, value: Value, type_: str) -> int:
        """The cell of a value of a type; the value is known to fit."""
        if isinstance(value, str):
            return self.symbol(value)
        if type_ == "record":
            return _structure(self, value, type_)
        if isinstance(value, tuple | list):
            return self._list(tuple(value))
        assert not isinstance(value, Variant | None), "only records are nil or variants"
        if isinstance(value, float) or type_ == "float":
            return float_cell(float(value))
        return to_signed(value) if type_ == "unsigned" else value

    def decode(self, cell: int, type_: str | None) -> Value:
        """The value behind a cell of a column of that type; a record without a type stays its cell."""
        if isinstance(type_, Shape):
            value: Value = self.structures([cell], type_)[0]
            return value
        if type_ in ("symbol", "list"):
            value = self.entries.value(cell)
            if value is None:
                raise KeyError(cell)
            return value
        if type_ == "float":
            return cell_float(cell)
        if type_ == "unsigned":
            return cell % TWO64
        return cell

    def decode_any(self, cell: int, type_: str | None) -> Value:
        """The value behind a cell whose column's type may not be determined."""
        if type_ is None or type_ == "any":
            value = self.entries.value(cell)
            return cell if value is None else value
        return self.decode(cell, type_)

    def pack(self, cells: Sequence[int]) -> int:
        """The cell of a record or variant with these cells as its parts."""
        packed = chain_of(len(cells), cells)
        if packed == NIL_CELL:
            raise failures.SAME_ID.error(known="nil", value=tuple(cells), cell=packed)
        return self._make(packed, PackedStructure(cells))

    def pack_rows(self, rows: Cells) -> Cells:
        """The cells of many records or variants, each row the cells of the parts of one."""
        cells = self.entries.enter_structures(rows, chain_of(rows.shape[1]))
        if not cells.all():
            raise failures.SAME_ID.error(known="nil", value=tuple(rows[cells.argmin()].tolist()), cell=NIL_CELL)
        return cells

    def parts(self, cell: int) -> PackedStructure | None:
        """The cells of the parts of a record or variant; None for ``nil``."""
        return None if cell == NIL_CELL else self.parts_of([cell])[0]

    def parts_of(self, cells: Sequence[int]) -> list[PackedStructure]:
        """The cells of the parts of many records or variants."""
        return self.values_of(cells)  # type: ignore[return-value]  # the entries of records

    def structures(self, cells: Iterable[int], shape: Shape, leaf: Leaf | None = None) -> list[Any]:
        """The values of records or variants of one type; ``leaf`` decodes parts of base types."""
        return decode_structures(cells, shape, self.parts_of, leaf or self.decode)

    def _list(self, value: tuple[Value, ...]) -> int:
        mixed = hash_long(len(value), LIST_SEED)
        for part in value:
            kind = natural_type(part)
            mixed = hash_long(self.encode(part, kind), hash_long(TAGS[kind], mixed))
        return self._make(to_signed(mixed), value)

    def _make(self, cell: int, value: Value) -> int:
        """Make an entry here."""
        self.entries.enter(cell, value)
        return cell


def _structure(dictionary: Dictionary, value: Value, type_: str) -> int:
    """The cell of a record or variant in the engine's form: its value if the type has a shape, otherwise its cell."""
    if value is None or isinstance(value, int):
        return value or NIL_CELL
    assert isinstance(type_, Shape), "a value is encoded with the type of its place"
    cell = encode_structure(value, type_, dictionary.pack, take_apart, dictionary.encode)
    assert cell is not None, "the type check admits the value"
    return cell


class ScratchDictionary(Dictionary):
    """The entries of another dictionary, and those that a question makes during an epoch, dropped when it ends."""

    def __init__(self, base: Dictionary) -> None:
        super().__init__()
        self._base = base
        self.entries = ScratchEntries(base.entries)

    def drop(self) -> None:
        """Drop the entries of the question."""
        if len(self.entries):
            self.entries = ScratchEntries(self._base.entries)
            self._cells = {}
            self.drops += 1
