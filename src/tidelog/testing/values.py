"""The types of values in the naive evaluator, which are determined from the values themselves.

Law: in a well-typed program a value's type never depends on where it is read. Python distinguishes number, float,
symbol and list; unsigned values are represented by `Unsigned`, an int that carries its type, and so are dates,
timestamps and booleans (`calendar.tagged`). The only value without a type is the sum of nothing: a `Zero` adopts the
type of the values around it. (Its text is always "0".) Rows are compared as Python compares tuples, so lists that
differ only as 1 and 1.0 do are one row here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidelog.program import Program, Value, Variant
from tidelog.program.functions.arithmetic import RANGES
from tidelog.program.functions.calendar import tag_of, tagged
from tidelog.program.functions.table import admit
from tidelog.program.values.schema import BASE_TYPES
from tidelog.program.values.term import FLOAT, LIST, NUMBER, RECORD, SYMBOL, UNSIGNED

Row = tuple[Value, ...]


class Unsigned(int):
    """An unsigned value; equal to the int of the same value."""


class Zero(int):
    """The sum of nothing."""


def type_of(value: Value) -> str:
    """The name of the value's type.

    >>> type_of(1), type_of(2**63), type_of("a"), type_of(())
    ('number', 'unsigned', 'symbol', 'list')
    """
    match value:
        case Unsigned():
            return UNSIGNED
        case int():
            return tag_of(value) or (NUMBER if value <= RANGES[NUMBER][1] else UNSIGNED)
        case float():
            return FLOAT
        case str():
            return SYMBOL
        case None | Variant():
            return RECORD
        case _:
            return LIST


def of_type(value: Value, type_: str, where: str) -> Value:
    """The value in a place of that type: integers become floats or unsigned there; other misfits are errors."""
    if type_ == RECORD:
        return value
    admitted = admit(value, type_, where)
    return Unsigned(admitted) if type_ == UNSIGNED and isinstance(admitted, int) else tagged(admitted, type_)


def alike(values: Sequence[Value]) -> list[Value]:
    """The values, with each `Zero` converted to the type of the others: a float, an unsigned or a number.

    >>> alike([1.5, Zero()])
    [1.5, 0.0]
    """
    types = set(map(type, values))
    zero: Value = 0.0 if float in types else Unsigned() if Unsigned in types else 0
    return [zero if isinstance(value, Zero) else value for value in values]


def column_types(program: Program) -> dict[str, tuple[str, ...]]:
    """The base types of the columns of every declared relation."""
    aliases = {declared.name: RECORD for declared in program.types if declared.constructors}
    aliases |= {declared.name: declared.bases[0] for declared in program.types if declared.bases}
    return {
        declaration.relation: tuple(_base_type(column.type, aliases) for column in declaration.columns)
        for declaration in program.declarations
    }


def _base_type(name: str, aliases: Mapping[str, str]) -> str:
    """The base type of a name; all names behind it have one base type, so following the first is enough."""
    while name in aliases or name not in (*BASE_TYPES, RECORD):
        name = aliases[name]
    return name
