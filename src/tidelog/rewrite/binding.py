"""The variables that a conjunction binds, and the literals that are needed for that.

Law: a positive atom binds the variables that are arguments of it, an equation ``V = term`` binds V once the variables
of the term are bound, and a disjunction binds what all its branches bind. Everything else only tests.
Unsafe rules are found by the checks of `program`; here an unbound variable is not an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from tidelog.program import Atom, Comparison, Disjunction, Literal, Term, Var
from tidelog.rewrite.scope import body_names, names


def bound_names(body: Iterable[Literal], already: Set[str] = frozenset()) -> set[str]:
    """The variables that have a value in every valuation of the body, the given ones included."""
    literals = tuple(body)
    bound = set(already)
    while news := {name for literal in literals for name, _ in _bindings(literal, bound)} - bound:
        bound |= news
    return bound


def binders(names: Iterable[str], context: Sequence[Literal]) -> tuple[Literal, ...]:
    """The fewest literals of the context that bind the wanted variables and that one left-to-right pass finds.

    A variable that the context does not bind is left alone.
    """
    found = _justify(context)
    chosen: set[int] = set()
    open_names = [name for name in names if name in found]
    while open_names:
        index, needs = found[open_names.pop()]
        if index not in chosen:
            chosen.add(index)
            open_names.extend(needs)
    return tuple(literal for index, literal in enumerate(context) if index in chosen)


def _justify(context: Sequence[Literal]) -> dict[str, tuple[int, list[str]]]:
    """For each bound variable the position of the literal that binds it first, and what that literal needs."""
    found: dict[str, tuple[int, list[str]]] = {}
    size = -1
    while size < len(found):
        size = len(found)
        for index, literal in enumerate(context):
            for name, needs in _bindings(literal, set(found)):
                found.setdefault(name, (index, needs))
    return found


def _bindings(literal: Literal, bound: Set[str]) -> list[tuple[str, list[str]]]:
    """The variables that a literal binds once those in `bound` are bound, each with the variables needed for that."""
    match literal:
        case Atom():
            needs = [n for n in names(literal.args) if Var(n) not in literal.args]
            given = [(arg.name, needs) for arg in literal.args if isinstance(arg, Var)]
            return given if bound >= set(needs) else []
        case Comparison(op="="):
            return [*_equation(literal.left, literal.right, bound), *_equation(literal.right, literal.left, bound)]
        case Disjunction(branches=(_, *_)):
            common = set.intersection(*(bound_names(branch, bound) for branch in literal.branches)) - bound
            outer = [n for n in body_names([literal]) if n in bound]
            return [(name, outer) for name in body_names([literal]) if name in common]
        case _:
            return []


def _equation(left: Term, right: Term, bound: Set[str]) -> list[tuple[str, list[str]]]:
    needs = names([right])
    return [(left.name, needs)] if isinstance(left, Var) and bound >= set(needs) else []
