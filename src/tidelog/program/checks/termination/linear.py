"""Sums: a term as a constant and multiples of variables, and whether one term is never smaller than another.

Law: a positive answer holds for all values that the comparisons of the way admit; otherwise the answer is negative.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tidelog.program.checks.termination.ways import Way
from tidelog.program.values.term import UNSIGNED, Call, Const, Term, Var


@dataclass(slots=True)
class Sum:
    """``constant`` plus a multiple of each variable or other term."""

    constant: float = 0
    times: dict[Term, float] = field(default_factory=dict)

    def plus(self, other: Sum, factor: float) -> Sum:
        """This and a multiple of the other."""
        times = dict(self.times)
        for term, count in other.times.items():
            times[term] = times.get(term, 0) + factor * count
        return Sum(self.constant + factor * other.constant, {t: n for t, n in times.items() if n})


def sum_of(term: Term) -> Sum:
    """The term as a sum; a term that is not a sum is itself.

    >>> x, one = Var("X"), Const(1, "number")
    >>> sum_of(Call("-", (Call("+", (x, one)), x)))
    Sum(constant=1, times={})
    """
    if isinstance(term, Const) and isinstance(term.value, int | float):
        return Sum(term.value)
    if isinstance(term, Call):
        match term.function, [sum_of(arg) for arg in term.args]:
            case "+", [a, b]:
                return a.plus(b, 1)
            case "-", [a, b]:
                return a.plus(b, -1)
            case "-", [a]:
                return Sum().plus(a, -1)
            case "*", [a, b] if not a.times or not b.times:
                part, factor = (a, b.constant) if a.times else (b, a.constant)
                return Sum().plus(part, factor)
    return Sum(0, {term: 1})


def above(way: Way, large: Term, small: Term, by: float = 0, assumed: list[Term] | None = None) -> bool:
    """Whether the first term exceeds the second by at least the given amount.

    With ``assumed``, variables about which nothing is known are assumed not to be negative; the relevant ones are added
    there.
    """
    difference = sum_of(way.resolve(large)).plus(sum_of(way.resolve(small)), -1)
    least, unknown = difference.constant, []
    for term, count in difference.times.items():
        bound = _constant_bound(way, term, lower=count > 0)
        if bound is not None:
            least += count * bound
        elif assumed is not None and count > 0 and isinstance(term, Var):
            unknown.append(term)
        else:
            return _extreme_above(way, large, small, by)
    if least >= by and assumed is not None:
        assumed += unknown
    return least >= by


def _extreme_above(way: Way, large: Term, small: Term, by: float) -> bool:
    """Use that ``max`` is above each of its arguments, and ``min`` below."""
    large, small = way.resolve(large), way.resolve(small)
    if isinstance(large, Call) and large.function == "max":
        return any(above(way, arg, small, by) for arg in large.args)
    if isinstance(small, Call) and small.function == "min":
        return any(above(way, large, arg, by) for arg in small.args)
    return False


def _constant_bound(way: Way, term: Term, *, lower: bool) -> float | None:
    """The constant that comparisons set as the least (or greatest) value of a term."""
    found = [0.0] if lower and isinstance(term, Var) and way.types.get(term.name) == UNSIGNED else []
    for small, large, strict in way.at_most:
        bound, bounded = (small, large) if lower else (large, small)
        if way.resolve(bounded) == term and isinstance(bound, Const) and isinstance(bound.value, int | float):
            integer = isinstance(bound.value, int)
            found.append(bound.value + (strict * (1 if lower else -1) if integer else 0))
    if not found:
        return None
    return max(found) if lower else min(found)
