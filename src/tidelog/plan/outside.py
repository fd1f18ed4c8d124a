"""What the columns of all relations are given back as: the types that data came with, carried along by rules.

Law: a column of a derived relation has a type of its own only where every rule copies it from columns that have one (a
variable of the body, or min and max of one); computed values, and columns of a derived relation that is declared, have
the natural type. Whether a time has a zone is another matter: it is the same for all columns that the inference of
types makes one (`program.types`), and both kinds in such a class are a conflict, which is told before an epoch runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tidelog.plan.failures import ZONES
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Atom, Rule, Var
from tidelog.program.arity import check_names
from tidelog.program.asserted import users_name
from tidelog.program.outside import CONFLICT, NATURAL, merge, merged, zone_of
from tidelog.program.subtypes import TypeNames
from tidelog.program.term import Aggregate
from tidelog.program.types import infer_types

Outside = Mapping[str, tuple[str, ...]]
COPYING = ("min", "max")


def outside_types(rules: Ruleset) -> Outside:
    """Of every relation that has columns with a type of their own: the types of its columns."""
    if all(origin.is_natural for origin in rules.origins.values()):
        return {}
    found = _carried(rules)
    for name, place, type_ in _times(rules):
        known = found.get(name)
        if known is not None and zone_of(known[place] or "") is None:
            known[place] = "timestamp(us)" if _has_no_zone(type_) else "timestamp(us,UTC)"
    return {
        name: tuple(NATURAL if t is None else t for t in types)
        for name, types in found.items()
        if name in rules.schema and any(t not in (None, NATURAL) for t in types)
    }


def check_zones(rules: Ruleset) -> None:
    """Refuse rules that put times with and without a zone into one column."""
    for _ in _times(rules):
        pass


def _carried(rules: Ruleset) -> dict[str, list[str | None]]:
    """The types of all columns, from those that data came with; None: nothing is known to come."""
    heads = {rule.head.predicate for rule in _deriving(rules)}
    based = rules.known.keys() | {name for name, apart in rules.apart.items() if apart in rules.known}
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


def _carry(rule: Rule, found: dict[str, list[str | None]]) -> bool:
    """Carry the types of a body to the head; whether something changed."""
    known = found.get(rule.head.predicate)
    if known is None or len(known) != len(rule.head.args):
        return False
    changed = False
    for place, term in enumerate(rule.head.args):
        type_ = _copied(term, rule, found)
        old = known[place]
        new = old if type_ is None else type_ if old is None else merge(old, type_)
        changed = changed or new != old
        known[place] = new
    return changed


def _copied(term: object, rule: Rule, found: Mapping[str, list[str | None]]) -> str | None:
    """The type of a term of the head; a variable has that of the narrowest column that it stands in."""
    if isinstance(term, Aggregate) and term.body is None and term.kind in COPYING:
        term = term.value
    if not isinstance(term, Var):
        return NATURAL
    columns = [
        found[atom.predicate][place]
        for atom in rule.body
        if isinstance(atom, Atom) and len(found.get(atom.predicate, ())) == len(atom.args)
        for place, argument in enumerate(atom.args)
        if argument == term
    ]
    if not columns:
        return NATURAL
    own = [type_ for type_ in columns if type_ not in (None, NATURAL, CONFLICT)]
    return own[0] if own else None if None in columns else NATURAL


def _times(rules: Ruleset) -> Iterator[tuple[str, int, str]]:
    """The columns of times whose zone, or lack of one, is known."""
    told = [
        (name, place, type_)
        for name, origin in rules.origins.items()
        for place, type_ in enumerate(origin.types)
        if zone_of(type_) is not None and name in rules.schema
    ]
    if not told:
        return
    classes = _classes(rules)
    kinds: dict[int, list[tuple[str, int, str]]] = {}
    for name, place, type_ in told:
        if name in classes and place < len(classes[name]):
            kinds.setdefault(classes[name][place], []).append((name, place, type_))
    united = {number: merged([type_ for *_, type_ in columns]) for number, columns in kinds.items()}
    for number, type_ in united.items():
        if type_ == CONFLICT:
            columns = kinds[number]
            local = next(c for c in columns if zone_of(c[2]) is not None and _has_no_zone(c[2]))
            zoned = next(c for c in columns if not _has_no_zone(c[2]))
            raise ZONES.error(one=local[0], place=local[1] + 1, other=zoned[0], there=zoned[1] + 1)
    for name, numbers in classes.items():
        yield from ((users_name(name) or name, i, united[n]) for i, n in enumerate(numbers) if n in united)


def _has_no_zone(type_: str) -> bool:
    found = zone_of(type_)
    return found is not None and found[1] is None


def _classes(rules: Ruleset) -> Mapping[str, tuple[int, ...]]:
    whole = replace(rules.program, rules=tuple(rules.core.values()))
    arity = check_names(whole, rules.functions, dict(rules.known)).arity
    return infer_types(whole, arity, TypeNames(whole.types), rules.functions, rules.bound).classes
