"""The same steps on whichever versions are installed; the last line says that all of them succeeded.

    python -m tests.spark.versions classic
    python -m tests.spark.versions connect

What is run: open, whole numbers, texts by tasks, a DataFrame of Python's rows, a view as DataFrame, a stream, `why`,
`verify` here and in SQL, an embedded engine, and the data source.
"""

from __future__ import annotations

import importlib.metadata
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from tidelog import Engine
from tidelog.spark import local_session, register

RULES = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."


def run_steps(spark: SparkSession, folder: str) -> None:
    """All of them; raises at the first that fails."""
    with Engine(RULES, spark=spark, partitions=2) as db:
        with db.epoch() as epoch:
            epoch.insert("edge", spark.sql("SELECT id AS a, id + 1 AS b FROM range(1, 5)"))
            epoch.insert("name", spark.sql("SELECT id AS n, concat('n', id) AS t FROM range(1, 4)"))
            epoch.insert("made", spark.createDataFrame([(1, "x", [1, 2])], "a int, b string, c array<int>"))
        assert len(db["reach"]) == 10
        assert sorted(map(tuple, db["reach"].to_spark().collect())) == sorted(db["reach"])
        assert db["made"].to_spark().dtypes == [("a", "int"), ("b", "string"), ("c", "array<int>")]
        spark.sql("SELECT 5L AS a, 6L AS b").write.parquet(f"{folder}/source")
        rows = spark.readStream.schema("a bigint, b bigint").parquet(f"{folder}/source")
        query = db.stream(rows, "edge", name="edges", checkpoint=f"{folder}/checkpoint", availableNow=True)
        assert query.awaitTermination(600)
        assert len(db["reach"]) == 15
        assert "asserted" in str(db.why("reach(1, 6)"))
        assert db.verify()
        assert db.verify(spark=spark)
    with Engine(RULES, path=f"{folder}/state") as embedded:
        with embedded.epoch() as epoch:
            epoch.insert("edge", spark.sql("SELECT 1L AS a, 2L AS b"))
        assert embedded["reach"].to_spark(spark).count() == 1
        assert embedded["reach"].to_pandas().shape == (1, 2)
    register(spark)
    spark.sql("SELECT 2L AS a, 3L AS b").write.format("tidelog").option("path", f"{folder}/state").option(
        "relation", "edge"
    ).mode("append").save()
    found = spark.read.format("tidelog").option("path", f"{folder}/state").option("view", "reach").load()
    assert found.count() == 3


@contextmanager
def classic() -> Iterator[SparkSession]:
    """A session of this process."""
    with local_session(2) as spark:
        yield spark


@contextmanager
def connect() -> Iterator[SparkSession]:
    """A session of a server."""
    from tests.spark.connect.server import connect_server, connect_session

    with connect_server(4) as address, connect_session(address) as spark:
        yield spark


def main(kind: str) -> None:
    """Run the steps and print a line of a table."""
    session: Callable[[], object] = {"classic": classic, "connect": connect}[kind]
    names = ("pyspark", "pandas", "pyarrow", "numpy")
    shown = " | ".join([platform.python_version(), *map(importlib.metadata.version, names)])
    with tempfile.TemporaryDirectory() as folder, session() as spark:  # type: ignore[attr-defined]  # both are managers
        run_steps(spark, str(Path(folder)))
    print(f"| {shown} | {kind} | ok |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
