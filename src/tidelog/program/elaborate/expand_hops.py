"""Overlapping windows become ranges: the only generator that plans and the certificate know.

Law: ``hop(T, size, step)`` has the values of a range from the first window that holds T to T, by the step, as moments.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.elaborate.features import HOP
from tidelog.program.values.rule import Rule
from tidelog.program.values.substitute import changed_body, changed_inside
from tidelog.program.values.term import Call, Term


def expand_hops(elaboration: Elaboration) -> Elaboration:
    """The program with its overlapping windows as ranges.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> program = parse_program("p(V) :- q(T), V = hop(T, 10, 5).")
    >>> print(print_rule(expand_hops(Elaboration(program)).program.rules[0]))
    p(V) :- q(T), V = moment(range(hop first(T, 10, 5), hop end(T), 5)).
    """
    program = elaboration.program
    return elaboration.then(replace(program, rules=tuple(map(_expanded_rule, program.rules))))


def _expanded_rule(rule: Rule) -> Rule:
    body = changed_body(rule.body, _expanded)
    args = tuple(map(_expanded, rule.head.args))
    if body == rule.body and args == rule.head.args:
        return rule
    return replace(rule, head=replace(rule.head, args=args), body=body, origin=rule)


def _expanded(term: Term) -> Term:
    inside = changed_inside(term, _expanded)
    if not isinstance(inside, Call) or inside.function != HOP:
        return inside
    moment, _, step = inside.args
    first, end = replace(inside, function="hop first"), replace(inside, function="hop end", args=(moment,))
    return replace(inside, function="moment", args=(replace(inside, function="range", args=(first, end, step)),))
