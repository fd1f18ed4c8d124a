"""Lists without repetition, lists and texts of bounded size or that only get shorter, and bits that are only combined.

Law: if a list of a column is made longer by finite elements only, and none is already an element of it, the list has
no more repetitions than the lists that it began with; there are finitely many such lists. The same if its size has a
finite bound, and for texts, which are lists of the characters that were there. Taking elements away keeps that.
Bitwise operations, min and max of finitely many numbers yield finitely many.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from tidelog.program.checks.termination.ranks import ENDLESS, UPPER, Ranks
from tidelog.program.checks.termination.ways import Position, Way
from tidelog.program.values.term import Call, Term, Var

LONGER = {"f_concat": (0, 1), "f_append": (1, 0)}  # the positions of the element and of the list
SHORTER = ("f_removeFirst", "f_removeLast")
CLOSED = ("band", "bor", "bxor", "bnot", "min", "max")


def bounded_lists(ways: Sequence[Way], ranks: Ranks) -> set[Position]:
    """The endless columns of lists, texts or bits that are bounded."""
    bounded = ranks.endless
    shrunk = True
    while shrunk:
        out = {
            (way.rule.head.predicate, column)
            for way in ways
            for column, term in enumerate(way.head)
            if (way.rule.head.predicate, column) in bounded and not _is_bounded(way, way.resolve(term), ranks, bounded)
        }
        bounded -= out
        shrunk = bool(out)
    return bounded


def _is_bounded(way: Way, term: Term, ranks: Ranks, bounded: Set[Position]) -> bool:
    if ranks.is_finite(way, term):
        return True
    if isinstance(term, Var):
        return any(all(position in bounded for position in positions) for positions in way.positions(term.name))
    if not isinstance(term, Call):
        return False
    if term.function in SHORTER or (term.function == "substr" and term.args):
        return _is_bounded(way, term.args[0], ranks, bounded)
    if term.function in CLOSED:
        return all(_is_bounded(way, way.resolve(arg), ranks, bounded) for arg in term.args)
    if term.function == "cat":
        return _has_size(way, (term,), ranks) and all(_is_bounded(way, arg, ranks, bounded) for arg in term.args)
    if term.function in LONGER and len(term.args) == 2:
        element, rest = (term.args[i] for i in LONGER[term.function])
        if not ranks.is_finite(way, element) or not _is_bounded(way, rest, ranks, bounded):
            return False
        return _is_fresh(way, rest, element) or _has_size(way, (term, rest), ranks)
    return False


def _is_fresh(way: Way, rest: Term, element: Term) -> bool:
    """Whether the way says that the element is not in the list."""
    return any(way.resolve(a) == rest and way.resolve(b) == element for a, b in way.absent)


def _has_size(way: Way, lists: Sequence[Term], ranks: Ranks) -> bool:
    """Whether the size of one of the lists or texts has a finite bound."""
    for small, large, _ in way.at_most:
        match way.resolve(small):
            case Call(function="f_size" | "strlen", args=(of,)) if (
                of in lists and ranks.bound(way, large, UPPER) < ENDLESS
            ):
                return True
    return False
