"""Twelve programs that systems of any kind can be asked to run: numbers only, one view, one relation that changes.

Law: a program is a workload with the relation whose facts change and a rule that is added at the end. The facts that
are deleted and inserted again are drawn with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.data import analyses, graphs, workloads
from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload

TWO_HOPS = "hop(X, Z) :- edge(X, Y), edge(Y, Z)."
TWO_HOPS_SQL = "SELECT DISTINCT e.a, f.b FROM edge e, edge f WHERE e.b = f.a"
TRIANGLES = "triangle(X, Y, Z) :- edge(X, Y), edge(Y, Z), edge(X, Z), X < Y, Y < Z."
TRIANGLES_SQL = """
SELECT e.a, e.b, f.b AS c FROM edge e, edge f, edge g
WHERE e.b = f.a AND g.a = e.a AND g.b = f.b AND e.a < e.b AND e.b < f.b
"""
UNREACHED = """
reached(X) :- source(X).
reached(Y) :- reached(X), edge(X, Y).
unreached(X) :- node(X), !reached(X).
"""
UNREACHED_SQL = """
WITH RECURSIVE reached(a) AS (SELECT a FROM source UNION SELECT e.b FROM reached r, edge e WHERE r.a = e.a)
SELECT a FROM node WHERE a NOT IN (SELECT a FROM reached)
"""
SHARE = 100  # one fact in a hundred is deleted and inserted again


@dataclass(frozen=True, slots=True)
class Program:
    """A workload, the relation that changes, and a rule that is added."""

    make: Callable[[bool], Workload]
    changing: str
    rule: str


def _graph(quick: bool) -> Cells:
    return graphs.rmat(9, 1_500) if quick else graphs.rmat(15, 100_000)


def _two_hops(quick: bool) -> Workload:
    edges = graphs.random_graph(300 if quick else 20_000, 0.01 if quick else 0.00025)
    title = f"paths of two edges, {len(edges):,} edges"
    return Workload("two-hops", title, TWO_HOPS, "hop", {"edge": edges}, TWO_HOPS_SQL)


def _triangles(quick: bool) -> Workload:
    edges = _graph(quick)
    title = f"triangles, {len(edges):,} edges"
    return Workload("triangles", title, TRIANGLES, "triangle", {"edge": edges}, TRIANGLES_SQL)


def _unreached(quick: bool) -> Workload:
    edges = _graph(quick)
    facts = {"edge": edges, "node": graphs.nodes_of(edges), "source": edges[:1, :1]}
    return Workload("unreached", f"unreached nodes, {len(edges):,} edges", UNREACHED, "unreached", facts, UNREACHED_SQL)


PROGRAMS: Mapping[str, Program] = {
    "closure": Program(workloads.random_closure, "edge", "reach(X, Y) :- edge(Y, X)."),
    "grid": Program(workloads.grid_closure, "edge", "reach(X, Y) :- edge(Y, X)."),
    "upwards": Program(workloads.upward_closure, "edge", "reach(X, Z) :- edge(X, Y), edge(Y, Z)."),
    "same-generation": Program(workloads.same_generation, "parent", "same(X, X) :- parent(_, X)."),
    "points-to": Program(workloads.points_to, "copy", "points(X, Y) :- copy(X, Y)."),
    "cspa": Program(analyses.aliases, "assign", "alias(X, Y) :- points(X, Y)."),
    "csda": Program(analyses.nulls, "arc", "null(X, Y) :- arc(X, Y)."),
    "shortest": Program(workloads.shortest_paths, "road", "distance(X, min<C>) :- road(X, _, W), C = W + 1000."),
    "components": Program(workloads.components, "edge", "component(X, min<Y>) :- edge(X, Y), X < 10."),
    "two-hops": Program(_two_hops, "edge", "hop(X, Y) :- edge(X, Y)."),
    "triangles": Program(_triangles, "edge", "triangle(X, Y, Y) :- edge(X, Y), X < Y."),
    "unreached": Program(_unreached, "edge", "unreached(X) :- edge(X, X)."),
}


def changed_rows(program: Program, workload: Workload) -> tuple[Cells, Cells]:
    """The rows that are deleted and inserted again: one in a hundred, and a single one."""
    rows = workload.facts[program.changing]
    chosen = np.random.default_rng(30).permutation(len(rows))
    many = rows[np.sort(chosen[: max(1, len(rows) // SHARE)])]
    return many, rows[chosen[-1:]]
