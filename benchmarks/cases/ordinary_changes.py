"""Ordinary questions that are not one table per view: large builds, recursion, and changes, beside DuckDB.

Law: as in `ordinary`: separate processes, processor time, one thread unless a case says otherwise; two threads are
compared in wall time, which only an idle machine measures. Both systems must have the same number of rows and the same
sum of all cells. DuckDB does not maintain views: it evaluates a recursive query again, and joins only the rows that
arrive where one join is all there is.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from benchmarks.apart import call_apart
from benchmarks.data import graphs, workloads
from benchmarks.data.graphs import Cells
from benchmarks.data.ordinary import QUESTIONS, SMALLER, family
from benchmarks.data.workloads import Workload
from benchmarks.measure import now
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.peers.duckdb import computed, fetched, load_tables
from benchmarks.record import HEADLINE, Record, Target, Value
from benchmarks.subject import Subject, warm_up

HERE = "benchmarks.cases.ordinary_changes"
REPEATS = 3
BUILD, TWO_THREADS, SHORTEST, ROOT, POINTS = map(Target, (1.5, 1.2, 1.5, 1.3, 3.0))
ARRIVALS, BATCH = 20, 200
Found = dict[str, Any]


def large_closure(quick: bool) -> Workload:
    """More than ten million pairs."""
    bits, count = (12, 3_000) if quick else (17, 110_000)
    edges = graphs.rmat_upwards(bits, count)
    return workloads.closure("large", f"closure of an R-MAT graph, 2^{bits} nodes, {len(edges):,} edges", edges)


WORKLOADS: dict[str, Callable[[bool], Workload]] = {
    "large": large_closure,
    "shortest": workloads.shortest_paths,
}


def large_builds(options: Options) -> Iterator[Record]:
    """A build of more than ten million facts, with one thread and with two."""
    yield _built("large", 1, BUILD, "cpu", options, 1)
    yield _built("large", 2, TWO_THREADS, "wall", options, 1)


def shortest_paths(options: Options) -> Iterator[Record]:
    """Least distances from one node."""
    yield _built("shortest", 1, SHORTEST, "cpu", options, REPEATS)


def _built(name: str, threads: int, target: Target, clock: str, options: Options, repeats: int) -> Record:
    runs: dict[str, list[Found]] = {"engine": [], "duckdb": []}
    for _ in range(options.repeats(repeats)):
        for way, found in runs.items():
            found.append(call_apart(f"{HERE}:build_in_{way}", name=name, threads=threads, quick=options.quick))
    _same(found[0]["rows"] for found in runs.values())
    own, peer = (statistics.median(run[clock] for run in found) for found in runs.values())
    values = (
        Value(HEADLINE, own / peer, "x DuckDB", clock, target=target),
        Value("Tidelog", own, "s", clock),
        Value("DuckDB", peer, "s", clock),
    )
    words = "" if threads == 1 else f", {threads} threads"
    title = f"{WORKLOADS[name](options.quick).title}{words}"
    return Record("build", title, values, {"facts": runs["engine"][0]["rows"][0]})


def _same(found: Iterator[Any]) -> None:
    if len({str(each) for each in found}) != 1:
        raise Disagreement("the systems have different rows")


def _checked(rows: Cells) -> tuple[int, int]:
    return len(rows), int(rows.sum())


def build_in_engine(name: str, threads: int, quick: bool) -> Found:
    """Everything in one epoch."""
    warm_up()
    small, workload = WORKLOADS[name](True), WORKLOADS[name](quick)
    Subject(small.rules, threads).insert(small.facts)
    gc.collect()
    subject = Subject(workload.rules, threads)
    step = subject.insert(workload.facts)
    return {"cpu": step.whole.cpu, "wall": step.whole.wall, "rows": _checked(subject.rows(workload.view))}


def build_in_duckdb(name: str, threads: int, quick: bool) -> Found:
    """Tables and the query."""
    small, workload = WORKLOADS[name](True), WORKLOADS[name](quick)
    with duckdb.connect(config={"threads": threads}) as db:
        load_tables(db, small)
        computed(db, small)
    with duckdb.connect(config={"threads": threads}) as db:
        began = now()
        load_tables(db, workload)
        computed(db, workload)
        spent = now() - began
        return {"cpu": spent.cpu, "wall": spent.wall, "rows": _checked(fetched(db, "result"))}


def edge_near_the_root(options: Options) -> Iterator[Record]:
    """The same generation of a tree that loses, and gets again, one child of its first person."""
    own = call_apart(f"{HERE}:root_in_engine", quick=options.quick)
    peer = call_apart(f"{HERE}:root_in_duckdb", quick=options.quick)
    _same(iter((own["rows"], peer["rows"])))
    for way in ("out", "in"):
        values = (
            Value(HEADLINE, own[way] / peer[way], "x DuckDB", target=ROOT),
            Value("Tidelog", own[way], "ms", "cpu"),
            Value("DuckDB, again", peer[way], "ms", "cpu"),
        )
        yield Record("root", f"same generation: an edge near the root {way}", values, {"rows": own["rows"][0]})


def _family(quick: bool) -> Cells:
    table = family(SMALLER if quick else 1)["parent"]
    return np.stack([np.asarray(column) for column in table.columns], axis=1)


def root_in_engine(quick: bool) -> Found:
    """Milliseconds of an epoch that deletes the edge, and of one that inserts it."""
    warm_up()
    edges = _family(quick)
    subject = Subject(QUESTIONS["generations"].rules)
    subject.insert({"parent": edges})
    steps = [(subject.delete({"parent": edges[:1]}), subject.insert({"parent": edges[:1]})) for _ in range(5)]
    subject.delete({"parent": edges[:1]})
    times = {"out": [out.whole.cpu for out, _ in steps], "in": [back.whole.cpu for _, back in steps]}
    return {**_medians(times), "rows": _checked(subject.rows("same"))}


def root_in_duckdb(quick: bool) -> Found:
    """Milliseconds of the query over the remaining edges, and over all."""
    edges, db = _family(quick), duckdb.connect(config={"threads": 1})
    times: dict[str, list[float]] = {"in": [], "out": []}
    for way in ("in", "out") * 5:
        kept = edges if way == "in" else edges[1:]
        db.register("arriving", pa.table({"c": kept[:, 0].copy(), "p": kept[:, 1].copy()}))
        db.execute("CREATE OR REPLACE TABLE parent AS SELECT * FROM arriving")
        began = now()
        db.execute(f"CREATE OR REPLACE TABLE result AS {QUESTIONS['generations'].sql['same']}")
        times[way].append((now() - began).cpu)
    return {**_medians(times), "rows": _checked(fetched(db, "result"))}


def _medians(times: dict[str, list[float]]) -> dict[str, float]:
    return {way: 1e3 * statistics.median(spent) for way, spent in times.items()}


def points_arriving(options: Options) -> Iterator[Record]:
    """An interval join whose points arrive a few at a time."""
    own = call_apart(f"{HERE}:points_in_engine", quick=options.quick)
    peer = call_apart(f"{HERE}:points_in_duckdb", quick=options.quick)
    _same(iter((own["rows"], peer["rows"])))
    values = (
        Value(HEADLINE, own["batch"] / peer["batch"], "x DuckDB", target=POINTS),
        Value("Tidelog", own["batch"], "ms", "cpu"),
        Value("DuckDB, new points only", peer["batch"], "ms", "cpu"),
    )
    title = f"interval join of 20,000 intervals: {BATCH} points arrive"
    yield Record("points", title, values, {"rows": own["rows"][0]})


def _points(quick: bool) -> tuple[pa.Table, Cells, list[Cells]]:
    """Intervals, the points that are there, and those that arrive."""
    tables = QUESTIONS["intervals"].tables(SMALLER if quick else 1)
    points = np.random.default_rng(5).permutation(np.asarray(tables["point"]["x"]))
    batch = BATCH // (SMALLER if quick else 1)
    first = len(points) - ARRIVALS * batch
    return tables["span"], points[:first], [points[i : i + batch] for i in range(first, len(points), batch)]


def points_in_engine(quick: bool) -> Found:
    """Milliseconds of an epoch."""
    warm_up()
    spans, points, arriving = _points(quick)
    subject = Subject(QUESTIONS["intervals"].rules)
    subject.insert({"span": spans, "point": points.reshape(-1, 1)})
    spent = [subject.insert({"point": batch.reshape(-1, 1)}).whole.cpu for batch in arriving]
    return {"batch": 1e3 * statistics.median(spent), "rows": _checked(subject.rows("hit"))}


def points_in_duckdb(quick: bool) -> Found:
    """Milliseconds of joining the new points with all intervals, and of keeping them."""
    spans, points, arriving = _points(quick)
    db = duckdb.connect(config={"threads": 1})
    db.register("arriving_spans", spans)
    db.execute("CREATE TABLE span AS SELECT * FROM arriving_spans")
    db.execute("CREATE TABLE point(x BIGINT)")
    db.execute("CREATE TABLE hit(k BIGINT, x BIGINT)")
    spent = []
    for batch in (points, *arriving):
        db.register("arriving", pa.table({"x": batch}))
        began = now()
        db.execute("INSERT INTO hit SELECT k, x FROM span, arriving WHERE l <= x AND x <= h")
        db.execute("INSERT INTO point SELECT * FROM arriving")
        spent.append((now() - began).cpu)
    return {"batch": 1e3 * statistics.median(spent[1:]), "rows": _checked(fetched(db, "hit"))}
