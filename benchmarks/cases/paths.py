"""Closure-heavy path queries on graphs of 100,000 edges, beside DuckDB's recursive SQL.

Law: each question is asked twice, as one rule with a path expression and as recursive SQL, and results must be equal.
Then single edges come and go; SQL has nothing to set beside that but computing again.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data import graphs
from benchmarks.data.paths import QUESTIONS, Question
from benchmarks.data.workloads import Workload
from benchmarks.measure import Duration, median, percentile
from benchmarks.options import Options
from benchmarks.outcome import Outcome, must_agree
from benchmarks.peers.duckdb import run_duckdb
from benchmarks.record import Record, Value, clocked
from benchmarks.subject import Subject, kernel_ready

EPOCHS = 20


def measured(make: Callable[[bool], Question], options: Options) -> Iterator[Record]:
    """Both systems alternate, then edges come and go."""
    question = make(options.quick)
    ours: list[Outcome] = []
    theirs: list[Outcome] = []
    for _ in range(options.repeats(3)):
        gc.collect()
        ours.append(asked_of_loaded(question.workload))
        theirs.append(run_duckdb(question.workload))
        must_agree(ours[-1], theirs[-1], question.workload.title)
    own, peer = ([each.compute for each in found] for found in (ours, theirs))
    out, back = one_edge(question.workload)
    values = (
        *clocked("Tidelog", own, "ms"),
        *clocked("DuckDB", peer, "ms"),
        Value("ratio", median(own).cpu / median(peer).cpu, "x DuckDB"),
        *clocked("edge out", out, "ms"),
        *clocked("edge in", back, "ms"),
        Value("95 % below", 1e3 * percentile([d.cpu for d in (*out, *back)], 0.95), "ms", "cpu"),
    )
    facts = {"edges": len(question.workload.facts["edge"]), "rows": ours[0].rows}
    yield Record("question", question.asked, values, facts)


def asked_of_loaded(workload: Workload) -> Outcome:
    """The rule comes to an engine that holds the edges already, as the query comes to DuckDB."""
    subject = Subject("")
    load = subject.insert(workload.facts)
    step = subject.step(lambda epoch: epoch.add_rule(workload.rules))
    return Outcome.of_rows("Tidelog", load.whole, step.compute, subject.rows(workload.view), step.supports)


def one_edge(workload: Workload) -> tuple[list[Duration], list[Duration]]:
    """Single edges out and back; the view must be as it was."""
    subject = Subject(workload.rules)
    subject.insert(workload.facts)
    before = subject.rows(workload.view)
    out: list[Duration] = []
    back: list[Duration] = []
    for row in graphs.sample(workload.facts["edge"], EPOCHS, seed=7):
        edge = {"edge": row.reshape(1, -1)}
        out.append(subject.delete(edge).whole)
        back.append(subject.insert(edge).whole)
    nothing = Duration()
    first = Outcome.of_rows("before", nothing, nothing, before)
    last = Outcome.of_rows("after", nothing, nothing, subject.rows(workload.view))
    must_agree(first, last, workload.title)
    return out, back


GROUP = Group(
    {name: Case((make.__doc__ or "").rstrip(".").lower(), partial(measured, make)) for name, make in QUESTIONS.items()},
    kernel_ready,
)
