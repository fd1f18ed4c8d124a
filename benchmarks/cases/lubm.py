"""LUBM-1 under the six RDFS rules, when its path is given: build, one in a hundred triples, one triple.

Law: Tidelog gets the triples as text through the API; its evaluation is timed apart from the encoding. Peers get
numbers for terms. The closure has 127,022 triples, and all systems must find the same ones.
"""

from __future__ import annotations

import gzip
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.graphs import Cells
from benchmarks.measure import Duration, median, percentile
from benchmarks.outcome import Build, Disagreement, Finding, Measure, Options, Outcome, must_agree
from benchmarks.peers import run_clingo, run_duckdb
from benchmarks.subject import Step, Subject
from benchmarks.workloads import Workload

EXPECTED = {101_150: 127_022}
BUILD_TARGET, PART_TARGET, ONE_TARGET = 300.0, 20.0, 2.0
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TERMS = {name: f"<{RDFS}{name}>" for name in ("domain", "range", "subPropertyOf", "subClassOf")}
TERMS["type"] = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
RULES = """
rdfs2  t(Y, {type}, X) :- t(A, {domain}, X), t(Y, A, Z).
rdfs3  t(Z, {type}, X) :- t(A, {range}, X), t(Y, A, Z).
rdfs5  t(X, {subPropertyOf}, Z) :- t(X, {subPropertyOf}, Y), t(Y, {subPropertyOf}, Z).
rdfs7  t(X, B, Y) :- t(A, {subPropertyOf}, B), t(X, A, Y).
rdfs9  t(Z, {type}, Y) :- t(X, {subClassOf}, Y), t(Z, {type}, X).
rdfs11 t(X, {subClassOf}, Z) :- t(X, {subClassOf}, Y), t(Y, {subClassOf}, Z).
"""
# Per rule: the new triple, and what joins p with q; each runs twice, with the new rows on either side.
JOINS = (
    ("q.a, {type}, p.c", "p.b = {domain} AND q.b = p.a"),
    ("q.c, {type}, p.c", "p.b = {range} AND q.b = p.a"),
    ("p.a, {subPropertyOf}, q.c", "p.b = {subPropertyOf} AND q.b = {subPropertyOf} AND q.a = p.c"),
    ("q.a, p.c, q.c", "p.b = {subPropertyOf} AND q.b = p.a"),
    ("q.a, {type}, p.c", "p.b = {subClassOf} AND q.b = {type} AND q.c = p.a"),
    ("p.a, {subClassOf}, q.c", "p.b = {subClassOf} AND q.b = {subClassOf} AND q.a = p.c"),
)


def lubm(options: Options) -> Iterator[Finding]:
    """All of LUBM-1; nothing when no path is given."""
    if options.data is None:
        return
    triples = read_triples(Path(options.data), 5_000 if options.quick else None)
    workload, numbers = _encoded(triples)
    steps, subject = _builds(triples, options.repeat)
    yield _beside_peers(workload, steps, subject, numbers, options)
    yield from _changes(subject, triples, steps)
    _check(subject, workload, numbers, run_duckdb(workload))


def read_triples(path: Path, limit: int | None = None) -> list[tuple[str, str, str]]:
    """Tab-separated terms, plain or gzip."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        rows = [tuple(line.rstrip("\n").split("\t")) for line in lines]
    return [(s, p, o) for s, p, o in rows[:limit]]


def text_rules() -> str:
    """The rules with terms as text."""
    return RULES.format(**{name: f'"{term}"' for name, term in TERMS.items()})


def _encoded(triples: Sequence[tuple[str, str, str]]) -> tuple[Workload, dict[str, int]]:
    terms = sorted({term for row in triples for term in row} | set(TERMS.values()))
    numbers = {term: number for number, term in enumerate(terms)}
    rows: Cells = np.array([[numbers[term] for term in row] for row in triples], np.int64)
    named = {name: numbers[term] for name, term in TERMS.items()}
    lines = [line.split(maxsplit=1)[1] for line in RULES.format(**named).split("\n") if line]
    return Workload("lubm", f"LUBM-1, {len(rows):,} triples", "\n".join(lines), "t", {"t": rows}, _sql(named)), numbers


def _sql(named: dict[str, int]) -> str:
    sides = ("closed p, recurring.closed q", "recurring.closed p, closed q")
    parts = [f"SELECT {new} FROM {side} WHERE {join}" for new, join in JOINS for side in sides]
    found = "\n UNION ".join(parts).format(**named)
    return f"""
WITH RECURSIVE closed(a, b, c) USING KEY (a, b, c) AS (
    SELECT a, b, c FROM t UNION
    SELECT * FROM ({found}) AS n(a, b, c)
    WHERE NOT EXISTS (SELECT 1 FROM recurring.closed k WHERE k.a = n.a AND k.b = n.b AND k.c = n.c)
) SELECT a, b, c FROM closed"""


def _arrow(triples: Sequence[tuple[str, str, str]]) -> pa.Table:
    return pa.table(list(map(list, zip(*triples, strict=True))), names=["s", "p", "o"])


def _builds(triples: Sequence[tuple[str, str, str]], repeat: int) -> tuple[list[Step], Subject]:
    table = _arrow(triples)
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
    workload: Workload, steps: Sequence[Step], subject: Subject, numbers: dict[str, int], options: Options
) -> Build:
    duck = [run_duckdb(workload) for _ in range(options.repeat)]
    clingo = run_clingo(workload)
    ours = _check(subject, workload, numbers, duck[0])
    must_agree(ours, clingo, workload.title)
    times = {
        "Tidelog": (median(s.whole - s.compute for s in steps), median(s.compute for s in steps)),
        "DuckDB": (median(o.load for o in duck), median(o.compute for o in duck)),
        "clingo": (clingo.load, clingo.compute),
    }
    return Build(workload.title, ours.rows, steps[0].supports, times, ("Tidelog reads text, its peers numbers",))


def _changes(subject: Subject, triples: Sequence[tuple[str, str, str]], builds: Sequence[Step]) -> Iterator[Finding]:
    build = median(s.compute for s in builds)
    yield Measure(
        "LUBM-1", "build, once encoded", 1e3 * build.cpu, "ms", BUILD_TARGET, f"wall {1e3 * build.wall:.0f} ms"
    )
    rng = np.random.default_rng(13)
    out, into = [], []
    for _ in range(7):
        part = _arrow([triples[i] for i in rng.choice(len(triples), len(triples) // 100, replace=False)])
        out.append(subject.delete({"t": part}))
        into.append(subject.insert({"t": part}))
    yield _part("delete 1 %", out)
    yield _part("insert 1 %", into)
    out, into = [], []
    for i in rng.choice(len(triples), 120, replace=False):
        out.append(subject.delete({"t": [triples[i]]}))
        into.append(subject.insert({"t": [triples[i]]}))
    yield _one("one triple out", out)
    yield _one("one triple in", into)


def _part(what: str, steps: Sequence[Step]) -> Measure:
    own, whole = median(s.compute for s in steps), median(s.whole for s in steps)
    supports = int(statistics.median(s.supports for s in steps))
    detail = f"{1e3 * whole.cpu:.1f} ms with encoding; {supports:,} supports"
    return Measure("LUBM-1", what, 1e3 * own.cpu, "ms", PART_TARGET, detail)


def _one(what: str, steps: Sequence[Step]) -> Measure:
    own = median(s.whole for s in steps)
    high = percentile([s.whole.cpu for s in steps], 0.95)
    detail = f"through the API; 95 % below {1e3 * high:.1f} ms, wall {1e3 * own.wall:.2f} ms"
    return Measure("LUBM-1", what, 1e3 * own.cpu, "ms", ONE_TARGET, detail)
