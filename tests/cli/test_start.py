"""The command line starts quickly: what a command may not need is not loaded with it."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["tidelog.engine.engine", "tidelog.cli"])
def test_spark_is_not_loaded_before_it_is_needed(module: str) -> None:
    script = f"import sys, {module}; print(sorted(name for name in sys.modules if name in ('pyspark', 'py4j')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
