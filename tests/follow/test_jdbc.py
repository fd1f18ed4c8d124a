"""On Spark the tables of the first snapshot are read by Spark's tasks, with the values that the stream has."""

from __future__ import annotations

import glob
import socket
from pathlib import Path

import pytest
from examples.data.postgresql import OWNER, running, why_not

from tests.follow.conftest import Database
from tests.follow.following import caught_up
from tests.follow.test_catalog import ROW, TYPES
from tidelog import Engine
from tidelog.follow import follow

DRIVERS = glob.glob("/usr/share/java/postgresql.jar")
pytestmark = [
    pytest.mark.spark,
    pytest.mark.long,
    pytest.mark.skipif(not DRIVERS, reason="no JDBC driver (Debian's package `libpostgresql-jdbc-java`)"),
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "PostgreSQL is here"),
]
PROGRAM = (
    ".decl all_types(id: number, a: number, b: number, c: float, d: float, e: symbol, f: boolean, g: date, "
    "h: timestamp, i: timestamp, j: symbol, k: symbol, l: symbol, m: symbol)"
)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_first_snapshot_goes_through_the_tasks_of_spark(tmp_path: Path) -> None:
    from tests.spark.conftest import WORKER_PATH
    from tidelog.spark import local_session

    port = free_port()
    settings = {"spark.executorEnv.PYTHONPATH": WORKER_PATH, "spark.jars": DRIVERS[0]}
    with (
        running(listen_addresses="'127.0.0.1'", port=str(port)) as server,
        local_session(2, settings=settings) as spark,
        Engine(PROGRAM, spark=spark, partitions=2, path=tmp_path) as db,
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
