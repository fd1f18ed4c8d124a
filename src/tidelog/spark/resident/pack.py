"""Convert values to bytes: plain values, arrays, Arrow tables, and objects of registered classes.

Law: `unpack(pack(value)) == value`, with the same types, for the values that calls may contain; any other value is
refused here. Long lists are written by columns, so that many entries cost little; an object that occurs twice is
written once.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import pyarrow as pa

from tidelog.spark.resident.kinds import DTYPES, OF_CLASS
from tidelog.spark.resident.resident_failures import NOT_CARRIED

LONG = 32  # from this length on, lists of one type are written by columns
NUMBER, REAL = struct.Struct("<q"), struct.Struct("<d")
_SMALLEST, _LARGEST = -(1 << 63), (1 << 63) - 1


def pack(value: object) -> bytes:
    """The bytes of a value.

    >>> from tidelog.spark.resident.unpack import unpack
    >>> unpack(pack((1, [2.5, "a"], {"b": None})))
    (1, [2.5, 'a'], {'b': None})
    """
    packing = _ByteWriter()
    packing.put(value)
    return b"".join(packing.out)


class _ByteWriter:
    """A buffer to which values are appended."""

    def __init__(self) -> None:
        self.out: list[bytes | memoryview] = []
        self._numbers: dict[int, int] = {}  # objects by identity; they live as long as the value being packed
        self._objects: list[object] = []

    def put(self, value: object) -> None:
        """Append a value."""
        writer = _WRITERS.get(type(value))
        if writer is None:
            writer = _writer_for(value)
        writer(self, value)

    def put_count(self, tag: bytes, count: int) -> None:
        """Append a tag and a number."""
        self.out.append(tag + NUMBER.pack(count))

    def put_bytes(self, tag: bytes, data: bytes) -> None:
        """Append a tag, a length and the bytes."""
        self.put_count(tag, len(data))
        self.out.append(data)

    def put_integer(self, value: int) -> None:
        """Append an integer of any size."""
        if _SMALLEST <= value <= _LARGEST:
            self.out.append(b"i" + NUMBER.pack(value))
        else:
            self.put_bytes(b"I", int(value).to_bytes(value.bit_length() // 8 + 1, "little", signed=True))

    def put_items(self, items: Sequence[object]) -> None:
        """Append the items of a list: by columns, if it is long and of one type."""
        if len(items) < LONG or not self._by_columns(items, set(map(type, items))):
            self.put_count(b"l", len(items))
            for item in items:
                self.put(item)

    def put_tuple(self, value: tuple[object, ...]) -> None:
        """Append a tuple; a short one with few nested calls, because terms of rules are deep."""
        if len(value) >= LONG:
            self.out.append(b"w")
            self.put_items(value)
            return
        self.put_count(b"t", len(value))
        for item in value:
            self.put(item)

    def _by_columns(self, items: Sequence[Any], kinds: set[type]) -> bool:
        if kinds == {int}:
            if min(items) < _SMALLEST or max(items) > _LARGEST:
                return False
            self.put_bytes(b"J", np.array(items, np.int64).tobytes())
        elif kinds == {float}:
            self.put_bytes(b"G", np.array(items, np.float64).tobytes())
        elif kinds == {str}:
            self.put_bytes(b"U", np.fromiter(map(len, items), np.int64, len(items)).tobytes())
            self.put_bytes(b"s", "".join(items).encode("utf-8", "surrogatepass"))
        elif kinds == {tuple} and len(set(map(len, items))) == 1 and items[0]:
            self.put_count(b"C", len(items[0]))
            for column in zip(*items, strict=True):
                self.put_items(column)
        elif len(kinds) == 1 and (kind := OF_CLASS.get(next(iter(kinds)))) is not None and kind.by_columns:
            self.put_bytes(b"K", kind.name)
            self.put_items([tuple(kind.parts(item)) for item in items])
        else:
            return False
        return True

    def put_object(self, value: object) -> None:
        """Append an object of a registered class; an object that occurred before is written as its number."""
        known = self._numbers.get(id(value))
        if known is not None:
            self.put_count(b"r", known)
            return
        kind = OF_CLASS[type(value)]
        parts = kind.parts(value)
        self.put_bytes(b"c", kind.name)
        self.put_tuple(tuple(parts))
        self._numbers[id(value)] = len(self._objects)
        self._objects.append(value)

    def put_array(self, value: np.ndarray[Any, Any]) -> None:
        """Append an array of numbers."""
        if value.dtype.str not in DTYPES:
            raise NOT_CARRIED.error(kind=f"array of {value.dtype}")
        self.put_bytes(b"a", value.dtype.str.encode())
        self.put_tuple(value.shape)
        self.put_count(b"b", value.nbytes)
        self.out.append(value.tobytes())

    def put_table(self, value: pa.Table) -> None:
        """Append an Arrow table in Arrow's format."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, value.schema) as stream:
            stream.write_table(value)
        self.put_bytes(b"A", sink.getvalue().to_pybytes())


Writer = Callable[[_ByteWriter, Any], None]


def _constant(tag: bytes) -> Writer:
    return lambda packing, value: packing.out.append(tag)


def _wrapped(tag: bytes, items: Callable[[Any], Sequence[object]]) -> Writer:
    def write(packing: _ByteWriter, value: Any) -> None:
        packing.out.append(tag)
        packing.put_items(items(value))

    return write


def _write_dict(packing: _ByteWriter, value: Mapping[object, object]) -> None:
    packing.out.append(b"d")
    packing.put_items(list(value))
    packing.put_items(list(value.values()))


_WRITERS: dict[type, Writer] = {
    type(None): _constant(b"n"),
    bool: lambda packing, value: packing.out.append(b"T" if value else b"F"),
    int: _ByteWriter.put_integer,
    float: lambda packing, value: packing.out.append(b"f" + REAL.pack(value)),
    str: lambda packing, value: packing.put_bytes(b"s", value.encode("utf-8", "surrogatepass")),
    bytes: lambda packing, value: packing.put_bytes(b"b", value),
    list: _ByteWriter.put_items,
    tuple: _ByteWriter.put_tuple,
    dict: _write_dict,
    frozenset: _wrapped(b"z", list),
    set: _wrapped(b"Z", list),
    np.ndarray: _ByteWriter.put_array,
    pa.Table: _ByteWriter.put_table,
}


def _writer_for(value: object) -> Writer:
    """The writer for a value whose class is not plain: a registered one, or one of the abstract kinds."""
    if type(value) in OF_CLASS:
        return _ByteWriter.put_object
    if isinstance(value, np.generic):
        return lambda packing, number: packing.put(number.item())
    for abstract, plain in _ABSTRACT:
        if isinstance(value, abstract):
            return _WRITERS[plain]
    raise NOT_CARRIED.error(kind=f"`{type(value).__module__}.{type(value).__qualname__}`")


_ABSTRACT: tuple[tuple[type, type], ...] = (
    (int, int),
    (str, str),
    (tuple, tuple),
    (Mapping, dict),
    (Set, frozenset),
    (np.ndarray, np.ndarray),
    (Sequence, tuple),
)
