"""The gMark workload: views of 50 path queries, computed in full and maintained, in the form of the paper's table.

    python -m benchmarks.gmark --data gmark_shop_1000            # tables on the screen
    python -m benchmarks.gmark --data gmark_shop_1000 --write    # also benchmarks/results/gmark.md
    python -m benchmarks.gmark --data gmark_shop_1000 --queries 5 --repeat 1

Every query is a program of its own: one rule whose head is the view and whose body is path expressions; a closure is
reflexive at all nodes of the graph. An update takes all edges of some labels away, or brings them back, in one epoch:
the unit of the Regular Datalog paper is the symbol. *Full* is the first epoch of an engine that knows the rule, with
the whole graph. Of all epochs only evaluation and commit are counted, not the reading of rows, which would flatter
maintenance. Every maintained view must equal the one computed from nothing.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.graphs import Cells
from benchmarks.outcome import Disagreement
from benchmarks.subject import Subject, warm_up
from benchmarks.table import machine, markdown, write_page

RESULTS = Path(__file__).parent / "results" / "gmark.md"
SHARES = (5, 10, 15, 20, 25)
ONE_EDGE_TARGET, SLOW = 95.0, 0.050  # per cent; seconds of full computation above which the target holds
PAPER = "13 to 42 %"
EDGES_PER_QUERY = 10
VIEW, NODES = "answer", "node"
Rows = frozenset[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Graph:
    """Edges by label, and all nodes."""

    edges: Mapping[str, Cells]

    @property
    def size(self) -> int:
        """The number of edges."""
        return sum(map(len, self.edges.values()))

    def nodes(self) -> Cells:
        """All nodes, one per row."""
        found: Cells = np.unique(np.concatenate(list(self.edges.values())))
        return found.reshape(-1, 1)


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
    full: float
    out: list[float] = field(default_factory=list)
    back: list[float] = field(default_factory=list)

    @property
    def gain(self) -> float:
        """The gain of the median epoch of one edge, in per cent."""
        return 100 - 100 * statistics.median([*self.out, *self.back]) / self.full


def read_graph(path: Path) -> Graph:
    """Source, label, target; tab-separated."""
    found: dict[str, list[tuple[int, int]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        source, label, target = line.split("\t")
        found.setdefault(label, []).append((int(source), int(target)))
    return Graph({label: np.array(rows, np.int64) for label, rows in sorted(found.items())})


def query_to_rule(query: Mapping[str, Any]) -> str:
    """A query as one rule; a variable that occurs once is `_`.

    >>> part = {"from": "x0", "to": "x1", "paths": [["p1", "^p2"], ["p3"]], "star": True}
    >>> query_to_rule({"head": ["x0"], "body": [part]})
    'answer(X0) :- (p1/^p2|p3)*[node](X0, _).'
    """
    body: Sequence[Mapping[str, Any]] = query["body"]
    used = [part[end] for part in body for end in ("from", "to")] + list(query["head"])
    names = {name: "_" if used.count(name) == 1 else name.upper() for name in used}
    literals = [f"{_path(part)}({names[part['from']]}, {names[part['to']]})" for part in body]
    head = f"({', '.join(names[name] for name in query['head'])})" if query["head"] else ""
    return f"{VIEW}{head} :- {', '.join(literals)}."


def _path(part: Mapping[str, Any]) -> str:
    choices = "|".join("/".join(steps) for steps in part["paths"])
    return f"({choices})" + (f"*[{NODES}]" if part["star"] else "")


def labels_of(query: Mapping[str, Any]) -> list[str]:
    """The labels that a query reads, each once."""
    return sorted({step.lstrip("^") for part in query["body"] for steps in part["paths"] for step in steps})


def chosen_labels(graph: Graph, share: int) -> list[str]:
    """So many per cent of the labels, at random but the same on every run."""
    count = max(1, round(len(graph.edges) * share / 100))
    return sorted(random.Random(share).sample(list(graph.edges), count))


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


class Workload:
    """The queries over one graph, measured one after the other; rows of the table add up."""

    def __init__(self, graph: Graph, repeat: int) -> None:
        self.graph, self.nodes, self.repeat = graph, graph.nodes(), repeat
        self.chosen = {share: chosen_labels(graph, share) for share in SHARES}
        touched = {share: sum(len(graph.edges[label]) for label in labels) for share, labels in self.chosen.items()}
        self.out = {share: Row(share, 100 * touched[share] / graph.size) for share in SHARES}
        self.back = {share: Row(share, 100 * touched[share] / graph.size) for share in SHARES}

    def measure(self, query: Mapping[str, Any]) -> Answer:
        """One query: full computation, updates of many labels, updates of one edge."""
        rule, number = query_to_rule(query), query["query"]
        engines = [built(rule, self.graph.edges, self.nodes) for _ in range(self.repeat)]
        subject, full = engines[0][0], statistics.median(seconds for _, seconds in engines)
        computed = rows_of(subject)
        answer = Answer(number, len(computed), full)
        for share in SHARES:
            self._labels(subject, rule, share, f"query {number}, {share} % of the labels out")
            self.back[share].full += full
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

    def _one_edge(self, subject: Subject, query: Mapping[str, Any], answer: Answer) -> None:
        """Single edges that the query reads, out and back in epochs of their own."""
        read = [(label, row) for label in labels_of(query) for row in self.graph.edges.get(label, ())]
        for label, row in random.Random(answer.number).sample(read, min(EDGES_PER_QUERY, len(read))):
            answer.out.append(subject.delete({label: row.reshape(1, -1)}).compute.cpu)
            answer.back.append(subject.insert({label: row.reshape(1, -1)}).compute.cpu)


def share_table(rows: Mapping[int, Row]) -> str:
    """The paper's table."""
    head = ("symbols", "edges", "full, ms", "incremental, ms", "time gain, ms", "gain")
    lines = [
        (
            f"{row.share} %",
            f"{row.edges:.1f} %",
            f"{1000 * row.full:,.0f}",
            f"{1000 * row.maintained:,.0f}",
            f"{1000 * (row.full - row.maintained):,.0f}",
            f"{row.gain:.1f} %",
        )
        for row in rows.values()
    ]
    return markdown(head, lines)


def query_table(answers: Sequence[Answer]) -> str:
    """The queries whose full computation is slow, or the slowest few if none is."""
    slow = [a for a in answers if a.full > SLOW and a.out] or sorted(answers, key=lambda a: -a.full)[:5]
    lines = [
        (
            f"query {a.number}",
            f"{a.rows:,}",
            f"{1000 * a.full:,.1f}",
            f"{1000 * statistics.median(a.out):.2f}",
            f"{1000 * statistics.median(a.back):.2f}",
            f"{a.gain:.1f} %",
            "" if a.full <= SLOW else "yes" if a.gain >= ONE_EDGE_TARGET else "no",
        )
        for a in slow
        if a.out
    ]
    return markdown(("query", "rows", "full, ms", "edge out, ms", "edge in, ms", "gain", "at least 95 %"), lines)


def verdicts(workload: Workload, answers: Sequence[Answer]) -> Iterator[str]:
    """What was to be shown, and whether it was."""
    rows = [*workload.out.values(), *workload.back.values()]
    yield f"Gain of updates by labels: {min(row.gain for row in rows):.1f} % or more (the paper's engine: {PAPER})."
    slow = [answer for answer in answers if answer.full > SLOW and answer.out]
    met = sum(answer.gain >= ONE_EDGE_TARGET for answer in slow)
    yield (
        f"One edge: {met} of {len(slow)} queries whose full computation takes more than {1000 * SLOW:.0f} ms gain at "
        f"least {ONE_EDGE_TARGET:.0f} %."
    )


def report(workload: Workload, answers: Sequence[Answer]) -> list[str]:
    """The parts of the page."""
    with_edges = [seconds for answer in answers for seconds in (*answer.out, *answer.back)]
    return [
        f"Written by `python -m benchmarks.gmark --write`. {machine('numba', 'numpy')}. Processor time of "
        f"evaluation and commit; sums over {len(answers)} queries on a graph of {workload.graph.size:,} edges, "
        f"{len(workload.nodes):,} nodes and {len(workload.graph.edges)} labels. Every maintained view was equal to one "
        "computed from nothing.",
        " ".join(verdicts(workload, answers)),
        f"## All edges of some labels come\n\n{share_table(workload.back)}",
        f"## All edges of some labels go\n\n{share_table(workload.out)}",
        f"## One edge comes or goes\n\nMedian over all queries: {1000 * statistics.median(with_edges):.2f} ms.\n\n"
        + query_table(answers),
    ]


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gmark", description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with graph.tsv and queries.json")
    parser.add_argument("--queries", type=int, metavar="N", help="only the first N queries")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="full computations per query (default 3)")
    parser.add_argument("--write", action="store_true", help=f"write the tables to {RESULTS.name}")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> None:
    """Measure, print, and write if asked."""
    asked = arguments(given)
    missing = [name for name in ("graph.tsv", "queries.json") if not (asked.data / name).is_file()]
    if missing:
        sys.exit(f"skipped: {asked.data} has no {' and no '.join(missing)}")
    warm_up()
    workload = Workload(read_graph(asked.data / "graph.tsv"), asked.repeat)
    queries = json.loads((asked.data / "queries.json").read_text(encoding="utf-8"))[: asked.queries]
    parts = report(workload, [workload.measure(query) for query in queries])
    print("\n\n".join(parts))
    if asked.write:
        write_page(RESULTS, "Views of path queries under updates, measured", parts)


if __name__ == "__main__":
    main()
