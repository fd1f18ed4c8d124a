"""Which columns of times, and which fields, hold times with a zone: times that rules bring together are of one kind.

Law: a time without a zone is not an instant. The kind is the same for all places that type inference unites
(`program.inference`), for a field of a declared type wherever it occurs, and for the times in lists that meet; if data
of both kinds enters such a class, that is a conflict, reported before an epoch runs (TL4585). So a field has one kind
in a whole program: a different kind is a different type. A time that passes through a number loses its kind. A constant
that was written with a zone is an instant; one without a zone has the kind of the times it meets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tidelog.plan.plan_failures import ZONES
from tidelog.plan.ruleset import Ruleset
from tidelog.program.graph.asserted_facts import users_name
from tidelog.program.types.arity import check_names
from tidelog.program.types.inference import Environment, Inference
from tidelog.program.types.signatures import Signature
from tidelog.program.types.unify import Reason
from tidelog.program.values.shape import Shape
from tidelog.program.values.source_types import CONFLICT, Field, merged, shaped, zone_of
from tidelog.program.values.structure import READ, TEST, Structure, structure_of
from tidelog.program.values.term import LIST, Atom, Call, Const

TIME = "timestamp"
WHY = Reason("its column", None)


class ZonedColumn(NamedTuple):
    """A column whose data came with a kind of times, in the column or in one of its fields."""

    relation: str
    place: int | None  # None: a constant
    at: Field | None
    type: str

    @property
    def text(self) -> str:
        """The name of the place in messages."""
        return self.relation if self.place is None else f"column {self.place + 1} of `{self.relation}`"


@dataclass(frozen=True, slots=True)
class Zones:
    """By column, and by field: ``timestamp(us)`` or ``timestamp(us,UTC)``, where it is known."""

    columns: Mapping[tuple[str, int], str] = field(default_factory=dict)
    fields: Mapping[Field, str] = field(default_factory=dict)


def find_zones(rules: Ruleset) -> Zones:
    """The kinds of all times; an EngineError where both meet."""
    zoned = list(_zoned_columns(rules))
    if not zoned:
        return Zones()
    meeting = _meet(rules)
    classes: dict[int, list[ZonedColumn]] = {}
    for one in zoned:
        classes.setdefault(meeting.where(one), []).append(one)
    for place, one in meeting.instants:
        classes.setdefault(meeting.classes.root(place), []).append(one)
    kinds = {root: _kind(found) for root, found in classes.items()}
    root = meeting.classes.root
    columns = {
        (users_name(name) or name, i): kinds[root(place)]
        for name, places in meeting.columns.items()
        for i, place in enumerate(places)
        if root(place) in kinds
    }
    fields = {at: kinds[root(place)] for at, place in meeting.fields.items() if root(place) in kinds}
    return Zones(columns, fields)


def _zoned_columns(rules: Ruleset) -> Iterator[ZonedColumn]:
    """The columns whose kind is known from data."""
    for name, origin in rules.origins.items():
        for place, (type_, outside) in enumerate(zip(rules.schema.get(name, ()), origin.types, strict=False)):
            if zone_of(outside) is not None:
                yield ZonedColumn(name, place, None, outside)
            elif isinstance(type_, Shape):
                yield from _zoned_fields(name, place, type_, outside)


def _zoned_fields(name: str, place: int, shape: Shape, outside: str) -> list[ZonedColumn]:
    found: list[ZonedColumn] = []

    def leaf(type_: str, inner: str, at: Field | None) -> str:
        if zone_of(inner) is not None:
            found.append(ZonedColumn(name, place, at, inner))
        return inner

    shaped(shape, outside, leaf)
    return found


def _kind(columns: Sequence[ZonedColumn]) -> str:
    """The kind of a class; an EngineError if it has both."""
    if merged([one.type for one in columns]) == CONFLICT:
        local = next(one for one in columns if _is_local(one.type))
        zoned = next(one for one in columns if not _is_local(one.type))
        problem = f"{local.text} contains times without a zone, but {zoned.text} contains instants"
        raise ZONES.error(problem=f"{problem}, and they are combined in one column or rule")
    return "timestamp(us)" if _is_local(columns[0].type) else "timestamp(us,UTC)"


def _is_local(type_: str) -> bool:
    zone = zone_of(type_)
    return zone is not None and zone[1] is None


def _meet(rules: Ruleset) -> ZoneInference:
    """Collect all places of the rules, united where their times meet."""
    whole = replace(rules.program, rules=tuple(rules.core.values()))
    arity = check_names(whole, rules.functions, dict(rules.known)).arity
    meeting = ZoneInference(rules.functions, {**{n: len(t) for n, t in rules.schema.items()}, **arity})
    for name, types in rules.schema.items():
        for place, type_ in zip(meeting.column_places(name), types, strict=False):
            if type_ is not None:
                meeting.classes.set(place, type_.name if isinstance(type_, Shape) else type_, WHY)
    for rule in whole.rules:
        meeting.visit_rule(rule)
    meeting.unite_lists()
    return meeting


@dataclass(slots=True)
class ZoneInference(Inference):
    """The inference of types inside structures and lists: their parts are places, too."""

    fields: dict[Field, int] = field(default_factory=dict)
    calls: list[Sequence[int]] = field(default_factory=list)  # of functions: arguments and result
    instants: list[tuple[int, ZonedColumn]] = field(default_factory=list)  # constants with a zone

    def constant(self, const: Const, place: int, atom: Atom) -> None:
        """Process a constant in a column, which may determine the kind of its times."""
        Inference.constant(self, const, place, atom)
        self.instant(const, place)

    def constant_term(self, const: Const) -> int:
        """Process a constant in an expression, which may determine the kind of the times it meets."""
        place = Inference.constant_term(self, const)
        self.instant(const, place)
        return place

    def instant(self, const: Const, place: int) -> None:
        """Record a constant that has a zone; it is reported with its rule."""
        if const.zoned:
            assert self.rule is not None, "facts are data"
            label = self.rule.users_label or self.rule.head.predicate
            self.instants.append((place, ZonedColumn(f"the constant of rule {label}", None, None, "timestamp(us,UTC)")))

    def where(self, zoned: ZonedColumn) -> int:
        """The class of a column, or of a field of it."""
        assert zoned.place is not None, "constants are reported with their own places"
        place = self.column_places(zoned.relation)[zoned.place] if zoned.at is None else self.field_place(zoned.at)
        return self.classes.root(place)

    def field_place(self, at: Field, type_: str = TIME) -> int:
        """The place of a field, wherever it occurs."""
        if at not in self.fields:
            self.fields[at] = self.classes.fresh(type_ if type_ in (TIME, LIST) else None, WHY)
        return self.fields[at]

    def call(self, call: Call, env: Environment) -> int:
        """Unite parts of structures with their fields."""
        structure = structure_of(call.function)
        if structure is None:
            return Inference.call(self, call, env)
        parts = [self.term(arg, env) for arg in call.args]
        if structure.kind == READ:
            return self.part(structure, structure.place)
        if structure.kind != TEST:
            for i, place in enumerate(parts):
                self.classes.unite(place, self.part(structure, i))
        return self.classes.fresh()

    def part(self, structure: Structure, place: int) -> int:
        """The place of a part of a structure."""
        return self.field_place(Field(structure.type, structure.constructor, place), structure.parts[place])

    def apply(self, call: Call, signature: Signature, places: list[int]) -> None:
        """Process the contents of lists, once all types are known."""
        Inference.apply(self, call, signature, places)
        self.calls.append(places)

    def unite_lists(self) -> None:
        """Unite the times that a function puts into a list, or takes out of one, with those that the list holds."""
        held: dict[int, int] = {}
        kind, root = self.classes.type, self.classes.root
        for places in self.calls:
            lists = [root(place) for place in places if kind(place) == LIST]
            met = [held.setdefault(list_, self.classes.fresh()) for list_ in lists]
            if met:
                for place in (*met[1:], *(place for place in places if kind(place) == TIME)):
                    self.classes.unite(met[0], place)
