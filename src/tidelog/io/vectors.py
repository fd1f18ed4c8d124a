"""Arrow arrays of numbers as numpy arrays and back, through shared memory.

Law: values and their order are preserved; there are no nulls. Arrow's own conversions import pandas if it is installed,
which takes longer than most programs run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Vector = npt.NDArray[Any]


def to_vector(column: pa.ChunkedArray | pa.Array, kind: npt.DTypeLike) -> Vector:
    """The numbers of a column without nulls, whose values have that type.

    >>> to_vector(pa.chunked_array([[1, 2], [3]]).slice(1), np.int64).tolist()
    [2, 3]
    """
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    parts = [_flat(chunk, np.dtype(kind)) for chunk in chunks if len(chunk)]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, kind)


def _flat(chunk: pa.Array, kind: np.dtype[Any]) -> Vector:
    if chunk.type.bit_width != 8 * kind.itemsize:
        raise pa.ArrowInvalid(f"values of {chunk.type} are not {kind}")
    return np.frombuffer(chunk.buffers()[1], kind, len(chunk), chunk.offset * kind.itemsize)


def from_vector(values: Vector, type_: pa.DataType) -> pa.Array:
    """A numpy array as an Arrow array of a type that has the same memory.

    >>> from_vector(np.array([1, 2]), pa.int64()).to_pylist()
    [1, 2]
    """
    assert type_.bit_width == 8 * values.itemsize
    return pa.Array.from_buffers(type_, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])
