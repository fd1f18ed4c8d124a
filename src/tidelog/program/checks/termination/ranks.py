"""Ranks of columns: how many functions lie between the values of a column and finite data.

Law: a column has the rank r if each of its values is made from finite values by at most r nested applications. The
ranks are a least fixpoint over the rules of a stratum: a variable has the least rank of all places that read it, an
application one more than its arguments, a part of a pattern one less than the whole. A column whose rank grows beyond
all applications of the stratum together lies on, or behind, a cycle that makes new values: its rank is `ENDLESS`.
(The argument-restricted programs of Lierler and Lifschitz, 2009, with bounds.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from tidelog.program.checks.termination.linear import above
from tidelog.program.checks.termination.ways import Occurrence, Position, Way, inner_way
from tidelog.program.values.structure import READ, TEST, structure_of
from tidelog.program.values.term import NUMBER, UNSIGNED, Aggregate, Call, Const, Term, Var

ENDLESS = 1 << 40
INTEGERS = (NUMBER, UNSIGNED, None)  # None: undetermined; numbers of the text are integers then
FEW_VALUES = (
    "cidr_contains", "cidr_overlaps", "contains", "day", "ends_with", "f_inPath", "f_member", "hour", "ip_version",
    "is_cidr", "is_ip", "is_json", "json_has", "json_type", "land", "lnot", "lor", "lxor", "match", "minute",
    "month", "rdf_compare", "rdf_equals", "rdf_is_blank", "rdf_is_date", "rdf_is_iri",
    "rdf_is_literal", "rdf_is_number", "rdf_is_timestamp", "regex_find", "second", "starts_with", "weekday",
)  # fmt: skip
ELEMENTS = ("element", "f_first", "f_last")
UPPER, LOWER = 1, -1
DEEP = 12  # nesting of questions
_SEEN: frozenset[tuple[str, str]] = frozenset()


@dataclass(slots=True)
class Ranks:
    """The ranks of the columns of a stratum; a column outside it has rank 0. ``limited`` are known to be finite."""

    limited: Set[Position] = frozenset()
    rank: dict[Position, int] = field(default_factory=dict)

    def settle(self, ways: Sequence[Way], most: int) -> None:
        """The least fixpoint; columns whose rank rises above ``most`` are endless."""
        grown = True
        while grown:
            grown = False
            for way in ways:
                for column, term in enumerate(way.head):
                    position = (way.rule.head.predicate, column)
                    if position in self.limited or self.rank.get(position, 0) == ENDLESS:
                        continue
                    found = self.of(way, term)
                    if found > self.rank.get(position, 0):
                        self.rank[position] = found if found <= most else ENDLESS
                        grown = True

    @property
    def endless(self) -> set[Position]:
        """The columns that may take infinitely many values."""
        return {position for position, rank in self.rank.items() if rank == ENDLESS}

    def is_finite(self, way: Way, term: Term) -> bool:
        """Whether the term takes finitely many values in this way."""
        return self.of(way, term) < ENDLESS

    def of(self, way: Way, term: Term, seen: Set[tuple[str, str]] = _SEEN) -> int:
        """The rank of a term; ``seen`` are the questions that this one is part of."""
        if isinstance(term, Const):
            return 0
        if isinstance(term, Var):
            return self._variable(way, term, seen)
        if isinstance(term, Call):
            return self._call(way, term, seen)
        if isinstance(term, Aggregate):
            inner = inner_way(way, term)
            return max((self.of(inner, value, seen) for value in term.arguments), default=0)
        return 0  # `_`: the matching values already exist

    def _variable(self, way: Way, term: Var, seen: Set[tuple[str, str]]) -> int:
        if ("is", term.name) in seen or len(seen) > DEEP:
            return ENDLESS
        inner = {*seen, ("is", term.name)}
        found = self._ranks_at(way.read.get(term.name, ()))
        found += (self.of(way, other, inner) for other in way.equal.get(term.name, ()))
        found += (_less(self.of(way, whole, inner), depth) for whole, depth in way.part_of.get(term.name, ()))
        best = min(found, default=ENDLESS)
        if best < ENDLESS or way.types.get(term.name) not in INTEGERS:
            return best
        return max(self.bound(way, term, UPPER, inner), self.bound(way, term, LOWER, inner))

    def _ranks_at(self, places: Iterable[Occurrence]) -> list[int]:
        return [
            max((_less(self._at(position), place.depth) for position in place.positions), default=0) for place in places
        ]

    def _at(self, position: Position) -> int:
        return 0 if position in self.limited else self.rank.get(position, 0)

    def _call(self, way: Way, call: Call, seen: Set[tuple[str, str]]) -> int:
        if call.function in FEW_VALUES or not call.args:
            return 0
        structure = structure_of(call.function)
        if structure is not None and structure.kind == TEST:
            return 0
        if call.function == "%" and len(call.args) == 2:
            return _more(self.of(way, call.args[1], seen))
        asked = min(self._ranks_at(way.computed.get(call, ())), default=ENDLESS)
        inner = max(self.of(way, arg, seen) for arg in call.args)
        if asked <= inner:
            return asked
        if call.function in ELEMENTS or (structure is not None and structure.kind == READ):
            return _less(inner, 1)
        return _more(inner)

    def bound(self, way: Way, term: Term, side: int, seen: Set[tuple[str, str]] = _SEEN) -> int:
        """The rank of something finite that the term is never above (`UPPER`) or never below (`LOWER`)."""
        key = ("above" if side == UPPER else "below", term.name) if isinstance(term, Var) else None
        if key in seen or len(seen) > DEEP:
            return ENDLESS
        if isinstance(term, Call):
            found = self.of(way, term, seen)
            return found if found < ENDLESS else self._bound_of_call(way, term, side, seen)
        if key is None:
            return self.of(way, term, seen)
        inner = {*seen, key}
        found = min(self._ranks_at(way.read.get(key[1], ())), default=ENDLESS)
        if found < ENDLESS:
            return found
        if side == LOWER and way.types.get(key[1]) == UNSIGNED:
            return 0
        return min((self._beyond(way, term, pair, side, inner) for pair in way.at_most), default=ENDLESS)

    def _beyond(self, way: Way, term: Term, pair: tuple[Term, Term, int], side: int, seen: Set[tuple[str, str]]) -> int:
        """The rank of the bound that a comparison implies, if it restricts the term."""
        near, far = (pair[0], pair[1]) if side == UPPER else (pair[1], pair[0])
        small, large = (term, near) if side == UPPER else (near, term)
        if near != term and not above(way, large, small):
            return ENDLESS
        return _more(self.bound(way, far, side, seen))

    def _bound_of_call(self, way: Way, call: Call, side: int, seen: Set[tuple[str, str]]) -> int:
        args = call.args
        match call.function, len(args):
            case "+", 2:
                return _more(max(self.bound(way, arg, side, seen) for arg in args))
            case "-", 2:
                return _more(max(self.bound(way, args[0], side, seen), self.bound(way, args[1], -side, seen)))
            case "-", 1:
                return _more(self.bound(way, args[0], -side, seen))
            case "*", 2:
                return _more(max(self.bound(way, arg, each, seen) for arg in args for each in (UPPER, LOWER)))
            case "min" | "max" | "least" | "greatest", _:
                one = (call.function in ("min", "least")) == (side == UPPER)
                return (min if one else max)(self.bound(way, arg, side, seen) for arg in args)
            case "band", 2 if any(isinstance(a, Const) and _positive(a) for a in args):
                return 0
        return ENDLESS


def _positive(const: Const) -> bool:
    return isinstance(const.value, int) and const.value >= 0


def _more(rank: int) -> int:
    return rank if rank >= ENDLESS else rank + 1


def _less(rank: int, by: int) -> int:
    return rank if rank >= ENDLESS else max(rank - by, 0)


def applications(ways: Iterable[Way]) -> int:
    """An upper bound of all finite ranks: the sum over all columns of the applications in their deepest terms."""
    deepest: dict[Position, int] = {}
    for way in ways:
        extra = 2 * len(way.at_most) + 2
        for column, term in enumerate(way.head):
            position = (way.rule.head.predicate, column)
            deepest[position] = max(deepest.get(position, 0), _depth(way.resolve(term)) + extra)
    return sum(deepest.values())


def _depth(term: Term) -> int:
    if isinstance(term, Call):
        return 1 + max(map(_depth, term.args), default=0)
    return 0


def ranks_of(ways: Sequence[Way], limited: Set[Position]) -> Ranks:
    """The ranks of the columns of these ways."""
    ranks = Ranks(limited)
    ranks.settle(ways, applications(ways))
    return ranks


def column_type(position: Position, schema: Mapping[str, tuple[str | None, ...]]) -> str | None:
    """The type of a column, None if undetermined."""
    name, column = position
    types = schema.get(name, ())
    return types[column] if column < len(types) else None
