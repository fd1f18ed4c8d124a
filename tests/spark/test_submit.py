"""`spark-submit` to a standalone cluster: Tidelog goes to the executors in a packed environment, or in a zip file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.spark.cluster import HOME, ROOT, Cluster, standalone_cluster

pytestmark = [pytest.mark.spark, pytest.mark.long]
KERNEL = ROOT / "src" / "tidelog" / "kernel" / "__pycache__"  # compiled already
SCRIPT = """
import sys
from pyspark.sql import SparkSession
from tidelog import Engine

def homes(batches):
    import pyarrow, tidelog
    for batch in batches:
        yield pyarrow.RecordBatch.from_pydict({"home": [tidelog.__file__] * len(batch)})

spark = SparkSession.builder.getOrCreate()
rules = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z)."
with Engine(rules, spark=spark, partitions=2, path=sys.argv[1]) as db:
    with db.epoch() as epoch:
        epoch.insert("edge", spark.range(5).selectExpr("id as a", "id + 1 as b"))
    there = {row.home for row in spark.range(4).mapInArrow(homes, "home string").collect()}
    print("rows", len(db["reach"]), flush=True)
    print("homes", *sorted(there), flush=True)
spark.stop()
"""
PYTHON = """#!/bin/sh
here=$(cd "$(dirname "$0")/.." && pwd)
PYTHONPATH="$here/site:$PYTHONPATH" exec {python} "$@"
"""


def packed(folder: Path) -> Path:
    """An environment as venv-pack or conda-pack make it: `bin/python` and packages; here around this interpreter.

    Tidelog is in it, with its compiled kernel.
    """
    environment = folder / "environment"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").write_text(PYTHON.format(python=sys.executable))
    (environment / "bin" / "python").chmod(0o755)
    shutil.copytree(ROOT / "src" / "tidelog", environment / "site" / "tidelog")
    archive = folder / "environment.tar.gz"
    with tarfile.open(archive, "w:gz", compresslevel=1) as file:
        for part in environment.iterdir():
            file.add(part, part.name)
    return archive


def submit(cluster: Cluster, folder: Path, *options: str) -> str:
    """What the script prints."""
    (folder / "script.py").write_text(SCRIPT)
    settings = {
        "spark.pyspark.driver.python": sys.executable,
        "spark.executor.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
    }
    command = [str(HOME / "bin" / "spark-submit"), "--master", cluster.master, *options]
    command += [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    command += [str(folder / "script.py"), f"{cluster.shared}/{folder.name}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    environment |= {"PYTHONPATH": str(ROOT / "src"), "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment |= {"TIDELOG_KERNEL_CACHE": str(KERNEL)}  # of the driver alone
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def homes(said: str) -> list[str]:
    """Where executors have Tidelog from, after the right answer."""
    rows, places = said.split("\n")[:2]
    assert rows == "rows 15"
    return places.split()[1:]


def test_an_engine_runs_by_spark_submit_with_tidelog_in_an_archive_or_a_zip_file(tmp_path: Path) -> None:
    archived, zipped = tmp_path / "archived", tmp_path / "zipped"
    archived.mkdir()
    zipped.mkdir()
    with standalone_cluster(workers=2, cores=2) as cluster:
        Path(cluster.shared).mkdir(parents=True, exist_ok=True)
        python = ("--conf", "spark.pyspark.python=./environment/bin/python")
        there = homes(submit(cluster, archived, "--archives", f"{packed(archived)}#environment", *python))
        assert there
        assert all("/environment/site/tidelog/" in home for home in there)
        file = shutil.make_archive(str(zipped / "package"), "zip", ROOT / "src", "tidelog")
        python = ("--conf", f"spark.pyspark.python={sys.executable}")
        kernel = ("--conf", f"spark.executorEnv.TIDELOG_KERNEL_CACHE={KERNEL}")
        there = homes(submit(cluster, zipped, "--py-files", file, *python, *kernel))
        assert there
        assert all("/package.zip/tidelog/" in home for home in there)
