"""Tidelog as the benchmarks drive it: through the Python API, with its own clock of the evaluation.

Law: *compute* is the evaluation of an epoch, as its statistics report it; *load* is the rest of the epoch: reading
rows, encoding them to cells, planning, committing. Statistics have a clock on the wall only, so that the processor time
of an epoch is split in the same proportion. The engine works in one thread, as the systems beside it do, unless threads
are what is measured.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import CLOSURE, Workload
from benchmarks.measure import Duration, now
from benchmarks.options import Options
from benchmarks.outcome import Outcome
from tidelog import Engine


@dataclass(frozen=True, slots=True)
class Step:
    """One epoch: all its time through the API, and the part that is evaluation."""

    epoch: Any
    whole: Duration

    @property
    def compute(self) -> Duration:
        """The part of the time that is evaluation."""
        seconds: float = self.epoch.statistics.seconds
        return Duration(seconds, self.whole.cpu * seconds / self.whole.wall)

    @property
    def load(self) -> Duration:
        """The rest."""
        return self.whole - self.compute

    @property
    def supports(self) -> int:
        """Supports found or lost."""
        return sum(self.epoch.statistics.supports.values())


class Subject:
    """An engine whose epochs are timed; it computes in one thread by default."""

    def __init__(self, rules: str, threads: int = 1, **more: Any) -> None:
        self.engine = Engine(rules, threads=threads, **more)

    def insert(self, facts: Mapping[str, Any]) -> Step:
        """One epoch that asserts facts."""
        return self.step(lambda epoch: _each(epoch.insert, facts))

    def delete(self, facts: Mapping[str, Any]) -> Step:
        """One epoch that retracts facts."""
        return self.step(lambda epoch: _each(epoch.delete, facts))

    def step(self, fill: Callable[[Any], object]) -> Step:
        """One epoch with whatever ``fill`` puts into it."""
        began = now()
        with self.engine.epoch() as epoch:
            fill(epoch)
        return Step(epoch, now() - began)

    def rows(self, view: str) -> Cells:
        """All rows of a view of numbers."""
        return self.engine[view].to_numpy()


def _each(change: Callable[[str, Any], None], facts: Mapping[str, Any]) -> None:
    for name, rows in facts.items():
        change(name, rows)


def run_tidelog(workload: Workload, threads: int = 1) -> Outcome:
    """Build the workload's view from nothing."""
    gc.collect()
    subject = Subject(workload.rules, threads)
    step = subject.insert(workload.facts)
    rows = subject.rows(workload.view)
    return Outcome.of_rows("Tidelog", step.load, step.compute, rows, step.supports)


def built(workload: Workload, threads: int = 1) -> tuple[Subject, Step]:
    """An engine that holds the workload, and its first epoch."""
    gc.collect()
    subject = Subject(workload.rules, threads)
    return subject, subject.insert(workload.facts)


def warm_up() -> Duration:
    """Compile the kernel, or load it from its cache: insertion, deletion, change of a rule."""
    began = now()
    subject = Subject(CLOSURE + "apart(X, Y) :- edge(X, Y), !reach(Y, X), X < Y.")
    subject.insert({"edge": [(1, 2), (2, 3), (3, 1)]})
    subject.delete({"edge": [(3, 1)]})
    subject.step(lambda epoch: epoch.add_rule("reach(X, Y) :- edge(Y, X).", "back"))
    subject.step(lambda epoch: epoch.remove_rule("back"))
    return now() - began


@contextmanager
def kernel_ready(options: Options) -> Iterator[Options]:
    """The kernel is compiled before anything is timed."""
    warm_up()
    yield options
