"""Records and variants as the naive evaluator matches them: term beside value, part by part.

Law: a value matches a pattern if it was made by the same constructor and its parts match; the result is a list of terms
that are not patterns, each with the value it must have. Two patterns are equal if their parts are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tidelog.program import Call, Comparison, Term, Value, Variant, Wildcard
from tidelog.program.values.structure import MAKE, structure_of

Pairs = list[tuple[Term, Value]]


def constructor_of(term: Term) -> str | None:
    """The constructor of a pattern ("" for a record); None if the term is not a pattern."""
    found = structure_of(term.function) if isinstance(term, Call) else None
    return found.constructor if found is not None and found.kind == MAKE else None


def ends(term: Term) -> Iterator[Term]:
    """The terms that a pattern consists of, without the patterns themselves."""
    if constructor_of(term) is None:
        yield term
    elif isinstance(term, Call):
        for arg in term.args:
            yield from ends(arg)


def matched(pairs: Iterable[tuple[Term, Value]]) -> Pairs | None:
    """The conditions for terms to match values; None if a constructor differs."""
    found: Pairs = []
    waiting = list(pairs)[::-1]
    while waiting:
        term, value = waiting.pop()
        constructor = constructor_of(term)
        if constructor is None:
            found.append((term, value))
            continue
        assert isinstance(term, Call)
        parts = _parts(value, constructor)
        if parts is None:
            return None
        waiting += list(zip(term.args, parts, strict=True))[::-1]
    return found


def _parts(value: Value, constructor: str) -> tuple[Value, ...] | None:
    if isinstance(value, Variant):
        return value.parts if value.constructor == constructor else None
    return value if isinstance(value, tuple) and not constructor else None


def part_equations(literal: Comparison) -> tuple[Comparison, ...] | None:
    """An equation of two patterns as equations of their parts; None if it is not such an equation."""
    left, right = literal.left, literal.right
    if literal.op != "=" or constructor_of(left) is None or constructor_of(left) != constructor_of(right):
        return None
    assert isinstance(left, Call)
    assert isinstance(right, Call)
    pairs = zip(left.args, right.args, strict=True)
    return tuple(
        Comparison("=", one, other)
        for one, other in pairs
        if not isinstance(one, Wildcard) and not isinstance(other, Wildcard)
    )
