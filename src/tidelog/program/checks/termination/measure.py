"""A measure of steps: something finite that gets strictly larger with every step around the cycle.

Law: choose one finite column for each relation of a stratum. If every rule that makes new values assigns its head a
strictly larger (or always a strictly smaller) value there than each fact of the stratum that it reads has, and no other
rule a smaller one, then no derivation makes new values more often than the column has values; so all columns are
finite. Thus `fib(N+1, A+B)` ends with only a bound on N, and the cost of a path without repetition needs none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from tidelog.program.checks.termination.linear import above
from tidelog.program.checks.termination.lists import LONGER
from tidelog.program.checks.termination.ranks import Ranks
from tidelog.program.checks.termination.ways import Way, is_inside
from tidelog.program.values.term import Call, Term

MOST = 2000
UP, DOWN = 1, -1


def has_measure(ways: Sequence[Way], ranks: Ranks) -> bool:
    """Whether a choice of finite columns is a measure of the steps of these ways."""
    names = {way.rule.head.predicate: len(way.head) for way in ways}
    columns = [[i for i in range(count) if (each, i) not in ranks.endless] for each, count in names.items()]
    if not all(columns) or prod(map(len, columns)) > MOST:
        return False
    growing = [(i, way) for i, way in enumerate(ways) if _makes_values(way, ranks)]
    left = {(i, j) for i, way in growing for j, _ in enumerate(way.atoms)}
    for choice in product(*columns):
        for direction in (UP, DOWN):
            left -= _rises(ways, dict(zip(names, choice, strict=True)), direction)
    return not left


def _rises(ways: Sequence[Way], chosen: Mapping[str, int], direction: int) -> set[tuple[int, int]]:
    """Where (in which way, at which of its atoms) the chosen columns rise strictly; nowhere if they fall anywhere."""
    strictly: set[tuple[int, int]] = set()
    for i, way in enumerate(ways):
        made = way.head[chosen[way.rule.head.predicate]]
        for j, atom in enumerate(way.atoms):
            read = atom.args[chosen[atom.predicate]]
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
    return above(way, large, small, int(strictly))
