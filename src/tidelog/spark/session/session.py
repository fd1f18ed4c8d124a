"""A local Spark session, created by Tidelog.

Law: a session created here uses this machine only and this interpreter for its workers. A user's session is never
reconfigured and never stopped: if one is already running, no other is created.
"""

from __future__ import annotations

import os
import signal
import site
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.spark.resident.wire import LOOPBACK
from tidelog.spark.session import session_failures as failures
from tidelog.spark.session.java import require_java
from tidelog.spark.session.packages import require_packages
from tidelog.spark.session.quiet import without_java_notices

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
SPARE = 2  # slots in addition to the resident stage: one for reads and writes, one so that these need not wait


@contextmanager
def local_session(
    partitions: int, *, memory: str = "1g", settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """A session with room for the partitions, stopped at the end of the block. ``settings`` override Tidelog's."""
    spark = open_session(partitions, memory=memory, settings=settings)
    try:
        yield spark
    finally:
        spark.stop()


def open_session(
    partitions: int, *, master: str = "", memory: str = "1g", settings: Mapping[str, str] | None = None
) -> SparkSession:
    """The same, but the caller stops it; with another master if one is given.

    Raises:
        PreflightError: no PySpark, no usable Java, or a session is already running in this process.
        SparkError: Spark did not start.
    """
    require_packages()
    require_java()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        raise failures.SECOND_SESSION.error()
    builder = SparkSession.builder.master(master or f"local[{partitions + SPARE}]").appName("tidelog")
    for name, value in {**_settings(partitions, memory), **(settings or {})}.items():
        builder = builder.config(name, value)
    with _keep_interrupt(), _interpreter(), without_java_notices():
        try:
            return builder.getOrCreate()
        except Exception as error:
            raise failures.NOT_STARTED.error(error=error) from error


def _settings(partitions: int, memory: str) -> dict[str, str]:
    return {
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.memory": memory,
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}",
        "spark.dynamicAllocation.enabled": "false",
        "spark.executorEnv.PYTHONPATH": worker_path(),
        "spark.pyspark.driver.python": sys.executable,
        "spark.pyspark.python": sys.executable,
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


def worker_path() -> str:
    """The `PYTHONPATH` with which a worker finds the same tidelog: this process's, and the checkout if it is one."""
    home = str(Path(__file__).parents[3])
    paths = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    installed = home in {*site.getsitepackages(), site.getusersitepackages()}
    return os.pathsep.join(dict.fromkeys(paths if installed else [home, *paths]))


@contextmanager
def _keep_interrupt() -> Iterator[None]:
    """Restore the handler of Ctrl-C afterwards: PySpark makes it cancel every job, including the resident one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _interpreter() -> Iterator[None]:
    """Set the environment, which Spark reads before its settings, to this interpreter and the local address."""
    values = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable, "SPARK_LOCAL_IP": LOOPBACK}
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
