"""Where the processor time of the tests goes: ``python -m pytest -p tests.processor ...``, with and without `-n`.

Wall times depend on what else the machine does; processor times hardly do. The time of a test is that of its process
and of all processes it has started, those that still run (Spark's JVM, a browser, a server) included. A session
that several tests share is charged to the first test that needs it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

TICKS = os.sysconf("SC_CLK_TCK")
NAME = "processor"
SINCE = pytest.StashKey[float]()
SHOWN = 20
SPENT: Counter[str] = Counter()


def processor_time() -> float:
    """Seconds of this process, of its ended children, and of all its descendants that run."""
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system + sum(map(_ticks, _descendants(os.getpid())))


def _descendants(process: int) -> Iterator[int]:
    try:
        lists = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:  # it has ended meanwhile
        return
    for child in " ".join(lists).split():
        yield int(child)
        yield from _descendants(int(child))


def _ticks(process: int) -> float:
    """The seconds of one process and its ended children."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    item.stash[SINCE] = processor_time()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    report = yield
    now = processor_time()
    report.user_properties.append((NAME, now - item.stash[SINCE]))
    item.stash[SINCE] = now
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    SPENT[report.nodeid] += sum(value for name, value in report.user_properties if name == NAME)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Processor seconds by folder, by file and by test, each the highest first."""
    if not SPENT:
        return
    groupings: dict[str, Callable[[str], str]] = {
        "folder": lambda test: "/".join(test.partition("::")[0].split("/")[:2]),
        "file": lambda test: test.partition("::")[0],
        "test function": lambda test: test.partition("[")[0],
    }
    terminalreporter.section(f"processor time: {SPENT.total():.0f} s in {len(SPENT)} tests")
    for title, group in groupings.items():
        terminalreporter.write_line(f"by {title}:")
        sums: Counter[str] = Counter()
        for test, seconds in SPENT.items():
            sums[group(test)] += seconds
        for name, seconds in sums.most_common(SHOWN):
            terminalreporter.write_line(f"{seconds:8.1f} s  {name}")
