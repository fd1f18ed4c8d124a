"""Lists without repetition, texts and lists of bounded size, and numbers that only some operations make.

Law: a function belongs to a *family* if its functions, applied to finitely many values in any order and any number of
times, produce only finitely many values; columns that only functions of one family compute are bounded.

- Lists and texts. If a list is extended only by finite elements, and none is already an element of it, it has no more
  repetitions than the initial lists. The same holds if its size has a finite bound, and for texts, which are lists of
  characters. Removing elements preserves that, and so do `lower` and `upper`: the texts that a character becomes by
  repeated application of either are few and at most `CASE_GROWTH` long. A text is therefore measured by the longest
  text that it can become, which no function here increases: the text inserted by `replace` is ASCII, which never grows,
  and is not longer than the text it removes. Sizes of bounded values are bounded, and so are the texts of bounded
  numbers.
- Bits. Bitwise operations keep the number of bits.
- Magnitudes. Signs, and the nearest integers, of finitely many numbers lie between finite bounds. They are not mixed
  with bits: `abs(bnot(X))` is `X + 1`.

The least or greatest of some values is one of them, in every family.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import TypeAlias

from tidelog.program.checks.termination.ranks import ENDLESS, UPPER, Ranks
from tidelog.program.checks.termination.ways import Position, Way
from tidelog.program.values.term import Call, Const, Term, Var

CASE_GROWTH = 3  # maximum number of characters that `lower` and `upper` may make of one
CHOOSING = ("min", "max", "least", "greatest")
LONGER = {"f_concat": (0, 1), "f_append": (1, 0)}  # the positions of the element and of the list
NOT_LONGER = {  # the position of the list or text from which the result is made
    "f_removeFirst": 0, "f_removeLast": 0, "lower": 0, "regex_group": 1, "substr": 0, "to_string": 0, "trim": 0,
    "upper": 0,
}  # fmt: skip
SIZES = ("edit_distance", "f_size", "strlen")
PADDING = ("pad_left", "pad_right")
PARTS = {"regex_all": 1, "split": 0}  # functions that return lists of parts of a text, and its position
ELEMENTS = ("element", "elements", "f_first", "f_last")
BITS = ("band", "bor", "bxor", "bnot")
MAGNITUDES = ("abs", "ceil", "floor", "round")

Bounded: TypeAlias = Callable[[Term], bool]
Family: TypeAlias = Callable[[Way, Call, Ranks, Bounded], bool]


def bounded_lists(ways: Sequence[Way], ranks: Ranks) -> set[Position]:
    """The endless columns of lists, texts or numbers that functions of one family compute."""
    return {
        position
        for family in (_keeps_size, _keeps_bits, _keeps_magnitude)
        for position in _bounded(ways, ranks, family)
    }


def _bounded(ways: Sequence[Way], ranks: Ranks, family: Family) -> set[Position]:
    """The endless columns that only functions of a family compute."""
    bounded = ranks.endless
    shrunk = True
    while shrunk:
        out = {
            (way.rule.head.predicate, column)
            for way in ways
            for column, term in enumerate(way.head)
            if (way.rule.head.predicate, column) in bounded
            and not _is_bounded(way, way.resolve(term), ranks, bounded, family)
        }
        bounded -= out
        shrunk = bool(out)
    return bounded


def _is_bounded(way: Way, term: Term, ranks: Ranks, bounded: Set[Position], family: Family) -> bool:
    if ranks.is_finite(way, term):
        return True
    if isinstance(term, Var):
        return any(all(position in bounded for position in positions) for positions in way.positions(term.name))
    if not isinstance(term, Call):
        return False

    def is_bounded(arg: Term) -> bool:
        return _is_bounded(way, way.resolve(arg), ranks, bounded, family)

    if term.function in CHOOSING:
        return all(map(is_bounded, term.args))
    return family(way, term, ranks, is_bounded)


def _keeps_bits(_way: Way, call: Call, _ranks: Ranks, is_bounded: Bounded) -> bool:
    return call.function in BITS and all(map(is_bounded, call.args))


def _keeps_magnitude(_way: Way, call: Call, _ranks: Ranks, is_bounded: Bounded) -> bool:
    """Whether a number is negated or rounded to an integer; rounding to digits is not considered."""
    return call.function in (*MAGNITUDES, "-") and len(call.args) == 1 and is_bounded(call.args[0])


def _keeps_size(way: Way, call: Call, ranks: Ranks, is_bounded: Bounded) -> bool:
    """Whether a list or text is made from bounded values without growing, or is the size of one."""
    match call:
        case Call(function="cat"):
            return _has_size(way, (call,), ranks) and all(map(is_bounded, call.args))
        case Call(function=name) if name in SIZES:
            return all(map(is_bounded, call.args))
        case Call(function=name, args=(text, length, fill)) if name in PADDING:
            return is_bounded(text) and ranks.is_finite(way, length) and ranks.is_finite(way, fill)
        case Call(function=name, args=(Call(function=parts, args=args), *_)) if name in ELEMENTS and parts in PARTS:
            return is_bounded(args[PARTS[parts]])
        case Call(function="replace", args=(text, old, new)) if _is_as_long(old, new):
            return is_bounded(text)
        case Call(function="join", args=(Call(function="split", args=(text, old)), new)) if _is_as_long(old, new):
            return is_bounded(text)
        case Call(function=name) if name in NOT_LONGER:
            return is_bounded(call.args[NOT_LONGER[name]])
        case Call(function=name, args=(_, _)) if name in LONGER:
            element, rest = (call.args[i] for i in LONGER[name])
            if not ranks.is_finite(way, element) or not is_bounded(rest):
                return False
            return _is_fresh(way, rest, element) or _has_size(way, (call, rest), ranks)
    return False


def _is_as_long(old: Term, new: Term) -> bool:
    """Whether a text that is removed is at least as long as the ASCII text inserted for it."""
    match old, new:
        case Const(value=str() as removed), Const(value=str() as inserted):
            return bool(removed) and len(inserted) <= len(removed) and inserted.isascii()
    return False


def _is_fresh(way: Way, rest: Term, element: Term) -> bool:
    """Whether the way states that the element is not in the list."""
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
