"""The column names and types in the data of an epoch, remembered with the rules.

Law: what is remembered about a relation depends on the data inserted into it and not on epochs: types are those that
can hold all of it (`program.values.source_types`), names those of the first table with names, unless declared. Rows of
Python have no types: if they fit the remembered type, it stays; otherwise the column has the natural type from then on.
A ``datetime`` with a zone is an instant; one without is compatible with anything that the column holds or will hold.
Deleted rows must be of the kind that the column holds (times with a zone or without), and change nothing that is
remembered. A failed epoch leaves no trace, since rules are values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from tidelog.io.outside import fits_outside, outside_of, stored_type
from tidelog.io.rows import Data
from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.plan_failures import ZONES
from tidelog.plan.result_types import check_zones
from tidelog.plan.ruleset import Ruleset
from tidelog.program.graph.asserted_facts import users_name
from tidelog.program.values.schema import numbered_columns
from tidelog.program.values.source_types import CONFLICT, NATURAL, UNDETERMINED, Origin, merge, settled, zones_of

if TYPE_CHECKING:
    from tidelog.runtime.protocol.runtime import DirectRows

Facts = Sequence[tuple[int, str, Data]]  # sign, relation, rows as they were given
SignedRows = dict[str, list[tuple[int, Cells]]]  # by relation, each with its sign
Judge = Callable[[str], bool]  # whether the values of a column fit a type
INSTANT = "timestamp(us,UTC)"  # what times of Python with a zone are


class _Table(NamedTuple):
    """A table inserted into a relation: for each column its type, if it has one, and a judge of its values."""

    relation: str
    columns: Sequence[tuple[str | None, Judge]]
    is_typed: bool


@runtime_checkable
class DeletableRows(Protocol):
    """Rows that may be deleted, and the types of their columns."""

    @property
    def leaving(self) -> tuple[str, ...] | None:
        """The types; None if no rows are deleted."""


class Namer:
    """The names of relations' columns while the tables of an epoch are examined in turn."""

    def __init__(self, rules: Ruleset, columns: Callable[[str], tuple[str, ...]]) -> None:
        self._rules, self._columns = rules, columns
        self._met: dict[str, tuple[str, ...]] = {}

    def __call__(self, relation: str) -> tuple[str, ...]:
        """The names known so far; asserted facts that are kept elsewhere have those of their relation."""
        relation = users_name(relation) or relation
        return self._met.get(relation) or self._columns(relation)

    def meet(self, relation: str, names: Sequence[str] | None) -> None:
        """Learn the names of a table."""
        relation = users_name(relation) or relation
        if names is not None and relation not in self._met and self._is_nameless(relation) and are_names(names):
            self._met[relation] = tuple(names)

    def _is_nameless(self, relation: str) -> bool:
        origin = self._rules.origins.get(relation)
        return relation not in self._rules.declared and (origin is None or origin.names is None)

    def in_use(self) -> Mapping[str, tuple[str, ...]]:
        """The names that this epoch introduced."""
        return self._met


def are_names(names: Sequence[str]) -> bool:
    """Whether names distinguish columns, and are not just their numbers.

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
    signed: SignedRows,
    arriving: Iterable[DirectRows],
    names: Mapping[str, tuple[str, ...]],
    dictionary: Dictionary,
) -> Ruleset:
    """The rule set with the names and types in the data of an epoch."""
    found = {name: rules.origins[name].types for name in rules.origins}
    frames = list(arriving)
    coming = sorted(_coming(rules, facts, signed, frames, dictionary), key=lambda table: not table.is_typed)
    for relation, columns, _ in coming:  # those with types first: the order within an epoch does not matter
        known = found.get(relation, (NATURAL if relation in before.known else UNDETERMINED,) * len(columns))
        found[relation] = tuple(_joined(old, type_, fits) for old, (type_, fits) in zip(known, columns, strict=True))
    found = {relation: tuple(map(settled, types)) for relation, types in found.items()}
    leaving = dict(found)
    for relation, types in _going(rules, facts, frames):
        known = leaving.get(relation, (UNDETERMINED,) * len(types))
        leaving[relation] = tuple(map(merge, known, map(zones_of, types)))
    after = _remembering(before, rules, found, names)
    if leaving != found:
        _remembering(before, after, {relation: tuple(map(settled, types)) for relation, types in leaving.items()}, {})
    return after


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
            problem = f"column {place} of `{relation}` would contain both instants and times without a zone"
            raise ZONES.error(problem=problem)
        made = Origin(called if called is not None and len(called) == len(types) else None, types)
        if old != made and (old is not None or made.names is not None or not made.is_natural):
            origins[relation] = made
    if origins != rules.origins:
        rules = replace(rules, origins=origins)
    if rules.origins is not before.origins or rules.core is not before.core:
        check_zones(rules)
    return rules


def _joined(known: str, type_: str | None, fits: Judge) -> str:
    """A type that holds the values so far and the new ones; new values without a type are examined."""
    if type_ is not None:
        return merge(known, type_)
    return NATURAL if known == UNDETERMINED else known if known == NATURAL or fits(known) else merge(known, NATURAL)


def _coming(
    rules: Ruleset, facts: Facts, signed: SignedRows, arriving: Iterable[DirectRows], dictionary: Dictionary
) -> Iterable[_Table]:
    """For every table with inserted facts: the type of each column in the data, and a judge of its values."""
    places: dict[str, int] = {}
    for sign, name, data in facts:
        place = places[name] = places.get(name, -1) + 1
        if sign > 0 and name in rules.schema:
            cells, types = signed[name][place][1], rules.schema[name]
            columns: list[tuple[str | None, Judge]] = [
                (_type_of(column, types[i]) if data.typed else None, partial(_fits, cells, i, types[i], dictionary))
                for i, column in enumerate(data.columns)
            ]
            yield _Table(users_name(name) or name, columns, _has_types(data))
    for frame in arriving:
        if frame.outside is not None:
            columns = [(type_, _never) for type_ in map(stored_type, frame.types, frame.outside)]
            yield _Table(users_name(frame.relation) or frame.relation, columns, True)


def _going(rules: Ruleset, facts: Facts, arriving: Iterable[DirectRows]) -> Iterable[tuple[str, list[str]]]:
    """For every table with deleted facts: the types of its columns."""
    for sign, name, data in facts:
        if sign < 0 and data.typed and name in rules.schema:
            found = [_type_of(column, type_) for column, type_ in zip(data.columns, rules.schema[name], strict=True)]
            yield users_name(name) or name, [UNDETERMINED if type_ is None else type_ for type_ in found]
    for frame in arriving:
        if isinstance(frame, DeletableRows) and frame.leaving is not None:
            yield users_name(frame.relation) or frame.relation, list(map(stored_type, frame.types, frame.leaving))


def _has_types(data: Data) -> bool:
    return data.typed and any(isinstance(column, pa.ChunkedArray | np.ndarray) for column in data.columns)


def _type_of(column: Any, type_: str | None) -> str | None:
    """The type in which a column is returned to users, if the data had one."""
    if isinstance(column, pa.ChunkedArray):
        return stored_type(type_, outside_of(column.type))
    if isinstance(column, np.ndarray):
        return stored_type(type_, outside_of(pa.from_numpy_dtype(column.dtype)))
    return INSTANT if type_ == "timestamp" and any(getattr(v, "tzinfo", None) is not None for v in column) else None


def _fits(cells: Cells, place: int, type_: str | None, dictionary: Dictionary, outside: str) -> bool:
    return fits_outside(np.ascontiguousarray(cells[:, place]), type_, outside, dictionary)


def _never(outside: str) -> bool:
    return False
