"""Cells: every value as one int64, and back.

Law (D15): numbers are themselves, floats their bits; the id of a symbol or list is a 64-bit xxHash, seeded with 42,
over (type tag, length, parts), lists by the tags and cells of their parts. Ids need no coordination; two values with
one id are found here and are an error, never a wrong answer. The same chain of hashes can be written in Spark SQL.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

import xxhash

from tidelog.partition import failures
from tidelog.program.lists import same
from tidelog.program.term import Value

TAGS = {"number": 1, "unsigned": 2, "float": 3, "symbol": 4, "list": 5}
SEED = 42
NAN_CELL = 0x7FF8000000000000
_LONG = struct.Struct("<q")
_TWO64 = 1 << 64


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
    return int(xxhash.xxh64_intdigest(_LONG.pack(value), seed))


_SYMBOL_SEED = _hash_long(TAGS["symbol"], SEED)
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
    """Ids of symbols and lists, and the values behind them."""

    def __init__(self) -> None:
        self._cells: dict[str, int] = {}
        self._values: dict[int, Value] = {}

    def __len__(self) -> int:
        return len(self._values)

    def symbol(self, text: str) -> int:
        """The cell of a symbol."""
        cell = self._cells.get(text)
        if cell is None:
            cell = self._make(symbol_id(text), text)
            self._cells[text] = cell
        return cell

    def symbols(self, texts: Iterable[str]) -> list[int]:
        """The cells of many symbols."""
        known = self._cells
        return [known[t] if t in known else self.symbol(t) for t in texts]

    def entries_since(self, count: int) -> list[tuple[int, Value]]:
        """The entries made after the first ``count``, in order; entries are only ever added."""
        newest = list(islice(reversed(self._values.items()), len(self._values) - count))
        newest.reverse()
        return newest

    def restore(self, entries: Mapping[int, Value]) -> None:
        """Take over the entries of a state that was read."""
        self._values.update(entries)
        self._cells.update((value, cell) for cell, value in entries.items() if isinstance(value, str))

    def enter(self, entries: Iterable[tuple[int, Value]]) -> None:
        """Take entries that others made; DataError if two values have one id."""
        for cell, value in entries:
            self._enter(cell, value)
            if isinstance(value, str):
                self._cells.setdefault(value, cell)

    def known(self, cells: Iterable[int]) -> dict[int, Value]:
        """What is known here of some ids."""
        return {cell: self._values[cell] for cell in cells if cell in self._values}

    def tell_owners(self) -> None:
        """A dictionary that is not shared out has nobody to tell."""

    def values_of(self, cells: Sequence[int]) -> list[Value]:
        """The values behind ids."""
        return [self._values[cell] for cell in cells]

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
            return self._values[cell]
        if type_ == "float":
            return cell_float(cell)
        if type_ == "unsigned":
            return cell % _TWO64
        return cell

    def decode_any(self, cell: int, type_: str | None) -> Value:
        """The value behind a cell whose column's type may not be determined."""
        if type_ is None or type_ == "any":
            return self._values.get(cell, cell)
        return self.decode(cell, type_)

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
        known = self._values.setdefault(cell, value)
        if known is not value and not same(known, value):
            raise failures.SAME_ID.error(known=known, value=value, cell=cell)
        return cell
