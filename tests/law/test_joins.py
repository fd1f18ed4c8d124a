"""The law on joins: conditions, ranges, computed keys and relations that are empty for a while.

Random rules join atoms by equal variables, by comparisons, by equal expressions and by nothing at all, in recursion
too; random epochs add and remove facts, whole relations and rules. After every epoch the engine is compared with the
naive evaluator, as in `test_law.py`, which has few such joins. Cases are run with computed keys and without.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from tests.law.crowded import threads
from tests.law.harness import Case, check, commit, run, story
from tests.law.sabotage import tiny_slices
from tests.law.share import share
from tests.law.test_rollback import run_with_trouble
from tidelog import EvaluationError
from tidelog.engine.engine import Engine
from tidelog.rewrite import pipeline
from tidelog.rewrite.key_expressions import key_expressions
from tidelog.rewrite.names import KEYED
from tidelog.syntax import parse_program
from tidelog.testing import EpochChanges, State

HEADER = """
.decl a(x: number)
.decl b(x: number, y: number)
.decl c(x: number, y: number, z: number)
.decl f(x: number, v: float)
.decl t(x: number, s: symbol)
.decl p(x: number, y: number)
.decl q(x: number, y: number)
.decl h(x: number)
"""
ARITY = {"a": 1, "b": 2, "c": 3, "f": 2, "t": 2, "p": 2, "q": 2, "h": 1}
BASE = ("a", "b", "c", "f", "t")
CONDITIONS = ("a(_)", "b(_, _)", "b({n}, _)", "b(o, o)", "c(_, {n}, _)", "p(_, _)", "h(_)")
JOINS = (
    "b(x, y), a({v})",
    "b(x, u), b({w}, y)",
    "b(x, u), b(u, y)",
    "a(x), b(u, y)",
    "c(x, u, w), a(y)",
    "c(x, u, y), b({v}, u)",
    "b(x, y), q({v}, w)",
    "p(x, u), b(u, y)",
    "b(x, u), p({w}, y)",
    "f(x, k), f(y, l), k {r} l",
    "t(x, s), t(y, s)",
    "t(x, s), t(y, z), s {r} z",
)
TESTS = (
    "x {r} y",
    "x {r} y, x {r} {n}",
    "x {r} y + {n}",
    "x + {n} = y",
    "x + y = {n}",
    "x % 3 = y % 3",
    "x - y {r} {n}",
    "x * 2 = y + {n}",
    "x / 2 = y band 3",
    "x % 3 = y % 2",
    "x {r} {n}, {n} {r} y",
)


def random_text(rng: Random) -> str:
    """A few rules for `p`, `q` and `h`."""

    def filled(text: str) -> str:
        while "{" in text:
            key = text[text.index("{") : text.index("}") + 1]
            values = {"{n}": str(rng.randint(-1, 4)), "{r}": rng.choice(("<", "<=", ">", ">=", "!=", "="))}
            values |= {"{v}": rng.choice("xyuv"), "{w}": rng.choice("uw")}
            text = text.replace(key, values[key], 1)
        return text

    def body() -> str:
        parts = [filled(rng.choice(JOINS))]
        parts += [filled(rng.choice(TESTS)) for _ in range(rng.randint(0, 2))]
        parts += [filled(rng.choice(CONDITIONS)) for _ in range(rng.choice((0, 0, 0, 1, 2)))]
        if rng.random() < 0.2:
            parts.append("!b(y, x)")
        rng.shuffle(parts)
        return ", ".join(parts)

    heads = ["p(x, y)", "q(x, y)", "p(x, y)", "q(y, x)", "h(x)"]
    rules = [f"L{i}: {rng.choice(heads)} :- {body()}." for i in range(rng.randint(2, 4))]
    return HEADER + "\n".join(rules)


def random_row(rng: Random, name: str) -> tuple[object, ...]:
    if name == "f":
        return (rng.randint(0, 4), rng.choice((-1.5, -0.0, 0.0, 0.25, 7.0, float("inf"))))
    if name == "t":
        return (rng.randint(0, 4), rng.choice(("", "a", "b", "ba", "é")))
    return tuple(rng.randint(-1, 5) for _ in range(ARITY[name]))


def random_case(seed: int, epochs: int = 5) -> Case:
    rng = Random(seed)
    program = parse_program(random_text(rng))
    held: dict[str, set[tuple[object, ...]]] = {name: set() for name in BASE}
    changes = []
    in_force = {rule.label: rule for rule in program.rules}
    gone: dict[str | None, object] = {}
    for _ in range(epochs):
        inserts: list[tuple[str, tuple[object, ...]]] = []
        deletes: list[tuple[str, tuple[object, ...]]] = []
        for name in BASE:
            rows = sorted(held[name], key=repr)
            lost = rows if rng.random() < 0.25 else [row for row in rows if rng.random() < 0.2]
            new = {random_row(rng, name) for _ in range(rng.choice((0, 1, 3, 8)))} - held[name]
            deletes += [(name, row) for row in lost]
            inserts += [(name, row) for row in sorted(new, key=repr)]
            held[name] = (held[name] - set(lost)) | new
        removed, added = [], []
        if in_force and rng.random() < 0.25:
            label = rng.choice(sorted(map(str, in_force)))
            gone[label] = in_force.pop(label)
            removed.append(label)
        elif gone and rng.random() < 0.5:
            label = rng.choice(sorted(map(str, gone)))
            in_force[label] = rule = gone.pop(label)  # type: ignore[assignment]
            added.append(rule)
        changes.append(EpochChanges(tuple(inserts), tuple(deletes), tuple(added), tuple(removed)))  # type: ignore[arg-type]
    return Case(program, tuple(changes))


def try_case(seed: int, epochs: int = 5) -> None:
    case = random_case(seed, epochs)
    try:
        run(case)
    except Exception as error:
        raise AssertionError(f"seed {seed}: {error}\n{case}") from error


@contextmanager
def computed_keys(on: bool) -> Iterator[None]:
    """Equations of expressions are keys, or tests of a cross product."""
    passes = tuple(each for each in pipeline.PASSES if on or each is not key_expressions)
    with patch.object(pipeline, "PASSES", passes):
        yield


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("first", range(0, share(2, 20), 10))
def test_law_holds_for_joins(first: int, on: bool) -> None:
    with computed_keys(on):
        for seed in range(first, first + 10):
            try_case(seed)


def test_random_programs_have_computed_keys() -> None:
    def keyed(seed: int) -> bool:
        return any(rule.head.predicate.startswith(KEYED) for rule in pipeline.to_core(random_case(seed).program.rules))

    with computed_keys(True):
        assert sum(map(keyed, range(20))) > 2
    with computed_keys(False):
        assert not any(map(keyed, range(20)))


def test_failed_epochs_with_joins_leave_no_trace() -> None:
    seeds = range(3000, 3006)
    assert sum(run_with_trouble(random_case(seed, 3), Random(seed)) for seed in seeds) > len(seeds)


@pytest.mark.parametrize("seed", range(4000, 4006))
def test_law_holds_for_joins_of_a_state_that_is_opened_again(seed: int, tmp_path: Path) -> None:
    case = random_case(seed, 4)
    state = State.start(case.program)
    db = Engine(case.program, path=tmp_path)
    for number, change in enumerate(case.changes):
        commit(db, change, case.program.convention)
        state = state.after(change)
        check(db, state)
        if number % 2:
            db.snapshot()
        db.close()
        db = Engine(path=tmp_path)
        check(db, state)
    db.close()


@pytest.mark.parametrize("count", [2, 3])
def test_law_holds_for_joins_with_threads(count: int) -> None:
    with threads(count, 2):
        for seed in range(1000 * count, 1000 * count + 8):
            try_case(seed, 3)


@pytest.mark.parametrize("budget", [1, 3])
def test_law_holds_for_joins_that_stop_all_the_time(budget: int) -> None:
    with tiny_slices(budget):
        for seed in range(5000 + 10 * budget, 5000 + 10 * budget + 8):
            try_case(seed, 3)


def test_condition_is_one_support_however_many_facts_match() -> None:
    told = story("p(X) :- a(X), b(_), c(1, _).", "+a(1). +b(1). +b(2). +c(1,1). +c(1,2). +c(2,2).", "-b(1). -c(1,2).")
    assert told[1][1].state().facts["p"][(1,)].all == 1
    told = story(
        "p(X) :- a(X), b(_), c(1, _).", "+a(1). +b(1). +c(1,1). +c(2,2).", "-b(1). +a(2).", "+b(3).", "-c(1,1)."
    )
    assert [len(epoch.changes["p"].inserted) for epoch, _ in told[:3]] == [1, 0, 2]
    assert not told[3][1]["p"]


def test_condition_on_the_relation_itself_holds_only_while_something_else_supports_it() -> None:
    told = story("p(X) :- a(X), p(_). p(X) :- b(X).", "+a(1). +a(2).", "+b(3).", "+p(1).", "-b(3).", "-p(1).")
    assert not told[0][0].changes["p"]
    assert len(told[1][0].changes["p"].inserted) == 3
    assert not told[4][1]["p"]


def test_support_is_lost_when_the_last_facts_of_both_atoms_go_in_one_epoch() -> None:
    """The plan of the first atom reads the second as it was: it must not count as empty."""
    told = story("q(X) :- a(X), b(X).", "+a(1). +b(1).", "-a(1). -b(1).", "+a(1).", "+b(1). -a(1).", "+a(1).")
    assert told[1][0].changes["q"].deleted == [(1,)]
    assert not told[3][0].changes["q"]
    assert told[4][0].changes["q"].inserted == [(1,)]


def test_relation_that_fills_while_a_queue_runs_is_not_taken_as_empty() -> None:
    rules = "p(X) :- s(X). q(X) :- p(X), X > 2. p(Y) :- e(X, Y), p(X). r(X, Y) :- p(X), q(Y), e(X, Y)."
    told = story(rules, "+e(1,2). +e(2,3). +e(3,4). +e(4,3).", "+s(1).", "-e(2,3).", "+e(2,4). -s(1).", "+s(2).")
    assert sorted(told[4][1]["r"]) == [(2, 4), (3, 4), (4, 3)]


def visits(db: Engine) -> int:
    """Rows that all plans have visited, triggers left out."""
    orders = [order for s in db.explain(analyze=True).strata for rule in s.rules for order in rule.orders]
    return sum(step.visited or 0 for order in orders for step in order.numbers[1:])


def test_plans_with_an_empty_relation_visit_nothing() -> None:
    db = Engine("p(X, Z) :- a(X, Y), b(Y, Z), p(Z, _). p(X, X) :- s(X).", partitions=1, threads=1)
    with db.epoch() as epoch:
        epoch.insert("a", [(i % 10, i) for i in range(100)])
        epoch.insert("b", [(i, i % 7) for i in range(100)])
    assert visits(db) == 0
    with db.epoch() as epoch:
        epoch.insert("s", [(3,)])
    assert len(db["p"]) > 10
    assert visits(db) > 0


def test_empty_relation_behind_a_computation_does_not_hide_its_error() -> None:
    db = Engine("p(X) :- a(X), Y = 10 / X, b(Y).")
    with pytest.raises(EvaluationError, match="division by zero"), db.epoch() as epoch:
        epoch.insert("a", [(0,)])


def test_equation_of_expressions_visits_what_it_matches() -> None:
    program = (
        ".decl a(x: number) .decl b(x: number) .decl p(x: number, y: number) p(x, y) :- a(x), b(y), x % 100 = y / 2."
    )
    db = Engine(program, partitions=1, threads=1)
    with db.epoch() as epoch:
        epoch.insert("a", [(i,) for i in range(200)])
        epoch.insert("b", [(i,) for i in range(200)])
    assert len(db["p"]) == 400
    assert visits(db) == 400
    assert "a(7)" in str(db.why("p(7, 14)"))
    assert "no fact satisfies the equation" in str(db.why_not("p(7, 10)"))


def test_rows_without_a_key_raise_the_error_of_their_rule_and_no_other() -> None:
    program = ".decl a(x: number) .decl b(x: number) .decl p(x: number) p(x) :- a(x), b(y), x + 1 = y + 1."
    db = Engine(program)
    with db.epoch() as epoch:
        epoch.insert("a", [(2**63 - 1,)])  # nothing to compare it with
    with pytest.raises(EvaluationError, match="does not fit"), db.epoch() as epoch:
        epoch.insert("b", [(1,)])


def test_record_patterns_are_join_keys() -> None:
    program = """
    .type id = [n: number, m: number]
    .decl s(x: id, y: id) .decl p(x: id, y: id) .decl q(n: number)
    p([a, b], [e, f]) :- s([a, b], [c, d]), s([a, b], [e, f]), c < e.
    q(a) :- s([a, _], _), s(_, [a, b]), b > 0.
    """
    db = Engine(program, partitions=1, threads=1)
    with db.epoch() as epoch:
        epoch.insert("s", [((i, 0), (i + j, j)) for i in range(100) for j in range(2)])
        epoch.insert("s", [(None, (1, 1)), ((5, 5), None)])  # nil matches no pattern
    assert set(db["p"]) == {((i, 0), (i + 1, 1)) for i in range(100)}
    assert set(db["q"]) == {(i,) for i in range(1, 100)}
    assert visits(db) < 5000
