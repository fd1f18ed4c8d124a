"""Entries of the dictionary in Arrow: the values behind the ids of symbols and lists.

Law: entries are only ever added, so that an epoch writes those that are new and a snapshot writes all. A symbol is its
UTF-8 (lone surrogates included), a list is JSON, which keeps numbers, floats, symbols and lists apart.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa

from tidelog.io.late import compute as pc
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
        pa.array([_to_bytes(value) for _, value in entries], pa.large_binary()),
    ]
    return memoryview(pa.record_batch(columns, schema=SCHEMA).serialize())


def _to_bytes(value: Value) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return json.dumps(value).encode()


def decode_entries(message: memoryview) -> list[Entry]:
    """The entries of a message."""
    batch = pa.ipc.read_record_batch(pa.py_buffer(message), SCHEMA)
    cells = batch.column(0).to_pylist()
    if not pc.any(batch.column(1)).as_py():
        return list(zip(cells, _symbols(batch.column(2)), strict=True))
    kinds, values = batch.column(1).to_pylist(), batch.column(2).to_pylist()
    return [
        (cell, _tuple(json.loads(raw)) if is_list else raw.decode("utf-8", "surrogatepass"))
        for cell, is_list, raw in zip(cells, kinds, values, strict=True)
    ]


def _symbols(values: pa.Array) -> list[str]:
    try:
        texts: list[str] = values.cast(pa.large_utf8()).to_pylist()
    except pa.ArrowInvalid:  # a lone surrogate among them
        texts = [raw.decode("utf-8", "surrogatepass") for raw in values.to_pylist()]
    return texts


def _tuple(value: object) -> Value:
    if isinstance(value, list):
        return tuple(_tuple(part) for part in value)
    assert isinstance(value, int | float | str)
    return value
