"""The example of a declarative pipeline: files become epochs, each once, and a materialized view shows the state."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from tests.spark.conftest import ROOT, needs_classic
from tidelog import Engine

pytestmark = [
    pytest.mark.spark,
    pytest.mark.long,
    needs_classic,
    pytest.mark.skipif(pyspark.__version__ < "4.1", reason="declarative pipelines need Spark 4.1"),
]
RULES = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- edge(X, Y), reach(Y, Z)."
LIMIT = 400


def test_example_of_a_declarative_pipeline(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = tmp_path / "pipeline"
    shutil.copytree(ROOT / "examples/pipeline", pipeline)
    spec = pipeline / "spark-pipeline.yml"
    spec.write_text(spec.read_text().replace("file:///tmp/reachable", tmp_path.as_uri()))
    with Engine(RULES, path=tmp_path / "state") as db, db.epoch() as epoch:
        epoch.insert("edge", [(1, 2), (2, 3)])
    (tmp_path / "arriving").mkdir()
    for number, edge in enumerate([(3, 4), (4, 5)]):
        text = f'{{"source": {edge[0]}, "target": {edge[1]}}}\n'
        (tmp_path / "arriving" / f"{number}.json").write_text(text)
        shutil.rmtree(pipeline / "spark-warehouse", ignore_errors=True)  # this catalogue forgets its tables
        update(pipeline, tmp_path)
        with Engine(path=tmp_path / "state") as db:
            assert db.epoch_number == 3 + number  # the first file is not read again
            assert set(db["edge"]) == {(n, n + 1) for n in range(1, 4 + number)}
            reach = set(db["reach"])
    shown = spark.read.parquet(str(pipeline / "spark-warehouse/reachable"))
    rows = [tuple(row) for row in shown.collect()]
    assert len(rows) == len(set(rows))
    assert {(1, 2), (1, 3), (1, 4)} <= set(rows) <= reach  # of the state before or after the epoch of the same update


def update(pipeline: Path, place: Path) -> None:
    """One update of the pipeline."""
    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join((str(pipeline), str(ROOT / "src"))),
        "REACHABLE": str(place),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    command = [str(home / "bin/spark-pipelines"), "run", "--spec", str(pipeline / "spark-pipeline.yml")]
    done = subprocess.run(
        [*command, "--remote", "local[2]", "--driver-memory", "1g"],
        cwd=pipeline,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
