"""On Spark the tables of the first snapshot are read by Spark's tasks, with the values that the stream has.

DataFrames of the same reader come in and views go out, without anybody who follows.
"""

from __future__ import annotations

import glob
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
    ".decl pair(a: number, b: symbol)\n"
    ".decl turned(b: symbol, a: number)\n"
    "turned(B, A) :- pair(A, B)."
)


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
        dsn = f"postgresql://{OWNER}@127.0.0.1:{port}/postgres"
        with follow(db, dsn, tables={"all_types": "all_types"}, jdbc=True).start() as follower:
            caught_up(follower, database)
            assert list(db["all_types"]) == [ROW]
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
