"""A question that is checked alone is the question that a check of the whole program finds."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from tests.law.share import share
from tidelog.engine.read.question import ANSWERS
from tidelog.errors import ProgramError
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Atom, Literal, Program, Rule, Var
from tidelog.program.check import check_program
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.values.scope import literal_variables
from tidelog.syntax import parse_body, parse_program
from tidelog.testing.generate import random_program


def rules_of(program: Program) -> Ruleset:
    """The rules of a program, with the types of its facts."""
    schema = check_program(program).schema
    given = {fact.atom.predicate for fact in program.facts}
    bound = {(name, i): t for name in given for i, t in enumerate(schema[name]) if t is not None}
    empty = Ruleset(Program(declarations=program.declarations, types=program.types, pragmas=program.pragmas), FUNCTIONS)
    return empty.changed(empty.label(program.rules), bound=bound, known={name: len(schema[name]) for name in given})


def question(body: Sequence[Literal]) -> Rule:
    found: list[Var] = []
    for literal in body:
        literal_variables(literal, found)
    return Rule(Atom(ANSWERS, tuple(dict.fromkeys(found))), tuple(body), ANSWERS)


def outcome(rules: Ruleset, rule: Rule, *, alone: bool) -> object:
    known = {ANSWERS: len(rule.head.args)}
    try:
        after = rules.asking((rule,), known) if alone else rules.changed(add=(rule,), known=known)
    except ProgramError as error:
        return [finding for finding in error.diagnostics if finding.severity == "error"]
    own = {label: made for label, made in after.core.items() if label not in rules.core}
    return (
        own,
        {name: types for name, types in after.schema.items() if name not in rules.schema},
        after.core_labels[ANSWERS],
    )


@pytest.mark.parametrize("seed", range(share(1, 150)))
def test_a_question_is_the_same_alone_and_with_the_program(seed: int) -> None:
    program = random_program(Random(seed))
    try:
        rules = rules_of(program)
    except ProgramError:
        return
    for rule in program.rules:
        asked = question(rule.body)
        assert outcome(rules, asked, alone=True) == outcome(rules, asked, alone=False)


PROGRAM = """
.type City <: symbol
.type Pair = [a: number, b: number]
.decl e(x: number, y: number)
.decl road(x: City, y: City)
.decl named(x: number, y: symbol)
.decl near(x: number, y: number) inline
.decl same(x: number, y: number) eqrel
.decl one(x: number, y: number) choice-domain x
.decl best(x: number, y: number)
.decl pair(x: Pair)
near(x, y) :- e(x, y), x < y.
same(x, y) :- e(x, y).
one(x, y) :- e(x, y).
best(x, y) :- e(x, y).
best(x, a) <= best(x, b) :- b <= a.
"""


@pytest.mark.parametrize(
    "text",
    [
        "e(x, y), e(y, z)",
        "e(x, y), !e(y, _)",
        "same(x, y), one(y, z), best(z, _)",
        "near(x, y)",
        "x = count : { e(_, _) }",
        "e(x, _), y = max z : { e(x, z) }",
        "pair([x, y]), e(x, y)",
        'named(x, y), y = "a"',
        "e(x, as(y, number))",
        "(e(x, y); same(x, y)), y > 1",
        "e+(x, y)",
        "t = hop(3, 10, 5)",
        "e(x, y), y > z",
        "e(x, y, z)",
        "unknown(x)",
        "e(x, y), named(y, x)",
        "road(x, y), x = as(y, Town)",
        'match("(", y), named(_, y)',
        "e(x, y), x = nothing(y)",
        "periodic(x, y, z)",
    ],
)
def test_questions_with_every_feature(text: str) -> None:
    rules, asked = rules_of(parse_program(PROGRAM)), question(parse_body(text, convention="souffle"))
    assert outcome(rules, asked, alone=True) == outcome(rules, asked, alone=False)
