"""Every pass of `elaborate` does what the pairs of its ``.dl`` file say, and runs only where its feature is.

A case is the program after all passes up to its own. Hidden heads are printed, and so is what decides between equal
values (`Aggregate.ties`), which no text can write.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.rewrite.cases import cases
from tidelog.program import Aggregate, Program, Rule
from tidelog.program.elaborate.elaborate import ELABORATE, Pass, elaborate
from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.elaborate.features import Feature, features_of
from tidelog.syntax import parse_program, print_rule
from tidelog.testing.generate import random_program

PASSES = {step.__name__: step for _, step in ELABORATE}
CASES = [
    pytest.param(name, before, after, id=f"{name}: {title}")
    for name, title, before, after in cases(Path(__file__).parent)
]


def elaborated(name: str, text: str) -> Elaboration:
    """The elaboration after a pass."""
    return elaborate(Elaboration(parse_program(text)))[PASSES[name]]


def printed(name: str, text: str) -> Iterator[str]:
    after = elaborated(name, text)
    for rule in after.program.rules:
        yield print_rule(replace(rule, constraint=None)) + "".join(deciding(rule))
    for finding in after.findings:
        yield f"{finding.severity} {finding.code}: {finding.message}"


def deciding(rule: Rule) -> Iterator[str]:
    for arg in rule.head.args:
        if isinstance(arg, Aggregate):
            yield from (f" // then {kind} of column {column + 1}" for column, kind in arg.ties)


@pytest.mark.parametrize(("name", "before", "after"), CASES)
def test_pass_gives_the_program_written_after_it(name: str, before: str, after: str) -> None:
    assert "\n".join(printed(name, before)) == after


@pytest.mark.parametrize(("name", "before", "after"), CASES)
def test_elaborated_rules_have_a_place_in_the_text(name: str, before: str, after: str) -> None:
    for rule in elaborated(name, before).program.rules:
        assert rule.span is not None or rule.label is not None  # rules of declarations are named after them


def test_every_pass_has_pairs() -> None:
    assert {name for name, *_ in cases(Path(__file__).parent)} == PASSES.keys() - {"count_columns"}


@pytest.mark.parametrize("seed", range(150))
def test_a_program_without_a_feature_is_the_same_after_its_pass(seed: int) -> None:
    program = random_program(Random(seed))
    elaboration = Elaboration(program)
    for feature, step in ELABORATE:
        following = step(elaboration)
        if feature not in features_of(program):
            assert following.program == elaboration.program
            assert following.findings == elaboration.findings
        elaboration = following


@pytest.mark.parametrize(("name", "before", "after"), CASES)
def test_passes_that_are_skipped_would_change_nothing(name: str, before: str, after: str) -> None:
    everything = Elaboration(parse_program(before))
    for step in _up_to(PASSES[name]):
        everything = step(everything)
    assert everything.program == elaborated(name, before).program


def _up_to(last: Pass) -> Iterator[Pass]:
    for _, step in ELABORATE:
        yield step
        if step is last:
            return


def test_a_plain_program_has_no_feature_that_a_pass_removes() -> None:
    assert features_of(parse_program("p(X, Y) :- q(X), !r(X), (s(X, Y) ; t(Y)), Y = X + 1.")) == {
        Feature.RULES,
        Feature.CALLS,
        Feature.NEGATIONS,  # whether one is in a cycle, its pass finds out
    }
    assert features_of(Program()) == {Feature.RULES}
