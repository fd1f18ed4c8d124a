"""Path expressions become atoms of the relations that they denote.

Law: a path atom means an atom over a binary relation (`program.path`), so every pass treats it as one: it binds, it may
be negated, its ends are arguments. `WalkAtom` keeps the path beside the atom until `expand_paths` determines how the
relation is computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tidelog.program import (
    Aggregate,
    Atom,
    Call,
    Disjunction,
    Label,
    Literal,
    Negation,
    Path,
    PathAtom,
    Rule,
    Term,
)
from tidelog.program.values.path_text import path_text
from tidelog.program.values.scope import rule_literals
from tidelog.rewrite.paths.forms import tidy
from tidelog.rewrite.paths.names import WALKS
from tidelog.rewrite.scope import map_terms

NOWHERE = Label("")  # an atom has fields with defaults, so the path needs a default, too; it is always passed


@dataclass(frozen=True, slots=True)
class WalkAtom(Atom):
    """An atom over the relation that a path denotes."""

    path: Path = NOWHERE


def name_paths(rule: Rule) -> tuple[Rule, ...]:
    """The rule with an atom for every path atom.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> (after,) = name_paths(parse_program("p(X, Y) :- q(X), !^(a/b)(X, Y).").rules[0])
    >>> print(print_rule(after))
    p(X, Y) :- q(X), !__path_^b/^a(X, Y).
    """
    if not any(isinstance(literal, PathAtom) for literal in rule_literals(rule)):
        return (rule,)
    head = replace(rule.head, args=tuple(map(_term, rule.head.args)))
    return (replace(rule, head=head, body=_body(rule.body), origin=rule),)


def _body(body: Iterable[Literal]) -> tuple[Literal, ...]:
    return tuple(map(_literal, body))


def _literal(literal: Literal) -> Literal:
    if isinstance(literal, Disjunction):
        return replace(literal, branches=tuple(map(_body, literal.branches)))
    if isinstance(literal, PathAtom):
        path = tidy(literal.path)
        ends = (_term(literal.source), _term(literal.target))
        atom = WalkAtom(f"{WALKS}{path_text(path)}", ends, None, literal.span, path)
        return Negation(atom, literal.span) if literal.negated else atom
    return map_terms(literal, _term)


def _term(term: Term) -> Term:
    if isinstance(term, Call):
        return replace(term, args=tuple(map(_term, term.args)))
    if isinstance(term, Aggregate):
        value = None if term.value is None else _term(term.value)
        return replace(term, value=value, body=None if term.body is None else _body(term.body))
    return term
