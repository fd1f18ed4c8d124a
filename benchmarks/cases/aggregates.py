"""Least values inside recursion under change: connected components and shortest paths.

Law: as in `changes`. Builds of these workloads are in `builds`; here are their changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.cases import changes as fact_changes
from benchmarks.data import workloads
from benchmarks.options import Options
from benchmarks.record import Record, Target
from benchmarks.subject import built

CHURN_TARGET, ONE_TARGET = Target(20.0), Target(2.0)
RELATIONS = {"components": "edge", "shortest": "road"}


def changes(options: Options) -> Iterator[Record]:
    """One in a hundred edges, and one edge, of both workloads."""
    for name, relation in RELATIONS.items():
        workload = workloads.AGGREGATES[name](options.quick)
        yield from fact_changes.churn_of(workload, relation, CHURN_TARGET, options.repeats(3))
        subject, _ = built(workload)
        yield from fact_changes.one_row(subject, workload, relation, ONE_TARGET)
