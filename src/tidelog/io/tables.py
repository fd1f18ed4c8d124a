"""Tables of other libraries as columns: Arrow and everything that implements its stream protocol, pandas, numpy.

Law: columns have the types and names that their library reports; nothing is guessed from values. Python objects (in a
pandas column of type ``object`` or an array of objects) become a list of Python values, so that such values mean the
same here as in tuples; texts, decimals and bytes, for which pandas has no type, become Arrow columns. NaN is a float
like any other; a value that a library calls missing is a null.
"""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tidelog.io import io_failures as failures

UNTYPED = b"tidelog.text"  # marks a table that was read from text
_ARROW_OBJECTS: dict[type, pa.DataType | None] = {str: pa.string(), Decimal: None, bytes: pa.binary()}
STREAM, ARRAY = "__arrow_c_stream__", "__arrow_c_array__"


class Columns(NamedTuple):
    """Columns (Arrow's, numpy's, or lists) with their names, if they came with names."""

    columns: tuple[Any, ...]
    length: int
    names: tuple[str, ...] | None = None
    typed: bool = True  # whether they have explicit types; a text file has none


def read_table(relation: str, data: Any, *, missing: bool = False) -> Columns | None:
    """The columns of a table of a known library; None if it is not such a table.

    With ``missing``, all missing values of pandas are nulls, including NaN.
    """
    if type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "to_numpy"):
        return _pandas(data, missing)
    if isinstance(data, np.ndarray):
        return _numpy(relation, data)
    if isinstance(data, pa.Table | pa.RecordBatch):
        return _arrow_table(data)
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return _arrow_vector(data)
    return _stream(relation, data) if hasattr(data, STREAM) or hasattr(data, ARRAY) else None


def _arrow_table(data: pa.Table | pa.RecordBatch) -> Columns:
    table = pa.Table.from_batches([data]) if isinstance(data, pa.RecordBatch) else data
    typed = UNTYPED not in (table.schema.metadata or {})
    return Columns(tuple(table.columns), table.num_rows, tuple(table.column_names), typed)


def _arrow_vector(data: pa.Array | pa.ChunkedArray) -> Columns:
    """One column; an array of structs is a table, as in the stream protocol."""
    column = data if isinstance(data, pa.ChunkedArray) else pa.chunked_array([data])
    if pa.types.is_struct(column.type):
        return _arrow_table(pa.Table.from_struct_array(column))
    return Columns((column,), len(column))


def _stream(relation: str, data: Any) -> Columns:
    """The columns of an object with the Arrow PyCapsule protocol: batches of rows, or the chunks of one column."""
    try:
        if not hasattr(data, STREAM):
            return _arrow_vector(pa.array(data))
        if isinstance(data, pa.RecordBatchReader):
            return _arrow_table(data.read_all())
        try:
            return _arrow_table(pa.RecordBatchReader.from_stream(data).read_all())
        except pa.ArrowInvalid as error:
            if "non-struct" not in str(error):
                raise
            return _arrow_vector(pa.chunked_array(data))
    except Exception as error:  # from the library of the object
        raise failures.BROKEN_STREAM.error(relation=relation, found=type(data).__name__, error=error) from error


def _pandas(data: Any, missing: bool) -> Columns:
    """A data frame; a series or an index is one column. The index of a frame is not a column."""
    if data.ndim == 1:
        return Columns((_pandas_column(data, missing),), len(data))
    columns = tuple(_pandas_column(data.iloc[:, place], missing) for place in range(data.shape[1]))
    return Columns(columns, len(data), tuple(map(str, data.columns)))


def _pandas_column(column: Any, missing: bool) -> Any:
    if column.dtype == object:
        return (
            [None if is_missing else v for v, is_missing in zip(column, column.isna(), strict=True)]
            if missing
            else _objects(column)
        )
    try:
        array = pa.array(column.array, from_pandas=missing)
    except (pa.ArrowException, TypeError):  # a type that Arrow does not know
        return column.tolist()
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _objects(column: Any) -> Any:
    """A column of texts, decimals or bytes as an Arrow column, any other as a list."""
    values = column.tolist()
    kind = next((type_ for class_, type_ in _ARROW_OBJECTS.items() if values and isinstance(values[0], class_)), ())
    if kind != ():
        with suppress(pa.ArrowException, TypeError, UnicodeEncodeError):  # values of several kinds
            return pa.chunked_array([pa.array(values, kind, from_pandas=False)])
    return list(map(_as_lists, values)) if any(isinstance(value, np.ndarray) for value in values) else values


def _as_lists(value: Any) -> Any:
    """Arrays in a pandas column as lists; whole decimals in them, which represent unsigned numbers, as numbers."""
    if isinstance(value, np.ndarray | list):
        return list(map(_as_lists, value.tolist() if isinstance(value, np.ndarray) else value))
    return int(value) if isinstance(value, Decimal) and value.as_tuple().exponent == 0 else value


def _numpy(relation: str, data: Any) -> Columns:
    """Rows of two dimensions; a structured array has its fields as columns, a vector is one column."""
    if data.dtype.names is not None and data.ndim == 1:
        return Columns(tuple(_vector(data[name]) for name in data.dtype.names), len(data), tuple(data.dtype.names))
    if data.ndim == 1:
        return Columns((_vector(data),), len(data))
    if data.ndim != 2 or data.dtype.names is not None:
        raise failures.ARRAY_DIMENSIONS.error(relation=relation, dimensions=data.ndim)
    return Columns(tuple(map(_vector, data.T)), len(data))


def _vector(column: Any) -> Any:
    """Numbers and floats unchanged; other typed values as an Arrow column; objects as a list."""
    if column.ndim != 1 or column.dtype.kind not in "biufmM":
        return column.tolist()
    return column if column.dtype.kind in "if" else pa.chunked_array([pa.array(np.ascontiguousarray(column))])
