"""On Spark the tables of the first snapshot are read by Spark's tasks, with the values that the stream has.

DataFrames of the same reader come in and views go out, without anybody who follows.
"""

from __future__ import annotations

import datetime
import glob
import math
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples.data.postgresql import OWNER, Server, running, why_not

from tests.follow.conftest import Database
from tests.follow.following import caught_up
from tests.follow.test_catalog import ROW, TYPES
from tests.spark.apart import run_apart
from tidelog import Engine
from tidelog.follow import follow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DRIVERS = glob.glob("/usr/share/java/postgresql.jar")
pytestmark = [
    pytest.mark.spark,
    pytest.mark.long,
    pytest.mark.skipif(not DRIVERS, reason="no JDBC driver (Debian's package `libpostgresql-jdbc-java`)"),
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "PostgreSQL is here"),
]
PROGRAM = (
    ".decl all_types(id: number, a: number, b: number, c: float, d: float, e: symbol, f: boolean, g: date, "
    "h: timestamp, i: timestamp, j: symbol, k: symbol, l: symbol, m: symbol)\n"
    ".decl sized(id: number, q: float, u: unsigned, d: date)\n"
    ".decl pair(a: number, b: symbol)\n"
    ".decl turned(b: symbol, a: number)\n"
    "turned(B, A) :- pair(A, B)."
)

SIZED = """
CREATE TABLE sized (id int PRIMARY KEY, q numeric, u int, d date);
INSERT INTO sized VALUES (1, 1.5, 5, '2024-01-01'), (2, 1e400, 5, '2024-01-01'), (3, 1e-400, 5, '2024-01-01'),
  (4, 1.5, -1, '2024-01-01'), (5, 1.5, 5, 'infinity'), (6, NULL, 5, '2024-01-01'), (7, 'Infinity', 5, '2024-01-01');
"""
BAD = {"2": "q", "4": "u", "5": "d", "6": "q"}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_first_snapshot_goes_through_the_tasks_of_spark(tmp_path: Path) -> None:
    run_apart(follow_by_tasks, tmp_path)  # the driver's jar must be there when a session begins


def follow_by_tasks(folder: Path) -> None:
    from tests.spark.conftest import WORKER_PATH
    from tidelog.spark import local_session

    port = free_port()
    settings = {"spark.executorEnv.PYTHONPATH": WORKER_PATH, "spark.jars": DRIVERS[0]}
    with (
        running(listen_addresses="'127.0.0.1'", port=str(port)) as server,
        local_session(2, settings=settings) as spark,
        Engine(PROGRAM, spark=spark, partitions=2, path=folder) as db,
    ):
        database = Database(server, "postgres")
        server.run(TYPES)
        server.run("INSERT INTO all_types (id) SELECT generate_series(10, 20)")  # rows with nulls
        server.run(SIZED)
        dsn = f"postgresql://{OWNER}@127.0.0.1:{port}/postgres"
        tables = {"all_types": "all_types", "sized": "sized"}
        with follow(db, dsn, tables=tables, jdbc=True).start() as follower:
            caught_up(follower, database)
            assert list(db["all_types"]) == [ROW]
            day = datetime.date(2024, 1, 1)
            assert sorted(db["sized"]) == [(1, 1.5, 5, day), (3, 0.0, 5, day), (7, math.inf, 5, day)]
            all_types, sized = follower.health.quarantine
            assert {int(key) for (key,) in all_types.rows} == {*range(10, 21)}
            assert {key: reason.column for (key,), reason in sized.rows.items()} == BAD
            server.run("UPDATE all_types SET id = 2 WHERE id = 1")
            caught_up(follower, database)
            assert list(db["all_types"]) == [(2, *ROW[1:])]
        goes_round(spark, db, server, f"jdbc:postgresql://127.0.0.1:{port}/postgres")


def goes_round(spark: SparkSession, db: Engine, server: Server, url: str) -> None:
    """A table comes in by Spark's reader, goes out by its writer with its types, and so does a view of it."""
    server.run("CREATE TABLE pair (a int, b text); INSERT INTO pair VALUES (1, 'one'), (2, NULL), (3, 'three')")
    options = {"user": OWNER, "driver": "org.postgresql.Driver"}
    with db.epoch() as epoch:
        epoch.insert("pair", spark.read.jdbc(url, "pair", properties=options).where("b IS NOT NULL"))
    db["turned"].to_spark().write.jdbc(url, "turned", properties=options)
    assert server.run("SELECT b, a FROM turned ORDER BY a") == [("one", 1), ("three", 3)]
    db["pair"].to_spark().write.jdbc(url, "again", properties=options)
    found = "SELECT data_type FROM information_schema.columns WHERE table_name = 'again' ORDER BY ordinal_position"
    assert server.run(found) == [("integer",), ("text",)]
