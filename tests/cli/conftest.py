"""Commands of these tests run in this process; `tests/spark/test_run_spark.py` has those on Spark, in one session."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDELOG_RUNTIME", "embedded")
