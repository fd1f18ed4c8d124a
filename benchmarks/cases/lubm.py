"""LUBM-1 under the six RDFS rules, when its path is given: build, one in a hundred triples, one triple.

Law: Tidelog gets the triples as text through the API; its evaluation is timed apart from the encoding. All systems must
find the same triples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.cases.builds import times_of
from benchmarks.cases.changes import epoch_values, touched
from benchmarks.data.graphs import Cells
from benchmarks.data.lubm import EXPECTED, QUICK, Triple, arrow, encoded, read_triples, text_rules
from benchmarks.data.workloads import Workload
from benchmarks.measure import Duration
from benchmarks.options import Options
from benchmarks.outcome import Disagreement, Outcome, must_agree
from benchmarks.peers.clingo import run_clingo
from benchmarks.peers.duckdb import run_duckdb
from benchmarks.record import HEADLINE, Record, Target, clocked
from benchmarks.subject import Step, Subject

BUILD_TARGET, PART_TARGET, ONE_TARGET = Target(300.0), Target(20.0), Target(2.0)


def lubm(options: Options) -> Iterator[Record]:
    """All of LUBM-1."""
    assert options.data is not None, "chosen only when it is given"
    triples = read_triples(options.data, QUICK if options.quick else None)
    workload, numbers = encoded(triples)
    steps, subject = _builds(triples, options.repeats(3))
    yield _beside_peers(workload, steps, subject, numbers, options.repeats(3))
    yield Record("lubm-build", "build, once encoded", clocked(HEADLINE, [s.compute for s in steps], "ms", BUILD_TARGET))
    yield from _changes(subject, triples)
    _check(subject, workload, numbers, run_duckdb(workload))


def _builds(triples: Sequence[Triple], repeat: int) -> tuple[list[Step], Subject]:
    table = arrow(triples)
    steps = []
    for _ in range(max(3, repeat)):
        subject = Subject(text_rules())
        steps.append(subject.insert({"t": table}))
    return steps, subject


def _rows(subject: Subject, numbers: dict[str, int]) -> Cells:
    columns = subject.engine["t"].to_arrow().columns
    return np.stack([np.array([numbers[v] for v in c.to_pylist()], np.int64) for c in columns], axis=1)


def _check(subject: Subject, workload: Workload, numbers: dict[str, int], peer: Outcome) -> Outcome:
    """The engine's triples, which must be those of a peer and as many as are known to be right."""
    ours = Outcome.of_rows("Tidelog", Duration(), Duration(), _rows(subject, numbers))
    must_agree(ours, peer, workload.title)
    expected = EXPECTED.get(len(workload.facts["t"]), ours.rows)
    if ours.rows != expected:
        raise Disagreement(f"{workload.title}: {ours.rows:,} triples, {expected:,} expected")
    return ours


def _beside_peers(
    workload: Workload, steps: Sequence[Step], subject: Subject, numbers: dict[str, int], repeat: int
) -> Record:
    peers = [run_duckdb(workload) for _ in range(repeat)], [run_clingo(workload)]
    ours = _check(subject, workload, numbers, peers[0][0])
    must_agree(ours, peers[1][0], workload.title)
    own = [Outcome(ours.system, s.load, s.compute, ours.rows, ours.checksum) for s in steps]
    facts = {"rows": ours.rows, "supports": steps[0].supports}
    notes = ("Tidelog reads text, its peers numbers",)
    return Record("build", workload.title, tuple(times_of([own, *peers])), facts, notes)


def _changes(subject: Subject, triples: Sequence[Triple]) -> Iterator[Record]:
    rng = np.random.default_rng(13)
    out, into = [], []
    for _ in range(7):
        part = arrow([triples[i] for i in rng.choice(len(triples), len(triples) // 100, replace=False)])
        out.append(subject.delete({"t": part}))
        into.append(subject.insert({"t": part}))
    yield _part("delete 1 %", out)
    yield _part("insert 1 %", into)
    out, into = [], []
    for i in rng.choice(len(triples), 120, replace=False):
        out.append(subject.delete({"t": [triples[i]]}))
        into.append(subject.insert({"t": [triples[i]]}))
    yield Record("lubm-one", "one triple out", epoch_values(out, ONE_TARGET), touched(out))
    yield Record("lubm-one", "one triple in", epoch_values(into, ONE_TARGET), touched(into))


def _part(what: str, steps: Sequence[Step]) -> Record:
    evaluation = clocked(HEADLINE, [s.compute for s in steps], "ms", PART_TARGET)
    return Record(
        "lubm-part", what, (*evaluation, *clocked("with encoding", [s.whole for s in steps], "ms")), touched(steps)
    )
