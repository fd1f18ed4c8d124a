"""Conversion of records and algebraic values between the forms of Python and Arrow and cells.

Law (D31): a record is a tuple, a named tuple, a dataclass or a mapping with its fields, ``nil`` is None; an algebraic
value is a `Variant`, or a dataclass or named tuple whose class has the constructor's name; either may be its text. In
Arrow a type that is not recursive is a struct (``nil`` is null; a variant has the constructor's name in the field
``constructor`` and the parts in one struct per constructor), a recursive one is text. Returned values can be read
again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from tidelog.errors import DataError
from tidelog.io import io_failures as failures
from tidelog.io.texts import read_text, show_text
from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.structures import ValueParts
from tidelog.program.functions.calendar import to_python
from tidelog.program.values.shape import Part, Shape
from tidelog.program.values.source_types import CONSTRUCTOR, NATURAL, fields_of
from tidelog.program.values.variant import Variant, python_names

Leaf = Callable[[str, str], pa.DataType]  # from the type of a part, and the type with which it is returned


def deconstruct(value: Any, shape: Shape) -> ValueParts | None:
    """The constructor and the parts of a Python value; None if it is not of the type."""
    if isinstance(value, str):
        try:
            value = read_text(value, shape)
        except DataError:
            return None
        if value is None:
            return None, ()
    if isinstance(value, Variant):
        return (value.constructor, value.parts) if value.constructor in shape.constructors else None
    if shape.is_record:
        parts = _parts(value, shape.fields)
        return None if parts is None else ("", parts)
    if isinstance(value, Mapping):
        return _split_variant(value, shape)
    name = type(value).__name__
    if name not in shape.constructors or not (dataclasses.is_dataclass(value) or hasattr(value, "_fields")):
        return None
    parts = _parts(value, shape.constructors[name])
    return None if parts is None else (name, parts)


def _split_variant(value: Mapping[str, Any], shape: Shape) -> ValueParts | None:
    """The constructor and the parts of a variant in the form of Arrow."""
    name = value.get(CONSTRUCTOR)
    if name not in shape.constructors:
        return None
    parts = _parts(value.get(name) or {}, shape.constructors[name])
    return None if parts is None else (name, parts)


def _parts(value: Any, fields: Sequence[Part]) -> Sequence[Any] | None:
    if isinstance(value, tuple | list):
        return value
    if isinstance(value, Mapping):
        names = [field.name for field in fields]
        return [value[name] for name in names] if set(value) == set(names) else None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = [field.name for field in dataclasses.fields(value)]
        names = [field.name for field in fields]
        attributes = names if set(own) == set(names) else list(python_names(names))
        return [getattr(value, name) for name in attributes] if set(own) == set(attributes) else None
    return None


def arrow_type(shape: Shape, leaf: Leaf, outside: str = NATURAL) -> pa.DataType:
    """The Arrow type of a column whose parts are returned with the types ``outside``."""
    if shape.holds_recursion:
        return pa.string()
    outside_fields = fields_of(outside) or {}
    if shape.is_record:
        return _struct(shape.fields, leaf, outside_fields)
    parts = [
        (name, _struct(fields, leaf, fields_of(outside_fields.get(name, NATURAL)) or {}))
        for name, fields in shape.constructors.items()
        if fields
    ]
    return pa.struct([(CONSTRUCTOR, pa.string()), *parts])


def _struct(fields: Sequence[Part], leaf: Leaf, outside_fields: Mapping[str, str]) -> pa.DataType:
    return pa.struct(
        [(field.name, _arrow_of(field.type, leaf, outside_fields.get(field.name, NATURAL))) for field in fields]
    )


def _arrow_of(type_: str, leaf: Leaf, outside: str) -> pa.DataType:
    if isinstance(type_, Shape):
        return arrow_type(type_, leaf, outside)
    return pa.string() if type_ == "list" else leaf(type_, outside)


def python_structures(cells: Cells, shape: Shape, dictionary: Dictionary) -> list[Any]:
    """The values of a column of records or variants, with Python dates, timestamps and booleans."""

    def leaf(cell: int, type_: str) -> Any:
        try:
            return to_python(dictionary.decode(cell, type_), type_)
        except (ValueError, OverflowError):
            raise failures.BEYOND_PYTHON.error(type=type_, least=cell, most=cell) from None

    return dictionary.structures(cells.tolist(), shape, leaf)


def decode_arrow_structures(
    cells: Cells, shape: Shape, dictionary: Dictionary, base: Mapping[str | None, pa.DataType]
) -> pa.Array:
    """An Arrow array of a column of records or variants."""
    type_ = arrow_type(shape, lambda part, _: base[part])
    if pa.types.is_string(type_):
        return pa.array([show_text(value, shape) for value in python_structures(cells, shape, dictionary)], type_)
    values = dictionary.structures(cells.tolist(), shape)  # Arrow counts days as cells do, in any year
    return pa.array([_tree(value, shape) for value in values], type_)


def _tree(value: Any, type_: str) -> Any:
    """A value of a type without recursion, as dictionaries."""
    if type_ == "list":
        return show_text(value, type_)
    if type_ == "boolean":
        return bool(value)
    if not isinstance(type_, Shape) or value is None:
        return value
    if type_.is_record:
        return _fields(value, type_.fields)
    inner = {value.constructor: _fields(value.parts, type_.constructors[value.constructor])} if value.parts else {}
    return {CONSTRUCTOR: value.constructor, **inner}


def _fields(parts: Sequence[Any], fields: Sequence[Part]) -> dict[str, Any]:
    return {field.name: _tree(part, field.type) for part, field in zip(parts, fields, strict=True)}
