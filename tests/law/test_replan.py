"""The law when plans are replaced all the time: at every slice at which any relation has changed its size.

This notices plans that are not worth the same, indexes that a new plan lacks, and walks disturbed by the plan that
replaces theirs; it cannot notice bad plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from tests.law.harness import Case, counts_of, run
from tests.law.sabotage import TROUBLES, tiny_slices
from tidelog import Engine
from tidelog.engine.core import core_of
from tidelog.partition import replan

POINTS_TO = """
    points(V, H) :- new(V, H).
    points(V, H) :- assign(V, W), points(W, H).
    points(V, H) :- load(V, B, F), points(B, O), field(O, F, H).
    field(O, F, H) :- store(B, F, V), points(B, O), points(V, H).
"""


@contextmanager
def restless(budget: int = 3) -> Iterator[None]:
    """Every change of a size is reason enough to plan again, and slices are short."""
    with patch.object(replan, "GROWTH", 1), patch.object(replan, "SMALL", 0), tiny_slices(budget):
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


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("chance", [1, 4, 9])
def test_epoch_that_fails_after_plans_were_replaced_leaves_no_trace(trouble, chance: int) -> None:
    db = build()
    before = counts_of(db)
    with patch.object(replan, "GROWTH", 1), patch.object(replan, "SMALL", 0):
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
    indexes = core_of(db).runtime.node.partition.relations.index_columns()
    used = {index for code in core_of(db).runtime.node.partition.rules.codes.values() for index in code.indexes}
    assert len(indexes) == len(used)
