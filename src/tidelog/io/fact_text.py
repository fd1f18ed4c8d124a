"""Facts as text, printed in the same form everywhere.

Law (D35): every reader of program syntax in the program's convention reads the text as the same fact.
Times of a column of instants are printed as instants.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tidelog.program.values.shape import Part, Shape
from tidelog.program.values.source_types import fields_of, zone_of
from tidelog.program.values.variant import Variant
from tidelog.syntax.value_printer import write_fact

Types = Sequence[str | None]


@dataclass(frozen=True, slots=True)
class FactWriter:
    """Writes the facts of a relation; ``outside`` are the types with which its columns are returned, if any.

    >>> FactWriter("due", ("symbol", "date"), convention="prolog")(("tea", datetime.date(2026, 6, 1)))
    'due(tea, date("2026-06-01"))'
    """

    relation: str
    types: Types
    outside: Sequence[str] = ()
    convention: str | None = None

    def __call__(self, row: Iterable[Any]) -> str:
        """The fact of a row, without its period."""
        values = tuple(row)
        if self.outside:
            values = tuple(map(with_zone, values, self.types, self.outside))
        types = self.types if len(self.types) == len(values) else None
        return write_fact(self.relation, values, types, self.convention)


def with_zone(value: Any, type_: str | None, outside: str) -> Any:
    """A value of a column with its times in UTC where the column, or the field of a record, holds instants."""
    if isinstance(value, datetime.datetime):
        zone = zone_of(outside)
        return value if zone is None or zone[1] is None else value.replace(tzinfo=datetime.UTC)
    fields = fields_of(outside)
    if fields is None or value is None or not isinstance(type_, Shape):
        return value
    if not isinstance(value, Variant):
        return _with_zones(value, type_.fields, fields)
    inside = fields_of(fields.get(value.constructor, ""))
    if inside is None:
        return value
    return Variant(value.constructor, *_with_zones(value.parts, type_.constructors[value.constructor], inside))


def _with_zones(parts: Iterable[Any], fields: Sequence[Part], outside: dict[str, str]) -> tuple[Any, ...]:
    return tuple(
        with_zone(part, field.type, outside.get(field.name, "")) for part, field in zip(parts, fields, strict=True)
    )
