"""The engine's suite on Spark: with `TIDELOG_TEST_RUNTIME=spark` every engine lives in one resident stage.

    TIDELOG_TEST_RUNTIME=spark pytest tests/engine tests/why

The session and the stage are started when the first engine is made. Tests that look into the one partition of an
embedded engine are skipped by name, as they are with `TIDELOG_TEST_PARTITIONS`.
"""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest

from tests.spark.pool import Pool, engines_in
from tidelog.spark import local_session
from tidelog.spark.session.session import worker_path

PARTITIONS = 2
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class LazyPool:
    """A pool that is started by its first engine."""

    def __init__(self) -> None:
        self._pool: Pool | None = None
        self._started = ExitStack()

    def __getattr__(self, name: str) -> object:
        return getattr(self._start(), name)

    def _start(self) -> Pool:
        if self._pool is None:
            settings = {"spark.executorEnv.PYTHONPATH": os.pathsep.join((worker_path(), ROOT))}
            spark = self._started.enter_context(local_session(PARTITIONS, settings=settings))
            self._pool = Pool(spark, PARTITIONS)
            self._started.callback(self._pool.close)
        return self._pool

    def close(self) -> None:
        """End the stage and the session."""
        self._started.close()


class Suite:
    """A plugin of pytest: every engine on Spark."""

    def __init__(self) -> None:
        self._pool = LazyPool()
        self._patched = ExitStack()

    def pytest_sessionstart(self) -> None:
        self._patched.enter_context(engines_in(self._pool, PARTITIONS))  # type: ignore[arg-type]  # all that a Pool has

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        self._patched.close()
        self._pool.close()
