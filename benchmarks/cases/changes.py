"""Changes of facts: one in a hundred edges, one edge, and one edge in states of growing size.

Law: edges are old and random: they are there since the build, and none is taken twice. What was deleted is inserted
again, so that every round meets the same facts.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.data import graphs, workloads
from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload
from benchmarks.measure import Duration, checksum, median, percentile
from benchmarks.options import Options
from benchmarks.outcome import Disagreement, Outcome, must_agree
from benchmarks.peers.duckdb import run_duckdb
from benchmarks.record import HEADLINE, Record, Target, Value, clocked
from benchmarks.subject import Step, Subject, built

CHURN_TARGET, EDGE_TARGET, GROWTH_TARGET = Target(5.0), Target(1.0), Target(2.0)
ISLAND_NODES = 20


def churn(options: Options) -> Iterator[Record]:
    """Delete one in a hundred edges and insert them again, beside a build."""
    for make in (workloads.random_closure, workloads.rmat_closure):
        workload = make(options.quick)
        yield from churn_of(workload, "edge", CHURN_TARGET, options.repeats(3))


def churn_of(workload: Workload, relation: str, target: Target, repeat: int) -> Iterator[Record]:
    """Delete and insert one in a hundred rows of a relation, ``repeat`` builds with a few rounds each."""
    builds: list[Step] = []
    deleted: list[Step] = []
    inserted: list[Step] = []
    for turn in range(repeat):
        subject, step = built(workload)
        builds.append(step)
        for number in range(3):
            rows = graphs.sample(workload.facts[relation], len(workload.facts[relation]) // 100, 100 * turn + number)
            deleted.append(subject.delete({relation: rows}))
            if number == turn == 0:
                _check_against_duckdb(subject, workload, relation, rows)
            inserted.append(subject.insert({relation: rows}))
        _check_restored(subject, workload, builds[-1])
    whole = median(s.whole for s in builds)
    yield _share(workload, "delete 1 %", deleted, whole, target)
    yield _share(workload, "insert 1 %", inserted, whole, target)


def _share(workload: Workload, what: str, steps: Sequence[Step], build: Duration, target: Target) -> Record:
    whole = [s.whole for s in steps]
    share = Value(HEADLINE, 100 * median(whole).cpu / build.cpu, "% of a build", target=target)
    return Record("churn", f"{what}, {workload.title}", (share, *clocked("change", whole, "ms")), touched(steps))


def touched(steps: Sequence[Step]) -> dict[str, int]:
    """The medians of what epochs touched."""
    return {
        "supports": int(statistics.median(s.supports for s in steps)),
        "suspended": int(statistics.median(s.epoch.statistics.suspended for s in steps)),
    }


def _check_against_duckdb(subject: Subject, workload: Workload, relation: str, gone: Cells) -> None:
    """After a deletion the view is the one that DuckDB builds without the rows."""
    lost = set(map(tuple, gone.tolist()))
    kept = np.array([row for row in workload.facts[relation].tolist() if tuple(row) not in lost], np.int64)
    facts = {**workload.facts, relation: kept}
    fresh = Workload(workload.name, workload.title, workload.rules, workload.view, facts, workload.sql)
    ours = Outcome.of_rows("Tidelog", Duration(), Duration(), subject.rows(workload.view))
    must_agree(ours, run_duckdb(fresh), f"{workload.title} after a deletion")


def _check_restored(subject: Subject, workload: Workload, build: Step) -> None:
    before = build.epoch.changes[workload.view].inserted.to_numpy()
    after = subject.rows(workload.view)
    if checksum(before) != checksum(after):
        raise Disagreement(f"{workload.title}: {len(before):,} rows built, {len(after):,} after deletion and insertion")


def one_edge(options: Options) -> Iterator[Record]:
    """One old edge out and in again through the API."""
    for make in (workloads.random_closure, workloads.rmat_closure):
        workload = make(options.quick)
        subject, step = built(workload)
        yield from one_row(subject, workload, "edge", EDGE_TARGET)
        _check_restored(subject, workload, step)


def one_row(subject: Subject, workload: Workload, relation: str, target: Target) -> Iterator[Record]:
    """Medians over 120 random old rows, each given as a Python tuple."""
    rows = graphs.sample(workload.facts[relation], 120, seed=7)
    steps = [
        (subject.delete({relation: [row]}), subject.insert({relation: [row]})) for row in map(tuple, rows.tolist())
    ]
    yield _one("out", workload, [out for out, _ in steps], target)
    yield _one("in", workload, [into for _, into in steps], target)


def _one(what: str, workload: Workload, steps: Sequence[Step], target: Target) -> Record:
    return Record("one-row", f"one {what}, {workload.title}", epoch_values(steps, target), touched(steps))


def epoch_values(steps: Sequence[Step], target: Target | None) -> tuple[Value, ...]:
    """Epochs in milliseconds: the whole way through the API, the evaluation, and what most stay below."""
    whole = [s.whole for s in steps]
    high = Value("95 % below", 1e3 * percentile([d.cpu for d in whole], 0.95), "ms", "cpu")
    evaluation = clocked("evaluation", [s.compute for s in steps], "ms")
    return (*clocked(HEADLINE, whole, "ms", target), *evaluation, high)


def growth(options: Options) -> Iterator[Record]:
    """The same change in states of growing size: islands of one shape, so that what a change touches is constant."""
    counts = (25, 250) if options.quick else (25, 250, 2_500, 12_000)
    states = [_islands(count) for count in counts]
    shape = len(graphs.islands(1))
    rng = np.random.default_rng(11)
    steps: list[list[Step]] = [[] for _ in states]
    for number in range(120):
        for place, (subject, edges) in enumerate(states):
            island = int(rng.integers(0, len(edges) // shape))
            row = tuple(edges[island * shape + number % shape].tolist())
            steps[place] += [subject.delete({"edge": [row]}), subject.insert({"edge": [row]})]
    sizes = [subject.engine.fact_count for subject, _ in states]
    for count, size, found in zip(counts, sizes, steps, strict=True):
        facts = {"facts": size, **touched(found)}
        yield Record("growth", f"one edge in or out, {count:,} islands", epoch_values(found, None), facts)
    yield _factor(steps, sizes)


def _islands(count: int) -> tuple[Subject, Cells]:
    edges = graphs.islands(count, ISLAND_NODES)
    subject, _ = built(workloads.closure("islands", f"{count:,} islands", edges))
    return subject, edges


def _factor(steps: Sequence[Sequence[Step]], sizes: Sequence[int]) -> Record:
    times = [median(s.whole for s in found).cpu for found in steps]
    factor = Value(HEADLINE, max(times) / times[0], "x", target=GROWTH_TARGET)
    return Record("growth-factor", "largest beside smallest state", (factor,), {"from": sizes[0], "to": sizes[-1]})
