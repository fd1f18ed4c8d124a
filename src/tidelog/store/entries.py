"""Entries of the dictionary in Arrow: the values behind the ids of symbols and lists.

Law: entries are only ever added, so that an epoch writes those that are new and a snapshot writes all. A symbol is its
UTF-8 (lone surrogates included), a list is JSON, which keeps numbers, floats, symbols and lists apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from tidelog.io.late import compute as pc
from tidelog.io.vectors import from_vector
from tidelog.partition.texts import EntryColumns, from_bytes, to_bytes
from tidelog.program.term import Value
from tidelog.store.frame import Bytes

SCHEMA = pa.schema([("cell", pa.int64()), ("list", pa.bool_()), ("value", pa.large_binary())])
Entry = tuple[int, Value]


def encode_entries(entries: Sequence[Entry]) -> Bytes:
    """One Arrow IPC message.

    >>> decode_entries(memoryview(encode_entries([(5, "a"), (6, (1, 2.0, ("b",)))])))
    [(5, 'a'), (6, (1, 2.0, ('b',)))]
    """
    columns = [
        pa.array([cell for cell, _ in entries], pa.int64()),
        pa.array([not isinstance(value, str) for _, value in entries], pa.bool_()),
        pa.array([to_bytes(value)[0] for _, value in entries], pa.large_binary()),
    ]
    return memoryview(pa.record_batch(columns, schema=SCHEMA).serialize())


def encode_columns(entries: EntryColumns) -> Bytes:
    """The same message, of entries that are columns already."""
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
    batch = pa.ipc.read_record_batch(pa.py_buffer(message), SCHEMA)
    cells = batch.column(0).to_pylist()
    if not pc.any(batch.column(1)).as_py():
        return list(zip(cells, _symbols(batch.column(2)), strict=True))
    kinds, values = batch.column(1).to_pylist(), batch.column(2).to_pylist()
    return [(cell, from_bytes(raw, is_list)) for cell, is_list, raw in zip(cells, kinds, values, strict=True)]


def _symbols(values: pa.Array) -> list[str]:
    try:
        texts: list[str] = values.cast(pa.large_utf8()).to_pylist()
    except pa.ArrowInvalid:  # a lone surrogate among them
        texts = [raw.decode("utf-8", "surrogatepass") for raw in values.to_pylist()]
    return texts
