"""Least values inside recursion under change: connected components and shortest paths.

Builds of these workloads are cases of `cases`; here are their changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import changes as fact_changes
from benchmarks import workloads
from benchmarks.outcome import Finding, Options
from benchmarks.subject import built

BUILD_TARGET, CHURN_TARGET, ONE_TARGET = 5.0, 20.0, 2.0
RELATIONS = {"components": "edge", "shortest": "road"}


def changes(options: Options) -> Iterator[Finding]:
    """One in a hundred edges, and one edge, of both workloads."""
    for name, relation in RELATIONS.items():
        workload = workloads.AGGREGATES[name](options.quick)
        yield from fact_changes.churn_of(workload, relation, CHURN_TARGET, options.repeat)
        subject, _ = built(workload)
        yield from fact_changes.one_row(subject, workload, relation, ONE_TARGET)
