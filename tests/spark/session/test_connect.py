"""A session of a real Spark Connect server: refused with what works instead, and that works."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

NEEDED = ("grpc", "grpc_status", "google.rpc.error_details_pb2")
SERVER = """
import sys
from pyspark.sql import SparkSession
settings = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": sys.argv[1],
    "spark.sql.shuffle.partitions": "1",
}
SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
print("ready", flush=True)
sys.stdin.read()  # until the test ends
"""
CLIENT = """
import sys
from pyspark.sql import SparkSession
from tidelog import DataError, Engine
from tidelog.spark import PreflightError

spark = SparkSession.builder.remote(f"sc://localhost:{sys.argv[1]}").getOrCreate()
db = Engine("p(X) :- q(X).")
with db.epoch() as e:
    e.insert("q", spark.range(3))
with db.epoch() as e:
    e.change("q", spark.sql("SELECT * FROM VALUES (9L, 1), (0L, -1) AS t(id, change)"))
assert sorted(db["p"]) == [(1,), (2,), (9,)]
assert spark.createDataFrame(db["p"].to_arrow()).count() == 3
try:
    with db.epoch() as e:
        e.change("q", spark.sql("SELECT 9L AS id, 2 AS change"))
    raise SystemExit("a sign that is none was accepted")
except DataError as error:
    assert error.code == "TL1510", error
stream = spark.readStream.format("rate").load().selectExpr("value AS id")
for name, act in {
    "Engine": lambda: Engine("p(1).", spark=spark),
    "verify": lambda: db.verify(spark=spark),
    "to_spark": lambda: db["p"].to_spark(),
    "to_spark of a session": lambda: db["p"].to_spark(spark),
    "to_spark of changes": lambda: e.changes["p"].to_spark(),
    "write_feed": lambda: db.write_feed("p", table="feed"),
    "stream": lambda: db.stream(stream, "q"),
}.items():
    try:
        act()
    except PreflightError as error:
        assert error.code == "TL6006", (name, error)
    else:
        raise SystemExit(f"{name} was not refused")
print("right")
"""


@pytest.fixture
def port() -> Iterator[int]:
    """Where a server listens; both processes know its token."""
    for package in NEEDED:
        pytest.importorskip(package, reason=f"Spark Connect needs {package}")
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = int(free.getsockname()[1])
    arguments = [sys.executable, "-c", SERVER, str(number)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(arguments, env=environment(), text=True, **pipes) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            assert server.stdout.readline() == "ready\n"
            yield number
        finally:
            server.stdin.close()
            try:
                server.wait(60)
            except subprocess.TimeoutExpired:
                server.kill()


TOKEN = secrets.token_hex(8)


def environment() -> dict[str, str]:
    """That of this process, without proxies, and with the path and the token."""
    kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return {**kept, "SPARK_CONNECT_AUTHENTICATE_TOKEN": TOKEN, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_a_connect_session_is_refused_and_its_rows_are_taken(port: int, tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", CLIENT, str(port)]
    found = subprocess.run(
        arguments, env=environment(), capture_output=True, text=True, timeout=400, cwd=tmp_path, check=False
    )
    assert found.returncode == 0, found.stderr[-2000:]
    assert found.stdout.endswith("right\n")
