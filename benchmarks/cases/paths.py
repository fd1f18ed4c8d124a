"""Closure-heavy path queries on graphs of 100,000 edges, beside DuckDB's recursive SQL.

    python -m benchmarks.paths [--quick] [--only NAME ...] [--repeat N] [--write]

Each question is asked twice: as one rule with a path expression, and as the recursive SQL that a person would write for
it, with constants and seeds where recursion starts. Results must be equal. Then single edges come and go; SQL has
nothing to set beside that but computing again.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import graphs
from benchmarks.graphs import Cells
from benchmarks.measure import percentile
from benchmarks.outcome import Outcome, must_agree
from benchmarks.peers import run_duckdb
from benchmarks.subject import Subject, warm_up
from benchmarks.table import machine, markdown, write_page
from benchmarks.workloads import CLOSURE_SQL, Workload

RESULTS = Path(__file__).parent / "results" / "paths.md"
EPOCHS, SEEDS = 40, 100
FROM_ONE = """
WITH RECURSIVE walk(b) AS (
    SELECT b FROM {step} WHERE a = {source} UNION SELECT e.b FROM {step} e, walk w WHERE e.a = w.b
) SELECT b FROM walk
"""
TO_ONE = """
WITH RECURSIVE walk(a) AS (
    SELECT a FROM edge WHERE b = {target} UNION SELECT e.a FROM edge e, walk w WHERE e.b = w.a
) SELECT a FROM walk
"""
BETWEEN = """
WITH RECURSIVE walk(b) AS (
    SELECT b FROM edge WHERE a = {source} UNION SELECT e.b FROM edge e, walk w WHERE e.a = w.b
) SELECT {source}::BIGINT, b FROM walk WHERE b = {target}
"""
FROM_SEEDS = """
WITH RECURSIVE walk(a, b) AS (
    SELECT e.a, e.b FROM seed s, edge e WHERE e.a = s.a UNION SELECT w.a, e.b FROM edge e, walk w WHERE e.a = w.b
) SELECT a, b FROM walk
"""
EITHER = "(SELECT a, b FROM edge UNION SELECT b, a FROM edge)"
SHARED = "(SELECT DISTINCT x.a, y.a AS b FROM edge x, edge y WHERE x.b = y.b)"


@dataclass(frozen=True, slots=True)
class Question:
    """A path query with its name and, for the table, its text."""

    name: str
    asked: str
    workload: Workload


def questions(quick: bool) -> list[Question]:
    """All questions; quick ones on small graphs."""
    bits, count = (10, 2_000) if quick else (14, 100_000)
    cyclic, upwards = graphs.rmat(bits, count), graphs.rmat_upwards(*((11, 2_000) if quick else (17, 100_000)))
    sparse = sparse_graph(count)
    hub, far = busiest(cyclic)
    seeds = graphs.sample(graphs.nodes_of(upwards), SEEDS, seed=6)
    layers, joint = layered(count), busiest(sparse)[0]
    return [
        _question("all", "edge+(X, Y), no cycles", "reach(X, Y) :- edge+(X, Y).", upwards, CLOSURE_SQL),
        _question("all-layers", "edge+(X, Y), cycles of ten", "reach(X, Y) :- edge+(X, Y).", layers, CLOSURE_SQL),
        _question("source", f"edge+({hub}, Y)", f"reach(Y) :- edge+({hub}, Y).", cyclic, one(hub, "edge")),
        _question("target", f"edge+(X, {far})", f"reach(X) :- edge+(X, {far}).", cyclic, TO_ONE.format(target=far)),
        _question(
            "both",
            f"edge+({hub}, {far})",
            f"reach({hub}, {far}) :- edge+({hub}, {far}).",
            cyclic,
            BETWEEN.format(source=hub, target=far),
        ),
        _question(
            "seeded",
            f"seed(X), edge+(X, Y), {SEEDS} seeds",
            "reach(X, Y) :- seed(X), edge+(X, Y).",
            upwards,
            FROM_SEEDS,
            {"seed": seeds},
        ),
        _question("symmetric", "(edge|^edge)+(0, Y)", "reach(Y) :- (edge|^edge)+(0, Y).", sparse, one(0, EITHER)),
        _question(
            "composed",
            f"(edge/^edge)+({joint}, Y)",
            f"reach(Y) :- (edge/^edge)+({joint}, Y).",
            sparse,
            one(joint, SHARED),
        ),
    ]


def _question(
    name: str, asked: str, rule: str, edges: Cells, sql: str, more: Mapping[str, Cells] | None = None
) -> Question:
    title = f"{asked}: {len(edges):,} edges"
    return Question(name, asked, Workload(name, title, rule, "reach", {"edge": edges, **(more or {})}, sql))


def one(source: int, step: str) -> str:
    """The nodes that some steps lead to from one node."""
    return FROM_ONE.format(source=source, step=step)


def busiest(edges: Cells) -> tuple[int, int]:
    """The node with most edges out, and another one with most edges in."""
    source = int(np.bincount(edges[:, 0]).argmax())
    return source, int(np.bincount(edges[edges[:, 1] != source, 1]).argmax())


def sparse_graph(count: int) -> Cells:
    """Two edges for each node, at random; node 0 is joined to the large component."""
    ends = np.random.default_rng(8).integers(0, count // 2, (count - 1, 2))
    return np.unique(np.concatenate([ends, [[0, int(ends[0, 0])]]]).astype(np.int64), axis=0)


def layered(count: int, ring: int = 10, layers: int = 20) -> Cells:
    """Rings of ten nodes in towers of layers: every ring is one strongly connected component.

    >>> len(layered(1000)) <= 1000, len(np.unique(layered(1000), axis=0)) == len(layered(1000))
    (True, True)
    """
    rings = count // (2 * ring)
    nodes = np.arange(rings * ring, dtype=np.int64)
    base = nodes - nodes % ring
    around = np.stack([nodes, base + (nodes + 1) % ring], axis=1)
    climbing = nodes // ring % layers != layers - 1
    up = np.stack([nodes, nodes + ring], axis=1)[climbing & (nodes + ring < len(nodes))]
    return np.concatenate([around, up])


def measured(question: Question, repeat: int) -> tuple[object, ...]:
    """One line of the table: both systems alternate, then edges come and go."""
    ours: list[Outcome] = []
    theirs: list[Outcome] = []
    for _ in range(repeat):
        gc.collect()
        ours.append(asked_of_loaded(question.workload))
        theirs.append(run_duckdb(question.workload))
        must_agree(ours[-1], theirs[-1], question.workload.title)
    own, peer = (statistics.median(each.compute.cpu for each in found) for found in (ours, theirs))
    out, back = one_edge(question.workload)
    return (
        f"`{question.asked}`".replace("|", "\\|"),
        f"{len(question.workload.facts['edge']):,}",
        f"{ours[0].rows:,}",
        f"{1000 * own:,.1f}",
        f"{1000 * peer:,.1f}",
        f"{own / peer:.2f} x",
        f"{1000 * statistics.median(out):.2f}",
        f"{1000 * statistics.median(back):.2f}",
        f"{1000 * percentile([*out, *back], 0.95):.2f}",
    )


def asked_of_loaded(workload: Workload) -> Outcome:
    """The rule comes to an engine that holds the edges already, as the query comes to DuckDB."""
    subject = Subject("")
    load = subject.insert(workload.facts)
    step = subject.step(lambda epoch: epoch.add_rule(workload.rules))
    return Outcome.of_rows("Tidelog", load.whole, step.compute, subject.rows(workload.view), step.supports)


def one_edge(workload: Workload) -> tuple[list[float], list[float]]:
    """Single edges out and back; the view must be as it was."""
    subject = Subject(workload.rules)
    subject.insert(workload.facts)
    before = subject.rows(workload.view)
    out, back = [], []
    for row in graphs.sample(workload.facts["edge"], EPOCHS // 2, seed=7):
        edge = {"edge": row.reshape(1, -1)}
        out.append(subject.delete(edge).whole.cpu)
        back.append(subject.insert(edge).whole.cpu)
    zero = subject.delete({}).whole
    after = subject.rows(workload.view)
    must_agree(*(Outcome.of_rows(name, zero, zero, rows) for name, rows in (("before", before), ("after", after))),
               workload.title)  # fmt: skip
    return out, back


HEAD = ("path", "edges", "rows", "Tidelog, ms", "DuckDB, ms", "ratio", "edge out, ms", "edge in, ms", "95 % below, ms")


def report(lines: Sequence[Sequence[object]]) -> list[str]:
    """The parts of the page."""
    return [
        f"Written by `python -m benchmarks.paths --write`. {machine('duckdb', 'numba', 'numpy')}; every system "
        "computes in one thread. Medians of processor time: asking a loaded database (the rule is added, the query "
        "run), then epochs of one edge through the API. Results of both systems were equal. All pairs are asked for "
        "where they fit into memory: most nodes of the R-MAT graph with cycles reach one another, which would be tens "
        "of millions of rows.",
        markdown(HEAD, lines),
    ]


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paths", description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small graphs: shows that everything runs")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="questions by name")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="builds per system (default 3)")
    parser.add_argument("--write", action="store_true", help=f"write the table to {RESULTS.name}")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None, say: Callable[[str], None] = print) -> None:
    """Measure, print, and write if asked."""
    asked = arguments(given)
    known = questions(asked.quick)
    if unknown := set(asked.only or ()) - {question.name for question in known}:
        sys.exit(f"no question is called {', '.join(sorted(unknown))}; known: {', '.join(q.name for q in known)}")
    warm_up()
    lines = [measured(question, asked.repeat) for question in known if not asked.only or question.name in asked.only]
    parts = report(lines)
    say("\n\n".join(parts))
    if asked.write:
        write_page(RESULTS, "Closures, measured beside recursive SQL", parts)


if __name__ == "__main__":
    main()
