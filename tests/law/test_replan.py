"""The law when plans are replaced all the time: at every slice at which any relation has changed its size.

This notices plans that are not worth the same, indexes that a new plan lacks, and walks disturbed by the plan that
replaces theirs; it cannot notice bad plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import pytest

from tests.law.harness import Case, counts_of, run
from tests.law.sabotage import TROUBLES, tiny_slices
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.partition.code import replan
from tidelog.plan import indexes

POINTS_TO = """
    points(V, H) :- new(V, H).
    points(V, H) :- assign(V, W), points(W, H).
    points(V, H) :- load(V, B, F), points(B, O), field(O, F, H).
    field(O, F, H) :- store(B, F, V), points(B, O), points(V, H).
"""


@contextmanager
def changeable() -> Iterator[None]:
    """Every change of a size is reason enough to plan again, and any shorter index serves."""
    changes = {(replan, "GROWTH"): 1, (replan, "SMALL"): 0, (replan, "GROWING"): 0, (indexes, "SHORT"): 10**9}
    with ExitStack() as patches:
        for (module, name), value in changes.items():
            patches.enter_context(patch.object(module, name, value))
        yield


@contextmanager
def restless(budget: int = 3) -> Iterator[None]:
    """The same in short slices."""
    with changeable(), tiny_slices(budget):
        yield


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("budget", [1, 3, 7])
def test_law_holds_while_plans_are_replaced(budget: int, kind: str) -> None:
    with restless(budget):
        for seed in range(4 * 10**6 + budget, 4 * 10**6 + budget + 12):
            case = Case.random(seed, kind, epochs=3)
            try:
                run(case)
            except Exception as error:
                raise AssertionError(f"seed {seed}, kind {kind}: {error}\n{case}") from error


def build(*, partitions: int = 1) -> Engine:
    db = Engine(POINTS_TO, partitions=partitions)
    for first in range(2):
        with db.epoch() as e:
            e.insert("new", [(i, 100 + i % 9) for i in range(first, 60, 2)])
            e.insert("assign", [(i % 31, (7 * i + 3) % 29) for i in range(first, 80, 2)])
            e.insert("load", [(i % 23, (5 * i + 1) % 31, i % 3) for i in range(first, 60, 2)])
            e.insert("store", [(i % 31, i % 3, (3 * i + 2) % 23) for i in range(first, 60, 2)])
    with db.epoch() as e:
        e.delete("assign", [(i % 31, (7 * i + 3) % 29) for i in range(20)])
    return db


@pytest.mark.parametrize("partitions", [1, 2])
def test_replanned_epoch_gives_the_same_counts(partitions: int) -> None:
    quiet = counts_of(build())
    with restless():
        found = counts_of(build(partitions=partitions))
    assert {key: found.get(key) for key in quiet} == quiet


def test_plans_are_replaced_in_the_middle_of_an_epoch() -> None:
    with restless(), patch.object(replan.Replanner, "plan", autospec=True, side_effect=replan.Replanner.plan) as plan:
        build()
    assert plan.call_count > 30


def test_rule_that_was_planned_without_facts_is_planned_again_when_they_come() -> None:
    names = (("a", "x: number, y: number"), ("b", "x: number, y: number"), ("c", "x: number"), ("p", "x: number"))
    declared = "".join(f".decl {name}({columns})\n" for name, columns in names)
    db = Engine(declared + "p(X) :- a(X, Y), b(Y, Z), c(Z).")
    with db.epoch() as e:
        e.insert("a", [(i, i % 10) for i in range(500)])
        e.insert("b", [(i % 10, i) for i in range(500)])
        e.insert("c", [(7,)])
    assert e.statistics.replans <= 1
    (plan, *_) = [order for rule in db.explain().strata[-1].rules for order in rule.orders if "c(" in order.trigger]
    assert plan.steps[0].startswith("b(")
    with db.epoch() as e:
        e.insert("c", [(8,)])
    assert e.statistics.replans == 0
    assert len(db["p"]) == 100


def test_partitions_explain_the_plans_that_they_run() -> None:
    text = "p(X) :- a(X, Y), big(Y, Z), tiny(Y, Z).  q(X) :- p(X)."
    orders = []
    for partitions in (1, 2):
        db = Engine(text, partitions=partitions)
        with db.epoch() as e:
            e.insert("a", [(i, i % 5) for i in range(200)])
            e.insert("big", [(i % 5, i) for i in range(2000)])
            e.insert("tiny", [(i % 5, i) for i in range(5)])
        orders.append([o.steps for o in db.explain().strata[0].rules[0].orders if o.trigger.startswith("a(")])
        db.close()
    assert [len(steps) for steps in orders[0]] == [2]
    assert orders[1], "the plans of partition 0"


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("chance", [1, 4, 9])
def test_epoch_that_fails_after_plans_were_replaced_leaves_no_trace(trouble, chance: int) -> None:
    db = build()
    before = counts_of(db)
    with changeable():
        try:
            with trouble(db, chance) as expected, db.epoch() as e:
                e.insert("assign", [(i % 31, (11 * i + 5) % 29) for i in range(40)])
                e.delete("store", [(i % 31, i % 3, (3 * i + 2) % 23) for i in range(9)])
        except expected:
            assert counts_of(db) == before
        with db.epoch() as e:
            e.insert("assign", [(i % 31, (11 * i + 5) % 29) for i in range(40)])
            e.delete("store", [(i % 31, i % 3, (3 * i + 2) % 23) for i in range(9)])
    assert db.verify()
    partition = core_of(db).runtime.node.partition
    used = {index for code in partition.rules.codes.values() for index in code.indexes}
    assert len(partition.relations.index_columns()) == len(used)


def test_shorter_index_serves_a_longer_look_up() -> None:
    text = "p(X, Z) :- a(X, Y), f(X, Y, Z).  q(X, Z) :- b(X), f(X, Y, Z)."
    rows = [(i, i % 7, i % 11) for i in range(3000)]
    db = Engine(text)
    with db.epoch() as e:
        e.insert("f", rows)
        e.insert("a", [(i, i % 5) for i in range(3000)])
        e.insert("b", [(i,) for i in range(0, 3000, 10)])
    with db.epoch() as e:
        e.insert("a", [(i, 6) for i in range(50)])
    made = {index for index in db.explain().indexes if index.relation == "f"}
    assert {index.columns for index in made} == {(1,)}
    assert set(db["p"]) == {(i, z) for i, y, z in rows if y == i % 5 or (i < 50 and y == 6)}
    assert db.verify()


def test_rule_that_runs_once_has_no_index_made_for_its_first_visit() -> None:
    db = Engine("p(X) :- e(X, _).")
    with db.epoch() as e:
        e.insert("e", [(i, i % 3) for i in range(100)])
    indexes = core_of(db).runtime.node.partition.relations.index_columns
    before = indexes()
    with db.epoch() as e:
        e.add_rule("q(X) :- e(X, 2), X > 50.")
    assert len(db["q"]) == 16
    assert indexes() == before


def test_query_keeps_the_index_of_its_first_visit_for_the_next_one() -> None:
    db = Engine("p(X) :- e(X, _).")
    with db.epoch() as e:
        e.insert("e", [(i, i % 3) for i in range(100)])
    partition = core_of(db).runtime.node.partition
    assert len(db.query("e(X, 2), X != 50")) == 32
    kept = partition.relations.index_columns()
    assert (partition.relations.numbers["e"], (1,)) in kept
    assert len(db.query("e(X, 1), X != 50")) == 33
    assert partition.relations.index_columns() == kept


@pytest.mark.parametrize("first", [0, 100])
@pytest.mark.parametrize("count", [800, 2000])
def test_plans_replaced_within_a_batch_see_all_facts(count: int, first: int) -> None:
    """The new plan reads an index that no plan has read before, so that it was filled only up to an older row."""
    db = Engine('r(S, P, O) :- t(S, P, O). r(S, "type", C) :- r(P, "dom", C), r(S, P, _).')
    rows = [(f"p{i}", "dom", f"C{i}") for i in range(100)] + [(f"s{j}", f"p{j % 100}", f"o{j}") for j in range(count)]
    for part in (rows[:first], rows[first:]):
        with db.epoch() as e:
            e.insert("t", part)
    assert set(db["r"]) == {*rows, *((f"s{j}", "type", f"C{j % 100}") for j in range(count))}
