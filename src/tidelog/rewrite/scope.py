"""The occurrences of variables: what every pass needs to know about a rule.

Law: the body of an aggregate is a separate scope. A question about a literal never enters such a
body unless its name says ``all``; the value of a head aggregate ``min<C>`` belongs to the rule's own scope.
Nothing here determines the meaning of a rule; `binding` determines whether variables are bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from tidelog.program import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Disjunction,
    Literal,
    Negation,
    Rule,
    Term,
    Var,
    Wildcard,
)


def terms_of(literal: Literal) -> Iterator[Term]:
    """The outermost terms of a literal, including those of all branches."""
    match literal:
        case Atom():
            yield from literal.args
        case Negation():
            yield from literal.atom.args
        case Comparison():
            yield literal.left
            yield literal.right
        case Disjunction():
            for branch in literal.branches:
                for part in branch:
                    yield from terms_of(part)


def own_terms(term: Term) -> Iterator[Term]:
    """A term and the terms inside it, outermost first; an aggregate with a body is returned but not entered."""
    yield term
    if isinstance(term, Call):
        for arg in term.args:
            yield from own_terms(arg)
    elif isinstance(term, Aggregate) and term.body is None and term.value is not None:
        yield from own_terms(term.value)


def all_terms(term: Term) -> Iterator[Term]:
    """A term and everything inside it, including the bodies of aggregates."""
    for part in own_terms(term):
        yield part
        if isinstance(part, Aggregate) and part.body is not None:
            if part.value is not None:
                yield from all_terms(part.value)
            for literal in part.body:
                for inner in terms_of(literal):
                    yield from all_terms(inner)


def names(terms: Iterable[Term]) -> list[str]:
    """The names of the variables among the terms' own parts, each once, in order of occurrence."""
    return list(dict.fromkeys(part.name for term in terms for part in own_terms(term) if isinstance(part, Var)))


def body_names(body: Iterable[Literal]) -> list[str]:
    """The variables of a conjunction's own scope, in order of occurrence."""
    return names(term for literal in body for term in terms_of(literal))


def rule_terms(rule: Rule) -> Iterator[Term]:
    """The outermost terms of head and body."""
    yield from rule.head.args
    for literal in rule.body:
        yield from terms_of(literal)


def body_aggregates(term: Term) -> list[Aggregate]:
    """The aggregates with a body that occur in a term, outermost only."""
    return [part for part in own_terms(term) if isinstance(part, Aggregate) and part.body is not None]


def counted_names(body: Iterable[Literal]) -> list[str]:
    """The variables whose valuations an aggregate over this body distinguishes (D12).

    Of a disjunction only the variables that occur in every branch count: the others have no value in some branch.
    """
    counted: dict[str, None] = {}
    for literal in body:
        if isinstance(literal, Disjunction):
            branches = [counted_names(branch) for branch in literal.branches]
            here = [n for n in branches[0] if all(n in other for other in branches)] if branches else []
        else:
            here = names(terms_of(literal))
        counted.update(dict.fromkeys(here))
    return list(counted)


class FreshVariables:
    """Generates variables V1, V2, ... that do not occur in a rule; the same rule always gets the same ones."""

    def __init__(self, terms: Iterable[Term] = ()) -> None:
        self._used = {part.name for term in terms for part in all_terms(term) if isinstance(part, Var)}
        self._number = 0

    def variable(self) -> Var:
        """The next unused variable."""
        self._number += 1
        name = f"V{self._number}"
        return self.variable() if name in self._used else Var(name)


def map_terms(literal: Literal, change: Callable[[Term], Term]) -> Literal:
    """The literal with every outermost term changed; literals with a separate pass are left unchanged."""
    match literal:
        case Atom():
            return replace(literal, args=tuple(map(change, literal.args)))
        case Negation():
            return replace(literal, atom=replace(literal.atom, args=tuple(map(change, literal.atom.args))))
        case Comparison():
            return replace(literal, left=change(literal.left), right=change(literal.right))
    return literal


def name_wildcards(body: Iterable[Literal], fresh: FreshVariables) -> tuple[Literal, ...]:
    """Replace each ``_`` that is an argument of a positive atom of the conjunction by a separate variable."""

    def named(term: Term) -> Term:
        return fresh.variable() if isinstance(term, Wildcard) else term

    return tuple(map_terms(literal, named) if isinstance(literal, Atom) else literal for literal in body)


def located(predicate: str, args: tuple[Term, ...], home: Term | None) -> Atom:
    """An atom of an auxiliary relation, placed at the argument equal to `home` where there is one."""
    return Atom(predicate, args, args.index(home) if isinstance(home, Var) and home in args else None)


def home_of(body: Iterable[Literal]) -> Term | None:
    """The location of the first atom of a body that has one."""
    for literal in body:
        if isinstance(literal, Atom) and literal.location is not None:
            return literal.args[literal.location]
    return None
