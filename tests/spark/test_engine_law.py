"""The law on Spark: facts and counts as from scratch after every epoch, and in any order of messages.

Random programs and changes go through an engine whose partitions live in a resident stage; messages go over Arrow
Flight, or are held back, split and shuffled by the partition that gets them. `TIDELOG_SPARK_CASES` says how many.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import SparkSession

from tests.law.harness import Case, counts_of, run
from tests.spark.pool import Pool, engines_in
from tidelog.engine.engine import Engine
from tidelog.program import Program
from tidelog.syntax import parse_program
from tidelog.testing.naive import evaluate_both

CASES = int(os.environ.get("TIDELOG_SPARK_CASES", "8"))


@pytest.fixture(scope="module")
def pool(spark: SparkSession) -> Iterator[Pool]:
    pool = Pool(spark)
    yield pool
    pool.close()


def on_spark(pool: Pool, partitions: int, seed: int | None = None) -> Callable[[Program], Engine]:
    """Makes engines in the pool, with a separate state folder, as any engine on Spark has."""

    def make(program: Program) -> Engine:
        with engines_in(pool, partitions, seed):
            return Engine(program, spark=pool.spark, partitions=partitions)

    return make


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("seed", range(CASES // 4))
def test_facts_and_counts_are_exact(pool: Pool, kind: str, seed: int) -> None:
    run(Case.random(30_000 + seed, kind), on_spark(pool, 2 + seed % 2)).close()


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("seed", range(CASES // 4))
def test_messages_may_come_in_any_order_and_in_any_pieces(pool: Pool, kind: str, seed: int) -> None:
    run(Case.random(40_000 + seed, kind), on_spark(pool, 2 + seed % 2, seed)).close()


def test_messages_are_held_back_and_more_rounds_are_needed(pool: Pool) -> None:
    """That the unkind channel is one: the same epoch, and more exchanges."""
    exchanges = []
    for seed in (None, 1):
        with on_spark(pool, 3, seed)(Program()) as db:
            with db.epoch() as e:
                e.add_rule("pair(X,Y) :- left(Z,X), right(Z,Y).")
                e.add_rule("far(X,Z) :- pair(X,Y), pair(Y,Z).")
                e.insert("left", [(i % 3, i) for i in range(12)])
                e.insert("right", [(i % 3, i) for i in range(12)])
            exchanges.append(e.statistics.exchanges)
            assert len(db["far"]) == 48
    assert exchanges[1] > exchanges[0]


def test_facts_and_counts_are_those_of_one_partition(pool: Pool) -> None:
    for seed in range(20_000, 20_002):
        case = Case.random(seed, "plain")
        with run(case) as alone, run(case, on_spark(pool, 3)) as many:
            assert counts_by_name(many) == counts_by_name(alone)


def counts_by_name(db: Engine) -> dict[tuple[str, tuple[object, ...]], int]:
    """The counts of the relations that the program has."""
    return {key: count for key, count in counts_of(db).items() if not key[0].startswith("__")}


def test_number_of_facts_is_that_of_all_partitions(pool: Pool) -> None:
    with on_spark(pool, 3)(Program()) as db:
        with db.epoch() as e:
            e.insert("edge", [(i, i + 1) for i in range(20)])
        with db.epoch() as e:
            e.insert("edge", [(50, 51)])
            e.delete("edge", [(3, 4), (4, 5)])
        assert db.fact_count == len(db["edge"]) == 19


def test_negation_in_cycles_is_exact(pool: Pool) -> None:
    rules = parse_program(
        "r1: win(X) :- move(X, Y), !win(Y). r2: lost(X) :- move(X, _), !win(X). r3: n(count<X>) :- win(X)."
    )
    moves: set[tuple[int, int]] = set()
    with on_spark(pool, 2, 5)(rules) as db:
        for new, old in (([(1, 2), (2, 3), (5, 6), (6, 5), (7, 5)], []), ([(3, 4)], [(1, 2)]), ([(6, 4)], [(2, 3)])):
            with db.epoch() as epoch:
                epoch.insert("move", new)
                if old:
                    epoch.delete("move", old)
            moves = (moves | {*new}) - {*old}
            true, possible = evaluate_both(rules, {"move": moves})
            for name in ("win", "lost", "n"):
                assert set(db[name]) == true[name]
                assert set(db.undefined(name)) == possible[name] - true[name]
        assert "no win(4)" in str(db.why("win(6)"))
        assert db.verify()
