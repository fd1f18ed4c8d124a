"""Overlapping windows and the elements of lists become ranges, the only generator of plans and the certificate.

Law: ``hop(T, size, step)`` has the values of a range from the first window that holds T to T, by the step, as moments.
``elements(L)`` are the elements at the positions from 0 to the size of the list. Functions with two names get the
first, so that later passes handle only one.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.elaborate.features import ELEMENTS, HOP, RENAMED
from tidelog.program.values.rule import Rule
from tidelog.program.values.substitute import changed_body, changed_inside
from tidelog.program.values.term import NUMBER, Call, Const, Term


def expand_generators(elaboration: Elaboration) -> Elaboration:
    """The program with its generators as ranges.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> program = parse_program("p(V) :- q(T), V = hop(T, 10, 5).")
    >>> print(print_rule(expand_generators(Elaboration(program)).program.rules[0]))
    p(V) :- q(T), V = moment(range(hop first(T, 10, 5), hop end(T), 5)).
    >>> program = parse_program("p(V) :- q(L), V = elements(L).")
    >>> print(print_rule(expand_generators(Elaboration(program)).program.rules[0]))
    p(V) :- q(L), V = element(L, range(0, f_size(L))).
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
    if not isinstance(inside, Call):
        return inside
    if inside.function == HOP:
        return _starts(inside)
    if inside.function == ELEMENTS:
        return _elements(inside)
    return replace(inside, function=RENAMED.get(inside.function, inside.function))


def _starts(hop: Call) -> Call:
    moment, _, step = hop.args
    first, end = replace(hop, function="hop first"), replace(hop, function="hop end", args=(moment,))
    return replace(hop, function="moment", args=(replace(hop, function="range", args=(first, end, step)),))


def _elements(call: Call) -> Call:
    (elements,) = call.args
    places = replace(call, function="range", args=(Const(0, NUMBER), replace(call, function="f_size")))
    return replace(call, function="element", args=(elements, places))
