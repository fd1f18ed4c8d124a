"""Blame and what-if of an engine whose partitions live on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelog import Engine
from tidelog.engine.ask.what_if import Alternative

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROGRAM = "reads(U, D) :- joins(U, G), grant(G, D), !banned(U). p(X) :- q(X). p(7)."


def test_epochs_on_spark_are_blamed_and_tried_out(spark: SparkSession) -> None:
    with Engine(PROGRAM, spark=spark, partitions=2) as db:
        with db.epoch(author="zoe") as e:
            e.insert("joins", spark.createDataFrame([("ann", "dev"), ("bob", "ops")], "u string, g string"))
            e.insert("grant", [("dev", "plan"), ("ops", "rota")])
            e.insert("p", [(7,), (8,)])  # one of them is asserted already
        assert str(e.blame("reads(ann, plan)")).startswith("reads(ann, plan) was added in epoch 2, by zoe\n")
        assert "p(8) was asserted" in str(e.blame("p(8)"))
        trial = db.what_if("+banned(ann). -p(7).")
        assert isinstance(trial, Alternative)
        assert sorted(trial["reads"]) == [("bob", "rota")]
        assert "banned(ann) was asserted" in str(trial.blame("reads(ann, plan)"))
        assert not trial.why_not("reads(ann, plan)").present
