"""Elaboration: integer literals take the type that the type check found for them.

Law: an elaborated program means what the program means, and every constant in it has the type of its place: `1` in a
float column is `1.0`, in an unsigned column an unsigned. Literals are met in the same order as in `inference` (body,
then head; left to right), so that the types found there can be handed out one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidelog.program.literal import Atom, Comparison, Disjunction, Literal, Negation, PathAtom
from tidelog.program.rule import Fact, Rule
from tidelog.program.term import FLOAT, NUMBER, UNSIGNED, Aggregate, Call, Const, Term

RETYPED = (FLOAT, UNSIGNED)


def elaborate_rule(rule: Rule, types: Iterator[str]) -> Rule:
    """The rule with its integer literals retyped, in order."""
    body = _literals(rule.body, types)
    return replace(rule, head=_atom(rule.head, types), body=body)


def elaborate_fact(fact: Fact, types: Iterator[str]) -> Fact:
    """The fact with its integer literals retyped, in order.

    >>> elaborate_fact(Fact(Atom("p", (Const(1, "number"),))), iter(["float"])).atom.args
    (Const(value=1.0, type='float'),)
    """
    return replace(fact, atom=_atom(fact.atom, types))


def _atom(atom: Atom, types: Iterator[str]) -> Atom:
    return replace(atom, args=tuple(_term(arg, types) for arg in atom.args))


def _literals(literals: tuple[Literal, ...], types: Iterator[str]) -> tuple[Literal, ...]:
    return tuple(_literal(literal, types) for literal in literals)


def _literal(literal: Literal, types: Iterator[str]) -> Literal:
    if isinstance(literal, Atom):
        return _atom(literal, types)
    if isinstance(literal, Negation):
        return replace(literal, atom=_atom(literal.atom, types))
    if isinstance(literal, PathAtom):
        source = _term(literal.source, types)
        return replace(literal, source=source, target=_term(literal.target, types))
    if isinstance(literal, Comparison):
        left = _term(literal.left, types)
        return replace(literal, left=left, right=_term(literal.right, types))
    if isinstance(literal, Disjunction):
        return replace(literal, branches=tuple(_literals(branch, types) for branch in literal.branches))
    return literal


def _term(term: Term, types: Iterator[str]) -> Term:
    if isinstance(term, Const) and term.type == NUMBER:
        type_ = next(types)
        return replace(term, type=type_) if type_ in RETYPED else term
    if isinstance(term, Call):
        return replace(term, args=tuple(_term(arg, types) for arg in term.args))
    if isinstance(term, Aggregate):
        body = None if term.body is None else _literals(term.body, types)
        return replace(term, body=body, value=None if term.value is None else _term(term.value, types))
    return term
