"""A plugin of pytest: of each test file, run tests until one fails (``-p tests.mutants.first_failures``).

It takes less time to find out which files notice a mutant than which tests do.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FAILED: set[Path] = set()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.path in FAILED:
        pytest.skip("a test of this file has failed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    report = yield
    if report.failed:
        FAILED.add(item.path)
    return report
