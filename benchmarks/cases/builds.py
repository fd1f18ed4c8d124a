"""Builds: Tidelog, DuckDB and clingo from nothing to the full view.

Law: systems alternate, so that a slow minute of the machine hits all of them; their results must be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.data.workloads import Workload
from benchmarks.measure import median
from benchmarks.options import Options
from benchmarks.outcome import Outcome, must_agree
from benchmarks.peers.clingo import run_clingo
from benchmarks.peers.duckdb import run_duckdb
from benchmarks.record import HEADLINE, Record, Target, Value, clocked
from benchmarks.subject import run_tidelog

CLOSURE_TARGET, BUILD_TARGET, LEAST_TARGET = Target(1.2), Target(1.5), Target(1.5)
CLOSURES = ("random", "rmat", "rmat-large", "grid")
LARGEST_CLINGO = 3_000_000


def build(make: Callable[[bool], Workload], target: Target, options: Options) -> Iterator[Record]:
    """Build one workload with all systems."""
    workload = make(options.quick)
    ours, theirs = _alternate(workload, options.repeats(3))
    found, notes = [ours, theirs], []
    if reason := _no_clingo(workload, ours[0].supports, options.chosen("clingo_supports", LARGEST_CLINGO)):
        notes.append(f"clingo omitted: {reason}")
    else:
        found.append([run_clingo(workload)])
        must_agree(ours[0], found[-1][0], workload.title)
    values = (_ratio(ours, theirs, target), *times_of(found))
    facts = {"rows": ours[0].rows, "supports": ours[0].supports}
    yield Record("build", workload.title, values, facts, tuple(notes))


def _no_clingo(workload: Workload, supports: int, largest: int) -> str | None:
    """Why clingo is not asked, if it is not."""
    if "min<" in workload.rules:
        return "it does not support minima inside recursion"
    return f"{supports:,} supports exceed its limit of {largest:,}" if supports > largest else None


def _alternate(workload: Workload, repeat: int) -> tuple[list[Outcome], list[Outcome]]:
    ours: list[Outcome] = []
    theirs: list[Outcome] = []
    for _ in range(repeat):
        ours.append(run_tidelog(workload))
        theirs.append(run_duckdb(workload))
        must_agree(ours[-1], theirs[-1], workload.title)
    return ours, theirs


def times_of(systems: list[list[Outcome]]) -> Iterator[Value]:
    """Load and compute of each system."""
    for outcomes in systems:
        yield from clocked(f"{outcomes[0].system} load", [o.load for o in outcomes])
        yield from clocked(f"{outcomes[0].system} compute", [o.compute for o in outcomes])


def _ratio(ours: list[Outcome], theirs: list[Outcome], target: Target) -> Value:
    own, peer = median(o.compute for o in ours), median(o.compute for o in theirs)
    return Value(HEADLINE, own.cpu / peer.cpu, "x DuckDB", target=target)
