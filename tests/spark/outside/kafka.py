"""Drivers of the tests with Kafka."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from pyspark.sql.avro.functions import from_avro, to_avro
from pyspark.sql.functions import col, from_json, struct

from tidelog import Engine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RULES = """
    reach(X, Y) :- edge(X, Y).
    reach(X, Z) :- edge(X, Y), reach(Y, Z).
    called(T) :- reach(1, X), name(X, T).
"""
EDGE, NAME = "a BIGINT, b BIGINT, op STRING", "n BIGINT, t STRING"
NAME_AVRO = json.dumps(
    {
        "type": "record",
        "name": "name",
        "fields": [{"name": "n", "type": "long"}, {"name": "t", "type": "string"}],
    }
)


def changes(seed: str, count: int) -> list[tuple[int, int, str]]:
    """Edges that are inserted and deleted, each only if it can be."""
    rng, there, found = Random(seed), set[tuple[int, int]](), []
    for _ in range(count):
        edge = (rng.randrange(8), rng.randrange(8))
        found.append((*edge, "delete" if edge in there else "insert"))
        there ^= {edge}
    return found


def produce(spark: SparkSession, place: Path, address: str, seed: str, count: str) -> None:
    """Messages; all of one edge have one key, so that they arrive in order."""
    rows = spark.createDataFrame(changes(seed, int(count)), EDGE).coalesce(1)
    edges = rows.selectExpr("to_json(struct(a, b)) AS key", "to_json(struct(a, b, op)) AS value")
    names = spark.createDataFrame([(n, f"name {n}") for n in range(8)], NAME)
    avro = names.select(to_avro(struct("n", "t"), NAME_AVRO).alias("value"))
    for messages, topic in ((edges, "edges"), (avro, "names")):
        messages.write.format("kafka").options(**options(address)).option("topic", topic).save()


def options(address: str) -> dict[str, str]:
    return {"kafka.bootstrap.servers": address}


def reading(spark: SparkSession, address: str, topic: str) -> DataFrame:
    source = spark.readStream.format("kafka").options(**options(address)).option("subscribe", topic)
    return source.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", 9).load()


def maintain(spark: SparkSession, place: Path, address: str) -> None:
    """JSON and Avro in, the changes of the view out."""
    db = Engine(RULES, spark=spark, partitions=2, path=place / "state")
    db.write_feed("reach", topic="reach", options=options(address))
    print("open", flush=True)
    edges = reading(spark, address, "edges").select(from_json(col("value").cast("string"), EDGE).alias("e"))
    names = reading(spark, address, "names").select(from_avro("value", NAME_AVRO).alias("n"))
    for query in (
        db.stream(edges.select("e.*"), "edge", change="op", availableNow=True),
        db.stream(names.select("n.*"), "name", availableNow=True),
    ):
        assert query.awaitTermination(300)
    for view in ("edge", "called", "reach"):
        print(json.dumps(sorted(db[view])))
    db.close()


def tear(spark: SparkSession, place: Path, address: str) -> None:
    """An epoch of which a killed driver wrote some messages, as its tasks do; the next start adds the others."""
    with Engine(path=place / "state") as db:
        with db.epoch() as epoch:
            epoch.insert("edge", [(100 + n, 101 + n) for n in range(5)])
        rows = epoch.changes["reach"].to_spark(spark).where("X % 2 = 0")
        keys = "to_json(struct(X, Y)) AS key", f"to_json(struct(*, {db.epoch_number}L AS epoch)) AS value"
        rows.selectExpr(*keys).write.format("kafka").options(**options(address)).option("topic", "reach").save()
        print(rows.count())
        db.write_feed("reach", topic="reach", options=options(address))


def show(spark: SparkSession, place: Path, address: str) -> None:
    """All messages of the feed."""
    found = spark.read.format("kafka").options(**options(address)).option("subscribe", "reach").load()
    for row in found.selectExpr("cast(key as string)", "cast(value as string)").collect():
        print(json.dumps([json.loads(row[0]), json.loads(row[1])]))
