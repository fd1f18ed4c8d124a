"""The law on meets: two atoms that bind the same variables, visited from the side that has fewer rows.

Random rules have such pairs over base and derived relations, in recursion, with comparisons as bounds, with negation
and with variables that occur twice. Every case is run with meets wherever they are possible, and without any. That
plans have meets, and that both sides of them are chosen, is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from unittest.mock import patch

import pytest

from tests.law.crowded import threads
from tests.law.harness import Case, run
from tests.law.sabotage import tiny_slices
from tests.law.share import share
from tests.law.test_joins import visits
from tests.law.test_replan import restless
from tests.law.test_rollback import run_with_trouble
from tidelog.engine.engine import Engine
from tidelog.plan import estimate, order
from tidelog.syntax import parse_program
from tidelog.testing import EpochChanges

BASE = {"a": 1, "b": 2, "c": 2, "d": 3}
HEADER = "\n".join(
    f".decl {name}({', '.join(f'x{i}: number' for i in range(arity))})"
    for name, arity in {**BASE, "p": 2, "q": 2}.items()
)
BODIES = (
    "b(x, y), c(y, z), b(x, z)",
    "b(x, z), b(z, y), b(x, y), x {r} z, z {r} y",
    "b(x, y), p(y, z), q(x, z)",
    "p(x, z), p(z, y), b(x, y)",
    "p(x, y), q(y, z), b(z, x), x {r} z",
    "d(x, y, z), b(x, w), c(y, w)",
    "a(x), a(y), d(x, v, w), d(y, v, w), x != y",
    "a(x), a(y), d(x, z, z), b(y, z)",
    "a(x), d(x, y, z), d(y, x, z), !c(x, z), z {r} {n}",
    "b(x, y), p(x, {n}), c(x, z), q(z, y), v = x + z, v {r} 6",
    "b(x, y), b(x, z), c(z, y), b(x, v), c(v, z)",
)


def random_case(seed: int, epochs: int = 4, most: int = 8) -> Case:
    rng = Random(seed)
    heads = ("p(x, y)", "q(x, y)", "q(y, x)")

    def body() -> str:
        text = rng.choice(BODIES).replace("{n}", str(rng.randint(0, 3)))
        while "{r}" in text:
            text = text.replace("{r}", rng.choice(("<", "<=", ">", ">=", "!=")), 1)
        return text

    rules = [f"L{i}: {rng.choice(heads)} :- {body()}." for i in range(rng.randint(2, 4))]
    program = parse_program(HEADER + "\n" + "\n".join(rules))
    held: dict[str, set[tuple[int, ...]]] = {name: set() for name in BASE}
    changes, removed = [], None
    for _ in range(epochs):
        inserts: list[tuple[str, tuple[int, ...]]] = []
        deletes: list[tuple[str, tuple[int, ...]]] = []
        for name, arity in BASE.items():
            lost = {row for row in sorted(held[name]) if rng.random() < 0.25}
            drawn = (tuple(rng.choice((0, 0, 1, 2, 3)) for _ in range(arity)) for _ in range(rng.choice((0, 2, most))))
            new = set(drawn) - held[name]
            deletes += [(name, row) for row in sorted(lost)]
            inserts += [(name, row) for row in sorted(new)]
            held[name] = (held[name] - lost) | new
        added = () if removed is None else (removed,)
        removed = rng.choice(program.rules) if removed is None and rng.random() < 0.4 else None
        labels = () if removed is None else (str(removed.label),)
        changes.append(EpochChanges(tuple(inserts), tuple(deletes), added, labels))
    return Case(program, tuple(changes))


@contextmanager
def meets(on: bool) -> Iterator[None]:
    """Every pair of atoms that can be a meet is one, however short their lists; or none is."""
    with ExitStack() as patches:
        patches.enter_context(patch.object(order, "MEETS", on))
        patches.enter_context(patch.object(order, "MEET_FROM", 0.0))
        for name in ("UNEVEN", "LONG"):
            patches.enter_context(patch.object(estimate, name, 0.0))
        yield


def try_case(seed: int, epochs: int = 4) -> None:
    case = random_case(seed, epochs)
    try:
        run(case)
    except Exception as error:
        raise AssertionError(f"seed {seed}: {error}\n{case}") from error


def entered(db: Engine) -> tuple[int, int]:
    """How often the first and the second list of a meet was chosen."""
    found = [0, 0]
    for stratum in db.explain(analyze=True).strata:
        for each in (each for rule in stratum.rules for each in rule.orders):
            texts = [number.step for number in each.numbers or ()]
            for place, text in enumerate(texts):
                if text == "the shorter of two lists":
                    assert texts[place + 3].startswith("or ")
                    numbers = each.numbers[place + 1], each.numbers[place + 3]
                    found = [sum(pair) for pair in zip(found, (one.entered for one in numbers), strict=True)]
    return found[0], found[1]


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("first", range(0, share(2, 20), 10))
def test_law_holds_for_meets(first: int, on: bool) -> None:
    with meets(on):
        for seed in range(first, first + 10):
            try_case(seed)


def test_both_sides_of_meets_are_chosen() -> None:
    triangles = "three(X, Y, Z) :- edge(X, Y), edge(Y, Z), edge(X, Z)."
    rng = Random(1)
    edges = {(rng.choice((0, rng.randrange(60))), rng.choice((0, rng.randrange(60)))) for _ in range(1500)}
    wanted = {(x, y, z) for x, y in edges for z in range(60) if (y, z) in edges and (x, z) in edges}
    for on in (True, False):
        with meets(on):
            db = Engine(triangles, partitions=1, threads=1)
            with db.epoch() as epoch:
                epoch.insert("edge", sorted(edges))
        assert (min(entered(db)) > 10) == on
        assert set(db["three"]) == wanted


def test_shorter_lists_are_chosen_where_keys_are_uneven() -> None:
    """Hubs have an edge to every node: as plans expect, most lists are short, and some are very long."""
    rule = "three(X, Y, Z) :- edge(X, Y), edge(Y, Z), edge(X, Z)."
    hubs = {(x, y) for x in range(3) for y in range(1000)} | {(y, x) for x in range(3) for y in range(1000)}
    rng = Random(2)
    edges = hubs | {(rng.randrange(1000), rng.randrange(1000)) for _ in range(3000)}
    visited = {}
    for on in (True, False):
        with patch.object(order, "MEETS", on):
            db = Engine(threads=1, partitions=1)
            with db.epoch() as epoch:
                epoch.insert("edge", sorted(edges))
            with db.epoch() as epoch:
                epoch.add_rule(rule)
            assert (sum(entered(db)) > 0) == on
            visited[on] = visits(db)
    assert 3 * visited[True] < visited[False]


def test_failed_epochs_with_meets_leave_no_trace() -> None:
    with meets(True):
        assert sum(run_with_trouble(random_case(seed, 3), Random(seed)) for seed in range(3000, 3004)) > 4


@pytest.mark.parametrize("count", [2, 3])
def test_law_holds_for_meets_with_threads(count: int) -> None:
    with meets(True), threads(count, 2):
        for seed in range(1000 * count, 1000 * count + 8):
            try_case(seed, 3)


def test_law_holds_for_meets_in_tiny_slices() -> None:
    with meets(True), tiny_slices(1):
        for seed in range(5000, 5005):
            try_case(seed, 3)


def test_law_holds_for_meets_that_are_planned_again_and_again() -> None:
    with meets(True), restless():
        for seed in range(6000, 6005):
            try_case(seed, 3)
