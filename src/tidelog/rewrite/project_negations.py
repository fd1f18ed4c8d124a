"""Negated atoms with ``_`` read a projection.

Law: ``!p(X, _)`` means that no fact of p has X in its first column: X is not in the projection of p on that column.
So the negated atom of the core language is a test of one fact. The projection of a relation on given columns is the
same for all rules: its rule is labelled by relation and columns, and is the same value for every user.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.program import Atom, Literal, Negation, Rule, Term, Var, Wildcard
from tidelog.rewrite.names import PROJECTION


def project_negations(rule: Rule) -> tuple[Rule, ...]:
    """The rules of the projections that the rule needs, then the rule reading them.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for after in project_negations(parse_program("r1: leaf(X) :- node(X), !edge(X, _).").rules[0]):
    ...     print(print_rule(after))
    edge/only/1: __only_edge/1(V1) :- edge(V1, _).
    r1: leaf(X) :- node(X), !__only_edge/1(X).
    """
    projections: dict[str, Rule] = {}
    body: list[Literal] = []
    for literal in rule.body:
        if isinstance(literal, Negation) and any(isinstance(arg, Wildcard) for arg in literal.atom.args):
            projection = _projection(literal.atom, rule)
            projections[projection.head.predicate] = projection
            literal = replace(literal, atom=_onto(projection.head, literal.atom, _kept(literal.atom)))
        body.append(literal)
    if not projections:
        return (rule,)
    return (*projections.values(), replace(rule, body=tuple(body), origin=rule))


def _kept(atom: Atom) -> list[int]:
    return [i for i, arg in enumerate(atom.args) if not isinstance(arg, Wildcard)]


def _projection(atom: Atom, rule: Rule) -> Rule:
    """``__only_p/1/3(V1, V3) :- p(V1, _, V3).``"""
    kept = _kept(atom)
    columns: list[Term] = [Var(f"V{i + 1}") if i in kept else Wildcard() for i in range(len(atom.args))]
    source = replace(atom, args=tuple(columns))
    numbers = "".join(f"/{i + 1}" for i in kept)
    head = _onto(Atom(f"{PROJECTION}{atom.predicate}{numbers}", ()), source, kept)
    return Rule(head, (source,), f"{atom.predicate}/only{numbers}", rule.span, rule)


def _onto(projection: Atom, atom: Atom, kept: list[int]) -> Atom:
    """The atom of the projection with the kept arguments of an atom; located where the atom is, if possible."""
    place = kept.index(atom.location) if atom.location in kept else None
    return replace(projection, args=tuple(atom.args[i] for i in kept), location=place, span=atom.span)
