"""The types and names that data came with, which views give back.

Law: cells know eight types of values; data knows more (int32, decimal(10,2), a time with or without a zone). What came
in narrow goes out narrow: a column is given back as the narrowest type that holds all that came into it, and as the
natural type of its values where there is none. A time without a zone and an instant are no values of one column: that
is a conflict, and refused.

Types are texts: ``int8`` to ``uint64``, ``float16`` to ``float64``, ``decimal(10,2)``, ``binary``, ``string``,
``boolean``, ``date``, ``timestamp(us)`` (no zone), ``timestamp(us,UTC)`` (an instant), ``array<...>``, and for structs
the JSON of an object ``{"field": type}``.
"""

from __future__ import annotations

import json
import re
from functools import reduce
from typing import NamedTuple

NATURAL, CONFLICT = "natural", "conflict"
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
UNITS = ("s", "ms", "us", "ns")
EXACT = 15  # digits of a decimal that a float gives back
DECIMAL = re.compile(r"decimal\((\d+),(-?\d+)\)\Z")
TIME = re.compile(r"timestamp\((s|ms|us|ns)(?:,([^()]+))?\)\Z")
SIMPLE = frozenset((*SIGNED, *UNSIGNED, *FLOATS, "binary", "string", "boolean", "date", NATURAL))


class Origin(NamedTuple):
    """The names of the columns that data first came with, if it had any, and the type of each column."""

    names: tuple[str, ...] | None
    types: tuple[str, ...]

    @property
    def is_natural(self) -> bool:
        """Whether nothing is remembered of the types."""
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
    """The narrowest type that holds the values of two; natural where there is none.

    >>> merge("int8", "int32"), merge("int8", "uint8"), merge("decimal(5,2)", "decimal(4,3)")
    ('int32', 'natural', 'decimal(6,3)')
    >>> merge("timestamp(us)", "timestamp(us,UTC)"), merge("timestamp(us)", "natural"), merge("int8", "natural")
    ('conflict', 'timestamp(us)', 'natural')
    """
    if one == other:
        return one
    times = zone_of(one), zone_of(other)
    if times != (None, None):
        return _merge_times(one, other)
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
    """Values of Python have no zone to tell: they are what the others are."""
    first, second = zone_of(one), zone_of(other)
    if first is None or second is None:
        known, unknown = (other, one) if first is None else (one, other)
        return known if unknown == NATURAL else unknown if unknown == CONFLICT else NATURAL
    if (first[1] is None) != (second[1] is None):
        return CONFLICT
    unit = max(first[0], second[0], key=UNITS.index)
    zone = "" if first[1] is None else f",{first[1] if first[1] == second[1] else 'UTC'}"
    return f"timestamp({unit}{zone})"


def _merge_decimals(one: tuple[int, int], other: tuple[int, int]) -> str:
    scale = max(one[1], other[1])
    precision = max(one[0] - one[1], other[0] - other[1]) + scale
    whole = one[1] == other[1] == 0
    return f"decimal({precision},{scale})" if precision <= (38 if whole else EXACT) else NATURAL


def merged(types: list[str]) -> str:
    """The narrowest type that holds the values of some.

    >>> merged(["int8", "int16", "int8"]), merged([])
    ('int16', 'natural')
    """
    return reduce(merge, types) if types else NATURAL
