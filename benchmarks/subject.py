"""Tidelog as the benchmarks drive it: through the Python API, with a clock on the evaluation.

Law: *compute* is what the runtime does for an epoch, its commit included; *load* is the rest of the epoch: reading
rows, encoding them to cells, planning.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.graphs import Cells
from benchmarks.measure import Duration, now
from benchmarks.outcome import Outcome
from benchmarks.workloads import CLOSURE, Workload
from tidelog import Engine
from tidelog.engine.epoch import Epoch


class Meter:
    """Adds up the time that an engine's runtime spends on epochs."""

    def __init__(self, engine: Engine) -> None:
        self.spent = Duration()
        runtime: Any = engine._runtime  # the evaluation proper has no public clock of processor time
        runtime.run = self._watch(runtime.run)
        runtime.commit = self._watch(runtime.commit)

    def _watch(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any) -> Any:
            began = now()
            try:
                return work(*args)
            finally:
                self.spent += now() - began

        return watched


@dataclass(frozen=True, slots=True)
class Step:
    """One epoch: all its time through the API, and the part that is evaluation."""

    epoch: Epoch
    whole: Duration
    compute: Duration

    @property
    def supports(self) -> int:
        """Supports found or lost."""
        return sum(self.epoch.statistics.supports.values())


class Subject:
    """An engine whose epochs are timed."""

    def __init__(self, rules: str) -> None:
        self.engine = Engine(rules)
        self._meter = Meter(self.engine)

    def insert(self, facts: Mapping[str, Any]) -> Step:
        """One epoch that asserts facts."""
        return self.step(lambda epoch: _each(epoch.insert, facts))

    def delete(self, facts: Mapping[str, Any]) -> Step:
        """One epoch that retracts facts."""
        return self.step(lambda epoch: _each(epoch.delete, facts))

    def step(self, fill: Callable[[Epoch], object]) -> Step:
        """One epoch with whatever ``fill`` puts into it."""
        before, began = self._meter.spent, now()
        with self.engine.epoch() as epoch:
            fill(epoch)
        return Step(epoch, now() - began, self._meter.spent - before)

    def rows(self, view: str) -> Cells:
        """All rows of a view of numbers."""
        return self.engine[view].to_numpy()

    def facts(self) -> int:
        """The number of facts of all relations, those that rewrites made included."""
        relations = self.engine._runtime.partition.relations
        return sum(relations.live(number) for number in relations.numbers.values())

    def bytes(self) -> int:
        """Memory of all relations with their indexes."""
        return self.engine._runtime.partition.relations.memory()


def _each(change: Callable[[str, Any], None], facts: Mapping[str, Any]) -> None:
    for name, rows in facts.items():
        change(name, rows)


def run_tidelog(workload: Workload) -> Outcome:
    """Build the workload's view from nothing."""
    gc.collect()
    subject = Subject(workload.rules)
    step = subject.insert(workload.facts)
    rows = subject.rows(workload.view)
    return Outcome.of_rows("Tidelog", step.whole - step.compute, step.compute, rows, step.supports)


def built(workload: Workload) -> tuple[Subject, Step]:
    """An engine that holds the workload, and its first epoch."""
    gc.collect()
    subject = Subject(workload.rules)
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
