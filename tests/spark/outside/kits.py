"""Connectors of Spark, each with the PySpark for which it is published, and drivers that run with one of them.

`scripts/spark_packages` downloads them. A driver is a function of a module of this folder, run by another process: with
the kit's PySpark, a session with the kit's jars, and a folder. The process may be killed at any time.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark.processes import descendants, runs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("TIDELOG_SPARK_PACKAGES", ROOT / "build/spark"))
LIMIT = 300
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",
}
ICEBERG = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "hadoop",
}
SETTINGS: dict[str, dict[str, str]] = {"delta": DELTA, "iceberg": ICEBERG, "kafka": {}}


def needs(*kits: str) -> pytest.MarkDecorator:
    """Skip without these."""
    missing = [kit for kit in kits if not (FOLDER / kit / "jars/.complete").exists()]
    return pytest.mark.skipif(bool(missing), reason=f"no {', '.join(missing)} (scripts/spark_packages)")


def jars(kit: str) -> list[str]:
    """Its jars."""
    return sorted(map(str, (FOLDER / kit / "jars").glob("*.jar")))


@contextmanager
def session(kit: str, place: Path, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """A session with a kit, in a process that was started with its PySpark."""
    from tests.spark.conftest import WORKER_PATH
    from tidelog.spark import local_session

    found = {
        "spark.jars": ",".join(jars(kit)),
        "spark.executorEnv.PYTHONPATH": os.pathsep.join((str(FOLDER / kit / "python"), WORKER_PATH)),
        "spark.sql.warehouse.dir": str(place / "warehouse"),
        **SETTINGS[kit],
        **({"spark.sql.catalog.lake.warehouse": str(place / "lake")} if kit == "iceberg" else {}),
    }
    with local_session(2, settings={**found, **(settings or {})}) as spark:
        yield spark


class Driver:
    """A process that runs a driver; its lines are what it reports."""

    def __init__(self, kit: str, function: str, place: Path, *arguments: str) -> None:
        python = os.pathsep.join((str(FOLDER / kit / "python"), str(ROOT / "src"), str(ROOT)))
        self._errors = (place / "errors.txt").open("a")
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, kit, function, str(place), *arguments],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": python, "SPARK_HOME": str(FOLDER / kit / "python/pyspark")},
        )
        self._place = place

    def line(self) -> str:
        """The next line; fails the test if the driver ended."""
        assert self._process.stdout is not None
        found = self._process.stdout.readline().strip()
        assert found, (self._place / "errors.txt").read_text()[-6000:]
        return found

    def kill(self) -> None:
        """Kill it and everything below it."""
        below = descendants(self._process.pid)
        self._process.kill()
        self._process.wait(LIMIT)
        for number in below:
            if runs(number):
                os.kill(number, signal.SIGKILL)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def run(kit: str, function: str, place: Path, *arguments: str, killed_after: float | None = None) -> list[str]:
    """The lines of a driver up to `done`; or it is killed this many seconds after it reported `open`."""
    with Driver(kit, function, place, *arguments) as driver:
        lines = [driver.line()]
        if killed_after is not None:
            assert lines == ["open"]
            time.sleep(killed_after)
            return lines
        while lines[-1] != "done":
            lines.append(driver.line())
        return lines[:-1]


def main(kit: str, function: str, place: str, *arguments: str) -> None:
    """Run a driver in this process."""
    module, name = function.rsplit(".", 1)
    with session(kit, Path(place)) as spark:
        getattr(import_module(module), name)(spark, Path(place), *arguments)
        print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
