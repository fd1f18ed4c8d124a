"""A Spark Connect server on this machine, in a separate process, and the session of a client.

    with connect_server(4) as address, connect_session(address) as spark: ...

PySpark decides once per process whether its functions are those of Connect; so what uses such a session runs in a
process that has no classic one: `TIDELOG_TEST_CONNECT=1 pytest tests/spark/...`, or `run_apart`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from pyspark.sql import SparkSession

from tests.spark.cluster import HOME, HOST, ROOT
from tests.spark.processes import descendants, wait_for
from tidelog.spark.session.session import LOG_SETTINGS, worker_path

PACKAGES = ("grpc", "grpc_status", "google.protobuf", "zstandard")  # of the extra `connect`
CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"


def require_connect() -> None:
    """Skip what needs the extra `connect` where it is not installed."""
    import pytest

    for name in PACKAGES:
        if name.partition(".")[0] not in sys.modules and find_spec(name.partition(".")[0]) is None:
            pytest.skip(f"Spark Connect needs {name}: pip install 'tidelog[connect]'")


@contextlib.contextmanager
def connect_server(slots: int, settings: Mapping[str, str] | None = None, master: str = "") -> Iterator[str]:
    """A server with this many task slots; its address."""
    port = _free_port()
    given = {
        "spark.connect.grpc.binding.address": HOST,
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.host": HOST,
        "spark.driver.bindAddress": HOST,
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join((worker_path(), str(ROOT))),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        **(settings or {}),
    }
    with tempfile.TemporaryDirectory(prefix="tidelog-connect-", ignore_cleanup_errors=True) as folder:
        log = Path(folder, "log")
        environment = {
            **os.environ,
            "SPARK_HOME": str(HOME),
            "SPARK_LOCAL_IP": HOST,
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": given["spark.executorEnv.PYTHONPATH"],
        }
        options = [part for name, value in given.items() for part in ("--conf", f"{name}={value}")]
        command = [str(HOME / "bin" / "spark-submit"), "--class", CLASS, "--master", master or f"local[{slots}]"]
        with log.open("wb") as out:
            process = subprocess.Popen(
                [*command, *options, "spark-internal"], stdout=out, stderr=out, env=environment, cwd=folder
            )
        try:
            wait_for(lambda: _listens(port), 300, lambda: log.read_text("utf-8", "replace")[-2000:])
            yield f"sc://{HOST}:{port}"
        finally:
            below = [process.pid, *descendants(process.pid)]
            for number in below:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            process.wait(10)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        return int(taken.getsockname()[1])


def _listens(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), 1).close()
    except OSError:
        return False
    return True


@contextlib.contextmanager
def connect_session(address: str, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """The session of a client."""
    builder = SparkSession.builder.remote(address)
    for name, value in (settings or {}).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()
