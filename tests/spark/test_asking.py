"""Questions about single facts, and the certificate, on partitions that live on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.why.test_partitions import moved
from tidelog import Engine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULES = """
reach(X, Y) :- edge(X, Y).  reach(X, Z) :- reach(X, Y), edge(Y, Z).  shortest(X, min<D>) :- hops(X, D).
hops(X, 1) :- edge(X, _).  called(N) :- name(X, N), reach(1000, X), !edge(X, 1003).
"""


def test_questions_are_answered_on_spark_as_in_one_process(spark: SparkSession) -> None:
    with Engine(RULES, spark=spark, partitions=2) as db, Engine(RULES) as alone:
        for each in (db, alone):
            with each.epoch() as e:
                e.insert("edge", [(1000 * i + j, 1000 * i + j + 1) for i in range(50) for j in range(10)])
                e.insert("name", [(1000 * i + j, f"node {1000 * i + j}") for i in range(50) for j in range(10)])
        before = moved(db)
        for fact in ("reach(1000, 1010)", 'called("node 1005")', "shortest(1000, 1)"):
            assert str(db.why(fact)) == str(alone.why(fact))
        assert str(db.why_not('called("node 1002")')) == str(alone.why_not('called("node 1002")'))
        query = 'name(X, "node 1003"), edge(X, Y), name(Y, N)'
        assert list(db.query(query)) == list(alone.query(query)) == [(1003, 1004, "node 1004")]
        assert moved(db)[1] - before[1] < 300
        output = ("strata", "rules", "relations", "facts", "supports")
        verdicts = db.verify(), alone.verify()
        assert [getattr(verdicts[0], name) for name in output] == [getattr(verdicts[1], name) for name in output]
        with db.epoch() as e:
            e.insert("edge", [(1010, 1011), (7, 8)])
        found = e.blame("reach(1000, 1011)")
        assert [str(change) for change in found.changes] == ["edge(1010, 1011) was asserted"]  # type: ignore[union-attr]


@pytest.mark.long
def test_negation_in_cycles_is_maintained_on_spark(spark: SparkSession) -> None:
    rules = "r1: win(X) :- move(X, Y), !win(Y)."
    with Engine(rules, spark=spark, partitions=2) as db, Engine(rules) as alone:
        for number in range(4):
            for each in (db, alone):
                with each.epoch() as epoch:
                    epoch.insert("move", [(1, 2), (2, 3), (5, 6), (6, 5)] if number == 0 else [(number + 5, number)])
                    epoch.delete("move", [(number, number + 1)])
                    if number == 2:
                        epoch.remove_rule("r1")
                        epoch.add_rule("win(X) :- move(X, Y), !win(Y), X > 2.", "r1")
            assert set(db["win"]) == set(alone["win"])
            assert set(db.undefined("win")) == set(alone.undefined("win"))
        for each in (db, alone):
            with each.epoch() as epoch:
                epoch.add_rule("lost(X) :- move(X, _), !win(X).")
                epoch.insert("move", [(20, 20)])
        assert set(db["lost"]) == set(alone["lost"])
        assert set(db.undefined("lost")) == set(alone.undefined("lost")) >= {(20,)}
        assert db.verify()
        assert "instances of rules" in str(db.explain())


def test_paths_are_followed_on_spark(spark: SparkSession) -> None:
    rules = "far(X, Y) :- e+(X, Y). none(X) :- e(X, _), !(e/e)(X, X)."
    with Engine(rules, spark=spark, partitions=2) as db, Engine(rules) as alone:
        for each in (db, alone):
            with each.epoch() as epoch:
                epoch.insert("e", [(1, 2), (2, 3), (3, 2)])
                epoch.add_rule("back(X, Y) :- (^e/e)*(X, Y).")
            with each.epoch() as epoch:
                epoch.delete("e", [(2, 3)])
        for name in ("far", "none", "back"):
            assert sorted(db[name]) == sorted(alone[name])
        assert sorted(db.query("e+(1, X)")) == sorted(alone.query("e+(1, X)")) == [(2,)]
