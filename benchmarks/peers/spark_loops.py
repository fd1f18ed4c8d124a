"""The peers on Spark: semi-naive evaluation written by hand over DataFrames, and Spark's own recursive SQL.

Law: each loop is what somebody writes who knows both Datalog and Spark. Deltas are materialised and cut off their
lineage, what was found is checkpointed every few turns, base facts are cached and broadcast, and there are as many
shuffle partitions as cores. An inserted row continues the same loop from what the row derives; after a deletion
a loop that keeps no supports has to compute everything again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import count

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import broadcast, col, least, lit
from pyspark.sql.functions import min as least_of

from benchmarks.data.graphs import Cells

CHECKPOINT = 5
"""Turns after which the result, by then a union of as many deltas, is made one table again."""
SAME_GENERATION_SQL = """
WITH RECURSIVE same(a, b) AS (
    SELECT x.b, y.b FROM parent x JOIN parent y ON x.a = y.a AND x.b <> y.b
    UNION ALL
    SELECT x.b, y.b FROM parent x JOIN same s ON x.a = s.a JOIN parent y ON s.b = y.a
) SELECT a, b FROM same
"""
Row = tuple[int, ...]


def frame(spark: SparkSession, rows: Cells, names: str = "abc") -> DataFrame:
    """Rows as a DataFrame of numbers, cached and there."""
    columns = [np.ascontiguousarray(rows[:, place]) for place in range(rows.shape[1])]
    return there(spark.createDataFrame(pa.table(columns, names=list(names[: len(columns)]))))


def there(rows: DataFrame) -> DataFrame:
    """The same rows, cached, the cache filled."""
    cached = rows.persist()
    cached.count()
    return cached


def cut(rows: DataFrame) -> DataFrame:
    """The same rows, computed now and without their lineage."""
    return rows.localCheckpoint()


class Peer(ABC):
    """A view over base facts, built and kept by hand; ``changing`` is the relation whose rows come and go."""

    system = "DataFrame loop"

    def __init__(self, spark: SparkSession, facts: Mapping[str, DataFrame], changing: str) -> None:
        self.spark = spark
        self.facts = dict(facts)
        self.changing = changing
        self.turns = 0
        self.result: DataFrame | None = None

    @abstractmethod
    def build(self) -> None:
        """Compute the view from nothing."""

    def insert(self, row: Row) -> None:
        """One more row of the base relation."""
        new = self._one(row)
        self.facts[self.changing] = there(self.facts[self.changing].unionByName(new))
        self.go_on(new)

    def delete(self, row: Row) -> None:
        """One row of the base relation less."""
        rows = self.facts[self.changing]
        kept = [col(name) != value for name, value in zip(rows.columns, row, strict=True)]
        different: Column = kept[0]
        for other in kept[1:]:
            different = different | other
        self.facts[self.changing] = there(rows.where(different))
        self.build()

    def go_on(self, new: DataFrame) -> None:
        """Bring the view up to date after an insertion; without a better way, from nothing."""
        self.build()

    def rows(self) -> Cells:
        """The rows of the view."""
        assert self.result is not None, "nothing was built"
        table = self.result.toArrow()
        return np.stack([column.to_numpy() for column in table.columns], axis=1).astype(np.int64)

    def _one(self, row: Row) -> DataFrame:
        return self.spark.createDataFrame([row], self.facts[self.changing].schema)


class Closure(Peer):
    """reach(X, Z) :- edge(X, Y), reach(Y, Z)."""

    def build(self) -> None:
        edges = cut(self.facts["edge"])
        self.turns = 0
        self._close(edges, edges)

    def go_on(self, new: DataFrame) -> None:
        assert self.result is not None
        through = new.toDF("x", "a").join(self.result, "a").select(col("x").alias("a"), "b")
        found = new.union(through).distinct().join(self.result, ["a", "b"], "left_anti")
        delta = cut(found)
        self._close(self.result.union(delta), delta)

    def _close(self, reach: DataFrame, delta: DataFrame) -> None:
        into = broadcast(self.facts["edge"].toDF("x", "a"))
        for turn in count(1):
            if delta.isEmpty():
                break
            self.turns += 1
            derived = delta.join(into, "a").select(col("x").alias("a"), "b").distinct()
            delta = cut(derived.join(reach, ["a", "b"], "left_anti"))
            reach = reach.union(delta)
            if turn % CHECKPOINT == 0:
                reach = cut(reach.repartition("a", "b"))
        self.result = cut(reach.repartition("a", "b"))


class Least(Peer):
    """A least value per node inside recursion: every turn offers values along edges and keeps those that improve."""

    @abstractmethod
    def start(self) -> DataFrame:
        """The first values: columns ``a`` and ``b``."""

    @abstractmethod
    def offers(self, delta: DataFrame) -> DataFrame:
        """What changed values offer to the nodes beside them: columns ``a`` and ``b``."""

    @abstractmethod
    def sources(self, new: DataFrame) -> DataFrame:
        """The nodes, in a column ``a``, from which new edges offer values."""

    def build(self) -> None:
        self.turns = 0
        first = cut(self.start())
        self._improve(first, first)

    def go_on(self, new: DataFrame) -> None:
        assert self.result is not None
        self._improve(self.result, self.result.join(broadcast(self.sources(new)), "a", "left_semi"))

    def _improve(self, best: DataFrame, delta: DataFrame) -> None:
        while True:
            self.turns += 1
            offered = self.offers(delta).groupBy("a").agg(least_of("b").alias("offer"))
            better = offered.join(best, "a", "left").where(col("b").isNull() | (col("offer") < col("b")))
            delta = cut(better.select("a", col("offer").alias("b")))
            if delta.isEmpty():
                break
            best = cut(best.join(delta.toDF("a", "offer"), "a", "full").select("a", least("b", "offer").alias("b")))
        self.result = best


class Components(Least):
    """component(Y, min<C>) :- edge(X, Y), component(X, C), and the same against the edges."""

    def start(self) -> DataFrame:
        return self.facts["node"].select("a", col("a").alias("b"))

    def offers(self, delta: DataFrame) -> DataFrame:
        labels, edges = delta.toDF("from", "b"), self.facts["edge"]
        forth = labels.join(broadcast(edges.toDF("from", "a")), "from")
        back = labels.join(broadcast(edges.toDF("a", "from")), "from")
        return forth.select("a", "b").union(back.select("a", "b"))

    def sources(self, new: DataFrame) -> DataFrame:
        return new.select("a").union(new.select("b"))


class Shortest(Least):
    """distance(Y, min<C>) :- distance(X, D), road(X, Y, W), C = D + W."""

    def start(self) -> DataFrame:
        return self.facts["source"].select("a", lit(0).cast("long").alias("b"))

    def offers(self, delta: DataFrame) -> DataFrame:
        roads = broadcast(self.facts["road"].toDF("from", "to", "far"))
        offered = delta.toDF("from", "b").join(roads, "from")
        return offered.select(col("to").alias("a"), (col("b") + col("far")).alias("b"))

    def sources(self, new: DataFrame) -> DataFrame:
        return new.select("a")


class SameGeneration(Peer):
    """Spark's own recursion: on a tree it needs no elimination of duplicates, which it does not have."""

    system = "WITH RECURSIVE"

    def build(self) -> None:
        self.spark.conf.set("spark.sql.cteRecursionRowLimit", "-1")
        self.facts["parent"].createOrReplaceTempView("parent")
        self.result = cut(self.spark.sql(SAME_GENERATION_SQL))
