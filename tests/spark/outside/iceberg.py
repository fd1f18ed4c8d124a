"""Drivers of the tests with Iceberg tables."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.spark.outside.delta import REACH
from tidelog import Engine
from tidelog.errors import StateError
from tidelog.spark import read_iceberg

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EDGES, REACHABLE = "lake.db.edges", "lake.db.reachable"


def attach(spark: SparkSession) -> None:
    """The tables; they may exist."""
    spark.sql(f"CREATE TABLE IF NOT EXISTS {EDGES} (a BIGINT, b BIGINT, note STRING) USING iceberg")
    spark.sql(f"CREATE TABLE IF NOT EXISTS {REACHABLE} (X BIGINT, Y BIGINT) USING iceberg")


def change_once(spark: SparkSession, rng: Random) -> None:
    """One or two snapshots of the table; each row exists once."""
    a, b, c = (rng.randrange(9) for _ in range(3))
    new = f"SELECT DISTINCT *, 'new' AS note FROM VALUES ({a}L, {b}L), ({b}L, {c}L) AS s(a, b)"
    spark.sql(f"MERGE INTO {EDGES} t USING ({new}) s ON t.a = s.a AND t.b = s.b WHEN NOT MATCHED THEN INSERT *")
    statements = [
        f"DELETE FROM {EDGES} WHERE a = {a}",
        f"UPDATE {EDGES} SET b = b + 10 WHERE a = {c} AND b < 10",
        f"UPDATE {EDGES} SET note = 'old' WHERE a < 5",
        "CALL lake.system.rewrite_data_files(table => 'db.edges', options => map('rewrite-all', 'true'))",
    ]
    spark.sql(statements[rng.randrange(4)])


def maintain(spark: SparkSession, place: Path, seed: str, steps: str) -> None:
    """The table changes, its changes come in, and the view goes out by MERGE."""
    attach(spark)
    rng = Random(seed)
    with Engine(REACH, spark=spark, partitions=2, path=place / "state") as db:
        db.write_feed("reach", table=REACHABLE, merge=True)
        print("open", flush=True)
        for _ in range(int(steps)):
            change_once(spark, rng)
            read_iceberg(spark, db, EDGES, "edge", columns=["a", "b"])
        read_iceberg(spark, db, EDGES, "edge", columns=["a", "b"])
        assert read_iceberg(spark, db, EDGES, "edge", columns=["a", "b"]) is None
        print(json.dumps(sorted(db["edge"])))
        edges = spark.table(EDGES).select("a", "b").collect()
        print(json.dumps(sorted(map(list, edges))))
        print(json.dumps(sorted(map(list, spark.table(REACHABLE).collect()))))


def expire(spark: SparkSession, place: Path) -> None:
    """Snapshots that were not read expire."""
    attach(spark)
    with Engine(REACH, path=place / "state") as db:
        before = set(db["edge"])
        for number in (100, 101):
            spark.sql(f"INSERT INTO {EDGES} VALUES ({number}, {number + 1}, 'late')")
        time.sleep(0.01)
        spark.sql("CALL lake.system.expire_snapshots(table => 'db.edges', older_than => now(), retain_last => 1)")
        try:
            read_iceberg(spark, db, EDGES, "edge", columns=["a", "b"])
        except StateError as error:
            print(error.code)
        assert set(db["edge"]) == before
        with db.epoch() as epoch:  # what the message recommends
            epoch.delete("edge", db.asserted("edge"))
            epoch.delete("iceberg_position", db.asserted("iceberg_position"))
        read_iceberg(spark, db, EDGES, "edge", columns=["a", "b"])
        print(json.dumps(sorted(set(db["edge"]) - before)))
