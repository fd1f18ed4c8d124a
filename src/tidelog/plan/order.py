"""Join order: which literal of a body comes next.

Law: any order gives the same supports; the order decides only how many facts are visited. Filters come as soon as
their variables are bound; computations that may fail come after all literals that do not need their result, so that
an error is raised only for valuations that the rest of the body admits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from tidelog.program import Atom, Call, Comparison, Const, Literal, Negation, Term, Var, subterms, variables

LATE_FUNCTIONS = frozenset({"/", "%", "^"})
EARLY_FUNCTIONS = frozenset({"+", "-", "*", "band", "bor", "bxor", "list", "cat"})


class Statistics(Protocol):
    """What the planner asks about the data."""

    def matching(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """About how many facts agree on the columns."""
        ...


def literal_variables(literal: Literal) -> Iterator[str]:
    """The names of the variables of a core literal."""
    if isinstance(literal, Comparison):
        terms: tuple[Term, ...] = (literal.left, literal.right)
    else:
        assert isinstance(literal, Atom | Negation)
        terms = literal.args if isinstance(literal, Atom) else literal.atom.args
    return (v.name for t in terms for v in variables(t))


def is_generator(literal: Literal) -> bool:
    """Whether the literal is ``V = range(...)``."""
    return isinstance(literal, Comparison) and any(
        isinstance(side, Call) and side.function == "range" for side in (literal.left, literal.right)
    )


def may_fail(literal: Literal) -> bool:
    """Whether evaluating the literal too early could raise an error that the whole body would not."""
    if not isinstance(literal, Comparison):
        return False
    calls = (t.function for side in (literal.left, literal.right) for t in subterms(side) if isinstance(t, Call))
    return any(f not in EARLY_FUNCTIONS for f in calls)


def is_ready(literal: Literal, bound: set[str]) -> bool:
    """Whether a filter, an assignment or a generator can be evaluated with these variables bound."""
    if isinstance(literal, Atom):
        return True
    missing = {v for v in literal_variables(literal) if v not in bound}
    if not missing:
        return True
    return isinstance(literal, Comparison) and literal.op == "=" and _assigns(literal, missing)


def _assigns(literal: Comparison, missing: set[str]) -> bool:
    return any(
        isinstance(here, Var) and missing == {here.name} and here.name not in {v.name for v in variables(there)}
        for here, there in ((literal.left, literal.right), (literal.right, literal.left))
    )


def choose_next(remaining: list[tuple[int, Literal]], bound: set[str], statistics: Statistics) -> int:
    """The place in ``remaining`` of the literal to evaluate next."""
    ready = [(at, literal) for at, (_, literal) in enumerate(remaining) if is_ready(literal, bound)]
    for at, literal in ready:
        if not isinstance(literal, Atom) and not is_generator(literal) and not may_fail(literal):
            return at
    wanted = {v for _, x in remaining if isinstance(x, Atom | Negation) for v in literal_variables(x)} - bound
    for at, literal in ready:
        if may_fail(literal) and not is_generator(literal) and wanted & set(literal_variables(literal)):
            return at
    generators = [(_cost(literal, bound, statistics), at) for at, literal in ready if _generates(literal)]
    if generators:
        return min(generators)[1]
    return ready[0][0]


def _generates(literal: Literal) -> bool:
    return isinstance(literal, Atom) or is_generator(literal)


def _cost(literal: Literal, bound: set[str], statistics: Statistics) -> float:
    if not isinstance(literal, Atom):
        return 10.0
    columns = tuple(i for i, arg in enumerate(literal.args) if _is_bound(arg, bound))
    return statistics.matching(literal.predicate, len(literal.args), columns)


def _is_bound(term: Term, bound: set[str]) -> bool:
    return isinstance(term, Const) or (isinstance(term, Var) and term.name in bound)
