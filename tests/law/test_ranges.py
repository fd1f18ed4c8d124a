"""The law on ranges: comparisons that the planner turns into visits in the order of a column.

Random rules compare columns of all types whose cells are ordered, from one side and from two, with constants and with
other columns, beside equal columns and in recursion; texts are compared by value. Every case is run with ordered
indexes and without. That plans really visit ranges is counted. What this cannot notice: a range that admits too many
rows, since the comparisons that it comes from are separate steps; `test_range_visits_what_it_admits` counts rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date, timedelta
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from tests.law.crowded import threads
from tests.law.harness import Case, check, commit, counts_of, run
from tests.law.sabotage import tiny_slices
from tests.law.share import share
from tests.law.test_joins import visits
from tests.law.test_replan import restless
from tests.law.test_rollback import run_with_trouble
from tidelog.engine.engine import Engine, core_of
from tidelog.plan import body as plan_body
from tidelog.plan import estimate
from tidelog.plan.steps import is_ordered
from tidelog.program.functions.calendar import from_python
from tidelog.syntax import parse_program
from tidelog.testing import EpochChanges, State

HEADER = """
.decl a(x: number)
.decl b(x: number, y: number)
.decl c(x: number, y: number, z: number)
.decl f(x: number, v: float)
.decl u(x: number, v: unsigned)
.decl d(x: number, v: date)
.decl t(x: number, v: symbol)
.decl p(x: number, y: number)
.decl q(x: number, y: number)
"""
BASE = {"a": 1, "b": 2, "c": 3, "f": 2, "u": 2, "d": 2, "t": 2}
BODIES = (
    "c(x, l, h), a(y), l {l} y, y {l} h",
    "a(x), b(y, v), x {r} v",
    "a(x), b(l, h), l {l} x, x {l} h, b(y, l)",
    "b(x, z), b(z, y), x {r} y",
    "b(x, z), b(z, y), b(x, y), x {l} z, z {l} y",
    "c(x, y, k), c(x, w, m), k {r} m, w {r} y",
    "f(x, k), f(y, m), k {r} m",
    "u(x, k), u(y, m), k {r} m",
    "d(x, k), d(y, m), k {r} m",
    "t(x, k), t(y, m), k {r} m",
    "p(x, z), a(y), z {r} y",
    "p(x, z), b(z, y), x {r} y",
    "a(x), q(z, y), x {r} z, z {r} {n}",
    "p(x, z), q(w, y), z {l} w, w {l} {n}",
    "a(x), w = x band {m}, b(y, v), v {r} w",
    "b(x, y), !b(y, x), a(w), x {l} w, w {l} y",
    "f(x, k), f(y, m), k {r} m, m {r} 0.25",
    "u(x, k), u(y, m), k {r} m, m {r} 9223372036854775808",
)


def random_text(rng: Random) -> str:
    """A few rules for `p` and `q`."""

    def filled(text: str) -> str:
        while "{" in text:
            key = text[text.index("{") : text.index("}") + 1]
            values = {"{n}": str(rng.randint(-1, 5)), "{m}": str(rng.randint(1, 7))}
            values |= {"{r}": rng.choice(("<", "<=", ">", ">=")), "{l}": rng.choice(("<", "<="))}
            text = text.replace(key, values[key], 1)
        return text

    heads = ("p(x, y)", "q(x, y)", "q(y, x)")
    rules = [f"L{i}: {rng.choice(heads)} :- {filled(rng.choice(BODIES))}." for i in range(rng.randint(2, 4))]
    return HEADER + "\n".join(rules)


def random_row(rng: Random, name: str) -> tuple[object, ...]:
    number = rng.randint(-1, 5)
    if name == "f":
        return (number, rng.choice((float("-inf"), -1.5, -0.0, 0.0, 0.25, 7.0, 1e300, float("inf"))))
    if name == "u":
        return (number, rng.choice((0, 1, 2**63 - 1, 2**63, 2**64 - 1)))
    if name == "d":
        return (number, from_python(date(1969, 12, 30) + timedelta(days=rng.randint(0, 4))))
    if name == "t":
        return (number, rng.choice(("", "a", "b", "ba", "é", "Z")))
    return tuple(rng.choice((rng.randint(-1, 5), rng.randint(-1, 5), 2**63 - 1, -(2**63))) for _ in range(BASE[name]))


def random_case(seed: int, epochs: int = 4, most: int = 8) -> Case:
    rng = Random(seed)
    program = parse_program(random_text(rng))
    held: dict[str, set[tuple[object, ...]]] = {name: set() for name in BASE}
    changes, removed = [], None
    for _ in range(epochs):
        inserts: list[tuple[str, tuple[object, ...]]] = []
        deletes: list[tuple[str, tuple[object, ...]]] = []
        for name in BASE:
            lost = [row for row in sorted(held[name], key=repr) if rng.random() < 0.25]
            new = {random_row(rng, name) for _ in range(rng.choice((0, 1, 3, most)))} - held[name]
            deletes += [(name, row) for row in lost]
            inserts += [(name, row) for row in sorted(new, key=repr)]
            held[name] = (held[name] - set(lost)) | new
        rule = rng.choice(program.rules)
        added = () if removed is None else (removed,)
        gone = () if removed is not None or rng.random() < 0.6 else (rule,)
        removed = gone[0] if gone else None
        labels = tuple(str(one.label) for one in gone)
        changes.append(EpochChanges(tuple(inserts), tuple(deletes), added, labels))
    return Case(program, tuple(changes))


@contextmanager
def ranges(on: bool) -> Iterator[None]:
    """Every comparison that can be a bound is one, however few rows a key has; or none is."""
    with ExitStack() as patches:
        patches.enter_context(patch.object(plan_body, "RANGES", on))
        patches.enter_context(patch.object(estimate, "LONG", 0.0))
        yield


def try_case(seed: int, epochs: int = 4) -> None:
    case = random_case(seed, epochs)
    try:
        run(case)
    except Exception as error:
        raise AssertionError(f"seed {seed}: {error}\n{case}") from error


def ranged_steps(db: Engine) -> int:
    """How many steps visit the facts of a relation in the order of a column."""
    orders = [order for s in db.explain().strata for rule in s.rules for order in rule.orders]
    return sum("in the order of column" in step for order in orders for step in order.steps)


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("first", range(0, share(2, 20), 10))
def test_law_holds_for_ranges(first: int, on: bool) -> None:
    with ranges(on):
        for seed in range(first, first + 10):
            try_case(seed)


def test_random_programs_visit_ranges() -> None:
    with ranges(True):
        found = [ranged_steps(Engine(random_case(seed).program, partitions=1)) for seed in range(30)]
    assert sum(found) > 90
    with ranges(False):
        assert not any(ranged_steps(Engine(random_case(seed).program, partitions=1)) for seed in range(5))


@pytest.mark.parametrize("seed", range(3000, 3006))
def test_failed_epochs_with_ranges_leave_no_trace(seed: int) -> None:
    with ranges(True):
        assert run_with_trouble(random_case(seed, 3), Random(seed))


@pytest.mark.parametrize("seed", range(4000, 4004))
def test_law_holds_for_ranges_of_a_state_that_is_opened_again(seed: int, tmp_path: Path) -> None:
    case = random_case(seed, 4)
    state = State.start(case.program)
    with ranges(True):
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
def test_law_holds_for_ranges_with_threads(count: int) -> None:
    with ranges(True), threads(count, 2):
        for seed in range(1000 * count, 1000 * count + 8):
            try_case(seed, 3)


@pytest.mark.parametrize("budget", [1, 3])
def test_law_holds_for_ranges_that_stop_all_the_time(budget: int) -> None:
    with ranges(True), tiny_slices(budget):
        for seed in range(5000 + 10 * budget, 5000 + 10 * budget + 8):
            try_case(seed, 3)


def test_law_holds_for_ranges_while_plans_are_replaced() -> None:
    with ranges(True), restless(3):
        for seed in range(6000, 6008):
            try_case(seed, 3)


@pytest.mark.parametrize("seed", range(7000, 7004))
def test_law_holds_for_ranges_when_partitions_change(seed: int) -> None:
    case = random_case(seed, 4)
    state = State.start(case.program)
    with ranges(True):
        db = Engine(case.program, partitions=2)
        for number, change in enumerate(case.changes):
            commit(db, change, case.program.convention)
            state = state.after(change)
            check(db, state)
            db.repartition(1 + number % 3)
            check(db, state)
        db.close()


RULES = """
hit(K, X) :- i(K, L, H), p(X), L <= X, X <= H.
three(X, Y, Z) :- e(X, Y), e(Y, Z), e(X, Z), X < Y, Y < Z.
up(X) :- s(X). up(Y) :- up(X), e(X, Y), X < Y.
"""


def many(rng: Random, size: int) -> dict[str, list[tuple[int, ...]]]:
    lows = [rng.randrange(10 * size) for _ in range(size)]
    return {
        "i": [(k, low, low + rng.randrange(40)) for k, low in enumerate(lows)],
        "p": sorted({(rng.randrange(10 * size),) for _ in range(size)}),
        "e": sorted({(rng.randrange(40), rng.randrange(40)) for _ in range(size)}),
        "s": [(0,), (3,)],
    }


@pytest.mark.parametrize(("workers", "partitions"), [(1, 1), (3, 1), (1, 2)])
def test_many_rows_are_found_in_order_through_builds_and_changes(workers: int, partitions: int) -> None:
    """Enough rows to be sorted at once, to be put in one by one, and to take the rows of others that are gone."""
    rng = Random(workers + 10 * partitions)
    facts, on = many(rng, 600), []
    for setting in (True, False):
        with ranges(setting), threads(workers, 4) if workers > 1 else ExitStack():
            db = Engine(RULES, partitions=partitions)
            found = []
            for share_ in (1, 7, 3, 50):
                for sign in ("insert", "delete", "insert"):
                    with db.epoch() as epoch:
                        for name, rows in facts.items():
                            getattr(epoch, sign)(name, rows[:: 1 if sign == "insert" else share_])
                    found.append(counts_of(db))
                with pytest.raises(ZeroDivisionError), db.epoch() as epoch:
                    epoch.delete("p", facts["p"][::2])
                    epoch.insert("p", [(-x,) for x in range(200)])
                    raise ZeroDivisionError
            on.append(found)
    assert on[0] == on[1]
    xs = [x for (x,) in facts["p"]]
    assert {fact for name, fact in on[0][-1] if name == "hit"} == {
        (k, x) for k, low, high in facts["i"] for x in xs if low <= x <= high
    }


def test_range_visits_what_it_admits() -> None:
    db = Engine("hit(K, X) :- i(K, L, H), p(X), L <= X, X < H.", partitions=1, threads=1)
    with db.epoch() as epoch:
        epoch.insert("p", [(x,) for x in range(2000)])
    with db.epoch() as epoch:
        epoch.insert("i", [(k, 10 * k, 10 * k + 3) for k in range(150)])
    assert len(db["hit"]) == 450
    assert visits(db) == 450


def test_facts_that_are_all_new_are_found_from_the_side_that_has_both_bounds() -> None:
    db = Engine("hit(K, X) :- i(K, L, H), p(X), L <= X, X <= H.", partitions=1, threads=1)
    with db.epoch() as epoch:
        epoch.insert("p", [(x,) for x in range(2000)])
        epoch.insert("i", [(k, 10 * k, 10 * k + 3) for k in range(150)])
    assert len(db["hit"]) == 600
    assert visits(db) == 600


def test_nan_comes_last_and_zero_has_one_place() -> None:
    nan = float("nan")
    program = ".decl f(x: number, v: float) .decl g(v: float) .decl p(x: number, n: number)\n"
    rules = {"<": "v < k", "<=": "v <= k", ">": "v > k", ">=": "v >= k"}
    program += "\n".join(f"p(x, {n}) :- g(k), f(x, v), {text}." for n, text in enumerate(rules.values()))
    values = [float("-inf"), -1.0, -0.0, 2.0, float("inf"), nan]
    for on in (True, False):
        with ranges(on):
            db = Engine(program)
            assert bool(ranged_steps(db)) == on
            for key, place in ((nan, 5), (0.0, 2), (-0.0, 2), (float("inf"), 4)):
                with db.epoch() as epoch:
                    epoch.insert("f", list(enumerate(values)))
                    epoch.insert("g", [(key,)])
                below, above = set(range(place)), set(range(place + 1, 6))
                expected = [below, below | {place}, above, above | {place}]
                assert [{x for x, n in db["p"] if n == i} for i in range(4)] == expected
                with db.epoch() as epoch:
                    epoch.delete("g", [(key,)])


def ordered_indexes(db: Engine) -> int:
    relations = core_of(db).runtime.node.partition.relations  # type: ignore[attr-defined]  # embedded, one partition
    return sum(is_ordered(columns) for _, columns in relations.index_columns())


def test_question_that_is_asked_again_is_answered_in_order() -> None:
    db = Engine("v(X, Y) :- e(X, Y).", partitions=1)
    rows = [(7 * i % 1000, i) for i in range(1000)]
    with db.epoch() as epoch:
        epoch.insert("e", rows)
    for indexes in (0, 1, 1):
        assert sorted(db.query("v(X, Y), X < 10")) == sorted((x, y) for x, y in rows if x < 10)
        assert ordered_indexes(db) == indexes
    assert sorted(db.query("v(X, Y), 5 <= X, 7 >= X, Y > 300")) == sorted(
        (x, y) for x, y in rows if 5 <= x <= 7 and y > 300
    )
    with db.epoch() as epoch:
        epoch.delete("e", rows[::2])
        epoch.insert("e", [(-1, -1), (3, 5000)])
    left = [*rows[1::2], (-1, -1), (3, 5000)]
    assert sorted(db.query("v(X, Y), X < 10")) == sorted((x, y) for x, y in left if x < 10)
    assert ordered_indexes(db) == 1
