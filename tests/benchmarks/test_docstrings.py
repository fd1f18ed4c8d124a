"""Examples in docstrings of the benchmarks hold."""

from __future__ import annotations

import doctest
import importlib

import pytest

WITH_EXAMPLES = (
    "cases.catalogue",
    "data.analyses",
    "data.gmark",
    "data.graphs",
    "data.java",
    "data.numbered",
    "data.owl",
    "data.paths",
    "measure",
    "options",
    "peers.clingo",
    "record",
    "report.compare",
    "report.table",
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"benchmarks.{name}"))
    assert found.failed == 0
    assert found.attempted > 0
