"""The original types and names of data, with which views are returned.

Law: cells have eight types of values; data has more (int32, decimal(10,2), a time with or without a zone). Narrow data
is returned narrow: a column is returned as the narrowest type that holds all its input, or as the natural type of its
values if there is none. Whether a time has a zone is never lost by widening, not even in the fields of structures; a
time without a zone and an instant cannot be values of one column: that is a conflict, and refused. Values without this
information (``natural``) adopt the kind of the others.

Types are texts: ``int8`` to ``uint64``, ``float16`` to ``float64``, ``decimal(10,2)``, ``binary``, ``string``,
``boolean``, ``date``, ``timestamp(us)`` (no zone), ``timestamp(us,UTC)`` (an instant), ``array<...>``, and for structs
the JSON of an object ``{"field": type}``; those of records and variants have the fields of their Arrow form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import NamedTuple

from tidelog.program.values.shape import Part, Shape

NATURAL, CONFLICT = "natural", "conflict"
UNDETERMINED = "untold"  # of a column without data: it accepts any type
CONSTRUCTOR = "constructor"  # the field of a variant's Arrow form that names its constructor
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
UNITS = ("s", "ms", "us", "ns")
EXACT = 15  # digits of a decimal that a float preserves
DECIMAL = re.compile(r"decimal\((\d+),(-?\d+)\)\Z")
TIME = re.compile(r"timestamp\((s|ms|us|ns)(?:,([^()]+))?\)\Z")
SIMPLE = frozenset((*SIGNED, *UNSIGNED, *FLOATS, "binary", "string", "boolean", "date", NATURAL))


class Field(NamedTuple):
    """A field of a declared type: the constructor is empty for records."""

    type: str
    constructor: str
    place: int


Leaf = Callable[[str, str, Field | None], str]  # type, its stored form, and its field: another text


class Origin(NamedTuple):
    """The column names of the first data, if it had any, and the type of each column."""

    names: tuple[str, ...] | None
    types: tuple[str, ...]

    @property
    def is_natural(self) -> bool:
        """Whether no specific types are stored."""
        return all(type_ == NATURAL for type_ in self.types)


def fields_of(type_: str) -> dict[str, str] | None:
    """The fields of a struct with their types; None for other types.

    >>> fields_of('{"x": "int32"}'), fields_of("int32")
    ({'x': 'int32'}, None)
    """
    return json.loads(type_) if type_.startswith("{") else None


def element_of(type_: str) -> str | None:
    """The type of the elements of an array; None for other types.

    >>> element_of("array<array<int32>>"), element_of("int32")
    ('array<int32>', None)
    """
    return type_[6:-1] if type_.startswith("array<") else None


def digits_of(type_: str) -> tuple[int, int] | None:
    """Precision and scale of a decimal; None for other types.

    >>> digits_of("decimal(10,2)"), digits_of("date")
    ((10, 2), None)
    """
    found = DECIMAL.match(type_)
    return None if found is None else (int(found[1]), int(found[2]))


def zone_of(type_: str) -> tuple[str, str | None] | None:
    """Unit and zone of a time (no zone: None); None for other types.

    >>> zone_of("timestamp(us)"), zone_of("timestamp(ns,UTC)"), zone_of("date")
    (('us', None), ('ns', 'UTC'), None)
    """
    found = TIME.match(type_)
    return None if found is None else (found[1], found[2])


def is_outside(type_: object) -> bool:
    """Whether a value is a type of data.

    >>> is_outside("array<int8>"), is_outside("array<int9>"), is_outside('{"a": 3}')
    (True, False, False)
    """
    if not isinstance(type_, str):
        return False
    if type_ in SIMPLE or digits_of(type_) is not None or zone_of(type_) is not None:
        return True
    if (element := element_of(type_)) is not None:
        return type_.endswith(">") and is_outside(element)
    try:
        fields = fields_of(type_)
    except ValueError:
        return False
    return isinstance(fields, dict) and all(map(is_outside, fields.values()))


def merge(one: str, other: str) -> str:
    """The narrowest type that holds the values of two; natural if there is none, except for times and their zones.

    >>> merge("int8", "int32"), merge("int8", "uint8"), merge("decimal(5,2)", "decimal(4,3)")
    ('int32', 'natural', 'decimal(6,3)')
    >>> merge("timestamp(us)", "timestamp(us,UTC)"), merge("timestamp(s)", "natural"), merge("int8", "natural")
    ('conflict', 'timestamp(us)', 'natural')
    >>> merge('{"t": "timestamp(us)", "n": "int8"}', "natural")
    '{"t": "timestamp(us)", "n": "natural"}'
    """
    if one == other or UNDETERMINED in (one, other):
        return other if one == UNDETERMINED else one
    if CONFLICT in (one, other):
        return CONFLICT
    if zone_of(one) is not None or zone_of(other) is not None:
        return _merge_times(one, other)
    if fields_of(one) is not None or fields_of(other) is not None:
        return _merge_fields(fields_of(one), fields_of(other))
    for family in (SIGNED, UNSIGNED, FLOATS):
        if one in family and other in family:
            return max(one, other, key=family.index)
    elements = element_of(one), element_of(other)
    if elements[0] is not None and elements[1] is not None:
        inner = merge(elements[0], elements[1])
        return NATURAL if inner in (NATURAL, CONFLICT) else f"array<{inner}>"
    digits = digits_of(one), digits_of(other)
    return NATURAL if digits[0] is None or digits[1] is None else _merge_decimals(digits[0], digits[1])


def _merge_times(one: str, other: str) -> str:
    """Merge times; values that do not show whether they have a zone adopt that of the others, in microseconds."""
    first, second = zone_of(one), zone_of(other)
    if first is None or second is None:
        zone = (first or second or ("us", None))[1]
        return "timestamp(us)" if zone is None else f"timestamp(us,{zone})"
    if (first[1] is None) != (second[1] is None):
        return CONFLICT
    unit = max(first[0], second[0], key=UNITS.index)
    zone = "" if first[1] is None else f",{first[1] if first[1] == second[1] else 'UTC'}"
    return f"timestamp({unit}{zone})"


def _merge_fields(one: Mapping[str, str] | None, other: Mapping[str, str] | None) -> str:
    """Merge structs field by field; if one of two is natural, so are its fields."""
    absent = (NATURAL if one is None else UNDETERMINED, NATURAL if other is None else UNDETERMINED)
    first, second = one or {}, other or {}
    found = {name: merge(first.get(name, absent[0]), second.get(name, absent[1])) for name in {**first, **second}}
    return CONFLICT if CONFLICT in found.values() else struct_text(found)


def struct_text(fields: Mapping[str, str]) -> str:
    """The type of a struct; natural if all its fields are.

    >>> struct_text({"x": "int8"}), struct_text({"x": "natural"})
    ('{"x": "int8"}', 'natural')
    """
    return NATURAL if all(type_ == NATURAL for type_ in fields.values()) else json.dumps(fields)


def settled(type_: str) -> str:
    """A type with natural types in place of undetermined ones.

    >>> settled("untold"), settled('{"t": "timestamp(us)", "n": "untold"}')
    ('natural', '{"t": "timestamp(us)", "n": "natural"}')
    """
    if (fields := fields_of(type_)) is not None:
        return struct_text({name: settled(inner) for name, inner in fields.items()})
    return NATURAL if type_ == UNDETERMINED else type_


def zones_of(type_: str) -> str:
    """The zones of a type, and nothing else.

    >>> zones_of("timestamp(us)"), zones_of("int8"), zones_of('{"t": "timestamp(us)", "n": "int8"}')
    ('timestamp(us)', 'untold', '{"t": "timestamp(us)", "n": "untold"}')
    """
    if (fields := fields_of(type_)) is not None:
        return json.dumps({name: zones_of(inner) for name, inner in fields.items()})
    return type_ if zone_of(type_) is not None else UNDETERMINED


def shaped(type_: str, outside: str, leaf: Leaf, at: Field | None = None) -> str:
    """The stored form of values of a type, with other leaves: structures are traversed field by field.

    A form that is natural as a whole stays so unless the type is one whose values are not texts; recursive types are
    followed as far as the text goes.
    """
    if not isinstance(type_, Shape):
        return leaf(type_, outside, at)
    given = fields_of(outside)
    if given is None and type_.holds_recursion:
        return NATURAL
    if type_.is_record:
        return _shaped_fields(type_, "", given or {}, leaf)
    parts = {
        name: _shaped_fields(type_, name, fields_of((given or {}).get(name, NATURAL)) or {}, leaf)
        for name, fields in type_.constructors.items()
        if fields
    }
    return struct_text({CONSTRUCTOR: NATURAL, **parts})


def _shaped_fields(shape: Shape, constructor: str, types: Mapping[str, str], leaf: Leaf) -> str:
    parts: Iterable[Part] = shape.constructors[constructor]
    return struct_text(
        {
            part.name: shaped(part.type, types.get(part.name, NATURAL), leaf, Field(shape.name, constructor, place))
            for place, part in enumerate(parts)
        }
    )


def _merge_decimals(one: tuple[int, int], other: tuple[int, int]) -> str:
    scale = max(one[1], other[1])
    precision = max(one[0] - one[1], other[0] - other[1]) + scale
    whole = one[1] == other[1] == 0
    return f"decimal({precision},{scale})" if precision <= (38 if whole else EXACT) else NATURAL


def merged(types: list[str]) -> str:
    """The narrowest type that holds the values of all given types.

    >>> merged(["int8", "int16", "int8"]), merged([])
    ('int16', 'natural')
    """
    return reduce(merge, types) if types else NATURAL
