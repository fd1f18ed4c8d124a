"""The engine: builds beside other systems, changes of facts and of rules, memory, LUBM-1, least values in recursion."""

from __future__ import annotations

from functools import partial

from benchmarks.cases import aggregates, changes, footprint, lubm, rule_changes, small_epochs
from benchmarks.cases.builds import BUILD_TARGET, CLOSURE_TARGET, CLOSURES, LEAST_TARGET, build
from benchmarks.cases.catalogue import Case, Group
from benchmarks.cases.overhead import overhead
from benchmarks.cases.threads import threads
from benchmarks.data.workloads import AGGREGATES, BUILDS
from benchmarks.subject import kernel_ready

GROUP = Group(
    {
        **{
            f"build-{name}": Case(
                f"build {name} beside DuckDB and clingo",
                partial(build, make, CLOSURE_TARGET if name in CLOSURES else BUILD_TARGET),
            )
            for name, make in BUILDS.items()
        },
        "churn": Case("one in a hundred edges out and in again, beside a build", changes.churn),
        "edge": Case("one edge out and in again through the API", changes.one_edge),
        "overhead": Case("what one edge costs outside of compiled code", overhead),
        "one-fact": Case("one fact in small programs, and each further view, beside DuckDB", small_epochs.one_fact),
        "many-rules": Case("10,000 rules: load, one fact, one rule", small_epochs.many_rules),
        "growth": Case("the same change in states of growing size", changes.growth),
        "rules": Case("a rule comes and goes, beside what its supports need", rule_changes.rules),
        "threads": Case("builds on two threads beside one", threads),
        "memory": Case("bytes per fact", footprint.memory),
        "lubm": Case("LUBM-1 under the RDFS rules: build and changes", lubm.lubm, needs="data"),
        **{
            f"aggregate-{name}": Case(f"build {name}: least values in recursion", partial(build, make, LEAST_TARGET))
            for name, make in AGGREGATES.items()
        },
        "aggregate-changes": Case("one in a hundred edges and one edge under least values", aggregates.changes),
    },
    kernel_ready,
)
