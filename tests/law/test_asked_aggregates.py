"""Aggregates over lower strata whose groups come from the recursion that reads them, against the naive evaluator.

Random rules ask for groups through comparisons, arithmetic and atoms, inside one recursion, nested, beside negation,
disjunction and recursive minima; facts, base facts of the recursion itself and rules come and go. After every epoch
facts, supports, ranks and change feeds are compared, on one partition and on several with messages in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from tests.law.harness import Case, labelled, run, shrink, story
from tests.law.share import share
from tests.law.unkind import engine_on
from tidelog.engine.engine import Engine
from tidelog.program import Program, Rule
from tidelog.syntax import parse_program
from tidelog.testing import EpochChanges

CASES = share(8, 20)
BLOCK = min(6, CASES)
DECLARED = """
.decl p(x: number)
.decl q(x: number, y: number)
.decl s(x: number, n: symbol)
.decl w(x: number, c: float)
.decl start(r: number, z: number)
.decl out(r: number, z: number)
.decl via(r: number, z: number)
.decl best(r: number, z: number)
.decl name(r: number, n: symbol)
.decl mass(r: number, c: float)
out(R, Z) :- start(R, Z).
"""
BODIES = (
    "count : { p(X), X <= R }",
    "count : { p(X), X <= R, q(X, _) }",
    "count : { q(X, Y), X < R, !p(Y) }",
    "count : { (p(X) ; q(X, _)), X != R }",
    "count : { q(R, Y), Y > Z0 }",
    "sum X : { p(X), X < R + 2 }",
    "sum X + R : { p(X), X < R }",
    "sum B : { q(X, B), X * 2 = R + Z0 }",
    "max X : { p(X), X <= R }",
    "min Y : { q(X, Y), X >= R }",
    "count : { p(X), N = count : { q(X, Y), Y <= R }, N > 0 }",
    "sum N : { p(X), N = count : { p(Y), Y < X, Y < R } }",
    "count distinct Y : { q(X, Y), X <= R }",
    "argmax(Y, X) : { q(X, Y), X <= R }",
    "ftoi(median X : { p(X), X < R })",
    "f_size(collect distinct Y : { q(X, Y), Y != R })",
    "max N : { p(X), X <= R, N = sum Y : { q(X, Y), Y != R } }",
)
RECURSIONS = (
    "out((R + {step}) % 7, Z % 9) :- out(R, Z0), Z = {body}.",
    "out(Z % 7, R) :- out(R, Z0), R >= 0, Z = {body}.",
    "via(R, Z % 9) :- out(R, Z0), Z = {body}.  out((R + {step}) % 7, Z) :- via(R, Z).",
    "out((R + {step}) % 7, (Z + M) % 9) :- out(R, Z0), Z = {body}, M = count : {{ p(A), A < Z }}.",
    "out((R + {step}) % 7, Z % 9) :- (out(R, Z0) ; start(Z0, R)), Z = {body}.",
    "best((R + {step}) % 7, min<C>) :- best(R, D), Z0 = 1, Z = {body}, Z > 0, C = D + 1."
    "  best(R, min<C>) :- start(R, C).",
    "name((R + {step}) % 7, T) :- name(R, _), T = min N : {{ s(X, N), X <= R }}.  name(R, a) :- start(R, _).",
    "name((R + {step}) % 7, T) :- name(R, N0), T = max N : {{ s(_, N), N != N0 }}.  name(R, b) :- start(R, _).",
    "mass((R + {step}) % 7, T) :- mass(R, _), T = sum C : {{ w(X, C), X <= R }}.  mass(R, 0.5) :- start(R, _).",
    "mass((R + {step}) % 7, T) :- mass(R, _), T = mean C : {{ w(X, C), X <= R }}.",
    "mass(R, T) :- start(R, _), T = max C : {{ w(X, C), X <= R }}.",
)
ROWS: dict[str, Callable[[Random], tuple[object, ...]]] = {
    "p": lambda rng: (rng.randrange(7),),
    "q": lambda rng: (rng.randrange(7), rng.randrange(7)),
    "s": lambda rng: (rng.randrange(7), rng.choice(["a", "b", "ab", "Z", "ä", ""])),
    "w": lambda rng: (rng.randrange(7), rng.choice([0.5, -1.5, 1e300, 0.1])),
    "start": lambda rng: (rng.randrange(7), rng.randrange(3)),
    "out": lambda rng: (rng.randrange(7), rng.randrange(3)),
}


def random_rules(rng: Random) -> str:
    body = rng.choice(BODIES)
    return rng.choice(RECURSIONS).format(step=rng.choice([1, 1, 2, 3]), body=body)


def random_case(seed: int) -> Case:
    rng = Random(seed)
    texts = [random_rules(rng) for _ in range(rng.randint(1, 3))]
    program = labelled(parse_program(DECLARED + "\n".join(map(_quoted, texts))))
    spare = labelled(parse_program(DECLARED + "\n".join(_quoted(random_rules(rng)) for _ in range(3)))).rules[1:]
    present: set[tuple[str, tuple[object, ...]]] = set()
    gone: list[str] = []
    changes = []
    for number in range(rng.randint(3, 6)):
        names = rng.choices(sorted(ROWS), k=rng.choice([0, 1, 2, 4, 8] if number else [12]))
        inserts = tuple((name, ROWS[name](rng)) for name in names)
        most = min(len(present), rng.choice([0, 0, 1, 2, 4]) if number else 0)
        deletes = tuple(rng.sample(sorted(present, key=repr), k=most))
        present = (present | set(inserts)) - set(deletes)
        labels = [str(rule.label) for rule in program.rules if str(rule.label) not in gone]
        removed = tuple(rng.sample(labels[1:], k=1)) if len(labels) > 1 and rng.random() < 0.2 else ()
        gone += removed
        added: tuple[Rule, ...] = ()
        if rng.random() < 0.2:
            added = (replace(rng.choice(spare), label=f"n{number}"),)
        changes.append(EpochChanges(inserts, deletes, added, removed))
    return Case(program, tuple(changes))


def _quoted(text: str) -> str:
    return text.replace("(R, a)", '(R, "a")').replace("(R, b)", '(R, "b")')


def follow(seed: int, make: Callable[[Program], Engine] = Engine) -> None:
    case = random_case(seed)
    try:
        run(case, make)
    except Exception as error:
        raise AssertionError(f"seed {seed}: {error}\n{shrink(case, lambda smaller: fails(smaller, make))}") from error


def fails(case: Case, make: Callable[[Program], Engine]) -> bool:
    try:
        run(case, make)
    except Exception:
        return True
    return False


@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_asked_aggregates_equal_from_scratch_after_every_epoch(first: int) -> None:
    for seed in range(first, min(first + BLOCK, CASES)):
        follow(seed)


@pytest.mark.parametrize("first", range(0, share(20, BLOCK), BLOCK))
def test_asked_aggregates_on_partitions_with_messages_in_any_order(first: int) -> None:
    for seed in range(10_000 + first, 10_000 + first + BLOCK):
        follow(seed, engine_on(2 + seed % 3, Random(seed)))


ISSUE = "out(R + 1, Z) :- out(R, _), R < 5, Z = count : { point(X), X <= R }."


def test_an_aggregate_asked_for_by_its_own_recursion_runs() -> None:
    told = story(ISSUE, "+point(1). +point(3). +point(4). +out(0, 0).", "+point(0).", "-point(3).", "-out(0, 0).")
    assert told[0][0].changes["out"].inserted == [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 3)]
    assert told[2][0].changes["out"].deleted == [(4, 3), (5, 4)]
    assert len(told[3][1]["out"]) == 0


def test_a_group_that_asks_for_itself_goes_with_what_asked_first() -> None:
    program = "out(R, Z) :- out(R, _), Z = count : { point(X), X <= R }."
    told = story(program, "+point(1). +point(2). +out(5, 9).", "-out(5, 9).")
    assert told[1][0].changes["out"].deleted == [(5, 2), (5, 9)]


def test_an_aggregate_moves_into_a_recursion_and_out_of_it() -> None:
    program = "b(R, Z) :- a(R), Z = max X : { point(X), X <= R }."
    told = story(
        program,
        "+a(3). +point(1). +point(3).",
        "+ loop: a(Z - 1) :- b(_, Z), Z > 0.",
        "+point(2).",
        "- loop.",
        "-a(3).",
    )
    assert [sorted(db["b"]) for _, db in told[4:]] == [[]]
    assert told[2][0].changes["b"].inserted == [(2, 2), (1, 1)]


def test_a_mean_of_groups_asked_for_by_recursion_survives_a_rollback() -> None:
    with Engine(ISSUE) as db:
        with db.epoch() as e:
            e.insert("point", [(1,), (4,)])
            e.insert("out", [(0, 0)])
        before = sorted(db["out"])
        with pytest.raises(ZeroDivisionError), db.epoch() as e:
            e.insert("point", [(0,)])
            raise ZeroDivisionError
        with db.epoch() as e:
            e.insert("point", [(0,)])
        with db.epoch() as e:
            e.delete("point", [(0,)])
        assert sorted(db["out"]) == before


def test_why_tells_an_aggregate_of_a_recursion_in_the_words_of_the_rule() -> None:
    _, db = story(ISSUE, "+point(1). +out(0, 0).")[0]
    told = str(db.why(("out", (2, 1))))
    assert "count : { point(X), X <= R } = 1, over 1 row" in told
    assert "count : { point(X), X <= R } = 0, no rows" in told
    assert "__" not in told
