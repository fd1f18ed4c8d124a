"""Drivers of the tests with Delta tables."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tidelog import Engine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REACH = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- edge(X, Y), reach(Y, Z)."
TABLES = {"edges": "a BIGINT, b BIGINT", "reachable": "X BIGINT, Y BIGINT"}


def attach(spark: SparkSession, place: Path) -> None:
    """The tables of earlier drivers; the catalogue of a session lasts as long as the session."""
    for name, columns in TABLES.items():
        feed = "TBLPROPERTIES (delta.enableChangeDataFeed = true)" if name == "edges" else ""
        folder = place / name
        there = "" if folder.exists() else f"({columns})"
        spark.sql(f"CREATE TABLE {name} {there} USING delta LOCATION '{folder}' {'' if there == '' else feed}")


def change(spark: SparkSession, rng: Random) -> None:
    """Two versions of the table: rows are inserted, and updated, deleted or merged; each row exists once."""
    a, b, c = (rng.randrange(9) for _ in range(3))
    new = f"SELECT DISTINCT * FROM VALUES ({a}L, {b}L), ({b}L, {c}L) AS s(a, b)"
    spark.sql(f"MERGE INTO edges t USING ({new}) s ON t.a = s.a AND t.b = s.b WHEN NOT MATCHED THEN INSERT *")
    statements = [
        f"DELETE FROM edges WHERE a = {a}",
        f"UPDATE edges SET b = b + 10 WHERE a = {c} AND b < 10",
        f"MERGE INTO edges t USING (SELECT {a}L AS a) s ON t.a = s.a WHEN MATCHED AND t.b >= 10 THEN UPDATE SET "
        "b = t.b + 10 WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, s.a + 1)",
    ]
    spark.sql(statements[rng.randrange(3)])


def maintain(spark: SparkSession, place: Path, seed: str, steps: str) -> None:
    """The table changes, its change feed comes in, and the view goes out by MERGE."""
    attach(spark, place)
    rng = Random(seed)
    with Engine(REACH, spark=spark, partitions=2, path=place / "state") as db:
        db.write_feed("reach", table="reachable", merge=True)
        print("open", flush=True)
        for _ in range(int(steps)):
            change(spark, rng)
            changes = spark.readStream.option("readChangeFeed", "true").option("maxFilesPerTrigger", 1).table("edges")
            assert db.stream(changes, "edge", change="_change_type", availableNow=True).awaitTermination(300)
        print(json.dumps(sorted(db["edge"])))
        for name in TABLES:
            print(json.dumps(sorted(map(list, spark.table(name).collect()))))
