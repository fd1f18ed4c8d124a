"""The Java analysis on Spark, on a small program: partitions find what an embedded engine finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from benchmarks.options import Options

from benchmarks.cases import java_spark

pytestmark = [pytest.mark.spark, pytest.mark.long]
FOLDER = Path(__file__).parents[3] / "programs" / "analysis" / "java"


def test_partitions_find_what_one_process_finds(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_spark, "SINGLES", 2)
    monkeypatch.setattr(java_spark, "call_apart", lambda _, **arguments: java_spark.embedded(**arguments))
    built, single = java_spark.analysis(Options(java=FOLDER, session=spark))
    assert built.facts["messages"] > 0
    assert single.facts["statements"] == 2
