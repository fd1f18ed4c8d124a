"""Path queries: one rule with a path expression each, and the recursive SQL that a person would write for it.

Law: the SQL has constants and seeds where recursion starts, and returns exactly the rows of the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.data import graphs
from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import CLOSURE_SQL, Workload

SEEDS = 100
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


@dataclass(frozen=True, slots=True)
class Graphs:
    """The graphs that questions are about."""

    cyclic: Cells
    upwards: Cells
    sparse: Cells
    layers: Cells


@cache
def graphs_of(quick: bool) -> Graphs:
    """100,000 edges each; 2,000 for a quick run."""
    bits, count = (10, 2_000) if quick else (14, 100_000)
    upwards = graphs.rmat_upwards(*((11, 2_000) if quick else (17, 100_000)))
    return Graphs(graphs.rmat(bits, count), upwards, sparse_graph(count), layered(count))


def all_pairs(quick: bool) -> Question:
    """Everything that reaches anything, without cycles."""
    edges = graphs_of(quick).upwards
    return _question("all", "edge+(X, Y), no cycles", "reach(X, Y) :- edge+(X, Y).", edges, CLOSURE_SQL)


def all_layers(quick: bool) -> Question:
    """Everything that reaches anything, with cycles."""
    edges = graphs_of(quick).layers
    return _question("all-layers", "edge+(X, Y), cycles of ten", "reach(X, Y) :- edge+(X, Y).", edges, CLOSURE_SQL)


def from_source(quick: bool) -> Question:
    """What one node reaches."""
    edges = graphs_of(quick).cyclic
    hub, _ = busiest(edges)
    return _question("source", f"edge+({hub}, Y)", f"reach(Y) :- edge+({hub}, Y).", edges, one(hub, "edge"))


def to_target(quick: bool) -> Question:
    """What reaches one node."""
    edges = graphs_of(quick).cyclic
    _, far = busiest(edges)
    return _question("target", f"edge+(X, {far})", f"reach(X) :- edge+(X, {far}).", edges, TO_ONE.format(target=far))


def between(quick: bool) -> Question:
    """Whether one node reaches another."""
    edges = graphs_of(quick).cyclic
    hub, far = busiest(edges)
    rule = f"reach({hub}, {far}) :- edge+({hub}, {far})."
    return _question("both", f"edge+({hub}, {far})", rule, edges, BETWEEN.format(source=hub, target=far))


def seeded(quick: bool) -> Question:
    """What some nodes reach."""
    edges = graphs_of(quick).upwards
    seeds = graphs.sample(graphs.nodes_of(edges), SEEDS, seed=6)
    asked, rule = f"seed(X), edge+(X, Y), {SEEDS} seeds", "reach(X, Y) :- seed(X), edge+(X, Y)."
    return _question("seeded", asked, rule, edges, FROM_SEEDS, {"seed": seeds})


def symmetric(quick: bool) -> Question:
    """The component of one node."""
    edges = graphs_of(quick).sparse
    return _question("symmetric", "(edge|^edge)+(0, Y)", "reach(Y) :- (edge|^edge)+(0, Y).", edges, one(0, EITHER))


def composed(quick: bool) -> Question:
    """What is reached by steps there and back."""
    edges = graphs_of(quick).sparse
    joint, _ = busiest(edges)
    rule = f"reach(Y) :- (edge/^edge)+({joint}, Y)."
    return _question("composed", f"(edge/^edge)+({joint}, Y)", rule, edges, one(joint, SHARED))


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


QUESTIONS: Mapping[str, Callable[[bool], Question]] = {
    "all": all_pairs,
    "all-layers": all_layers,
    "source": from_source,
    "target": to_target,
    "both": between,
    "seeded": seeded,
    "symmetric": symmetric,
    "composed": composed,
}
