"""Casts are removed once they have been checked.

Law: a cast changes no value, so a rule without its casts means the same. They are removed after the assignment of
types, which depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.types.casts import has_casts, without_cast
from tidelog.program.values.rule import Rule
from tidelog.program.values.substitute import changed_body


def drop_casts(elaboration: Elaboration) -> Elaboration:
    """The pass: the rules without casts.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> program = parse_program(".decl p(x: number) .decl q(x: number) p(as(x, number)) :- q(x).")
    >>> print(print_rule(drop_casts(Elaboration(program)).program.rules[0]))
    p(x) :- q(x).
    """
    return elaboration.then(replace(elaboration.program, rules=rules_without_casts(elaboration.program.rules)))


def rules_without_casts(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules without casts; those that have none are the same values."""
    return tuple(_dropped(rule) if has_casts(rule) else rule for rule in rules)


def _dropped(rule: Rule) -> Rule:
    head = replace(rule.head, args=tuple(map(without_cast, rule.head.args)))
    return replace(rule, head=head, body=changed_body(rule.body, without_cast), origin=rule)
