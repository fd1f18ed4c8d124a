"""What is called ending does end: random recursive programs over random facts, under the naive evaluator.

The programs here are made to be on the edge: steps up and down, bounds on either side or none, lists with and without
tests. The test notices a program that is called ending and does not reach its fixpoint in `ROUNDS` rounds; it cannot
notice a program that ends and is warned about.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.law.share import share
from tidelog.errors import EvaluationError, LimitError, ProgramError
from tidelog.program.check import check_program
from tidelog.syntax import parse_program
from tidelog.testing import FEATURES, evaluate, random_program

ROUNDS = 150
STEPS = (
    "X + 1",
    "X - 1",
    "X + 2",
    "X * 2",
    "X / 2",
    "X + Y",
    "X - Y",
    "Y - X",
    "X + W",
    "min(X, Y)",
    "max(X, W)",
    "(X + W) mod 7",
)
GUARDS = (
    "X < 9",
    "X > -9",
    "Y < 9",
    "Y > -9",
    "Z < 9",
    "Z > -9",
    "Z <= Y",
    "Z >= Y",
    "W > 0",
    "X < W",
    "X < Y",
    "Z = W",
    "W >= 0",
)
LISTS = ("f_concat(W, P)", "f_append(P, W)", "f_removeLast(P)", "f_concat(X, P)", "P")
TESTS = ("f_inPath(P, W) = false", "!f_member(P, X)", "f_size(P) < 4", "f_size(P) > 1", "f_size(Q) < 5")


def numbers(rng: Random) -> str:
    """Rules over pairs of numbers, through one relation or two."""
    rules = ["p(X, Y) :- b(X, Y)."]
    for _ in range(rng.randint(1, 3)):
        guards = rng.sample(GUARDS, rng.randint(0, 3))
        left, right = rng.choice((("Z", "Y"), ("Y", "Z"), ("Z", "W"), ("Z", "X"), ("Z", "Z")))
        target, source = rng.choice((("p", "p"), ("p", "q"), ("q", "p")))
        body = [f"{source}(X, Y)", "b(W, _)", f"Z = {rng.choice(STEPS)}", *guards]
        rules.append(f"{target}({left}, {right}) :- {', '.join(body)}.")
    return "\n".join(rules)


def lists(rng: Random) -> str:
    """Rules that make lists longer and shorter."""
    rules = ["p(X, P, N) :- b(X, N), P = [X]."]
    for _ in range(rng.randint(1, 2)):
        tests = rng.sample(TESTS, rng.randint(0, 2))
        number = rng.choice(("N", "N + 1", "N + W", "f_size(P)"))
        body = ["p(X, P, N)", "b(X, W)", f"Q = {rng.choice(LISTS)}", *tests]
        rules.append(f"p(W, Q, {number}) :- {', '.join(body)}.")
    return "\n".join(rules)


def best(rng: Random) -> str:
    """Least and greatest values round cycles."""
    kind = rng.choice(("min", "max"))
    guards = rng.sample(("W > 0", "W >= 0", "W < 1", "X != Y"), rng.randint(0, 2))
    step = rng.choice(("D + W", "D + 1", "D - 1", "min(D, W)", "max(D, W)", "D - W"))
    body = ["d(X, D)", "b(X, Y)", "b(_, W)", f"C = {step}", *guards]
    return f"d(X, {kind}<X>) :- b(X, _).\nd(Y, {kind}<C>) :- {', '.join(body)}."


def ends(text: str, rng: Random) -> bool | None:
    """Whether evaluation ends on random facts, if the program is called ending; None if it is not (or is refused)."""
    try:
        checked = check_program(parse_program(text))
    except ProgramError:
        return None
    if checked.ends_if or any(finding.code == "TL760" for finding in checked.warnings):
        return None
    facts = {"b": [(rng.randint(-3, 4), rng.randint(-3, 4)) for _ in range(rng.randint(1, 4))]}
    try:
        evaluate(checked.program, facts, limit=ROUNDS)
    except EvaluationError:  # a value that cannot be computed ends it too
        return None
    except LimitError:
        return False
    return True


@pytest.mark.parametrize("kind", [numbers, lists, best])
def test_what_is_called_ending_ends(kind: object) -> None:
    called = 0
    for seed in range(share(1, 150)):
        text = kind(Random(seed))  # type: ignore[operator]  # a function of this module
        told = ends(text, Random(seed))
        assert told is not False, f"seed {seed} is called ending and does not end:\n{text}"
        called += told is True
    assert called > share(1, 150) // 10, "hardly anything is called ending: the test has become empty"


def test_programs_that_keep_to_a_small_domain_are_called_ending() -> None:
    for seed in range(share(1, 60)):
        program = random_program(Random(seed), FEATURES - {"minimised"})  # longest paths need data without cycles
        checked = check_program(program)
        assert not [finding for finding in checked.warnings if finding.code == "TL760"], seed
