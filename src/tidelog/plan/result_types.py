"""The types in which the columns of all relations are returned: the types of the original data, propagated by rules.

Law: a column of a derived relation has a specific type only if every rule copies it from columns that have one (a
variable of the body, or min and max of one); computed values, and columns of a derived relation that is declared, have
the natural type. Whether a time has a zone is determined separately (`plan.zones`): it is known for every column of
times that rules connect with one for which it is known, computed or declared, and for every field of a declared type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from tidelog.plan.ruleset import Ruleset
from tidelog.plan.zones import Zones, find_zones
from tidelog.program import Atom, Rule, Var
from tidelog.program.values.shape import Shape
from tidelog.program.values.source_types import CONFLICT, NATURAL, Field, merge, shaped, zone_of
from tidelog.program.values.term import Aggregate

Outside = Mapping[str, tuple[str, ...]]
COPYING = ("min", "max")


def outside_types(rules: Ruleset) -> Outside:
    """For every relation that has columns with a specific type: the types of its columns."""
    if all(origin.is_natural for origin in rules.origins.values()):
        return {}
    zones = find_zones(rules)
    found = {name: _with_zones(name, types, rules, zones) for name, types in _carried(rules).items()}
    return {name: types for name, types in found.items() if any(type_ != NATURAL for type_ in types)}


def check_zones(rules: Ruleset) -> None:
    """Refuse rules that mix times with and without a zone in one column."""
    find_zones(rules)


def _with_zones(name: str, known: list[str | None], rules: Ruleset, zones: Zones) -> tuple[str, ...]:
    """The types of a relation's columns with the zones of their times, in structures too."""

    def leaf(place: int, type_: str, outside: str, at: Field | None) -> str:
        if type_ != "timestamp" or zone_of(outside) is not None:
            return outside
        return zones.columns.get((name, place), NATURAL) if at is None else zones.fields.get(at, NATURAL)

    def shown(place: int, type_: str | None, outside: str) -> str:
        if isinstance(type_, Shape) and type_.holds_recursion:
            return NATURAL  # such values are texts
        return outside if type_ is None else shaped(type_, outside, partial(leaf, place))

    types = rules.schema[name]
    return tuple(shown(place, type_, known[place] or NATURAL) for place, type_ in enumerate(types))


def _carried(rules: Ruleset) -> dict[str, list[str | None]]:
    """The types of all columns, propagated from those of the data; None if no data is known to arrive."""
    heads = {rule.head.predicate for rule in _deriving(rules)}
    based = rules.known.keys() | {name for name, apart in rules.asserted_elsewhere.items() if apart in rules.known}
    found: dict[str, list[str | None]] = {}
    for name, types in rules.schema.items():
        origin = rules.origins.get(name)
        if origin is not None and len(origin.types) == len(types):
            found[name] = [*origin.types]
        else:
            natural = name in based or name not in heads or name in rules.declared
            found[name] = [NATURAL if natural else None] * len(types)
    changed = True
    while changed:
        changed = False
        for rule in _deriving(rules):
            changed = _carry(rule, found) or changed
    return found


def _deriving(rules: Ruleset) -> Iterator[Rule]:
    return (rule for rule in rules.program.rules if not rule.subsumes and rule.constraint is None)


def _carry(rule: Rule, types: dict[str, list[str | None]]) -> bool:
    """Propagate the types of a body to the head; returns whether something changed."""
    known = types.get(rule.head.predicate)
    if known is None or len(known) != len(rule.head.args):
        return False
    changed = False
    for place, term in enumerate(rule.head.args):
        type_ = _copied(term, rule, types)
        old = known[place]
        new = old if type_ is None else type_ if old is None else merge(old, type_)
        changed = changed or new != old
        known[place] = new
    return changed


def _copied(term: object, rule: Rule, types: Mapping[str, list[str | None]]) -> str | None:
    """The type of a term of the head; for a variable, that of the narrowest column in which it occurs."""
    if isinstance(term, Aggregate) and term.body is None and term.kind in COPYING:
        term = term.value
    if not isinstance(term, Var):
        return NATURAL
    columns = [
        types[atom.predicate][place]
        for atom in rule.body
        if isinstance(atom, Atom) and len(types.get(atom.predicate, ())) == len(atom.args)
        for place, argument in enumerate(atom.args)
        if argument == term
    ]
    if not columns:
        return NATURAL
    own = [type_ for type_ in columns if type_ not in (None, NATURAL, CONFLICT)]
    return own[0] if own else None if None in columns else NATURAL
