"""Arrow types as `program.values.source_types` writes them, and columns in the types of their original data.

Law: a value is returned in the type in which it was passed. Binary values are symbols of their hexadecimal
digits, decimals of at most 15 digits are floats (which represent them exactly), of scale 0 numbers, and symbols if
a column is declared so, of 20 digits and scale 0 unsigned; elements of lists follow their list.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from tidelog.io.columns import ARROW_TYPES, decode_arrow, decode_column, is_binary
from tidelog.io.structures import arrow_type
from tidelog.io.vectors import to_vector
from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.values.shape import Shape
from tidelog.program.values.source_types import (
    EXACT,
    FLOATS,
    NATURAL,
    SIGNED,
    UNSIGNED,
    Field,
    digits_of,
    element_of,
    fields_of,
    merge,
    shaped,
    zone_of,
)

_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_list_view)
_FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}
_PLAIN = {
    **{name: getattr(pa, name)() for name in (*SIGNED, *UNSIGNED, *FLOATS, "binary", "string")},
    "boolean": pa.bool_(),
    "date": pa.date32(),
}


def outside_of(type_: pa.DataType) -> str:
    """The text under which an Arrow type is stored; natural for types with which columns are not returned.

    >>> outside_of(pa.int8()), outside_of(pa.list_(pa.bool_())), outside_of(pa.timestamp("us", "UTC"))
    ('int8', 'array<boolean>', 'timestamp(us,UTC)')
    """
    if pa.types.is_integer(type_):
        return str(type_)
    if pa.types.is_floating(type_):
        return _FLOATS[str(type_)]
    if pa.types.is_decimal(type_):
        return f"decimal({type_.precision},{type_.scale})"
    if pa.types.is_timestamp(type_):
        return f"timestamp({type_.unit},{type_.tz})" if type_.tz else f"timestamp({type_.unit})"
    if is_binary(type_):
        return "binary"
    if pa.types.is_struct(type_):
        return json.dumps({field.name: outside_of(field.type) for field in type_})
    if any(test(type_) for test in _LISTS):
        inner = outside_of(type_.value_type)
        return NATURAL if inner == NATURAL else f"array<{inner}>"
    if pa.types.is_boolean(type_):
        return "boolean"
    if pa.types.is_date(type_):
        return "date"
    return "string" if "string" in str(type_) and not pa.types.is_dictionary(type_) else NATURAL


def arrow_of(outside: str) -> pa.DataType:
    """The Arrow type that is stored as this text."""
    if outside in _PLAIN:
        return _PLAIN[outside]
    if (digits := digits_of(outside)) is not None:
        return pa.decimal128(*digits) if digits[0] <= 38 else pa.decimal256(*digits)
    if (time := zone_of(outside)) is not None:
        return pa.timestamp(*time)
    if (element := element_of(outside)) is not None:
        return pa.list_(arrow_of(element))
    return pa.struct([(name, arrow_of(inner)) for name, inner in (fields_of(outside) or {}).items()])


_IN_SPARK = {"uint8": "int16", "uint16": "int32", "uint32": "int64", "uint64": "decimal(20,0)", "float16": "float32"}


def spark_face(outside: str) -> str:
    """The corresponding type in Spark: times are in microseconds with the session's zone, or without a zone.

    >>> spark_face("uint8"), spark_face("timestamp(ns)"), spark_face("array<timestamp(s,Asia/Tokyo)>")
    ('int16', 'timestamp(us)', 'array<timestamp(us,UTC)>')
    """
    if (element := element_of(outside)) is not None:
        return f"array<{spark_face(element)}>"
    if (fields := fields_of(outside)) is not None:
        return json.dumps({name: spark_face(inner) for name, inner in fields.items()})
    if (time := zone_of(outside)) is not None:
        return "timestamp(us)" if time[1] is None else "timestamp(us,UTC)"
    return _IN_SPARK.get(outside, outside)


def is_own(type_: str | None, outside: str) -> bool:
    """Whether a column can be returned with that type, and would not have it by default.

    >>> is_own("number", "int8"), is_own("number", "int64"), is_own("float", "int8"), is_own("symbol", "binary")
    (True, False, False, True)
    """
    if isinstance(type_, Shape):
        return not type_.holds_recursion and stored_type(type_, outside) != NATURAL
    digits = digits_of(outside)
    if type_ == "number":
        return outside in (*SIGNED[:-1], *UNSIGNED[:-1]) or (digits is not None and digits[1] == 0)
    if type_ == "unsigned":
        return digits is not None and digits[1] == 0
    if type_ == "float":
        return outside in FLOATS[:-1] or (digits is not None and digits[0] <= EXACT)
    if type_ == "symbol":
        return outside == "binary" or digits is not None
    if type_ == "list":
        return element_of(outside) is not None
    return type_ == "timestamp" and zone_of(outside) is not None


def stored_type(type_: str | None, outside: str) -> str:
    """The part of a column's original type that is stored: for structures, that of each part; at least its zone.

    >>> stored_type("number", "int8"), stored_type("float", "int8")
    ('int8', 'natural')
    """
    return NATURAL if type_ is None else shaped(type_, outside, _stored_leaf)


def _stored_leaf(type_: str, outside: str, at: Field | None) -> str:
    """Lists in structures are texts; decimals and binary values cannot be parts of structures."""
    refused = at is not None and (type_ == "list" or outside == "binary" or digits_of(outside) is not None)
    return outside if not refused and is_own(type_, outside) else NATURAL


def _part_type(type_: str, outside: str) -> pa.DataType:
    return arrow_of(outside) if is_own(type_, outside) else ARROW_TYPES[type_]


def decode_outside(cells: Cells, type_: str | None, outside: str, dictionary: Dictionary) -> pa.Array:
    """An Arrow array of a column of cells, in the original type of the column."""
    if not is_own(type_, outside):
        return decode_arrow(cells, type_, dictionary)
    if isinstance(type_, Shape):
        return decode_arrow(cells, type_, dictionary).cast(arrow_type(type_, _part_type, stored_type(type_, outside)))
    target = arrow_of(outside)
    if type_ == "list":
        return pa.array([_arrow_element(value, outside) for value in decode_column(cells, type_, dictionary)], target)
    if outside == "binary":
        return pa.array([bytes.fromhex(text) for text in decode_column(cells, type_, dictionary)], target)
    natural = decode_arrow(cells, type_, dictionary)
    if (digits := digits_of(outside)) is not None and type_ != "symbol":
        kind = {"number": np.int64, "unsigned": np.uint64}.get(type_ or "", np.float64)
        return _decimals(to_vector(natural, kind), digits, target)
    if type_ == "timestamp":
        return natural.view(pa.timestamp("us", target.tz)).cast(target)
    return natural.cast(target)


def give_back(cells: Cells, type_: str | None, outside: str, dictionary: Dictionary) -> pa.Array:
    """As `decode_outside`, but in the natural type if the original type cannot hold the values.

    Zones are kept; times are returned in microseconds, as they are stored.
    """
    try:
        return decode_outside(cells, type_, outside, dictionary)
    except (pa.ArrowInvalid, ValueError):
        return decode_outside(cells, type_, merge(outside, NATURAL), dictionary)


def fits_outside(cells: Cells, type_: str | None, outside: str, dictionary: Dictionary) -> bool:
    """Whether all values of a column can be returned in a type without loss."""
    try:
        array = decode_outside(cells, type_, outside, dictionary)
    except (pa.ArrowException, ValueError, TypeError, ArithmeticError):
        return False
    if type_ != "float" or not is_own(type_, outside):
        return True
    floats = to_vector(array.cast(pa.float64()), np.float64)
    return bool(np.array_equal(floats, cells.astype(np.int64).view(np.float64), equal_nan=True))


def _decimals(values: Any, digits: tuple[int, int], target: pa.DataType) -> pa.Array:
    """Numbers, or floats, as decimals: unscaled, floats are whole numbers below 2^53, so that rounding finds them."""
    whole = values.dtype.kind == "u"
    unscaled = np.rint(values * 10.0 ** digits[1]) if values.dtype.kind == "f" else values
    most = min(10 ** digits[0] - 1, 2**64 - 1 if whole else 2**63 - 1)
    least = 0 if whole else -most - (most == 2**63 - 1)
    if not ((unscaled >= least) & (unscaled <= most)).all():
        raise pa.ArrowInvalid(f"values beyond decimal({digits[0]},{digits[1]})")
    halves = np.empty((len(values), 2), np.int64)
    halves[:, 0] = unscaled.view(np.int64) if whole else unscaled
    halves[:, 1] = 0 if whole else halves[:, 0] >> 63
    return pa.Array.from_buffers(target, len(values), [None, pa.py_buffer(halves)])


def _arrow_element(value: Any, outside: str) -> Any:
    """An element of a list as the value that Arrow expects for its type."""
    if (element := element_of(outside)) is not None:
        return [_arrow_element(part, element) for part in value]
    if outside == "boolean":
        return _switch(value)
    digits = digits_of(outside)
    return value if digits is None else Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits[1]))


def _switch(value: Any) -> bool:
    if value not in (0, 1):
        raise ValueError(f"{value!r} is not a boolean")
    return bool(value)
