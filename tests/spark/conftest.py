"""All tests of this folder need Spark; they share the session of `tests/conftest.py` and what is started here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.cluster import Cluster, standalone_cluster
from tests.spark.residents import Keeper
from tidelog.spark import ResidentStage
from tidelog.spark.session.session import worker_path

ROOT = Path(__file__).parents[2]
WORKER_PATH = os.pathsep.join((worker_path(), str(ROOT)))  # workers import the residents of the tests too
# For tests that look into the JVM of a session, or start another session in a process that inherits the environment.
needs_classic = pytest.mark.skipif(bool(os.environ.get("TIDELOG_TEST_CONNECT")), reason="needs a classic session")


@pytest.fixture(scope="session")
def kept_stage(spark: SparkSession) -> Iterator[ResidentStage]:
    """Two keepers for all tests that break nothing."""
    with ResidentStage(spark, 2, Keeper) as stage:
        yield stage


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A standalone cluster of two workers with two cores each; sessions on it are made apart (`run_apart`)."""
    with standalone_cluster() as running:
        yield running
