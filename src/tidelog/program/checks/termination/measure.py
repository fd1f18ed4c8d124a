"""A measure of steps: something that gets strictly larger with every step around the cycle.

Law: choose one column for each relation of a stratum. If every rule that makes new values assigns its head a strictly
larger (or always a strictly smaller) value there than each fact of the stratum that it reads has, and no other rule a
smaller one, then no derivation makes new values more often than the column has values; so if it has finitely many, all
columns are finite. Thus `fib(N+1, A+B)` ends with only a bound on N, and the cost of a path without repetition needs
none. Steps that one choice of columns shows to rise may fall in another: together they are a lexicographic order.
Floats are no measure: `X + 1.0` may equal `X`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import product
from math import prod
from typing import TypeAlias

from tidelog.program.checks.termination.linear import above
from tidelog.program.checks.termination.lists import LONGER
from tidelog.program.checks.termination.ranks import Ranks
from tidelog.program.checks.termination.ways import Way, is_inside
from tidelog.program.values.term import FLOAT, Call, Term, Var, subterms

MOST = 2000
UP, DOWN = 1, -1

Step: TypeAlias = tuple[int, int]
"""A way, and one of the atoms of the stratum that it reads."""


def has_measure(ways: Sequence[Way], ranks: Ranks) -> bool:
    """Whether a choice of finite columns is a measure of the steps of these ways."""
    columns = {
        way.rule.head.predicate: [
            i for i, _ in enumerate(way.head) if (way.rule.head.predicate, i) not in ranks.endless
        ]
        for way in ways
    }
    level = level_steps(ways, columns)
    return not any(_makes_values(ways[i], ranks) for i, _ in level)


def level_steps(ways: Sequence[Way], columns: Mapping[str, Sequence[int]]) -> set[Step]:
    """The steps that no choice of these columns shows to rise or to fall; earlier choices take precedence."""
    level = {(i, j) for i, way in enumerate(ways) for j, _ in enumerate(way.atoms)}
    if prod(map(len, columns.values())) > MOST:
        return level
    choices = [dict(zip(columns, choice, strict=True)) for choice in product(*columns.values())]
    before = None
    while level != before:
        before = set(level)
        for choice in choices:
            for direction in (UP, DOWN):
                level -= _rises(ways, level, choice, direction)
    return level


def _rises(ways: Sequence[Way], steps: Set[Step], chosen: Mapping[str, int], direction: int) -> set[Step]:
    """The steps, of these, at which the chosen columns rise strictly; none if they fall at one of them."""
    strictly: set[Step] = set()
    for i, j in steps:
        way, atom = ways[i], ways[i].atoms[j]
        made, read = way.head[chosen[way.rule.head.predicate]], atom.args[chosen[atom.predicate]]
        if any(_steps(way, each, read, direction, strictly=True) for each in way.meanings(made)):
            strictly.add((i, j))
        elif not _steps(way, made, read, direction, strictly=False):
            return set()
    return strictly


def _makes_values(way: Way, ranks: Ranks) -> bool:
    return any(
        isinstance(way.resolve(term), Call) and (way.rule.head.predicate, column) in ranks.endless
        for column, term in enumerate(way.head)
    )


def _steps(way: Way, result: Term, argument: Term, direction: int, *, strictly: bool) -> bool:
    """Whether the term is larger than the one that was read, or at least not smaller."""
    result, argument = way.resolve(result), way.resolve(argument)
    if result == argument:
        return not strictly
    large, small = (result, argument) if direction == UP else (argument, result)
    if is_inside(way, small, large):
        return True
    if direction == UP and isinstance(result, Call) and result.function in LONGER and len(result.args) == 2:
        rest = result.args[LONGER[result.function][1]]
        return _steps(way, rest, argument, direction, strictly=False)
    if strictly and any(_is_float(way, part) for term in (large, small) for part in subterms(term)):
        return False
    return above(way, large, small, int(strictly))


def _is_float(way: Way, term: Term) -> bool:
    return isinstance(term, Var) and way.types.get(term.name) == FLOAT
