"""One rule per branch of a disjunction.

Law: conjunction distributes over disjunction, and a relation is the union of its rules; so a rule holds if one of the
rules with one branch of each disjunction holds. Each branch is a separate support. The bodies of aggregates are not
entered: `lift_aggregates` has already made them rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod

from tidelog.errors import ProgramError
from tidelog.program import Disjunction, Literal, Rule
from tidelog.rewrite.rewrite_catalogue import diagnose

MOST_CHOICES = 10_000  # more rules than anyone writes by hand, and few enough to be created at once


def expand_disjunctions(rule: Rule) -> tuple[Rule, ...]:
    """The rules, one for each choice of branches; a rule without a disjunction is unchanged.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for after in expand_disjunctions(parse_program("p(X) :- q(X), (r(X) ; s(X), (t(X) ; u(X))).").rules[0]):
    ...     print(print_rule(after))
    p(X) :- q(X), r(X).
    p(X) :- q(X), s(X), t(X).
    p(X) :- q(X), s(X), u(X).
    """
    if not any(isinstance(literal, Disjunction) for literal in rule.body):
        return (rule,)
    if (number := _number_of_choices(rule.body)) > MOST_CHOICES:
        raise ProgramError([diagnose("TL641", rule.span, number=str(number), most=str(MOST_CHOICES))])
    return tuple(replace(rule, body=body, origin=rule) for body in _choices(rule.body))


def _number_of_choices(body: Sequence[Literal]) -> int:
    disjunctions = (literal for literal in body if isinstance(literal, Disjunction))
    return prod(sum(map(_number_of_choices, disjunction.branches)) for disjunction in disjunctions)


def _choices(body: Sequence[Literal]) -> list[tuple[Literal, ...]]:
    """All ways to choose one branch of every disjunction of a body."""
    options = [_options(literal) for literal in body]
    return [tuple(part for chosen in choice for part in chosen) for choice in product(*options)]


def _options(literal: Literal) -> list[tuple[Literal, ...]]:
    if isinstance(literal, Disjunction):
        return [choice for branch in literal.branches for choice in _choices(branch)]
    return [(literal,)]
