"""Cells: every value as one int64, and back.

Law (D15): numbers are themselves, floats their bits; the id of a symbol or list is a 64-bit xxHash, seeded with 42,
over (type tag, length, parts), lists by the tags and cells of their parts. Ids need no coordination; two values with
one id are found here and are an error, never a wrong answer. The same chain of hashes can be written in Spark SQL.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, islice
from threading import RLock

import numpy as np
import xxhash

from tidelog.kernel.cells import Cells
from tidelog.partition import failures
from tidelog.partition.texts import Clash, EntryColumns, TextColumn, Texts, laid_out, to_bytes
from tidelog.program.lists import same
from tidelog.program.term import Value

TAGS = {"number": 1, "unsigned": 2, "float": 3, "symbol": 4, "list": 5}
SEED = 42
NAN_CELL = 0x7FF8000000000000
_LONG = struct.Struct("<q")
_TWO64 = 1 << 64
RECENT, RECENT_BYTES, REMEMBERED = 1 << 14, 1 << 22, 1 << 16
FEW = 32  # so many are looked up one by one


def to_signed(bits: int) -> int:
    """64 bits as a signed number."""
    return bits - _TWO64 if bits >= _TWO64 >> 1 else bits


def float_cell(value: float) -> int:
    """The bits of a float; one zero, one NaN (D11)."""
    if math.isnan(value):
        return NAN_CELL
    return int(struct.unpack("<q", struct.pack("<d", value + 0.0))[0])


def cell_float(cell: int) -> float:
    """The float with these bits."""
    return float(struct.unpack("<d", _LONG.pack(cell))[0])


def _hash_long(value: int, seed: int) -> int:
    return int(xxhash.xxh64_intdigest(_LONG.pack(value), seed % _TWO64))


_SYMBOL_SEED = to_signed(_hash_long(TAGS["symbol"], SEED))
_LIST_SEED = _hash_long(TAGS["list"], SEED)


def symbol_id(text: str) -> int:
    """The id of a symbol.

    >>> symbol_id("") != symbol_id("a")
    True
    """
    raw = text.encode("utf-8", "surrogatepass")
    return to_signed(xxhash.xxh64_intdigest(raw, _hash_long(len(raw), _SYMBOL_SEED)))


def natural_type(value: object) -> str:
    """The type that a Python value has by itself; unsigned only where a number cannot hold it."""
    if isinstance(value, bool):
        return "number"
    if isinstance(value, int):
        return "number" if value < _TWO64 >> 1 else "unsigned"
    for kind, name in ((float, "float"), (str, "symbol"), (tuple, "list"), (list, "list")):
        if isinstance(value, kind):
            return name
    raise failures.NO_VALUE.error(value=value, kind=type(value).__name__)


class Dictionary:
    """Ids of symbols and lists, and the values behind them.

    Entries are numbered in the order in which they were made. Those made one by one are `recent` at first and then lie
    among the texts, where columns of text go at once. Lists are kept as values too: equal ones may be written unlike.
    """

    def __init__(self) -> None:
        self._texts = Texts()
        self._recent: dict[int, Value] = {}
        self._lists: dict[int, Value] = {}
        self._cells: dict[str, int] = {}  # of symbols asked for lately
        self._recent_bytes = 0
        self._lock = RLock()  # of whoever adds

    def __len__(self) -> int:
        with self._lock:
            return len(self._texts) + len(self._recent)

    @property
    def memory(self) -> int:
        """Bytes of all texts and what finds them, without lists."""
        return self._texts.memory + self._recent_bytes

    def memory_at(self, partition: int) -> int:
        """The bytes that a partition answers for; partitions of one process share a dictionary, which is told once."""
        return 0 if partition else self.memory

    def symbol(self, text: str) -> int:
        """The cell of a symbol."""
        cell = self._cells.get(text)
        if cell is None:
            cell = self._make(symbol_id(text), text)
            if len(self._cells) >= REMEMBERED:
                self._cells = {}
            self._cells[text] = cell
        return cell

    def symbols(self, texts: Iterable[str]) -> list[int]:
        """The cells of many symbols."""
        known = self._cells
        return [known[t] if t in known else self.symbol(t) for t in texts]

    def symbol_column(self, address: int, offsets: Cells) -> Cells:
        """The cells of symbols whose UTF-8 lies in memory one after the other, from ``offsets[i]`` to the next."""
        cells: Cells = np.empty(len(offsets) - 1, np.int64)
        with self._lock:
            self._settle()
            self._enter_texts(address, offsets, cells, _SYMBOL_SEED)
        return cells

    def entries_since(self, count: int) -> list[tuple[int, Value]]:
        """The entries made after the first ``count``, in order; entries are only ever added."""
        with self._lock:
            settled = len(self._texts)
            recent = list(islice(self._recent.items(), max(count - settled, 0), None))
            if count >= settled:
                return recent
            numbers = np.arange(count, settled)
            return [*zip(self._texts.cells(count).tolist(), self._texts.values(numbers), strict=True), *recent]

    def columns_since(self, count: int) -> EntryColumns:
        """The entries made after the first ``count``, in order, in the form that state folders have."""
        with self._lock:
            settled = self._settle()
            assert settled, "entries that owners have not heard of"
            return self._texts.entries(count)

    def restore(self, entries: Mapping[int, Value]) -> None:
        """Take over the entries of a state that was read."""
        self.enter(entries.items())

    def enter(self, entries: Iterable[tuple[int, Value]]) -> None:
        """Take entries that others made; DataError if two values have one id."""
        batch = list(entries)
        symbols = [entry for entry in batch if isinstance(entry[1], str)]
        with self._lock:
            if len(symbols) >= FEW and self._settle():
                self._enter_values(symbols)
                batch = [entry for entry in batch if not isinstance(entry[1], str)]
            for cell, value in batch:
                self._enter(cell, value)

    def known(self, cells: Iterable[int]) -> dict[int, Value]:
        """What is known here of some ids."""
        wanted = list(cells)
        return {cell: value for cell, value in zip(wanted, self._looked_up(wanted), strict=True) if value is not None}

    def tell_owners(self) -> None:
        """A dictionary that is not shared out has nobody to tell."""

    def values_of(self, cells: Sequence[int]) -> list[Value]:
        """The values behind ids."""
        found = self._looked_up(cells)
        if None in found:
            raise KeyError(cells[found.index(None)])
        return found  # type: ignore[return-value]  # no None is left

    def values_or_cells(self, cells: Sequence[int]) -> list[Value]:
        """The values behind cells of a column whose type is not determined: themselves where they are no ids."""
        found = self._looked_up(cells)
        return [cell if value is None else value for cell, value in zip(cells, found, strict=True)]

    def encode(self, value: Value, type_: str) -> int:
        """The cell of a value of a type; the value is known to fit."""
        if isinstance(value, str):
            return self.symbol(value)
        if isinstance(value, tuple | list):
            return self._list(tuple(value))
        if isinstance(value, float) or type_ == "float":
            return float_cell(float(value))
        return to_signed(value) if type_ == "unsigned" else value

    def decode(self, cell: int, type_: str | None) -> Value:
        """The value behind a cell of a column of that type."""
        if type_ in ("symbol", "list"):
            value = self._value(cell)
            if value is None:
                raise KeyError(cell)
            return value
        if type_ == "float":
            return cell_float(cell)
        if type_ == "unsigned":
            return cell % _TWO64
        return cell

    def decode_any(self, cell: int, type_: str | None) -> Value:
        """The value behind a cell whose column's type may not be determined."""
        if type_ is None or type_ == "any":
            value = self._value(cell)
            return cell if value is None else value
        return self.decode(cell, type_)

    def text_column(self, cells: Cells) -> TextColumn | None:
        """The texts behind a column of ids; None if one of them is no UTF-8."""
        with self._lock:
            self._settle()
        numbers, places = np.unique(self._texts.find_all(cells), return_inverse=True)
        if len(numbers) and (numbers[0] < 0 or self._texts.kinds(numbers).any()):
            return None
        return TextColumn(*self._texts.copied(numbers), places.reshape(-1))

    def _list(self, value: tuple[Value, ...]) -> int:
        mixed = _hash_long(len(value), _LIST_SEED)
        for part in value:
            kind = natural_type(part)
            mixed = _hash_long(self.encode(part, kind), _hash_long(TAGS[kind], mixed))
        return self._make(to_signed(mixed), value)

    def _make(self, cell: int, value: Value) -> int:
        """An entry that is made here."""
        return self._enter(cell, value)

    def _enter(self, cell: int, value: Value) -> int:
        with self._lock:
            known = self._value(cell)
            if known is None:
                self._recent[cell] = value
                if not isinstance(value, str):
                    self._lists[cell] = value
                self._recent_bytes += len(value) if isinstance(value, str) else 0
                if len(self._recent) >= RECENT or self._recent_bytes >= RECENT_BYTES:
                    self._settle()
            elif known is not value and not same(known, value):
                raise failures.SAME_ID.error(known=known, value=value, cell=cell)
        return cell

    def _value(self, cell: int) -> Value | None:
        """The value behind an id if it is known here. Recent ones first: settling puts them among the texts earlier."""
        value = self._recent.get(cell)
        if value is None:
            value = self._lists.get(cell)
        if value is None and (number := self._texts.find(cell)) >= 0:
            value = self._texts.value(number)
        return value

    def _looked_up(self, cells: Sequence[int]) -> list[Value | None]:
        """The values behind many ids, None where one is not known here."""
        if len(cells) < FEW:
            return [self._value(cell) for cell in cells]
        recent = self._recent
        numbers = self._texts.find_all(np.array(cells, np.int64))
        settled = numbers >= 0
        if settled.all() and not self._lists:
            return list(self._texts.values(numbers))
        found: list[Value | None] = [recent.get(cell) for cell in cells]
        places = settled.nonzero()[0].tolist()
        for place, value in zip(places, self._texts.values(numbers[settled]), strict=True):
            found[place] = value if isinstance(value, str) else self._lists[cells[place]]
        return found

    def _settle(self) -> bool:
        """Put the recent entries among the texts; whether all are there. Ctrl-C on the way leaves each in one place."""
        if self._recent:
            recent = list(self._recent.items())
            try:
                self._enter_values(recent)
            finally:
                there = self._texts.find_all(np.array([cell for cell, _ in recent], np.int64)) >= 0
                self._recent = {} if there.all() else dict(compress(recent, ~there))
                self._recent_bytes = 0
        return True

    def _enter_values(self, entries: Sequence[tuple[int, Value]]) -> None:
        parts = [to_bytes(value) for _, value in entries]
        data, offsets = laid_out([raw for raw, _ in parts])
        cells = np.array([cell for cell, _ in entries], np.int64)
        self._enter_texts(data.ctypes.data, offsets, cells, 0, np.array([kind for _, kind in parts], np.int64))

    def _enter_texts(self, address: int, offsets: Cells, cells: Cells, seed: int, *kinds: Cells) -> None:
        try:
            self._texts.enter(address, offsets, cells, seed, *kinds)
        except Clash as clash:
            at, end = offsets[clash.row : clash.row + 2].tolist()
            value = ctypes.string_at(address + at, end - at).decode("utf-8", "surrogatepass")
            known, cell = self._texts.value(clash.number), int(cells[clash.row])
            raise failures.SAME_ID.error(known=known, value=value, cell=cell) from None
