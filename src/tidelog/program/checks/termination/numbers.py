"""Integers between bounds: columns that recursion cannot push beyond existing values.

Law: call a column held from below if all its values are at least L, for one L determined by the finite values of the
program. By induction over derivations that holds if each rule derives a value that is finite, or has a finite bound, or
is never smaller than a value read from a column that is itself held. The same applies from above; and an integer column
that is held on both sides takes finitely many values. So does a float that steps by constants of one sign. The largest
set of columns that hold each other is found by removing columns until no more have to be removed.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from tidelog.program.checks.termination.linear import above, sum_of
from tidelog.program.checks.termination.ranks import ENDLESS, INTEGERS, LOWER, UPPER, Ranks, column_type
from tidelog.program.checks.termination.ways import Position, Way
from tidelog.program.types.assign import Schema
from tidelog.program.values.term import FLOAT, Call, Const, Term, Var


def bounded_numbers(
    ways: Sequence[Way], ranks: Ranks, schema: Schema, assumed: list[Term] | None = None
) -> set[Position]:
    """The endless columns that are held on both sides.

    With ``assumed``, one side may hold only if values from data are not negative; those values are added there.
    """
    numbers = {position for position in ranks.endless if _is_counted(ways, position, schema)}
    sides = {side: _HeldColumns(ways, ranks, side).columns(numbers) for side in (UPPER, LOWER)}
    both = sides[UPPER] & sides[LOWER]
    if both or assumed is None:
        return both
    for side in (UPPER, LOWER):
        held = _HeldColumns(ways, ranks, side, []).columns(sides[-side])
        if held:
            work = _HeldColumns(ways, ranks, side, assumed)
            assert work.columns(held) == held
            return held
    return set()


def _is_counted(ways: Sequence[Way], position: Position, schema: Schema) -> bool:
    """Whether there are finitely many values between two bounds: integers, and floats changed only by sums."""
    type_ = column_type(position, schema)
    if type_ != FLOAT:
        return type_ in INTEGERS
    made = [way.resolve(way.head[position[1]]) for way in ways if way.rule.head.predicate == position[0]]
    sums = [sum_of(term) for term in made]
    constant = {each.constant for each in sums if each.times}
    return all(set(each.times.values()) <= {1} and len(each.times) <= 1 for each in sums) and (
        min(constant) >= 0 or max(constant) <= 0
    )


@dataclass(slots=True)
class _HeldColumns:
    """The search for columns that are held on one side."""

    ways: Sequence[Way]
    ranks: Ranks
    side: int
    assumed: list[Term] | None = None

    def columns(self, among: Set[Position]) -> set[Position]:
        """The largest set of columns that hold each other."""
        held = set(among)
        shrunk = True
        while shrunk:
            out = {
                (way.rule.head.predicate, column)
                for way in self.ways
                for column, term in enumerate(way.head)
                if (way.rule.head.predicate, column) in held and not self._holds(way, term, self.side, held)
            }
            held -= out
            shrunk = bool(out)
        return held

    def _holds(self, way: Way, term: Term, side: int, held: Set[Position], seen: frozenset[Term] = frozenset()) -> bool:
        """Whether the term stays within the bounds of the columns that are held."""
        if term in seen:
            return False
        if self.ranks.bound(way, term, side) < ENDLESS:
            return True
        resolved_term, seen = way.resolve(term), seen | {term}
        if any(_reads_held(way, name, held) and self._within(way, resolved_term, Var(name), side) for name in way.read):
            return True
        if any(self._holds(way, far, side, held, seen) for far in _fars(way, term, side)):
            return True
        return isinstance(resolved_term, Call) and self._call_holds(way, resolved_term, side, held, seen)

    def _within(self, way: Way, term: Term, value: Var, side: int) -> bool:
        large, small = (value, term) if side == UPPER else (term, value)
        wanted: list[Term] | None = None if self.assumed is None else []
        if not above(way, large, small, assumed=wanted):
            return False
        if wanted and not all(term != value and self.ranks.is_finite(way, term) for term in wanted):
            return False
        if self.assumed is not None:
            self.assumed += wanted or ()
        return True

    def _call_holds(self, way: Way, call: Call, side: int, held: Set[Position], seen: frozenset[Term]) -> bool:
        match call.function, call.args:
            case "/", (part, Const(value=int() as divisor)) if divisor >= 1:  # towards zero, which counts as a bound
                return self._holds(way, part, side, held, seen)
            case "%", (part, _):
                return all(self._holds(way, part, each, held, seen) for each in (UPPER, LOWER))
            case "min" | "max", args:
                one = (call.function == "min") == (side == UPPER)
                return (any if one else all)(self._holds(way, arg, side, held, seen) for arg in args)
        return False


def _reads_held(way: Way, name: str, held: Set[Position]) -> bool:
    return any(all(position in held for position in positions) for positions in way.positions(name))


def _fars(way: Way, term: Term, side: int) -> list[Term]:
    """The bounds that comparisons state for the term."""
    pairs = [(a, b) if side == UPPER else (b, a) for a, b, _ in way.at_most]
    return [far for near, far in pairs if near == term]
