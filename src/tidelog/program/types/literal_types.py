"""Elaboration: literals get the type that the type check found for them.

Law: an elaborated program means what the program means, and every constant in it has the type of its place: `1` in a
float column is `1.0`, in an unsigned column an unsigned, and a quoted text in a column of dates is a date; a record or
a variant names its type. Literals are visited in the same order as in `inference` (body, then head; left to right), so
that the types found there can be assigned in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from tidelog.program.functions.calendar import TRUTH, read_date, read_timestamp
from tidelog.program.types.casts import CAST
from tidelog.program.values.rule import Fact, Rule
from tidelog.program.values.term import (
    BOOLEAN,
    DATE,
    FLOAT,
    NUMBER,
    SYMBOL,
    TIMESTAMP,
    UNSIGNED,
    Aggregate,
    Atom,
    Call,
    Comparison,
    Const,
    Disjunction,
    Literal,
    Negation,
    PathAtom,
    Term,
)

RETYPED = frozenset(
    ((NUMBER, FLOAT), (NUMBER, UNSIGNED), (NUMBER, BOOLEAN), (SYMBOL, DATE), (SYMBOL, TIMESTAMP), (BOOLEAN, SYMBOL))
)  # the type as written, and that of the place
LITERALS = (NUMBER, SYMBOL, BOOLEAN)


class TypedLiterals(NamedTuple):
    """The results of the type check: the types of literals in order, and the functions of the terms of a clause."""

    types: Iterator[str]
    names: Mapping[tuple[int, int], str] = MappingProxyType({})
    clause: int = -1
    recorded: tuple[str, ...] = (NUMBER,)  # the types of the literals for which types were found


def elaborate_rule(rule: Rule, typed: TypedLiterals) -> Rule:
    """The rule with its literals retyped, in order, and its structures named."""
    body = _literals(rule.body, typed)
    return replace(rule, head=_atom(rule.head, typed), body=body)


def elaborate_fact(fact: Fact, typed: TypedLiterals) -> Fact:
    """The fact with its literals retyped, in order.

    >>> elaborate_fact(Fact(Atom("p", (Const(1, "number"),))), TypedLiterals(iter(["float"]))).atom.args
    (Const(value=1.0, type='float'),)
    """
    return replace(fact, atom=_atom(fact.atom, typed))


def retyped(const: Const, type_: str) -> Const:
    """The constant in a place of another type; a ValueError with the reason if it is not a value of that type.

    >>> retyped(Const("2026-06-01", "symbol"), "date"), retyped(Const(1, "boolean"), "symbol")
    (Const(value=20605, type='date'), Const(value='true', type='symbol'))
    """
    value = const.value
    if type_ == DATE and isinstance(value, str):
        return replace(const, value=read_date(value), type=type_)
    if type_ == TIMESTAMP and isinstance(value, str):
        moment, zoned = read_timestamp(value)
        return replace(const, value=moment, type=type_, zoned=zoned)
    if const.type == BOOLEAN and type_ == SYMBOL:
        return replace(const, value=TRUTH[value == 1], type=type_)
    return replace(const, type=type_)


def _atom(atom: Atom, typed: TypedLiterals) -> Atom:
    return replace(atom, args=tuple(_term(arg, typed) for arg in atom.args))


def _literals(literals: tuple[Literal, ...], typed: TypedLiterals) -> tuple[Literal, ...]:
    return tuple(_literal(literal, typed) for literal in literals)


def _literal(literal: Literal, typed: TypedLiterals) -> Literal:
    if isinstance(literal, Atom):
        return _atom(literal, typed)
    if isinstance(literal, Negation):
        return replace(literal, atom=_atom(literal.atom, typed))
    if isinstance(literal, PathAtom):
        source = _term(literal.source, typed)
        return replace(literal, source=source, target=_term(literal.target, typed))
    if isinstance(literal, Comparison):
        left = _term(literal.left, typed)
        return replace(literal, left=left, right=_term(literal.right, typed))
    if isinstance(literal, Disjunction):
        return replace(literal, branches=tuple(_literals(branch, typed) for branch in literal.branches))
    return literal


def _term(term: Term, typed: TypedLiterals) -> Term:
    if isinstance(term, Const):
        type_ = next(typed.types) if term.type in typed.recorded else term.type
        return retyped(term, type_) if type_ != term.type else term
    if isinstance(term, Call) and term.function == CAST:
        return replace(term, args=(_term(term.args[0], typed), *term.args[1:]))
    if isinstance(term, Call):
        name = typed.names.get((typed.clause, id(term)), term.function)
        return replace(term, function=name, args=tuple(_term(arg, typed) for arg in term.args))
    if isinstance(term, Aggregate):
        body = None if term.body is None else _literals(term.body, typed)
        return replace(term, body=body, value=None if term.value is None else _term(term.value, typed))
    return term
