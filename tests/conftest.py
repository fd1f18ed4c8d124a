"""Settings of all tests: property tests are repeatable and have no deadline, since machines are shared."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: tests of Ctrl-C send it themselves
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The JVMs of Spark live for minutes: they compile as fast as they can instead of as well as they can.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

settings.register_profile("house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

# The suite of the engine also runs on several partitions (`make test` does that): every engine then has this number.
PARTITIONS = int(os.environ.get("TIDELOG_TEST_PARTITIONS", "0"))
SPARK = os.environ.get("TIDELOG_TEST_RUNTIME") == "spark"
if PARTITIONS:
    from tests.law.unkind import partitions

    PARTITIONED = partitions(PARTITIONS)  # kept: what is patched would be restored when it is thrown away
    PARTITIONED.__enter__()
# It also runs with several threads, which share out even the smallest work.
THREADS = int(os.environ.get("TIDELOG_TEST_THREADS", "0"))
if THREADS:
    from tests.law.crowded import threads

    CROWDED = threads(THREADS)
    CROWDED.__enter__()
# And with small epochs carried out the long way.
if os.environ.get("TIDELOG_TEST_SMALL") == "0":
    from tidelog.runtime.node import small_epoch

    small_epoch.MOST_ROWS = -1


def pytest_configure(config: pytest.Config) -> None:
    """With `TIDELOG_TEST_RUNTIME=spark` every engine lives on Spark."""
    if SPARK:
        from tests.spark.suite import Suite

        config.pluginmanager.register(Suite())


HERE = Path(__file__).parent
# They measure, or check what seldom changes.
LONG = ("benchmarks/cases", "proofs/test_deletions.py", "proofs/test_proofs.py", "lab/semantics/sellf/test_proofs.py")
SLOW = ("cli/test_values.py", "docs/test_site.py", "examples", "follow", "law", "notebook", "serve", "spark", "chaos")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whole files and folders that `make test` or `make check` leaves out, by measurement (`--durations`)."""
    for item in items:
        for mark in marks_of(item.path):
            item.add_marker(mark)
    if PARTITIONS or SPARK:
        from tests.one_partition import skip_what_needs_one_partition

        skip_what_needs_one_partition(items, spark=SPARK)
    if PARTITIONS or SPARK or THREADS:
        from tests.repeats import without_repeats

        without_repeats(config, items, threads=bool(THREADS), spark=SPARK)


@cache
def marks_of(path: Path) -> list[str]:
    """The marks of a whole file; there are twenty times more tests than files."""
    name = path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) else ""
    folders = {"long": LONG, "slow": SLOW, "spark": ("spark/",)}
    return [mark for mark, names in folders.items() if name.startswith(names)]


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the collector of garbage need not look at it again, nor when pytest ends."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One Spark session for all tests, with room for six partitions: those kept, a module's, a test's.

    With `TIDELOG_TEST_CONNECT=1` it is one of Spark Connect.
    """
    from tests.spark.conftest import WORKER_PATH
    from tidelog.spark import local_session

    if os.environ.get("TIDELOG_TEST_CONNECT"):
        from tests.spark.connect.server import connect_server, connect_session, require_connect

        require_connect()
        with connect_server(8) as address, connect_session(address) as session:
            yield session
        return
    settings = {"spark.executorEnv.PYTHONPATH": WORKER_PATH, "spark.sql.shuffle.partitions": "2"}
    with local_session(6, settings=settings) as session:
        yield session


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One Chromium for all tests that look at pages."""
    from tests.browser import chromium

    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver
