"""Types that data brings lead to the same program, whether it is checked again as a whole or only typed again."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.law.share import share
from tidelog.errors import ProgramError
from tidelog.program.check import CheckedProgram, check_program, learn_types
from tidelog.syntax import parse_program
from tidelog.testing.generate import random_program


def facts_of_a_check(checked: CheckedProgram) -> tuple[object, ...]:
    return checked.program, checked.rules, checked.schema, checked.strata, checked.orders, checked.ends_if


@pytest.mark.parametrize("seed", range(share(1, 200)))
def test_learning_types_is_checking_with_them(seed: int) -> None:
    program = random_program(Random(seed))
    bare = replace(program, facts=())
    try:
        schema = check_program(program).schema
    except ProgramError:
        return
    given = {fact.atom.predicate for fact in program.facts}
    bound = {(name, i): t for name in given for i, t in enumerate(schema[name]) if t is not None}
    known = {name: len(schema[name]) for name in given}
    for start in (bare, program):  # a text that was checked with its facts, which then come as data
        learnt = learn_types(check_program(start), bare, None, bound, known)
        assert facts_of_a_check(learnt) == facts_of_a_check(check_program(bare, bound=bound, known=known))


def test_types_that_do_not_fit_are_refused() -> None:
    program = parse_program("p(X) :- q(X), X > 1.")
    checked = check_program(program)
    with pytest.raises(ProgramError) as learnt:
        learn_types(checked, program, None, {("q", 0): "symbol"}, {"q": 1})
    with pytest.raises(ProgramError) as again:
        check_program(program, bound={("q", 0): "symbol"}, known={"q": 1})
    assert learnt.value.diagnostics == again.value.diagnostics


def test_pragmas_of_the_program_count() -> None:
    program = parse_program("p(X + 1) :- q(X).")
    wraps = replace(program, pragmas=(("overflow", "wrap"),))
    assert learn_types(check_program(program), wraps, None, {}, {}).rules == check_program(wraps).rules
