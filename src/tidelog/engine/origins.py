"""The names and types that the data of an epoch came with, remembered with the rules.

Law: what is remembered of a relation depends on the data that came into it and not on epochs: types are those that hold
all of it (`program.outside`), names those of the first table with names, if nobody declared any. Rows of Python have no
types of their own: where they fit what is remembered it stays, else the column has the natural type from then on. An
epoch that fails leaves no trace, since rules are values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tidelog.io.outside import fits_outside, is_own, outside_of
from tidelog.io.rows import Data
from tidelog.kernel.cells import Cells
from tidelog.partition.dictionary import Dictionary
from tidelog.plan.failures import ZONES
from tidelog.plan.outside import check_zones
from tidelog.plan.ruleset import Ruleset
from tidelog.program.asserted import users_name
from tidelog.program.outside import CONFLICT, NATURAL, Origin, merge
from tidelog.program.schema import numbered_columns

if TYPE_CHECKING:
    from tidelog.runtime.runtime import Arriving

Facts = Sequence[tuple[int, str, Data]]
Signed = Mapping[str, Sequence[tuple[int, Cells]]]
Judge = Callable[[str], bool]  # whether the values of a column fit a type


class Namer:
    """The names of relations' columns while the data of an epoch is looked at, one table after the other."""

    def __init__(self, rules: Ruleset, columns: Callable[[str], tuple[str, ...]]) -> None:
        self._rules, self._columns = rules, columns
        self._met: dict[str, tuple[str, ...]] = {}

    def __call__(self, relation: str) -> tuple[str, ...]:
        """The names as they are known by now; asserted facts that are kept elsewhere have those of their relation."""
        relation = users_name(relation) or relation
        return self._met.get(relation) or self._columns(relation)

    def meet(self, relation: str, names: Sequence[str] | None) -> None:
        """A table with names has come."""
        relation = users_name(relation) or relation
        if names is not None and relation not in self._met and self._is_nameless(relation) and are_names(names):
            self._met[relation] = tuple(names)

    def _is_nameless(self, relation: str) -> bool:
        origin = self._rules.origins.get(relation)
        return relation not in self._rules.declared and (origin is None or origin.names is None)

    def in_use(self) -> Mapping[str, tuple[str, ...]]:
        """The names that came with this epoch."""
        return self._met


def are_names(names: Sequence[str]) -> bool:
    """Whether names tell columns apart, and are not just their numbers.

    >>> are_names(["source", "target"]), are_names(["x", "x"]), are_names(["0", "1"])
    (True, False, False)
    """
    numbers = tuple(str(place) for place in range(len(names)))
    distinct = bool(names) and len(set(names)) == len(names) and all(names)
    return distinct and tuple(names) not in (numbers, numbered_columns(len(names)))


def remember(
    before: Ruleset,
    rules: Ruleset,
    facts: Facts,
    signed: Signed,
    arriving: Iterable[Arriving],
    names: Mapping[str, tuple[str, ...]],
    dictionary: Dictionary,
) -> Ruleset:
    """The rule set that knows what the data of an epoch came with."""
    found = {name: rules.origins[name].types for name in rules.origins}
    for relation, columns in _columns(rules, facts, signed, arriving, dictionary):
        known = found.get(relation)
        if known is None and relation in before.known:
            continue  # what is there already has no type of its own
        found[relation] = tuple(
            _joined(None if known is None else known[place], type_, fits) for place, (type_, fits) in enumerate(columns)
        )
    return _remembering(before, rules, found, names)


def _remembering(
    before: Ruleset, rules: Ruleset, found: Mapping[str, tuple[str, ...]], names: Mapping[str, tuple[str, ...]]
) -> Ruleset:
    origins = dict(rules.origins)
    for relation in (*found, *(name for name in names if name not in found)):
        old = origins.get(relation)
        width = len(rules.schema.get(relation, ()))
        types = found.get(relation, (NATURAL,) * width)
        called = old.names if old is not None and old.names is not None else names.get(relation)
        if CONFLICT in types:
            place = types.index(CONFLICT) + 1
            raise ZONES.error(one=relation, place=place, other=relation, there=place)
        made = Origin(called if called is not None and len(called) == len(types) else None, types)
        if old != made and (old is not None or made.names is not None or not made.is_natural):
            origins[relation] = made
    if origins != rules.origins:
        rules = replace(rules, origins=origins)
    if rules.origins is not before.origins or rules.core is not before.core:
        check_zones(rules)
    return rules


def _joined(known: str | None, type_: str | None, fits: Judge) -> str:
    """What holds the values so far and those that come; without a type of their own they are looked at."""
    if type_ is not None:
        return type_ if known is None else merge(known, type_)
    return NATURAL if known is None else known if known == NATURAL or fits(known) else NATURAL


def _columns(
    rules: Ruleset, facts: Facts, signed: Signed, arriving: Iterable[Arriving], dictionary: Dictionary
) -> Iterable[tuple[str, list[tuple[str | None, Judge]]]]:
    """Of every table that brings facts: the type that each column came with, and a judge of its values."""
    places: dict[str, int] = {}
    for sign, name, data in facts:
        place = places[name] = places.get(name, -1) + 1
        relation = users_name(name) or name
        origin = rules.origins.get(relation)
        if sign < 0 or (origin is None and not _has_types(data)) or (origin is not None and origin.is_natural):
            continue
        cells, types = signed[name][place][1], rules.schema[name]
        yield (
            relation,
            [
                (_type_of(column, types[i]) if data.typed else None, partial(_fits, cells, i, types[i], dictionary))
                for i, column in enumerate(data.columns)
            ],
        )
    for frame in arriving:
        if frame.outside is not None:
            relation = users_name(frame.relation) or frame.relation
            yield relation, [(type_, _never) for type_ in _kept(frame.outside, frame.types)]


def _has_types(data: Data) -> bool:
    return data.typed and any(isinstance(column, pa.ChunkedArray | np.ndarray) for column in data.columns)


def _type_of(column: Any, type_: str | None) -> str | None:
    """What a column is given back as, if it came with a type."""
    if isinstance(column, pa.ChunkedArray):
        own = outside_of(column.type)
    elif isinstance(column, np.ndarray):
        own = outside_of(pa.from_numpy_dtype(column.dtype))
    else:
        return None
    return own if is_own(type_, own) else NATURAL


def _kept(outside: Sequence[str], types: Sequence[str]) -> list[str]:
    return [own if is_own(type_, own) else NATURAL for own, type_ in zip(outside, types, strict=True)]


def _fits(cells: Cells, place: int, type_: str | None, dictionary: Dictionary, outside: str) -> bool:
    return fits_outside(np.ascontiguousarray(cells[:, place]), type_, outside, dictionary)


def _never(outside: str) -> bool:
    return False
