"""The law on both roads of an epoch: few rows through one kernel, or the long way; and from the one to the other.

Random programs are run with small epochs, without them, and with small epochs that are given up at random places and
carried out the long way. Facts and counts are the same, and so is what an epoch reports.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from tests.law.harness import Case, counts_of, run
from tests.law.share import share
from tidelog import Engine, LimitError, Limits
from tidelog.plan.work import EpochWork
from tidelog.runtime.base.outcome import EpochOutcome
from tidelog.runtime.node import small_epoch
from tidelog.runtime.node.small_epoch import SmallEpochs

CASES = share(16, 16)
BLOCK = 8
REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."


@contextmanager
def given_up_after(rows: int) -> Iterator[list[bool]]:
    """The visit of a stratum may look at so many rows; the list has whether each small epoch was one to its end."""
    ended: list[bool] = []
    carry_out = SmallEpochs.run

    def run_noted(self: SmallEpochs, work: EpochWork) -> EpochOutcome | None:
        found = carry_out(self, work)
        ended.append(found is not None)
        return found

    with (
        patch.object(small_epoch, "BRIEF", rows),
        patch.object(small_epoch, "MOST_PATIENCE", 0),
        patch.object(SmallEpochs, "run", run_noted),
    ):
        yield ended


@contextmanager
def long_way() -> Iterator[None]:
    """No epoch is small."""
    with patch.object(small_epoch, "MOST_ROWS", -1):
        yield


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_both_roads_lead_to_the_same_facts_and_counts(first: int, kind: str) -> None:
    tried: list[bool] = []
    for seed in range(11 * 10**6 + first, 11 * 10**6 + first + BLOCK):
        case = Case.random(seed, kind)
        with given_up_after(Random(seed).choice([1, 2, 3, 5, 9, 2048])) as ended:
            short = counts_of(run(case))
        with long_way():
            assert short == counts_of(run(case)), f"seed {seed}, kind {kind}\n{case}"
        tried += ended
    assert any(tried)
    assert not all(tried)


PROGRAMS = [
    REACH,
    "p(X) :- edge(X,Y), !edge(Y,X).",
    "n(X, count<Y>) :- edge(X,Y).  big(X) :- n(X,N), N > 1.",
    "low(X, min<Y>) :- edge(X,Y).  low(X, min<Z>) :- edge(X,Y), low(Y,Z).",
    't(X, cat(Y, "!")) :- named(X,Y).  u(Y) :- t(_, Y).',
]


def told(db: Engine, rng: Random) -> list[Any]:
    """What random epochs report."""
    found: list[Any] = []
    for _ in range(30):
        with db.epoch() as epoch:
            for _ in range(rng.randint(1, 3)):
                act = epoch.insert if rng.random() < 0.6 else epoch.delete
                act("edge", [(rng.randint(0, 6), rng.randint(0, 6))])
                act("named", [(rng.randint(0, 6), rng.choice("abc"))])
        cost = epoch.statistics
        changes = {name: (sorted(change.inserted), sorted(change.deleted)) for name, change in epoch.changes.items()}
        strata = [(s.relations, s.supports, s.suspended, s.revived, s.rebuilt) for s in cost.strata]
        found.append((changes, cost.supports, cost.suspended, cost.revived, sorted(strata)))
        assert all(s.seconds >= 0 for s in cost.strata)
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_both_roads_report_the_same(program: str) -> None:
    for seed in range(3):
        small_way = told(Engine(program), Random(seed))
        with long_way():
            assert small_way == told(Engine(program), Random(seed))


def test_changes_of_a_small_epoch_can_be_read_after_later_ones() -> None:
    db = Engine(REACH)
    with db.epoch() as epoch:
        epoch.insert("edge", [(1, 2), (2, 3)])
    with db.epoch() as first:
        first.insert("edge", [(3, 4)])
    with db.epoch() as second:
        second.delete("edge", [(3, 4)])
    for number in range(40):
        with db.epoch() as epoch:
            epoch.insert("edge", [(number + 10, number)])
    assert sorted(first.changes["reach"].inserted) == [(1, 4), (2, 4), (3, 4)]
    assert sorted(second.changes["reach"].deleted) == [(1, 4), (2, 4), (3, 4)]


def test_limits_are_those_of_the_long_way() -> None:
    db = Engine(REACH, limits=Limits(facts=5))
    with db.epoch() as epoch:
        epoch.insert("edge", [(1, 2)])
    with pytest.raises(LimitError, match="facts"), db.epoch() as epoch:
        epoch.insert("edge", [(2, 3), (3, 4), (4, 5)])
    assert sorted(db["reach"]) == [(1, 2)]


def test_rules_and_plans_may_change_between_small_epochs() -> None:
    db = Engine(REACH)
    for number in range(200):  # sizes pass the bounds of plans
        with db.epoch() as epoch:
            epoch.insert("edge", [(number, number + 1)])
        if number == 50:
            with db.epoch() as epoch:
                label = epoch.add_rule("back(Y,X) :- edge(X,Y).")
        if number == 100:
            with db.epoch() as epoch:
                epoch.remove_rule(label)
    assert len(db["reach"]) == 200 * 201 // 2
    assert "back" not in db.relations
