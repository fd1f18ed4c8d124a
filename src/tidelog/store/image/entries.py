"""Entries of the dictionary in Arrow: the values behind the ids of symbols and lists.

Law: entries are only ever added, so that an epoch writes those that are new and a snapshot writes all. A symbol is its
UTF-8 (lone surrogates included), a list is JSON, which keeps numbers, floats, symbols and lists apart.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from tidelog.errors import TidelogError
from tidelog.io.late import compute as pc
from tidelog.io.vectors import from_vector
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.packed_cells import PackedStructure
from tidelog.partition.texts.texts import EntryColumns, from_bytes, to_bytes
from tidelog.program.values.term import Value
from tidelog.store.base.corruption import ImpossibleError
from tidelog.store.base.frame import Bytes
from tidelog.store.base.message import read_batch

SCHEMA = pa.schema([("cell", pa.int64()), ("list", pa.bool_()), ("value", pa.large_binary())])
Entry = tuple[int, Value]


def encode_entries(entries: Sequence[Entry]) -> Bytes:
    """One Arrow IPC message.

    >>> from tidelog.partition.texts.dictionary import Dictionary
    >>> made = Dictionary()
    >>> entries = [(made.encode(value, kind), value) for value, kind in (("a", "symbol"), ((1, 2.0), "list"))]
    >>> decode_entries(memoryview(encode_entries(entries))) == entries
    True
    """
    columns = [
        pa.array([cell for cell, _ in entries], pa.int64()),
        pa.array([not isinstance(value, str) for _, value in entries], pa.bool_()),
        pa.array([to_bytes(value)[0] for _, value in entries], pa.large_binary()),
    ]
    return memoryview(pa.record_batch(columns, schema=SCHEMA).serialize())


def encode_columns(entries: EntryColumns) -> Bytes:
    """The same message for entries that are already columns."""
    count = len(entries.cells)
    bits, ends, data = np.packbits(entries.lists, bitorder="little"), entries.offsets, entries.data
    columns = [
        from_vector(entries.cells, pa.int64()),
        pa.Array.from_buffers(pa.bool_(), count, [None, pa.py_buffer(bits)]),
        pa.Array.from_buffers(pa.large_binary(), count, [None, pa.py_buffer(ends), pa.py_buffer(data)]),
    ]
    return memoryview(pa.record_batch(columns, schema=SCHEMA).serialize())


def decode_entries(message: memoryview) -> list[Entry]:
    """The entries of a message."""
    batch = read_batch(message, SCHEMA, "entries of the dictionary")
    cells = batch.column(0).to_pylist()
    lists = batch.column(1)
    try:
        if not pc.any(lists).as_py():
            _check_ids(batch.column(0), batch.column(2))
            return list(zip(cells, _symbols(batch.column(2)), strict=True))
        symbols = batch.filter(pc.invert(lists))
        _check_ids(symbols.column(0), symbols.column(2))
        kinds, values = lists.to_pylist(), batch.column(2).to_pylist()
        found = [(cell, from_bytes(raw, is_list)) for cell, is_list, raw in zip(cells, kinds, values, strict=True)]
        _check_list_ids(found)
        return found
    except (ValueError, KeyError, TypeError, AssertionError, RecursionError, struct.error, TidelogError) as error:
        raise ImpossibleError(f"an entry of the dictionary is not a value: {error or type(error).__name__}") from None


def _check_ids(cells: pa.Array, values: pa.Array) -> None:
    """Check that the id of a symbol is the hash of its text: otherwise one text could be two symbols, or two one."""
    if not len(values):
        return
    _, offsets, data = values.buffers()
    ends = np.frombuffer(offsets, np.int64)[values.offset : values.offset + len(values) + 1]
    found = Dictionary().symbol_column(data.address if data is not None else 0, ends)
    wrong = (found != cells.to_numpy()).nonzero()[0]
    if len(wrong):
        raise ImpossibleError(f"the symbol {values[int(wrong[0])].as_py()[:40]!r} does not have its id")


class _Ids(Dictionary):
    """Returns ids and keeps no values."""

    def _make(self, cell: int, value: Value) -> int:
        return cell


def _check_list_ids(entries: Sequence[Entry]) -> None:
    """Check that ids of lists are hashes of their parts, and those of records hashes of their cells."""
    ids = _Ids()
    for cell, value in entries:
        if not isinstance(value, str):
            own = ids.pack(value) if isinstance(value, PackedStructure) else ids.encode(value, "list")
            if not isinstance(value, tuple) or own != cell:
                raise ImpossibleError(f"the value {str(value)[:40]} does not have its id")


def _symbols(values: pa.Array) -> list[str]:
    try:
        texts: list[str] = values.cast(pa.large_utf8()).to_pylist()
    except pa.ArrowInvalid:  # a lone surrogate among them
        texts = [raw.decode("utf-8", "surrogatepass") for raw in values.to_pylist()]
    return texts
