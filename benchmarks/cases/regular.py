"""The Regular Datalog paper's experiment: its engine and Tidelog's on graphs of two schemas, in the form of its table.

Law: ten views are one program. All edges of some labels come, or go, in one update. *Full* is the computation of all
views over the graph after the update, *incremental* the maintenance from the graph before it. The paper's engine is
`tidelog.lab.semantics.regular`, its definitions written down; Tidelog's evaluation is what its epochs report. Both
maintain the same rows, which must be those that the paper's engine computes from nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.gmark import Graph
from benchmarks.data.schemas import SCHEMAS, SOCIAL, Schema, drawn_labels, graph_of, views_of
from benchmarks.measure import now
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Value
from benchmarks.subject import Subject, kernel_ready
from tidelog.lab.semantics.regular.clause import ONCE, RegularProgram
from tidelog.lab.semantics.regular.forward import compute, maintain
from tidelog.lab.semantics.regular.graph import Graph as Interpretation
from tidelog.lab.semantics.regular.translate import read_regular
from tidelog.lab.semantics.regular.update import BulkUpdate, updated

SHARES, DENSITIES = (5, 10, 15, 20, 25), (0.5, 1.0, 1.5, 2.0)
NODES, QUICK_NODES, DRAWS = 1_000, 120, 5
PAPER, ENGINE = "the paper's engine", "Tidelog"
Rows = dict[str, frozenset[tuple[Any, ...]]]
Edges = Mapping[str, Any]


class Trial:
    """Views over one graph, maintained by both engines while labels go and come back."""

    def __init__(self, schema: Schema, graph: Graph) -> None:
        self.schema, self.graph = schema, graph
        self.views = views_of(schema)
        self.rules = "\n".join(self.views.values())
        self.program: RegularProgram = read_regular(self.rules)[0]

    def measure(self, labels: Sequence[str]) -> Iterator[tuple[str, str, float, float]]:
        """Engine, what the labels do, seconds of full and of incremental computation."""
        touched = {label: self.graph.edges[label] for label in labels}
        kept = {label: rows for label, rows in self.graph.edges.items() if label not in touched}
        for what, before, after in (("inserted", kept, self.graph.edges), ("deleted", self.graph.edges, kept)):
            full, incremental, rows = self._paper(before, after)
            yield PAPER, what, full, incremental
            yield ENGINE, what, *self._tidelog(before, after, touched, what, rows)

    def _paper(self, before: Edges, after: Edges) -> tuple[float, float, Rows]:
        old, new = interpretation(before), interpretation(after)
        model, change = compute(self.program, old), BulkUpdate(new - old, old - new)
        full, computed = timed(lambda: compute(self.program, new))
        incremental, found = timed(lambda: maintain(self.program, model, change))
        maintained, rows = self._rows(updated(model, found)), self._rows(computed)
        if maintained != rows:
            raise Disagreement("the paper's engine maintains other rows than it computes")
        return full, incremental, rows

    def _tidelog(self, before: Edges, after: Edges, touched: Edges, what: str, rows: Rows) -> tuple[float, float]:
        gc.collect()
        full = Subject(self.rules).insert(after).compute.cpu
        subject = Subject(self.rules)
        subject.insert(before)
        step = subject.insert(touched) if what == "inserted" else subject.delete(touched)
        if {name: frozenset(map(tuple, subject.engine[name])) for name in self.views} != rows:
            raise Disagreement("Tidelog maintains other rows than the paper's engine computes")
        return full, step.compute.cpu

    def _rows(self, model: Interpretation) -> Rows:
        return {name: frozenset(model[name, ONCE]) for name in self.views}


def interpretation(edges: Edges) -> Interpretation:
    """Edges as the paper's engine has them."""
    return Interpretation.of({label: [tuple(row) for row in rows.tolist()] for label, rows in edges.items()})


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time, and the result."""
    gc.collect()
    began = now()
    result = work()
    return (now() - began).cpu, result


def shares(options: Options) -> Iterator[Record]:
    """Both schemas, more and more labels."""
    for schema in SCHEMAS.values():
        trial = Trial(schema, graph_of(schema, options.chosen("nodes", NODES, QUICK_NODES)))
        for share in SHARES[:1] if options.quick else SHARES:
            yield from records("share", trial, share, options.repeats(DRAWS))


def density(options: Options) -> Iterator[Record]:
    """The social network, more and more edges between the same nodes."""
    for factor in DENSITIES[:2] if options.quick else DENSITIES:
        trial = Trial(SOCIAL, graph_of(SOCIAL, options.chosen("nodes", NODES, QUICK_NODES), factor))
        yield from records("density", trial, 10, options.repeats(DRAWS))


def records(kind: str, trial: Trial, share: int, draws: int) -> Iterator[Record]:
    """One record for each engine and direction: sums over draws of the labels."""
    chosen = [drawn_labels(trial.graph, share, draw) for draw in range(draws)]
    touched = sum(len(trial.graph.edges[label]) for labels in chosen for label in labels)
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for labels in chosen:
        for engine, what, full, incremental in trial.measure(labels):
            found.setdefault((engine, what), []).append((1e3 * full, 1e3 * incremental))
    facts = {
        "schema": trial.schema.name,
        "labels": len(trial.schema.labels),
        "nodes": len(trial.graph.nodes()),
        "edges": trial.graph.size,
        "share": share,
        "draws": draws,
        "touched": 100 * touched / draws / trial.graph.size,
    }
    for (engine, what), times in found.items():
        title = f"{trial.schema.name}, {trial.graph.size:,} edges, {share} % of the labels {what}, {engine}"
        yield Record(kind, title, tuple(_values(times)), {**facts, "engine": engine, "what": what})


def _values(times: Sequence[tuple[float, float]]) -> Iterator[Value]:
    full, incremental = (tuple(each) for each in zip(*times, strict=True))
    yield Value("full", sum(full), "ms", clock="cpu", runs=full)
    yield Value("incremental", sum(incremental), "ms", clock="cpu", runs=incremental)
    yield Value("gain", 100 - 100 * sum(incremental) / sum(full), "%", better="higher")


GROUP = Group(
    {
        "shares": Case("views of two schemas while some of the labels come and go, by both engines", shares),
        "density": Case("the same where there are more edges between the same nodes", density),
    },
    kernel_ready,
)
