"""The law on several partitions: the same facts, exact counts on every partition, in any order of messages."""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.law.harness import Case, counts_of, run
from tests.law.unkind import engine_on
from tidelog.engine import Engine
from tidelog.errors import LimitError
from tidelog.partition.machine import Limits

CASES = int(os.environ.get("TIDELOG_CASES", "100")) // 5
BLOCK = 10


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_facts_and_counts_are_exact_on_two_and_three_partitions(kind: str, first: int) -> None:
    for seed in range(first, first + BLOCK):
        run(Case.random(seed, kind), engine_on(2 + seed % 2))


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_messages_may_come_in_any_order_and_in_any_pieces(kind: str, first: int) -> None:
    for seed in range(10_000 + first, 10_000 + first + BLOCK):
        run(Case.random(seed, kind), engine_on(2 + seed % 3, Random(seed)))


def test_facts_and_counts_are_those_of_one_partition() -> None:
    for seed in range(20_000, 20_010):
        case = Case.random(seed, "plain")
        alone, many = run(case), run(case, engine_on(3))
        told = counts_of(many)
        assert {key: n for key, n in counts_of(alone).items() if not key[0].startswith("__")} == {
            key: n for key, n in told.items() if not key[0].startswith("__")
        }


def test_a_rule_that_follows_the_pivot_sends_nothing() -> None:
    with Engine("reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z).", partitions=3) as db:
        with db.epoch() as e:
            e.insert("edge", [(i, i + 1) for i in range(100)])
        assert len(db["reach"]) == 5050
        assert e.statistics.messages == 0
        assert e.statistics.exchanges == 0


def test_a_rule_added_at_run_time_builds_the_copy_it_needs_in_the_same_epoch() -> None:
    with Engine("pair(X,Y) :- left(X,Y), right(X,Y).", partitions=2) as db:
        with db.epoch() as e:
            e.insert("left", [(i, i % 7) for i in range(40)])
            e.insert("right", [(i, i % 5) for i in range(40)])
        with db.epoch() as e:
            e.add_rule("cross(X,Z) :- left(X,Y), right(Z,Y).")
        wanted = {(x, z) for x in range(40) for z in range(40) if x % 7 == z % 5}
        assert set(db["cross"]) == wanted
        assert e.statistics.messages > 0


def test_a_limit_holds_for_all_partitions_together() -> None:
    with Engine(
        "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z).", partitions=3, limits=Limits(4000)
    ) as db:
        with pytest.raises(LimitError, match="its limit is 4,000"), db.epoch() as e:
            e.insert("edge", [(i, i + 1) for i in range(100)])
        assert len(db["reach"]) == 0
        with db.epoch() as e:
            e.insert("edge", [(i, i + 1) for i in range(50)])
        assert len(db["reach"]) == 1275
