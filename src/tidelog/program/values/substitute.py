"""Replace variables by terms, and change every term of a literal.

Law: a substitution replaces all occurrences at once, including those inside aggregates; inserted terms are not
substituted again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from tidelog.program.values.term import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Disjunction,
    Literal,
    Negation,
    PathAtom,
    Term,
    Var,
)

Change = Callable[[Term], Term]


def changed_body(body: Iterable[Literal], change: Change) -> tuple[Literal, ...]:
    """The body with every outermost term changed."""
    return tuple(changed_literal(literal, change) for literal in body)


def changed_literal(literal: Literal, change: Change) -> Literal:
    """The literal with every outermost term changed, branches of disjunctions included."""
    match literal:
        case Atom(args=args):
            return replace(literal, args=tuple(map(change, args)))
        case Negation(atom=atom):
            return replace(literal, atom=replace(atom, args=tuple(map(change, atom.args))))
        case Comparison(left=left, right=right):
            return replace(literal, left=change(left), right=change(right))
        case PathAtom(source=source, target=target):
            return replace(literal, source=change(source), target=change(target))
        case Disjunction(branches=branches):
            return replace(literal, branches=tuple(changed_body(branch, change) for branch in branches))
    return literal


def changed_inside(term: Term, change: Change) -> Term:
    """The term with the terms directly inside it changed, including those in the body of an aggregate."""
    if isinstance(term, Call):
        return replace(term, args=tuple(map(change, term.args)))
    if isinstance(term, Aggregate):
        value = None if term.value is None else change(term.value)
        return replace(term, value=value, body=None if term.body is None else changed_body(term.body, change))
    return term


def substitution(terms: Mapping[str, Term]) -> Change:
    """The change that replaces each named variable by a term; a new variable gets the position of the replaced one.

    >>> substitution({"x": Var("y")})(Call("+", (Var("x"), Var("z"))))
    Call(function='+', args=(Var(name='y'), Var(name='z')))
    """

    def change(term: Term) -> Term:
        if isinstance(term, Var):
            found = terms.get(term.name, term)
            return replace(found, span=term.span) if isinstance(found, Var) and found.span is None else found
        return changed_inside(term, change)

    return change
