"""The gMark workload: views of 50 path queries, computed in full and maintained, in the form of the paper's table.

Law: every query is a separate program: one rule whose head is the view and whose body is path expressions. An update
takes all edges of some labels away, or brings them back, in one epoch: the unit of the Regular Datalog paper is the
symbol. *Full* is the first epoch of an engine that knows the rule, with the whole graph. Of all epochs only evaluation
is counted, not the reading of rows, which would flatter maintenance. Every maintained view must equal the one computed
from nothing.
"""

from __future__ import annotations

import gc
import random
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.gmark import (
    NODES,
    VIEW,
    DataMissing,
    Graph,
    Query,
    chosen_labels,
    labels_of,
    query_to_rule,
    read_workload,
)
from benchmarks.data.graphs import Cells
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Target, Value, median_of
from benchmarks.subject import Subject, kernel_ready

SHARES = (5, 10, 15, 20, 25)
ONE_EDGE_TARGET, SLOW = Target(95.0, floor=True), 50.0  # per cent; ms of full computation above which the target holds
EDGES_PER_QUERY, QUICK = 10, 3
Rows = frozenset[tuple[Any, ...]]


@dataclass(slots=True)
class Row:
    """One line of the paper's table: times are sums over the queries, in seconds of processor time."""

    share: int
    edges: float
    full: float = 0.0
    maintained: float = 0.0

    @property
    def gain(self) -> float:
        """How much less maintenance takes, in per cent."""
        return 100 - 100 * self.maintained / self.full


@dataclass(slots=True)
class Answer:
    """What was measured for one query: seconds of processor time."""

    number: int
    rows: int
    builds: tuple[float, ...]
    out: list[float] = field(default_factory=list)
    back: list[float] = field(default_factory=list)

    @property
    def full(self) -> float:
        """The median full computation."""
        return statistics.median(self.builds)

    @property
    def gain(self) -> float:
        """The gain of the median epoch of one edge, in per cent."""
        return 100 - 100 * statistics.median([*self.out, *self.back]) / self.full


def built(rule: str, edges: Mapping[str, Cells], nodes: Cells) -> tuple[Subject, float]:
    """An engine that holds the view over these edges, and the processor time of computing it."""
    gc.collect()
    subject = Subject(rule)
    step = subject.insert({**edges, NODES: nodes})
    return subject, step.compute.cpu


def rows_of(subject: Subject) -> Rows:
    """The view, as a set."""
    return frozenset(map(tuple, subject.engine[VIEW]))


def must_equal(maintained: Rows, computed: Rows, title: str) -> None:
    """Refuse a maintained view that differs from a computed one."""
    if maintained != computed:
        raise Disagreement(f"{title}: maintained {len(maintained):,} rows, computed {len(computed):,}")


class Updates:
    """The queries over one graph, measured one after the other; rows of the paper's table add up."""

    def __init__(self, graph: Graph, repeat: int) -> None:
        self.graph, self.nodes, self.repeat = graph, graph.nodes(), repeat
        self.chosen = {share: chosen_labels(graph, share) for share in SHARES}
        touched = {share: sum(len(graph.edges[label]) for label in labels) for share, labels in self.chosen.items()}
        self.out = {share: Row(share, 100 * touched[share] / graph.size) for share in SHARES}
        self.back = {share: Row(share, 100 * touched[share] / graph.size) for share in SHARES}

    def measure(self, query: Query) -> Answer:
        """One query: full computation, updates of many labels, updates of one edge."""
        rule, number = query_to_rule(query), query["query"]
        engines = [built(rule, self.graph.edges, self.nodes) for _ in range(self.repeat)]
        subject = engines[0][0]
        computed = rows_of(subject)
        answer = Answer(number, len(computed), tuple(seconds for _, seconds in engines))
        for share in SHARES:
            self._labels(subject, rule, share, f"query {number}, {share} % of the labels out")
            self.back[share].full += answer.full
            must_equal(rows_of(subject), computed, f"query {number}, {share} % of the labels back")
        self._one_edge(subject, query, answer)
        must_equal(rows_of(subject), computed, f"query {number}, one edge")
        return answer

    def _labels(self, subject: Subject, rule: str, share: int, title: str) -> None:
        """All edges of the chosen labels out and back; the view in between is compared with a full computation."""
        touched = {label: self.graph.edges[label] for label in self.chosen[share]}
        kept = {label: rows for label, rows in self.graph.edges.items() if label not in touched}
        self.out[share].maintained += subject.delete(touched).compute.cpu
        reduced, seconds = built(rule, kept, self.nodes)
        must_equal(rows_of(subject), rows_of(reduced), title)
        self.out[share].full += seconds
        self.back[share].maintained += subject.insert(touched).compute.cpu

    def _one_edge(self, subject: Subject, query: Query, answer: Answer) -> None:
        """Single edges that the query reads, deleted and inserted again in separate epochs."""
        read = [(label, row) for label in labels_of(query) for row in self.graph.edges.get(label, ())]
        for label, row in random.Random(answer.number).sample(read, min(EDGES_PER_QUERY, len(read))):
            answer.out.append(subject.delete({label: row.reshape(1, -1)}).compute.cpu)
            answer.back.append(subject.insert({label: row.reshape(1, -1)}).compute.cpu)


def updates(options: Options) -> Iterator[Record]:
    """All queries, then the sums over them."""
    assert options.gmark is not None, "chosen only when it is given"
    try:
        graph, queries = read_workload(options.gmark, options.queries or (QUICK if options.quick else None))
    except DataMissing as error:
        raise SystemExit(str(error)) from None
    measured = Updates(graph, options.repeats(1 if options.quick else 3))
    for query in queries:
        yield query_record(measured.measure(query))
    size = {
        "queries": len(queries),
        "edges": graph.size,
        "nodes": len(measured.nodes),
        "labels": len(graph.edges),
    }
    for what, rows in (("inserted", measured.back), ("deleted", measured.out)):
        for row in rows.values():
            yield share_record(what, row, size)


def query_record(answer: Answer) -> Record:
    """A query: its full computation, and epochs of one edge where it reads any."""
    full = median_of("full", (1e3 * seconds for seconds in answer.builds), "ms", clock="cpu")
    values = [full]
    if answer.out:
        values += [
            median_of(name, (1e3 * seconds for seconds in found), "ms", clock="cpu")
            for name, found in (("edge out", answer.out), ("edge in", answer.back))
        ]
        target = ONE_EDGE_TARGET if full.value > SLOW else None
        values.append(Value("gain", answer.gain, "%", target=target, better="higher"))
    return Record("query", f"query {answer.number}", tuple(values), {"rows": answer.rows})


def share_record(what: str, row: Row, size: Mapping[str, int]) -> Record:
    """A line of the paper's table: all edges of some labels come, or go."""
    values = (
        Value("full", 1e3 * row.full, "ms", "cpu"),
        Value("incremental", 1e3 * row.maintained, "ms", "cpu"),
        Value("gain", row.gain, "%", better="higher"),
    )
    facts = {"share": row.share, "share of edges": round(row.edges, 3), "what": what, **size}
    return Record("labels", f"edges of {row.share} % of the labels {what}", values, facts)


GROUP = Group(
    {"updates": Case("labels and single edges come and go under path queries", updates, needs="gmark")}, kernel_ready
)
