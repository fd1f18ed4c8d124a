"""The features of a program that require a pass of `elaborate` or a check.

Law: a program without a feature is the same before and after its pass, so that the pass need not run. A cast may also
be added for a record that is passed into an inline rule.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

from tidelog.program.graph.broadcast import is_broadcast
from tidelog.program.graph.equivalence import EQREL
from tidelog.program.graph.inline import INLINE
from tidelog.program.types.casts import CAST
from tidelog.program.values.pragmas import wraps
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import body_aggregates, calls, literal_terms, rule_literals
from tidelog.program.values.term import Aggregate, Call, Negation, Term

HOP, ELEMENTS = "hop", "elements"
RENAMED = {"least": "min", "greatest": "max"}
EXPANDED = frozenset({HOP, ELEMENTS, *RENAMED})


class Feature(enum.Enum):
    """A feature that a program may have."""

    RULES = enum.auto()  # every program, including an empty one
    CONSTRAINTS = enum.auto()
    KEYS = enum.auto()
    BROADCASTS = enum.auto()
    AGGREGATES = enum.auto()  # with a separate body
    INLINE = enum.auto()
    CHOICES = enum.auto()
    EQUIVALENCES = enum.auto()
    SUBSUMPTIONS = enum.auto()
    NEGATIONS = enum.auto()
    CALLS = enum.auto()  # of any function
    CASTS = enum.auto()
    GENERATORS = enum.auto()  # and second names of functions
    WRAPPING = enum.auto()


def features_of(program: Program) -> frozenset[Feature]:
    """The features that the program has.

    >>> from tidelog.syntax import parse_program
    >>> sorted(feature.name for feature in features_of(parse_program(":- p(X), X > count : { q(_) }.")))
    ['AGGREGATES', 'CONSTRAINTS', 'RULES']
    """
    found = {Feature.RULES, *_declared(program)}
    for rule in program.rules:
        found.update(_of_rule(rule))
    return frozenset(found)


def _declared(program: Program) -> Iterator[Feature]:
    for declaration in program.declarations:
        if INLINE in declaration.qualifiers:
            yield Feature.INLINE
            yield Feature.CASTS
        if EQREL in declaration.qualifiers:
            yield Feature.EQUIVALENCES
        if declaration.domains:
            yield Feature.CHOICES
    if program.keys:
        yield Feature.KEYS
    if program.pragmas and wraps(program):
        yield Feature.WRAPPING


def _of_rule(rule: Rule) -> Iterator[Feature]:
    if rule.constraint is not None:
        yield Feature.CONSTRAINTS
    if rule.head.location is not None and is_broadcast(rule):
        yield Feature.BROADCASTS
    if rule.subsumes:
        yield Feature.SUBSUMPTIONS
    for term in rule.head.args:
        yield from _of_term(term)
    if any(isinstance(literal, Negation) for literal in rule.body):
        yield Feature.NEGATIONS
    for literal in rule_literals(rule):
        for term in literal_terms(literal):
            yield from _of_term(term)


def _of_term(term: Term) -> Iterator[Feature]:
    if not isinstance(term, Call | Aggregate):
        return
    if next(body_aggregates(term), None) is not None:
        yield Feature.AGGREGATES
    functions = {call.function for call in calls(term)}
    if functions:
        yield Feature.CALLS
    if CAST in functions:
        yield Feature.CASTS
    if functions & EXPANDED:
        yield Feature.GENERATORS
