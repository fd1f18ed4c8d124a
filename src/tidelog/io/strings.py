"""Columns of strings to ids and back, as whole columns, without creating a Python object per string.

Law (D15): the ids are those that the dictionary assigns to each string alone. Arrow's memory is read in place,
after Arrow has checked it; strings that are not UTF-8 are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tidelog.io import io_failures as failures
from tidelog.io.values import show_value
from tidelog.io.vectors import from_vector, to_vector
from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.texts import laid_out, to_strings

FEW = 64  # up to this number, Python strings are encoded one by one
_LARGEST = (1 << 31) - 1


def encode_strings(column: pa.ChunkedArray, dictionary: Dictionary) -> Cells:
    """The ids of a column of strings, plain or dictionary-encoded, without nulls; ArrowInvalid if it is broken."""
    parts = [_encode_chunk(chunk, dictionary) for chunk in column.chunks]
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.int64), *parts])


def _encode_chunk(chunk: pa.Array, dictionary: Dictionary) -> Cells:
    chunk.validate(full=True)
    if not len(chunk):
        return np.zeros(0, np.int64)
    if pa.types.is_dictionary(chunk.type):
        ids = _encode_chunk(chunk.dictionary, dictionary)
        return ids[to_vector(chunk.indices, chunk.type.index_type.to_pandas_dtype())]
    if pa.types.is_string_view(chunk.type):
        chunk = chunk.cast(pa.large_string())
    _, ends, texts = chunk.buffers()
    width = np.int64 if pa.types.is_large_string(chunk.type) else np.int32
    offsets = np.frombuffer(ends, width)[chunk.offset : chunk.offset + len(chunk) + 1].astype(np.int64)
    return dictionary.symbol_column(texts.address if texts is not None else 0, offsets)


def encode_texts(values: Sequence[Any], dictionary: Dictionary) -> Cells | None:
    """The ids of many Python strings; None if they are few or not all UTF-8."""
    if len(values) < FEW or set(map(type, values)) != {str}:
        return None
    try:
        texts, offsets = laid_out([text.encode() for text in values])
    except UnicodeEncodeError:  # a lone surrogate
        return None
    return dictionary.symbol_column(texts.ctypes.data, offsets)


def decode_texts(cells: Cells, dictionary: Dictionary) -> list[Any]:
    """The strings of a column of ids; equal strings are the same object."""
    if len(cells) < FEW:
        return [dictionary.decode(cell, "symbol") for cell in cells.tolist()]
    column = dictionary.text_column(np.ascontiguousarray(cells))
    if column is None:
        unique, places = np.unique(cells, return_inverse=True)
        distinct = dictionary.values_of(unique.tolist())
    else:
        distinct, places = to_strings(column.data, column.offsets), column.places
    return list(np.array(distinct, object)[places.reshape(-1)].tolist())


def decode_strings(cells: Cells, dictionary: Dictionary) -> pa.Array:
    """An Arrow array of the strings of a column of ids; DataError if one of them is not UTF-8."""
    packed = packed_strings(cells, dictionary)
    return _decode_one_by_one(cells, dictionary) if packed is None else packed.dictionary.take(packed.indices)


def packed_strings(cells: Cells, dictionary: Dictionary) -> pa.DictionaryArray | None:
    """The same with each distinct string once; None if one is not UTF-8, or they are too long for Arrow's arrays."""
    column = dictionary.text_column(cells)
    if column is None or column.offsets[-1] > _LARGEST:
        return None
    ends = pa.py_buffer(column.offsets.astype(np.int32))
    texts = pa.StringArray.from_buffers(len(column.offsets) - 1, ends, pa.py_buffer(column.data))
    return pa.DictionaryArray.from_arrays(from_vector(column.places, pa.int64()), texts)


def _decode_one_by_one(cells: Cells, dictionary: Dictionary) -> pa.Array:
    texts = decode_texts(cells, dictionary)
    try:
        return pa.array(texts, pa.string() if sum(map(len, texts)) < _LARGEST // 4 else pa.large_string())
    except UnicodeEncodeError as error:
        raise failures.NO_ARROW_TEXT.error(text=show_value(error.object)) from None
