"""Settings of all tests: property tests are repeatable and have no deadline, since machines are shared."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

# The suite of the engine also runs on several partitions (`make test` does that): every engine then has so many.
if PARTITIONS := int(os.environ.get("TIDELOG_TEST_PARTITIONS", "0")):
    from tests.law.unkind import partitions

    partitions(PARTITIONS).__enter__()


def pytest_configure(config: pytest.Config) -> None:
    """With `TIDELOG_TEST_RUNTIME=spark` every engine lives on Spark (`tests/spark/suite.py`)."""
    if os.environ.get("TIDELOG_TEST_RUNTIME") == "spark":
        from tests.spark.suite import Suite

        config.pluginmanager.register(Suite())
