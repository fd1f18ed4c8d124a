"""Deletions: facts suspended beside net changes, and what an epoch costs that takes much away.

Law: suspended facts are counted where no stratum is built again; they are the same in every run, so that those of the
ranks before (one clock, no depth) are listed next to them as numbers. A large deletion is timed beside the build of
what was there, with and without the way out that a rebuild is; all ways must leave as many rows.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data import graphs, workloads
from benchmarks.data.graphs import Cells
from benchmarks.data.shapes import Shape, shapes
from benchmarks.data.workloads import AGGREGATES, BUILDS, Workload
from benchmarks.measure import Duration, median, now
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import HEADLINE, Record, Target, Value
from benchmarks.subject import kernel_ready
from tidelog import Engine, Limits

ROUNDS, QUICK_ROUNDS = 150, 20
REBUILD_TARGET = Target(1.3)
HUB = 0
KEPT = ("source", "node")  # relations of which nothing goes
# Facts suspended per deleted row when ranks were one clock, in as many rounds (quick or not).
BEFORE: Mapping[tuple[str, bool], float] = {
    ("random", True): 9.95,
    ("grid", True): 32.1,
    ("ladder", True): 312.6,
    ("cycle with chords", True): 1088.4,
    ("hub", True): 142.3,
    ("make before break", True): 300.0,
    ("points-to", True): 3.15,
    ("random", False): 11.97,
    ("grid", False): 50.37,
    ("ladder", False): 261.61,
    ("cycle with chords", False): 946.45,
    ("hub", False): 111.13,
    ("make before break", False): 300.0,
    ("points-to", False): 11.01,
}


def suspended(options: Options) -> Iterator[Record]:
    """Rows go and come back for a long time: facts suspended and facts that really go, per deleted row."""
    for shape in shapes():
        yield _churned(shape, options.quick)


def _churned(shape: Shape, quick: bool) -> Record:
    engine = Engine(shape.rules, limits=Limits(rebuild=False))
    _change(engine, shape.facts, {})
    count = QUICK_ROUNDS if quick else ROUNDS
    waiting = gone = 0
    for inserted, deleted in shape.rounds(count):
        _change(engine, inserted, {})
        epoch = _change(engine, {}, deleted)
        waiting += epoch.statistics.suspended - sum(map(len, deleted.values()))
        gone += len(epoch.changes[shape.view].deleted)
    before = BEFORE.get((shape.name, quick))
    values = [Value(HEADLINE, waiting / count, "facts suspended"), Value("net", gone / count, "facts deleted")]
    values += [] if before is None else [Value("before", before, "facts suspended")]
    return Record("suspended", shape.name, tuple(values), {"rounds": count, "facts": len(engine[shape.view])})


def _change(engine: Engine, inserts: Mapping[str, Any], deletes: Mapping[str, Any]) -> Any:
    with engine.epoch() as epoch:
        for name, rows in inserts.items():
            epoch.insert(name, rows)
        for name, rows in deletes.items():
            epoch.delete(name, rows)
    return epoch


def large(options: Options) -> Iterator[Record]:
    """One, twenty and fifty in a hundred rows out, and a hub with all its edges, beside a build."""
    makers = {**BUILDS, **AGGREGATES}
    for make in makers.values():
        workload = make(options.quick)
        for percent in (1, 20, 50):
            yield _deleted(workload, f"{percent} % out", _share(workload, percent), options)
    workload = _star(200 if options.quick else 700)
    edges = workload.facts["edge"]
    yield _deleted(workload, "the hub out", {"edge": edges[(edges == HUB).any(axis=1)]}, options)


def _share(workload: Workload, percent: int) -> dict[str, Cells]:
    found = {name: rows for name, rows in workload.facts.items() if name not in KEPT}
    return {name: graphs.sample(rows, max(1, len(rows) * percent // 100), 7) for name, rows in found.items()}


def _star(leaves: int) -> Workload:
    """All that leads to one node, and away from it, beside twice as many edges that do not."""
    ways = [(-i - 1, HUB) for i in range(leaves)] + [(HUB, i + 1) for i in range(leaves)]
    ways += [(i + 1, 10_000 + i) for i in range(leaves)] + [(-10_000 - i, -i - 1) for i in range(leaves)]
    ways += [(20_000 + i, 30_000 + i) for i in range(2 * leaves)]
    return workloads.closure("hub", f"a hub with {2 * leaves:,} of {len(ways):,} edges", np.array(ways, np.int64))


def _deleted(workload: Workload, what: str, gone: Mapping[str, Cells], options: Options) -> Record:
    repeat = options.repeats(3)
    built, elastic, followed = ([] for _ in range(3))
    for _ in range(repeat):
        first = _timed(workload, gone, Limits())
        second = _timed(workload, gone, Limits(rebuild=False))
        if first[3] != second[3]:
            raise Disagreement(
                f"{workload.title}, {what}: {first[3]:,} rows, {second[3]:,} where nothing is built again"
            )
        built += [first[0], second[0]]
        elastic.append(first[1])
        followed.append(second[1])
    build = median(built).cpu
    values = (
        Value(HEADLINE, median(elastic).cpu / build, "builds", target=REBUILD_TARGET),
        Value("followed", median(followed).cpu / build, "builds"),
        Value("build", 1e3 * build, "ms", "cpu"),
    )
    return Record("large", f"{what}, {workload.title}", values, {"way": first[2] or "retracted"})


def _timed(workload: Workload, gone: Mapping[str, Cells], limits: Limits) -> tuple[Duration, Duration, str, int]:
    """The build, the deletion, which way it took, and the rows that are left."""
    gc.collect()
    engine = Engine(workload.rules, limits=limits)
    began = now()
    _change(engine, workload.facts, {})
    built = now()
    epoch = _change(engine, {}, gone)
    deleted = now() - built
    way = next((s.rebuilt for s in epoch.statistics.strata if s.rebuilt), "")
    return built - began, deleted, way, len(engine[workload.view])


GROUP = Group(
    {
        "suspended": Case("facts suspended beside net changes, after long churn", suspended),
        "large": Case("much taken away at once, beside a build", large),
    },
    kernel_ready,
)
