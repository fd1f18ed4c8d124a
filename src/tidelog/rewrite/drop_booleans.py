"""Remove ``true`` and ``false``.

Law: ``true`` is the unit of conjunction and ``false`` the unit of disjunction: a body without its ``true`` means the
same, a rule or branch with ``false`` has no support. Inside an aggregate ``false`` empties what is aggregated, not
the rule, so there it becomes a comparison that never holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tidelog.program import Aggregate, Boolean, Call, Comparison, Const, Disjunction, Literal, Rule, Term
from tidelog.rewrite.scope import all_terms, map_terms, rule_terms

NEVER = Comparison("=", Const(0, "number"), Const(1, "number"))


def drop_booleans(rule: Rule) -> tuple[Rule, ...]:
    """The rule without ``true`` and ``false``; no rule if its body cannot hold.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for text in ("p(X) :- q(X), true.", "p(X) :- q(X), false.", "p(X) :- (q(X) ; r(X), false)."):
    ...     print([print_rule(after) for after in drop_booleans(parse_program(text).rules[0])])
    ['p(X) :- q(X).']
    []
    ['p(X) :- q(X).']
    """
    if not any(_mentions_boolean(literal) for literal in rule.body) and not _in_terms(rule_terms(rule)):
        return (rule,)
    body = _conjunction(rule.body)
    if body is None:
        return ()
    head = replace(rule.head, args=tuple(map(_term, rule.head.args)))
    return (replace(rule, head=head, body=body, origin=rule),)


def _mentions_boolean(literal: Literal) -> bool:
    if isinstance(literal, Disjunction):
        return any(_mentions_boolean(part) for branch in literal.branches for part in branch)
    return isinstance(literal, Boolean)


def _in_terms(terms: Iterable[Term]) -> bool:
    parts = (part for term in terms for part in all_terms(term))
    return any(isinstance(p, Aggregate) and any(map(_mentions_boolean, p.body or ())) for p in parts)


def _conjunction(body: Iterable[Literal]) -> tuple[Literal, ...] | None:
    """The body without booleans, or None if it cannot hold."""
    kept: list[Literal] = []
    for literal in body:
        part = _literal(literal)
        if part is None:
            return None
        kept.extend(part)
    return tuple(kept)


def _literal(literal: Literal) -> tuple[Literal, ...] | None:
    if isinstance(literal, Boolean):
        return () if literal.value else None
    if not isinstance(literal, Disjunction):
        return (map_terms(literal, _term),)
    branches = tuple(kept for branch in literal.branches if (kept := _conjunction(branch)) is not None)
    match branches:
        case ():
            return None
        case (only,):
            return only
    return (replace(literal, branches=branches),)


def _term(term: Term) -> Term:
    if isinstance(term, Call):
        return replace(term, args=tuple(map(_term, term.args)))
    if not isinstance(term, Aggregate):
        return term
    value = None if term.value is None else _term(term.value)
    return replace(term, value=value, body=None if term.body is None else _aggregated(term.body))


def _aggregated(body: tuple[Literal, ...]) -> tuple[Literal, ...]:
    kept = _conjunction(body)
    if kept is not None:
        return kept
    # The other literals stay, so that a variable of the value is still bound somewhere.
    rest = (_literal(literal) for literal in body)
    return (*(part for literal in rest if literal is not None for part in literal), NEVER)
