"""The law for records and algebraic values: made, opened, joined, negated, counted and removed again.

Random programs with a recursive record, a recursive algebraic type and a record of mixed fields, under changes of facts
and rules, on one partition and on three, beside the naive evaluator, which matches patterns in its own way.
Every case is run with structures that the kernel opens and with those that Python opens.
Values made by rules are at most two levels deep; what depth costs is not tested here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from unittest.mock import patch

import pytest

from tests.law.harness import Case, run, story
from tests.law.share import share
from tests.law.test_law import compare_orders
from tests.law.test_rollback import run_with_trouble
from tests.law.unkind import engine_on
from tidelog.engine.engine import Engine
from tidelog.partition.code.machine import Machine
from tidelog.partition.texts import entries

CASES = share(16, 12)
BLOCK = min(6, CASES)
TYPES = """
.type P = [x: number, next: P]
.type T = Leaf {v: number} | Node {l: T, r: T} | Empty {}
"""


@contextmanager
def in_the_kernel(on: bool) -> Iterator[None]:
    """The kernel opens and makes structures that exist, since entries settle at once; or Python does."""
    with ExitStack() as patches:
        if on:
            patches.enter_context(patch.object(entries, "RECENT", 1))
        else:
            patches.enter_context(patch.object(Machine, "show_structures", lambda _: None))
        yield


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_incremental_equals_from_scratch_after_every_epoch(first: int, partitions: int, on: bool) -> None:
    with in_the_kernel(on):
        for seed in range(first, min(first + BLOCK, CASES)):
            case = Case.random(seed, "structures")
            try:
                run(case, engine_on(partitions)) if partitions > 1 else run(case)
            except Exception as error:
                raise AssertionError(f"seed {seed}, kind structures: {error}\n{case}") from error


@pytest.mark.parametrize("seed", range(3400, 3406))
def test_failed_epochs_with_structures_leave_no_trace(seed: int) -> None:
    with in_the_kernel(True):
        assert run_with_trouble(Case.random(seed, "structures", epochs=3), Random(seed))


def test_many_records_are_made_and_opened_together() -> None:
    """More than are computed one by one; some parts are texts, some records are nil."""
    rules = """
        .type P = [x: number, next: P] .type T = Leaf {v: symbol} | Node {l: P, r: T}
        .decl n(x: number, s: symbol) .decl p(x: P) .decl t(x: T) .decl q(x: number, y: number) .decl w(s: symbol)
        p([x, nil]) :- n(x, _). p([x, p]) :- n(x, _), p(p), p = [y, nil], y < x, x - y < 3.
        t($Leaf(s)) :- n(_, s). t($Node([x, nil], $Leaf(s))) :- n(x, s), x % 2 = 0.
        q(x, y) :- p([x, [y, nil]]). w(s) :- t($Node([x, _], $Leaf(s))), x > 3.
    """
    rows = [(i, f"s{i % 40}") for i in range(200)]
    with in_the_kernel(True), Engine(rules) as db:
        with db.epoch() as e:
            e.insert("n", rows)
        assert set(db["q"]) == {(x, y) for x in range(200) for y in (x - 1, x - 2) if y >= 0}
        assert len(db["p"]) == 200 + 199 + 198
        assert set(db["w"]) == {(s,) for x, s in rows if x > 3 and x % 2 == 0}
        with db.epoch() as e:
            e.delete("n", rows[::2])
        assert set(db["q"]) == {(x, x - 2) for x in range(3, 200, 2)}
        assert not db["w"]


def test_messages_may_come_in_any_order_and_in_any_pieces() -> None:
    for seed in range(700, 708):
        run(Case.random(seed, "structures"), engine_on(2 + seed % 2, Random(seed)))


def test_batching_and_order_do_not_matter() -> None:
    for seed in range(900, 906):
        compare_orders(Case.random(seed, "structures", epochs=3), Random(seed))


def test_nil_does_not_match_a_record() -> None:
    story(
        TYPES + ".decl p(x: P)\n.decl q(x: number)\n.decl none()\nq(x) :- p([x, _]).\nnone() :- p(nil).",
        "+p(nil). +p([1, nil]).",
        "-p(nil). +p([2, [1, nil]]).",
        "-p([1, nil]).",
    )


def test_a_part_of_another_constructor_is_no_part() -> None:
    """`$Leaf(v)` has no second part; reading one gives nothing that a later literal could see."""
    story(
        TYPES + ".decl p(x: T)\n.decl q(x: T, n: number)\nq(r, v) :- p($Node(l, r)), l = $Leaf(v), r != $Empty.",
        "+p($Leaf(1)). +p($Empty). +p($Node($Leaf(1), $Empty)). +p($Node($Leaf(2), $Leaf(3))).",
        "-p($Node($Leaf(2), $Leaf(3))). +p($Node($Empty, $Leaf(3))).",
    )


def test_a_list_is_built_and_taken_apart_in_one_stratum() -> None:
    program = TYPES + (
        ".decl item(x: number)\n.decl list(l: P, n: number)\n.decl sum(l: P, n: number)\n"
        "list(nil, 0).\nlist([x, l], x) :- list(l, n), item(x), x > n.\n"
        "sum(nil, 0).\nsum([x, l], x + n) :- list([x, l], _), sum(l, n)."
    )
    story(program, "+item(1). +item(2). +item(4).", "-item(2).", "+item(3). -item(1).", "- r1.")


def test_patterns_inside_aggregates_negations_and_branches() -> None:
    program = TYPES + (
        ".decl p(x: P, t: T)\n.decl n(c: number)\n.decl m(x: number, c: number)\n"
        ".decl no(x: number)\n.decl or(x: number)\n"
        "n(c) :- c = count : { p([_, _], _) }.\n"
        "m(x, c) :- p([x, _], _), c = sum v : { p([x, [v, _]], $Leaf(_)) }.\n"
        "no(x) :- p([x, _], _), !p([x, nil], $Empty).\n"
        "or(x) :- p(a, t), (a = [x, nil] ; t = $Leaf(x) ; t = $Node($Leaf(x), _)).\n"
    )
    story(
        program,
        "+p([1, nil], $Empty). +p([1, [2, nil]], $Leaf(7)). +p([2, nil], $Node($Leaf(5), $Empty)).",
        "-p([1, nil], $Empty). +p([1, [3, nil]], $Leaf(8)).",
        "+p(nil, $Leaf(9)). -p([1, [2, nil]], $Leaf(7)).",
    )


def test_a_rule_that_comes_later_keeps_the_types_of_the_relations_it_shares() -> None:
    """It read an opened relation through `_`, and the relation's columns lost their types: proofs showed cells."""
    run(Case.random(3044, "structures"))
    run(Case.random(4018, "structures"), engine_on(3))
