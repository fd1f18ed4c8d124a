"""The cases by name, and the builds: Tidelog, DuckDB and clingo from nothing to the full view.

Law: systems alternate, so that a slow minute of the machine hits all of them; their results must be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from benchmarks import aggregates, changes, footprint, lubm, rule_changes, workloads
from benchmarks.measure import Duration, median
from benchmarks.outcome import Build, Finding, Measure, Options, Outcome, must_agree
from benchmarks.peers import run_clingo, run_duckdb
from benchmarks.subject import run_tidelog
from benchmarks.workloads import Workload

BUILD_TARGET = 2.5


@dataclass(frozen=True, slots=True)
class Case:
    """What can be asked for by name; an optional case runs only when it is."""

    run: Callable[[Options], Iterator[Finding]]
    optional: bool = False


def build(make: Callable[[bool], Workload], target: float, options: Options) -> Iterator[Finding]:
    """Build one workload with all systems."""
    workload = make(options.quick)
    ours, theirs = _alternate(workload, options.repeat)
    notes, times = [], {"Tidelog": _medians(ours), "DuckDB": _medians(theirs), "clingo": None}
    if "min<" in workload.rules:
        notes.append("clingo left out: it has no least value inside recursion")
    elif ours[0].supports > options.largest_clingo:
        notes.append(f"clingo left out: {ours[0].supports:,} supports are more than {options.largest_clingo:,}")
    else:
        peer = run_clingo(workload)
        must_agree(ours[0], peer, workload.title)
        times["clingo"] = (peer.load, peer.compute)
    yield Build(workload.title, ours[0].rows, ours[0].supports, times, tuple(notes))
    yield _ratio(workload, ours, theirs, target)


def _alternate(workload: Workload, repeat: int) -> tuple[list[Outcome], list[Outcome]]:
    ours: list[Outcome] = []
    theirs: list[Outcome] = []
    for _ in range(repeat):
        ours.append(run_tidelog(workload))
        theirs.append(run_duckdb(workload))
        must_agree(ours[-1], theirs[-1], workload.title)
    return ours, theirs


def _medians(outcomes: list[Outcome]) -> tuple[Duration, Duration] | None:
    return median(o.load for o in outcomes), median(o.compute for o in outcomes)


def _ratio(workload: Workload, ours: list[Outcome], theirs: list[Outcome], target: float) -> Measure:
    own, peer = median(o.compute for o in ours), median(o.compute for o in theirs)
    each = 1e9 * own.cpu / max(1, ours[0].supports)
    detail = (
        f"{own.cpu:.2f} s beside {peer.cpu:.2f} s; {each:.0f} ns per support; wall ratio {own.wall / peer.wall:.2f}"
    )
    return Measure("build", workload.title, own.cpu / peer.cpu, "x DuckDB", target, detail)


CASES: Mapping[str, Case] = {
    **{f"build-{name}": Case(partial(build, make, BUILD_TARGET)) for name, make in workloads.BUILDS.items()},
    "churn": Case(changes.churn),
    "edge": Case(changes.one_edge),
    "growth": Case(changes.growth),
    "rules": Case(rule_changes.rules),
    "memory": Case(footprint.memory),
    "lubm": Case(lubm.lubm),
    **{
        f"aggregate-{name}": Case(partial(build, make, aggregates.BUILD_TARGET), optional=True)
        for name, make in workloads.AGGREGATES.items()
    },
    "aggregate-changes": Case(aggregates.changes, optional=True),
}
