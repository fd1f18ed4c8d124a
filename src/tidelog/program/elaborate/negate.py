"""The negation of a conjunction, pushed down to its literals.

Law (De Morgan): a conjunction fails where one of its literals does, a disjunction where all its branches do, and a
negated literal where the literal holds. A negated part binds no variable, so this is the negation only if every
variable of the literals is bound elsewhere; `safety` finds those that are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tidelog.program.values.term import Atom, Boolean, Comparison, Disjunction, Literal, Negation, PathAtom

OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negated_body(body: Sequence[Literal]) -> tuple[Literal, ...]:
    """A conjunction that holds where the given one does not.

    >>> from tidelog.program.values.term import Var
    >>> [type(part).__name__ for part in negated_body([Atom("p", (Var("X"),)), Atom("q", (Var("X"),))])]
    ['Disjunction']
    """
    if not body:
        return (Boolean(False),)
    if len(body) == 1:
        return negated(body[0])
    return (Disjunction(tuple(negated(literal) for literal in body), body[0].span),)


def negated(literal: Literal) -> tuple[Literal, ...]:
    """A conjunction that holds where the literal does not."""
    match literal:
        case Atom():
            return (Negation(literal, literal.span),)
        case Negation(atom=atom):
            return (atom,)
        case Comparison(op=op):
            return (replace(literal, op=OPPOSITE[op]),)
        case Boolean(value=value):
            return (replace(literal, value=not value),)
        case PathAtom(negated=turned):
            return (replace(literal, negated=not turned),)
        case Disjunction(branches=branches):
            return tuple(part for branch in branches for part in negated_body(branch))
