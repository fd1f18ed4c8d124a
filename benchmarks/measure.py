"""Clocks, medians and the comparison of results.

Law: a duration is taken twice, as wall time and as processor time of this process. Tidelog, DuckDB with one thread and
clingo all compute in one thread, so that both agree on an idle machine; on a shared one only processor time shows
how much work was done, and ratios are made of it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from benchmarks.data.graphs import Cells

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Duration:
    """Seconds on the wall and of the processor."""

    wall: float = 0.0
    cpu: float = 0.0

    def __add__(self, other: Duration) -> Duration:
        return Duration(self.wall + other.wall, self.cpu + other.cpu)

    def __sub__(self, other: Duration) -> Duration:
        return Duration(self.wall - other.wall, self.cpu - other.cpu)


def now() -> Duration:
    """Both clocks."""
    return Duration(time.perf_counter(), time.process_time())


def timed(work: Callable[[], T]) -> tuple[T, Duration]:
    """The result of some work and how long it took."""
    began = now()
    result = work()
    return result, now() - began


def median(durations: Iterable[Duration]) -> Duration:
    """The medians of both clocks."""
    found = list(durations)
    return Duration(statistics.median(d.wall for d in found), statistics.median(d.cpu for d in found))


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share lies."""
    return float(np.percentile(np.array(values), 100 * share))


def checksum(rows: Cells) -> int:
    """A number that depends on the set of rows and not on their order.

    >>> one = checksum(np.array([[1, 2], [3, 4]]))
    >>> one == checksum(np.array([[3, 4], [1, 2]])), one == checksum(np.array([[1, 2], [4, 3]]))
    (True, False)
    """
    mixed = np.full(len(rows), 0x9E3779B97F4A7C15, np.uint64)
    for column in range(rows.shape[1]):
        mixed = (mixed ^ rows[:, column].astype(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(31)
    return int(mixed.sum(dtype=np.uint64))
