"""Arithmetic that wraps around, under changes: the engine beside the naive evaluator and beside Python's own integers.

What this notices: a compiled operation, a fold or a checker that wraps otherwise than two's complement does.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.law.share import share
from tidelog import Engine
from tidelog.errors import EvaluationError
from tidelog.syntax import parse_program
from tidelog.testing.naive import evaluate

CASES = share(100, 2)
WRAP = '.pragma "overflow" "wrap" '
RULES = (
    "add(X + Y) :- n(X), n(Y). sub(X - Y) :- n(X), n(Y). mul(X * Y) :- n(X), n(Y). neg(-X) :- n(X). "
    "div(X / Y) :- n(X), n(Y), Y != 0. pow(X ^ 3) :- n(X). total(sum<X>) :- n(X). "
    "below(X, S) :- n(X), S = sum Y : { n(Y), Y <= X }. unsigned(to_unsigned(X) * 3u) :- n(X). "
    "back(to_number(to_unsigned(X) - 1u)) :- n(X). float(to_float(X) * 2.0) :- n(X). "
)
EDGES = (0, 1, -1, 2, -2, 3, 2**31, 2**62, 2**63 - 1, -(2**63), 2**63 - 2, -(2**62), 12345678901234567)


def low_bits(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


@pytest.mark.parametrize("partitions", [1, 3])
def test_wrapping_arithmetic_equals_the_judges(partitions: int) -> None:
    for seed in range(CASES):
        rng, facts = Random(seed), set[int]()
        with Engine(WRAP + RULES, partitions=partitions) as db:
            for step in range(4):
                changed = {rng.choice(EDGES) for _ in range(4)}
                with db.epoch() as epoch:
                    epoch.insert("n", [(x,) for x in sorted(changed - facts)])
                    epoch.delete("n", [(x,) for x in sorted(changed & facts)])
                    if step == 2:
                        epoch.add_rule("late(X * X + 1) :- n(X).")
                facts ^= changed
                late = " late(X * X + 1) :- n(X)." if step >= 2 else ""
                model = evaluate(parse_program(WRAP + RULES + late), {"n": [(x,) for x in facts]})
                for name, rows in model.items():
                    assert frozenset(db[name]) == rows, (seed, step, name)
                assert frozenset(db["add"]) == {(low_bits(x + y),) for x in facts for y in facts}
                assert frozenset(db["mul"]) == {(low_bits(x * y),) for x in facts for y in facts}
                assert frozenset(db["total"]) == ({(low_bits(sum(facts)),)} if facts else set())
            assert db.verify()


@pytest.mark.parametrize(
    "text", ["p(X + 1) :- n(X).", "p(X * 2) :- n(X).", "p(-Y) :- n(X), Y = X * -1 - 1.", "p(sum<X>) :- n(X)."]
)
def test_error_stays_the_default(text: str) -> None:
    with Engine(text) as db:
        with pytest.raises(EvaluationError), db.epoch() as epoch:
            epoch.insert("n", [(2**63 - 1,), (2**63 - 2,)])
        assert len(db["p"]) == 0


def test_division_by_zero_stays_an_error() -> None:
    zero = pytest.raises(EvaluationError, match="division by zero")
    with Engine(WRAP + "p(X / Y) :- n(X), n(Y).") as db, zero, db.epoch() as epoch:
        epoch.insert("n", [(0,)])


def test_facts_of_the_text_wrap_around() -> None:
    with Engine(WRAP + "p(9223372036854775807 + 1). q(0u - 1u).") as db:
        assert list(db["p"]) == [(-(2**63),)]
        assert list(db["q"]) == [(2**64 - 1,)]


def test_recursion_through_min_does_not_wrap() -> None:
    text = WRAP + "d(0, min<C>) :- C = 0. d(Y, min<C>) :- d(X, B), e(X, Y, W), C = B + W."
    with Engine(text) as db, pytest.raises(EvaluationError, match="overflow"), db.epoch() as epoch:
        epoch.insert("e", [(0, 1, 2**62), (1, 2, 2**62), (2, 3, 1)])


def test_text_of_rules_stays_the_users(tmp_path) -> None:  # type: ignore[no-untyped-def]  # a fixture
    with Engine(WRAP + "r1: p(X + 1) :- n(X).", path=tmp_path) as db:
        assert db.rules == {"r1": "r1: p(X + 1) :- n(X)."}
        with db.epoch() as epoch:
            epoch.insert("n", [(2**63 - 1,)])
    with Engine(path=tmp_path) as db:
        assert list(db["p"]) == [(-(2**63),)]
        with db.epoch() as epoch:
            epoch.insert("n", [(1,)])
        assert sorted(db["p"]) == [(-(2**63),), (2,)]


def test_pragma_that_comes_later_computes_again(tmp_path) -> None:  # type: ignore[no-untyped-def]  # a fixture
    rules = "r1: p(X) :- n(X), X + 1 < X. r2: q(X + 1) :- n(X). n(5)."
    with Engine(rules, path=tmp_path) as db:
        epoch, _ = db.epoch_to(WRAP + rules)
        with epoch:
            epoch.insert("n", [(2**63 - 1,)])
        assert list(db["p"]) == [(2**63 - 1,)]
        assert sorted(db["q"]) == [(-(2**63),), (6,)]
        assert db.verify()
