"""Convert bytes to values: the inverse of `pack`.

Law: only values that calls may contain are created; names are looked up only in the table of registered classes, code
in the bytes is never run, and whatever the bytes are, the result is a value or a `ResidentError`. A value uses memory
in proportion to its bytes: texts do not overlap, and Arrow's buffers are as long as their contents, so that the limit
of messages also limits the size of values.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from tidelog.spark.errors import ResidentError
from tidelog.spark.resident.kinds import DTYPES, OF_NAME, Kind
from tidelog.spark.resident.pack import NUMBER, REAL
from tidelog.spark.resident.resident_failures import NOT_READABLE

INT32, UINT32, UINT16 = struct.Struct("<i"), struct.Struct("<I"), struct.Struct("<H")


def unpack(body: bytes | memoryview) -> Any:
    """The value encoded in bytes; raises ResidentError if there is none."""
    unpacking = _ByteReader(memoryview(body))
    try:
        value = unpacking.take()
    except ResidentError:
        raise
    except Exception as error:  # whatever a constructor raises for parts that never belonged to its class
        raise NOT_READABLE.error(what=f"{type(error).__name__}: {error}"[:300]) from error
    if unpacking.at != len(unpacking.body):
        raise NOT_READABLE.error(what="it contains more than one value")
    return value


class _ByteReader:
    """Reads bytes from the front."""

    def __init__(self, body: memoryview) -> None:
        self.body = body
        self.at = 0
        self._objects: list[object] = []

    def take(self) -> Any:
        """Read a value."""
        tag = bytes(self.take_raw(1))
        reader = _READERS.get(tag)
        if reader is None:
            raise NOT_READABLE.error(what=f"unknown tag {tag!r}")
        return reader(self)

    def take_raw(self, count: int) -> memoryview:
        """Read this number of bytes."""
        first, last = self.at, self.at + count
        if count < 0 or last > len(self.body):
            raise NOT_READABLE.error(what="it is truncated")
        self.at = last
        return self.body[first:last]

    def take_count(self) -> int:
        """Read a number."""
        number: int = NUMBER.unpack(self.take_raw(8))[0]
        return number

    def take_sized(self) -> memoryview:
        """Read a length and the bytes that follow."""
        return self.take_raw(self.take_count())

    def take_items(self) -> list[Any]:
        """Read the items of a list, however they were written."""
        found = self.take()
        if not isinstance(found, list):
            raise NOT_READABLE.error(what="a list is missing")
        return found

    def take_list(self) -> list[Any]:
        """Read as many values as the count specifies, each of at least one byte."""
        count, found = self.take_count(), []
        if not 0 <= count <= len(self.body) - self.at:
            raise NOT_READABLE.error(what="it is truncated")
        for _ in range(count):
            found.append(self.take())  # a comprehension would be one more call on the stack
        return found

    def take_tuple(self) -> tuple[Any, ...]:
        """Read a list of values as a tuple."""
        return tuple(self.take_list())

    def take_texts(self) -> list[str]:
        """Read a list of texts: their lengths, and the texts concatenated."""
        lengths, joined = self.take_numbers(np.int64), self.take()
        ends = np.cumsum(lengths).tolist()
        if (lengths < 0).any() or not isinstance(joined, str) or (ends[-1] if ends else 0) != len(joined):
            raise NOT_READABLE.error(what="the lengths of its strings are wrong")
        return [joined[first:last] for first, last in zip([0, *ends], ends, strict=False)]

    def take_rows(self) -> list[tuple[Any, ...]]:
        """Read a list of tuples, written by columns."""
        count = self.take_count()
        if not 0 < count <= len(self.body) - self.at:
            raise NOT_READABLE.error(what="it is truncated")
        return list(zip(*[self.take_items() for _ in range(count)], strict=True))

    def take_dict(self) -> dict[Any, Any]:
        """Read keys and values."""
        return dict(zip(self.take_items(), self.take_items(), strict=True))

    def take_object(self) -> object:
        """Read an object of a registered class."""
        kind = self._kind()
        structure = kind.make(*self.take())
        self._objects.append(structure)
        return structure

    def take_objects(self) -> list[object]:
        """Read a list of objects of one registered class."""
        kind = self._kind()
        return [kind.make(*parts) for parts in self.take_items()]

    def _kind(self) -> Kind:
        name = bytes(self.take_sized())
        if name not in OF_NAME:
            raise NOT_READABLE.error(what=f"{name[:100]!r} is not a class that can be sent")
        return OF_NAME[name]

    def take_reference(self) -> object:
        """Read the number of an object that was created before."""
        number = self.take_count()
        if not 0 <= number < len(self._objects):
            raise NOT_READABLE.error(what="it refers to an object that it does not contain")
        return self._objects[number]

    def take_array(self) -> np.ndarray[Any, Any]:
        """Read an array; a copy, which may be modified."""
        dtype = DTYPES[bytes(self.take_sized()).decode()]
        shape, data = self.take(), self.take()
        return np.frombuffer(data, dtype).reshape(shape).copy()

    def take_table(self) -> pa.Table:
        """Read an Arrow table, validated so that no offset in it points outside of it."""
        data = pa.py_buffer(bytes(self.take_sized()))
        for message in pa.ipc.MessageReader.open_stream(data):
            if _is_compressed(memoryview(message.metadata)):
                raise NOT_READABLE.error(what="it contains a compressed table")
        with pa.ipc.open_stream(data) as stream:
            table = stream.read_all()
        table.validate(full=True)
        return table

    def take_numbers(self, dtype: Any) -> np.ndarray[Any, Any]:
        return np.frombuffer(self.take_sized(), dtype)


HEADER_TYPE, HEADER = 1, 2  # fields of an Arrow message, as its format numbers them
DICTIONARY_BATCH, RECORD_BATCH = 2, 3  # types of headers
COMPRESSION, DICTIONARY = 3, 1  # fields of a record batch, and of a dictionary batch: the record batch in it


def _is_compressed(message: memoryview) -> bool:
    """Whether an Arrow message, which Arrow has accepted as well-formed, declares that its buffers are compressed."""
    table = _follow(message, 0)
    kind, header = _field(message, table, HEADER_TYPE), _field(message, table, HEADER)
    if kind is None or header is None or message[kind] not in (DICTIONARY_BATCH, RECORD_BATCH):
        return False
    batch = _follow(message, header)
    if message[kind] == DICTIONARY_BATCH:
        inner = _field(message, batch, DICTIONARY)
        if inner is None:
            return False
        batch = _follow(message, inner)
    return _field(message, batch, COMPRESSION) is not None


def _follow(message: memoryview, place: int) -> int:
    """The position of the table to which a position in a flatbuffer refers."""
    offset: int = UINT32.unpack_from(message, place)[0]
    return place + offset


def _field(message: memoryview, table: int, number: int) -> int | None:
    """The position of a field of a table of a flatbuffer; None if it is absent."""
    layout = table - INT32.unpack_from(message, table)[0]
    entry = 4 + 2 * number
    if entry >= UINT16.unpack_from(message, layout)[0]:
        return None
    offset: int = UINT16.unpack_from(message, layout + entry)[0]
    return table + offset if offset else None


_READERS: dict[bytes, Callable[[_ByteReader], Any]] = {
    b"n": lambda body: None,
    b"T": lambda body: True,
    b"F": lambda body: False,
    b"i": _ByteReader.take_count,
    b"I": lambda body: int.from_bytes(body.take_sized(), "little", signed=True),
    b"f": lambda body: REAL.unpack(body.take_raw(8))[0],
    b"s": lambda body: str(body.take_sized(), "utf-8", "surrogatepass"),
    b"b": lambda body: bytes(body.take_sized()),
    b"l": _ByteReader.take_list,
    b"J": lambda body: body.take_numbers(np.int64).tolist(),
    b"G": lambda body: body.take_numbers(np.float64).tolist(),
    b"U": _ByteReader.take_texts,
    b"C": _ByteReader.take_rows,
    b"t": _ByteReader.take_tuple,
    b"w": lambda body: tuple(body.take_items()),
    b"z": lambda body: frozenset(body.take_items()),
    b"Z": lambda body: set(body.take_items()),
    b"d": _ByteReader.take_dict,
    b"c": _ByteReader.take_object,
    b"K": _ByteReader.take_objects,
    b"r": _ByteReader.take_reference,
    b"a": _ByteReader.take_array,
    b"A": _ByteReader.take_table,
}
