"""Columns of values to columns of cells, and back.

Law (D14): a column contains values of one type and no nulls. Data that is read with a specific type (boolean, date,
timestamp) is returned with it. A value that does not fit is reported with its row; nothing of its batch is applied.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from tidelog.errors import DataError
from tidelog.io import io_failures as failures
from tidelog.io.strings import decode_strings, decode_texts, encode_strings, encode_texts
from tidelog.io.structures import decode_arrow_structures, deconstruct, python_structures
from tidelog.io.texts import read_text, show_text
from tidelog.io.values import advice, as_list, is_null, plain, show_value
from tidelog.io.vectors import from_vector, to_vector
from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary, float_cell
from tidelog.partition.texts.ids import to_signed
from tidelog.partition.texts.structures import encode_structure
from tidelog.program.values.shape import Shape
from tidelog.program.values.source_types import EXACT
from tidelog.program.values.term import NAN

EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)
_WHOLE = {"number": ("boolean",), "date": (), "timestamp": ()}  # other types that are read unchanged
NAN_CELL = float_cell(float("nan"))
ARROW_TYPES: dict[str | None, pa.DataType] = {
    "number": pa.int64(),
    "unsigned": pa.uint64(),
    "float": pa.float64(),
    "symbol": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    None: pa.int64(),
    "record": pa.int64(),
}


def encode_value(value: object, type_: str, dictionary: Dictionary) -> int:
    """The cell of one value in a column of that type."""
    value = plain(value)
    cell = _encode(value, type_, dictionary)
    if cell is None:
        raise failures.NOT_A_VALUE.error(value=show_value(value), type=type_)
    return cell


def _encode(value: Any, type_: str, dictionary: Dictionary) -> int | None:
    if isinstance(type_, Shape):
        encode = partial(_encode_part, dictionary=dictionary)
        return encode_structure(value, type_, dictionary.pack, deconstruct, encode)
    if type_ == "symbol":
        return dictionary.symbol(value) if isinstance(value, str) else None
    if type_ == "float":
        return float_cell(float(value)) if isinstance(value, int | float) and not isinstance(value, bool) else None
    if type_ == "list":
        if isinstance(value, str):
            try:
                value = read_text(value, type_)
            except DataError:
                return None
        return dictionary.encode(as_list(value), "list") if isinstance(value, tuple | list) else None
    if type_ == "date" and isinstance(value, datetime.date) and (type(value) is datetime.date or _is_midnight(value)):
        return value.toordinal() - EPOCH_DAY
    if type_ == "timestamp" and isinstance(value, datetime.datetime):
        return _microseconds(value)
    if not isinstance(value, int) or type_ in ("date", "timestamp"):  # a number is not a date (D35)
        return None
    if type_ == "unsigned":
        return to_signed(value) if 0 <= value < 1 << 64 else None
    if type_ == "boolean":
        return value if value in (0, 1) else None
    return int(value) if -(1 << 63) <= value < 1 << 63 else None


def _encode_part(value: Any, type_: str, dictionary: Dictionary) -> int | None:
    return _encode(plain(value), type_, dictionary)


def _is_midnight(value: datetime.date) -> bool:
    """Whether a time is midnight without a zone, which is how many libraries represent dates."""
    if not isinstance(value, datetime.datetime):
        return True
    return value.tzinfo is None and value.time() == datetime.time() and not getattr(value, "nanosecond", 0)


def _microseconds(value: datetime.datetime) -> int | None:
    if getattr(value, "nanosecond", 0):  # of pandas, finer than a timestamp
        return None
    if value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return (value - EPOCH) // MICROSECOND


def encode_column(values: Sequence[Any], type_: str, dictionary: Dictionary, where: str) -> Cells:
    """The cells of a column of Python values; ``where`` names the column in errors."""
    if type_ == "number" and len(values) > 64:
        quick = np.asarray(values)
        if quick.dtype == np.int64 and quick.ndim == 1:
            return quick
    if type_ == "symbol" and (texts := encode_texts(values, dictionary)) is not None:
        return texts
    if (plainly := _encode_plainly(values, type_, dictionary)) is not None:
        return plainly
    cells: Cells = np.empty(len(values), np.int64)
    for row, value in enumerate(values):
        if is_null(value) and not isinstance(type_, Shape):
            raise failures.NULL.error(where=where, row=row + 1)
        try:
            cell = _encode(plain(value), type_, dictionary)
        except DataError as error:  # inside a list
            raise error.reworded(f"{where}: row {row + 1}: {error}") from error
        if cell is None:
            raise failures.NOT_A_VALUE_IN_ROW.error(
                where=where, value=show_value(value), row=row + 1, type=type_, advice=advice(value, type_)
            )
        cells[row] = cell
    return cells


def _encode_plainly(values: Sequence[Any], type_: str, dictionary: Dictionary) -> Cells | None:
    """The cells of a few values that are plain numbers or strings; None if some are not."""
    if type_ == "number" and all(type(value) is int for value in values):
        try:
            return np.array(values, np.int64)
        except OverflowError:
            return None
    if type_ == "symbol" and all(type(value) is str for value in values):
        return np.array([dictionary.symbol(value) for value in values], np.int64)
    return None


_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_list_view)
_BINARY = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary, pa.types.is_binary_view)
IN_LISTS = ("number", "unsigned", "float", "symbol", "boolean", "list")
UNSIGNED = pa.decimal128(20, 0)  # how Spark represents uint64
_ARROW_ADVICE: tuple[tuple[Callable[[pa.DataType], bool], str], ...] = (
    (pa.types.is_decimal, "declare the column as symbol, which keeps its text, or cast it to float, which rounds"),
    (pa.types.is_struct, "declare the column with a record type (`.type T = [x: number, ...]`)"),
    (
        lambda t: isinstance(t, pa.BaseExtensionType),
        "cast it to strings or timestamps, in pandas with `astype(str)` or `dt.to_timestamp()`",
    ),
    (pa.types.is_duration, "convert it to numbers, in pandas and Polars with `column.dt.total_seconds()`"),
    (pa.types.is_time, "cast it to a string"),
    (pa.types.is_null, "set the type of the column; nulls are refused"),
    (lambda t: any(test(t) for test in _LISTS), "cast its elements to strings, or to numbers"),
)


def arrow_column_type(type_: pa.DataType, where: str) -> str:
    """The type of a column for an Arrow type."""
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    tests: tuple[tuple[Callable[[pa.DataType], bool], str], ...] = (
        (pa.types.is_boolean, "boolean"),
        (lambda t: pa.types.is_uint64(t) or t == UNSIGNED, "unsigned"),
        (lambda t: pa.types.is_integer(t) or (pa.types.is_decimal(t) and t.scale == 0), "number"),
        (lambda t: pa.types.is_floating(t) or (pa.types.is_decimal(t) and t.precision <= EXACT), "float"),
        (lambda t: pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t), "symbol"),
        (is_binary, "symbol"),
        (pa.types.is_date, "date"),
        (pa.types.is_timestamp, "timestamp"),
        (lambda t: any(test(t) for test in _LISTS), "list"),
    )
    own = next((name for test, name in tests if test(type_)), None)
    if own is not None and (own != "list" or _fits_list(type_.value_type, where)):
        return own
    advice = next((text for test, text in _ARROW_ADVICE if test(type_)), "pass its fields as separate columns")
    raise failures.ARROW_TYPE.error(where=where, type=type_, advice=advice)


def _fits_list(element: pa.DataType, where: str) -> bool:
    if is_binary(element) or pa.types.is_struct(element) or (pa.types.is_decimal(element) and element != UNSIGNED):
        return False
    return pa.types.is_null(element) or arrow_column_type(element, where) in IN_LISTS


def encode_arrow(column: pa.ChunkedArray, type_: str, dictionary: Dictionary, where: str) -> Cells:
    """The cells of an Arrow column for a relation's column of that type."""
    if isinstance(type_, Shape):
        return encode_column(column.to_pylist(), type_, dictionary, where)
    if pa.types.is_decimal(column.type):
        column = _as_declared(column, type_, where)
    elif is_binary(column.type):
        column = binary_text(column)
    if pa.types.is_dictionary(column.type) and any(chunk.dictionary.null_count for chunk in column.chunks):
        column = column.cast(column.type.value_type)
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise failures.NULL.error(where=where, row=row + 1)
    own = arrow_column_type(column.type, where)
    if own == "list" and str(UNSIGNED) in str(column.type):
        column = _cast(column, _whole(column.type), where)
    try:
        if type_ == "symbol" and own == "symbol":
            return encode_strings(column, dictionary)
        if type_ in ("number", "date", "timestamp") and own in (type_, *_WHOLE[type_]):
            target = {"date": pa.date32(), "timestamp": pa.timestamp("us")}.get(type_) if own == type_ else None
            integers = column.cast(target) if target is not None else column
            width = pa.int32() if type_ == "date" and own == type_ else pa.int64()
            return to_vector(integers.cast(width).cast(pa.int64()), np.int64)
        if type_ == own == "boolean":
            return to_vector(column.cast(pa.int64()), np.int64)
        if type_ == "unsigned" and own in ("unsigned", "number"):
            return to_vector(column.cast(pa.uint64()), np.int64)
        if type_ == "float" and own in ("float", "number"):
            return float_cells(to_vector(column.cast(pa.float64()), np.float64))
    except pa.ArrowInvalid as error:
        raise failures.OUT_OF_RANGE.error(where=where, error=error) from error
    return encode_column(column.to_pylist(), type_, dictionary, where)


def is_binary(type_: pa.DataType) -> bool:
    """Whether values are bytes.

    >>> is_binary(pa.large_binary()), is_binary(pa.string()), is_binary(pa.list_(pa.binary()))
    (True, False, False)
    """
    return any(test(type_) for test in _BINARY)


def binary_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Binary values as symbols: their hexadecimal digits.

    >>> binary_text(pa.chunked_array([[bytes([1, 255])]])).to_pylist()
    ['01ff']
    """
    return pa.chunked_array([pa.array([None if v is None else v.hex() for v in column.to_pylist()], pa.string())])


def _as_declared(column: pa.ChunkedArray, type_: str, where: str) -> pa.ChunkedArray:
    """Decimals in the declared type of their column: texts, floats, or whole numbers."""
    if type_ == "symbol":
        return column.cast(pa.string())
    own = arrow_column_type(column.type, where)
    if "float" in (type_, own):
        return column.cast(pa.string()).cast(pa.float64())  # the nearest float, read from the digits
    return _cast(column, pa.uint64() if type_ == "unsigned" else pa.int64(), where)


def _cast(column: pa.ChunkedArray, type_: pa.DataType, where: str) -> pa.ChunkedArray:
    try:
        return column.cast(type_)
    except pa.ArrowInvalid as error:
        raise failures.OUT_OF_RANGE.error(where=where, error=error) from error


def _whole(type_: pa.DataType) -> pa.DataType:
    """The type of lists with whole numbers in place of decimals.

    >>> _whole(pa.list_(pa.decimal128(20, 0)))
    ListType(list<item: uint64>)
    """
    if any(test(type_) for test in _LISTS):
        return pa.list_(_whole(type_.value_type))
    return pa.uint64() if type_ == UNSIGNED else type_


def float_cells(values: Any) -> Cells:
    """Floats as cells: one zero, one NaN."""
    cells: Cells = (values + 0.0).view(np.int64).copy()
    cells[np.isnan(values)] = NAN_CELL
    return cells


def decode_column(cells: Cells, type_: str | None, dictionary: Dictionary) -> list[Any]:
    """Python values of a column of cells."""
    if type_ in ("number", None):
        if type_ is None:
            return dictionary.values_or_cells(cells.tolist())
        values: list[Any] = cells.tolist()
        return values
    if type_ == "float":
        floats: list[Any] = cells.astype(np.int64).view(np.float64).tolist()
        return [NAN if v != v else v for v in floats] if (cells == NAN_CELL).any() else floats
    if type_ == "symbol":
        return decode_texts(cells, dictionary)
    if type_ == "boolean":
        return [bool(cell) for cell in cells.tolist()]
    if type_ == "date":
        with _beyond_python("date", cells):
            return [datetime.date.fromordinal(cell + EPOCH_DAY) for cell in cells.tolist()]
    if type_ == "timestamp":
        with _beyond_python("timestamp", cells):
            return [EPOCH + cell * MICROSECOND for cell in cells.tolist()]
    if isinstance(type_, Shape):
        return python_structures(cells, type_, dictionary)
    return [dictionary.decode(cell, type_) for cell in cells.tolist()]


@contextmanager
def _beyond_python(type_: str, cells: Cells) -> Iterator[None]:
    """Convert errors of dates and times outside the years 1 to 9999, which Python cannot represent."""
    try:
        yield
    except (ValueError, OverflowError):
        raise failures.BEYOND_PYTHON.error(type=type_, least=cells.min(), most=cells.max()) from None


def decode_arrow(cells: Cells, type_: str | None, dictionary: Dictionary) -> pa.Array:
    """An Arrow array of a column of cells."""
    if type_ == "symbol":
        return decode_strings(cells, dictionary)
    if type_ == "list":
        return _decode_lists(cells, dictionary)
    if isinstance(type_, Shape):
        return decode_arrow_structures(cells, type_, dictionary, ARROW_TYPES)
    if type_ is None:
        return _decode_open(cells, dictionary)
    own = ARROW_TYPES[type_]
    if type_ == "date":
        return from_vector(cells, pa.int64()).cast(pa.int32()).cast(own)
    if type_ == "boolean":
        return from_vector(cells, pa.int64()).cast(own)
    return from_vector(cells, own)


def _decode_lists(cells: Cells, dictionary: Dictionary) -> pa.Array:
    """Lists with elements of one type as Arrow lists; other lists as text, as in files."""
    values: list[Any] = [dictionary.decode(cell, "list") for cell in cells.tolist()]
    type_ = _list_type(values)
    try:
        if type_ is not None:
            return pa.array(values, type_)
        return pa.array([show_text(value, "list") for value in values], pa.string())
    except UnicodeEncodeError as error:
        raise failures.NO_ARROW_TEXT.error(text=show_value(error.object)) from None


def _list_type(values: Sequence[Sequence[Any]]) -> pa.DataType | None:
    """The Arrow type of lists whose elements are of one kind; None if they are not.

    >>> _list_type([(1, 2), ()]), _list_type([((2.5,),), ((), ())]), _list_type([(1, "a")])
    (ListType(list<item: int64>), ListType(list<item: list<item: double>>), None)
    """
    elements = [element for value in values for element in value]
    kinds = set(map(type, elements))
    if len(kinds) > 1:
        return None
    kind = kinds.pop() if kinds else int
    if kind is tuple:
        inner = _list_type(elements)
    elif kind is int and elements and max(elements) >= 1 << 63:
        inner = pa.uint64() if min(elements) >= 0 else None
    else:
        inner = {int: pa.int64(), float: pa.float64(), str: pa.string()}[kind]
    return None if inner is None else pa.list_(inner)


def _decode_open(cells: Cells, dictionary: Dictionary) -> pa.Array:
    """A column of open type: numbers, or symbols, or texts if it contains several kinds of values."""
    values = dictionary.values_or_cells(cells.tolist())
    if all(isinstance(value, int) for value in values):
        return from_vector(cells, pa.int64())
    return pa.array([show_text(value, None) for value in values], pa.string())
