"""What the systems are asked: rules, base facts, and the same question in SQL.

Law: rules are text that Tidelog reads, and clingo except for its `not`; the SQL query returns exactly the rows of
``view``. A workload without SQL has relations that recur together: DuckDB gets loops that are made from the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.data import graphs
from benchmarks.data.graphs import Cells

CLOSURE = """
reach(X, Y) :- edge(X, Y).
reach(X, Z) :- edge(X, Y), reach(Y, Z).
"""
CLOSURE_SQL = """
WITH RECURSIVE reach(a, b) AS (
    SELECT a, b FROM edge
    UNION
    SELECT e.a, r.b FROM edge e, reach r WHERE e.b = r.a
) SELECT a, b FROM reach
"""
SAME_GENERATION = """
same(X, Y) :- parent(P, X), parent(P, Y), X != Y.
same(X, Y) :- parent(P, X), same(P, Q), parent(Q, Y).
"""
SAME_GENERATION_SQL = """
WITH RECURSIVE same(a, b) AS (
    SELECT x.b, y.b FROM parent x, parent y WHERE x.a = y.a AND x.b <> y.b
    UNION
    SELECT x.b, y.b FROM parent x, same s, parent y WHERE x.a = s.a AND s.b = y.a
) SELECT a, b FROM same
"""
POINTS_TO = """
points(Y, X) :- address(Y, X).
points(Y, X) :- copy(Y, Z), points(Z, X).
points(Y, W) :- load(Y, X), points(X, Z), points(Z, W).
points(Z, W) :- store(Y, X), points(Y, Z), points(X, W).
"""
# Two recursive atoms: plain UNION would join new rows with new rows only; `recurring` is all that was found so far.
POINTS_TO_SQL = """
WITH RECURSIVE points(a, b) USING KEY (a, b) AS (
    SELECT a, b FROM address
    UNION
    SELECT * FROM (
        SELECT s.a, p.b FROM copy s, points p WHERE p.a = s.b
        UNION SELECT s.a, q.b FROM load s, points p, recurring.points q WHERE p.a = s.b AND q.a = p.b
        UNION SELECT s.a, q.b FROM load s, recurring.points p, points q WHERE p.a = s.b AND q.a = p.b
        UNION SELECT p.b, q.b FROM store s, points p, recurring.points q WHERE p.a = s.a AND q.a = s.b
        UNION SELECT p.b, q.b FROM store s, recurring.points p, points q WHERE p.a = s.a AND q.a = s.b
    ) AS found(a, b)
    WHERE NOT EXISTS (SELECT 1 FROM recurring.points k WHERE k.a = found.a AND k.b = found.b)
) SELECT a, b FROM points
"""
COMPONENTS = """
component(X, min<X>) :- node(X).
component(Y, min<C>) :- edge(X, Y), component(X, C).
component(X, min<C>) :- edge(X, Y), component(Y, C).
"""
COMPONENTS_SQL = """
WITH RECURSIVE link AS MATERIALIZED (SELECT a, b FROM edge UNION SELECT b, a FROM edge),
component(a, b) USING KEY (a) AS (
    SELECT a, a FROM node
    UNION
    SELECT e.b, min(c.b) FROM link e, component c, recurring.component k
    WHERE e.a = c.a AND k.a = e.b AND c.b < k.b GROUP BY e.b
) SELECT a, b FROM component
"""
SHORTEST = """
distance(X, min<C>) :- source(X), C = 0.
distance(Y, min<C>) :- distance(X, D), road(X, Y, W), C = D + W.
"""
SHORTEST_SQL = """
WITH RECURSIVE distance(a, b) USING KEY (a) AS (
    SELECT a, 0::BIGINT FROM source
    UNION
    SELECT r.b, min(d.b + r.c) FROM road r JOIN distance d ON r.a = d.a LEFT JOIN recurring.distance k ON k.a = r.b
    WHERE k.b IS NULL OR d.b + r.c < k.b GROUP BY r.b
) SELECT a, b FROM distance
"""


@dataclass(frozen=True, slots=True)
class Workload:
    """A program with its base facts; ``view`` is the relation whose rows are compared."""

    name: str
    title: str
    rules: str
    view: str
    facts: Mapping[str, Cells]
    sql: str


def closure(name: str, title: str, edges: Cells) -> Workload:
    """Reachability over some edges."""
    return Workload(name, title, CLOSURE, "reach", {"edge": edges}, CLOSURE_SQL)


def random_closure(quick: bool) -> Workload:
    """The dense random graph: every node reaches every node."""
    nodes = 200 if quick else 1000
    edges = graphs.random_graph(nodes, 10 / nodes)
    return closure("random", f"random graph, {nodes:,} nodes, {len(edges):,} edges", edges)


def rmat_closure(quick: bool) -> Workload:
    """The small R-MAT graph."""
    bits, count = (8, 2_000) if quick else (10, 10_000)
    return closure("rmat", f"R-MAT, {1 << bits:,} nodes, {count:,} edges", graphs.rmat(bits, count))


def upward_closure(quick: bool) -> Workload:
    """The large R-MAT graph, oriented."""
    bits, count = (13, 6_000) if quick else (17, 100_000)
    title = f"R-MAT low to high, 2^{bits} nodes, {count:,} edges"
    return closure("rmat-large", title, graphs.rmat_upwards(bits, count))


def grid_closure(quick: bool) -> Workload:
    """The grid: long paths, many supports of equal length."""
    squares = 15 if quick else 60
    return closure("grid", f"{squares} x {squares} grid", graphs.grid(squares))


def same_generation(quick: bool) -> Workload:
    """Nodes at the same depth of a binary tree."""
    depth = 6 if quick else 10
    parents = graphs.tree(2, depth)
    title = f"same generation, binary tree of depth {depth}"
    return Workload("same-generation", title, SAME_GENERATION, "same", {"parent": parents}, SAME_GENERATION_SQL)


def points_to(quick: bool) -> Workload:
    """Inclusion-based pointer analysis: two rules that join the recursive relation with itself."""
    variables = 1_000 if quick else 10_000
    facts = graphs.pointer_program(variables)
    count = sum(len(rows) for rows in facts.values())
    title = f"points-to, {variables:,} variables, {count:,} statements"
    return Workload("points-to", title, POINTS_TO, "points", facts, POINTS_TO_SQL)


def components(quick: bool) -> Workload:
    """Connected components by least label: min inside recursion."""
    edges = _rmat_15(quick)
    facts = {"edge": edges, "node": graphs.nodes_of(edges)}
    title = f"connected components, {_sizes(edges)}"
    return Workload("components", title, COMPONENTS, "component", facts, COMPONENTS_SQL)


def shortest_paths(quick: bool) -> Workload:
    """Shortest paths from one node: min inside recursion."""
    edges = _rmat_15(quick)
    facts = {"road": graphs.weighted(edges), "source": edges[:1, :1]}
    title = f"shortest paths, {_sizes(edges)}"
    return Workload("shortest", title, SHORTEST, "distance", facts, SHORTEST_SQL)


def _rmat_15(quick: bool) -> Cells:
    return graphs.rmat(9, 1_500) if quick else graphs.rmat(15, 100_000)


def _sizes(edges: Cells) -> str:
    return f"R-MAT, {len(graphs.nodes_of(edges)):,} nodes in use, {len(edges):,} edges"


BUILDS: Mapping[str, Callable[[bool], Workload]] = {
    "random": random_closure,
    "rmat": rmat_closure,
    "rmat-large": upward_closure,
    "grid": grid_closure,
    "same-generation": same_generation,
    "points-to": points_to,
}
AGGREGATES: Mapping[str, Callable[[bool], Workload]] = {"components": components, "shortest": shortest_paths}
