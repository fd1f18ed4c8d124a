"""One protocol for real programs: build, one in a hundred facts out and in again, one fact out and in again.

Law: systems build in turn and must agree, after the build and after a deletion; at the end the view is the one that was
built. DuckDB and clingo maintain nothing under change: an epoch is compared with their build, which they repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.cases.builds import LARGEST_CLINGO, times_of
from benchmarks.cases.changes import touched
from benchmarks.data import workloads
from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload
from benchmarks.measure import Duration, checksum, median
from benchmarks.options import Options
from benchmarks.outcome import Disagreement, Outcome, must_agree
from benchmarks.peers.clingo import run_clingo
from benchmarks.peers.duckdb import run_duckdb
from benchmarks.record import HEADLINE, UNITS, Record, Target, Value, clocked
from benchmarks.subject import Step, Subject, built, run_tidelog

Facts = Mapping[str, Cells]
SINGLES, ROUNDS, SETS = 50, 5, 20


@dataclass(frozen=True, slots=True)
class Protocol:
    """The target of a build, if it has one; what changes: which relations, their last rows or rows drawn at random."""

    target: Target | None = None
    last: bool = False
    changing: tuple[str, ...] = ()

    def drawn(self, workload: Workload, count: int, seed: int) -> dict[str, Cells]:
        """So many facts that change."""
        names = self.changing or tuple(workload.facts)
        return drawn({name: workload.facts[name] for name in names}, count, seed, last=self.last)


def beside(workload: Workload, protocol: Protocol, options: Options) -> Iterator[Record]:
    """Builds of all systems, then changes of ours."""
    threads = options.threads or 1
    builds = _builds(workload, threads, options)
    yield _build_record(workload, builds, protocol.target, options)
    subject, step = built(workload, threads)
    yield _many(subject, workload, protocol, builds, options)
    yield _single(subject, workload, protocol, builds)
    _check_restored(subject, workload, step)


def _builds(workload: Workload, threads: int, options: Options) -> list[list[Outcome]]:
    ours: list[Outcome] = []
    theirs: list[Outcome] = []
    for _ in range(options.repeats(2)):
        ours.append(run_tidelog(workload, threads))
        theirs.append(run_duckdb(workload, threads))
        must_agree(ours[-1], theirs[-1], workload.title)
    found = [ours, theirs]
    if no_clingo(workload, ours[0].supports, options) is None:
        found.append([run_clingo(workload)])
        must_agree(ours[0], found[-1][0], workload.title)
    return found


def no_clingo(workload: Workload, supports: int, options: Options) -> str | None:
    """Why clingo is not asked, if it is not."""
    largest = options.chosen("clingo_supports", LARGEST_CLINGO)
    if "min<" in workload.rules:
        return "it does not support minima inside recursion"
    return f"{supports:,} supports exceed its limit of {largest:,}" if supports > largest else None


def _build_record(workload: Workload, builds: list[list[Outcome]], target: Target | None, options: Options) -> Record:
    ours = builds[0][0]
    own, peer = (median(outcome.compute for outcome in found) for found in builds[:2])
    ratio = Value(HEADLINE, own.cpu / peer.cpu, "x DuckDB", target=target)
    reason = no_clingo(workload, ours.supports, options)
    notes = (f"clingo omitted: {reason}",) if reason else ()
    given = sum(map(len, workload.facts.values()))
    facts = {"given": given, "rows": ours.rows, "supports": ours.supports}
    return Record("build", workload.title, (ratio, *times_of(builds)), facts, notes)


def _many(
    subject: Subject, workload: Workload, protocol: Protocol, builds: list[list[Outcome]], options: Options
) -> Record:
    """One in a hundred facts, several times."""
    count = max(1, sum(map(len, workload.facts.values())) // 100)
    out: list[Step] = []
    back: list[Step] = []
    for turn in range(options.repeats(ROUNDS)):
        rows = protocol.drawn(workload, count, turn)
        out.append(subject.delete(rows))
        if not turn:
            _check_without(subject, workload, rows)
        back.append(subject.insert(rows))
    values = (*clocked("out", _whole(out), "ms"), *clocked("in", _whole(back), "ms"), *from_scratch(builds))
    return Record("changes", f"1 % of all facts, {workload.title}", values, {"changed": count, **touched(out)})


def _single(subject: Subject, workload: Workload, protocol: Protocol, builds: list[list[Outcome]]) -> Record:
    """Single facts, given as Python tuples."""
    out: list[Step] = []
    back: list[Step] = []
    for name, rows in protocol.drawn(workload, SINGLES, 77).items():
        for row in map(tuple, rows.tolist()):
            out.append(subject.delete({name: [row]}))
            back.append(subject.insert({name: [row]}))
    values = (
        *clocked("out", _whole(out), "ms"),
        *clocked("in", _whole(back), "ms"),
        Value("worst", UNITS["ms"] * max(d.cpu for d in _whole([*out, *back])), "ms", "cpu"),
        *from_scratch(builds),
    )
    return Record("changes", f"one fact, {workload.title}", values, {"changed": 1, **touched(out)})


def _whole(steps: Sequence[Step]) -> list[Duration]:
    return [step.whole for step in steps]


def from_scratch(builds: Sequence[Sequence[Outcome]]) -> Iterator[Value]:
    """What the peers need instead of a change: all of a build."""
    for found in builds[1:]:
        yield from clocked(f"{found[0].system} again", [o.load + o.compute for o in found], "ms")


def drawn(facts: Facts, count: int, seed: int, *, last: bool) -> dict[str, Cells]:
    """So many facts of all relations together: drawn at random, or the last of each."""
    total = sum(map(len, facts.values()))
    shares = {name: min(len(rows), max(1, count * len(rows) // total)) for name, rows in facts.items()}
    if last:
        return {name: rows[len(rows) - shares[name] :] for name, rows in facts.items()}
    rng = np.random.default_rng(seed)
    return {name: rows[rng.choice(len(rows), shares[name], replace=False)] for name, rows in facts.items()}


def without(facts: Facts, gone: Facts) -> dict[str, Cells]:
    """The facts that are left."""
    lost = {name: set(map(tuple, rows.tolist())) for name, rows in gone.items()}
    return {
        name: np.array([row for row in rows.tolist() if tuple(row) not in lost.get(name, ())], np.int64).reshape(
            -1, rows.shape[1]
        )
        for name, rows in facts.items()
    }


def _check_without(subject: Subject, workload: Workload, gone: Facts) -> None:
    left = replace(workload, facts=without(workload.facts, gone))
    ours = Outcome.of_rows("Tidelog", Duration(), Duration(), subject.rows(workload.view))
    must_agree(ours, run_duckdb(left), f"{workload.title} after a deletion")


def _check_restored(subject: Subject, workload: Workload, step: Step) -> None:
    before = step.epoch.changes[workload.view].inserted.to_numpy()
    after = subject.rows(workload.view)
    if checksum(before) != checksum(after):
        raise Disagreement(f"{workload.title}: {len(before):,} rows built, {len(after):,} after all changes")


def coming_and_going(target: Target, options: Options) -> Iterator[Record]:
    """Components while edges come and go: in each of 20 sets, one in a hundred goes and others come back.

    DuckDB computes the components of each set again; both must agree on every set.
    """
    workload = workloads.components(options.quick)
    threads = options.threads or 1
    yield from beside(workload, Protocol(target, changing=("edge",)), options)
    subject, _ = built(workload, threads)
    edges, rng = workload.facts["edge"], np.random.default_rng(41)
    absent = np.zeros(len(edges), bool)
    ours: list[Step] = []
    theirs: list[Outcome] = []
    for _ in range(SETS):
        going = rng.choice(np.flatnonzero(~absent), len(edges) // 100, replace=False)
        coming = np.flatnonzero(absent)[: len(going)]
        ours.append(subject.step(lambda epoch, g=going, c=coming: _exchange(epoch, edges[g], edges[c])))
        absent[going], absent[coming] = True, False
        theirs.append(run_duckdb(replace(workload, facts={**workload.facts, "edge": edges[~absent]}), threads))
        now = Outcome.of_rows("Tidelog", Duration(), Duration(), subject.rows(workload.view))
        must_agree(now, theirs[-1], f"{workload.title}, edges come and go")
    values = (*clocked("out", _whole(ours), "ms"), *from_scratch([[], theirs]))
    facts = {"changed": 2 * (len(edges) // 100), **touched(ours)}
    yield Record("changes", f"{SETS} sets of edges that come and go, {workload.title}", values, facts)


def _exchange(epoch: object, going: Cells, coming: Cells) -> None:
    epoch.delete("edge", going)  # type: ignore[attr-defined]  # an open epoch
    if len(coming):
        epoch.insert("edge", coming)  # type: ignore[attr-defined]  # as above
