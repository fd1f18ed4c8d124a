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
ACCESS = """
acts(U, R) :- member(U, R).
acts(U, S) :- acts(U, R), inherits(R, S).
may(U, O) :- acts(U, R), grants(R, O), !denied(U, O).
"""
ACCESS_SQL = """
WITH RECURSIVE acts(a, b) AS (
    SELECT a, b FROM member UNION SELECT x.a, i.b FROM acts x, inherits i WHERE x.b = i.a
) SELECT DISTINCT x.a, g.b FROM acts x, grants g WHERE x.b = g.a AND (x.a, g.b) NOT IN (SELECT a, b FROM denied)
"""
# Classes are below others, below what two others share, below those with a relation to a class, and the reverse.
SUBSUMPTION = """
subsumed(X, Y) :- below(X, Y).
subsumed(X, Z) :- subsumed(X, Y), below(Y, Z).
subsumed(X, C) :- both(A, B, C), subsumed(X, A), subsumed(X, B).
linked(X, R, Y) :- subsumed(X, A), has(A, R, Y).
subsumed(X, C) :- linked(X, R, Y), made(R, B, C), subsumed(Y, B).
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


def _access(quick: bool) -> Workload:
    """Users act in roles, roles inherit from others, and a few objects are denied to a user by name."""
    users, roles = (400, 40) if quick else (20_000, 400)
    rng = np.random.default_rng(31)
    inherits = np.sort(_drawn(rng, 2 * roles, roles, roles), axis=1)[:, ::-1]
    facts = {
        "member": _drawn(rng, 2 * users, users, roles),
        "inherits": _apart(np.concatenate([inherits, inherits - inherits % 7])),
        "grants": _drawn(rng, 2 * roles, roles, users),
        "denied": _drawn(rng, 5 * users, users, users),
    }
    title = f"access control, {users:,} users, {roles:,} roles"
    return Workload("access", title, ACCESS, "may", facts, ACCESS_SQL)


def _subsumption(quick: bool) -> Workload:
    """An ontology in the style of OWL EL; most classes have one direct superclass with a lower number."""
    classes = 300 if quick else 1_000
    rng = np.random.default_rng(32)
    own = np.arange(classes, dtype=np.int64)
    above = rng.integers(own // 4, np.maximum(own, 1))
    pairs = np.concatenate([np.stack([own, own], axis=1), np.stack([own, above], axis=1)])
    has = _drawn(rng, classes, classes, 5, classes)
    made = np.stack([has[:, 1], has[:, 2], np.roll(has[:, 0], 1)], axis=1)[::4]
    facts = {
        "below": _unique(pairs),
        "both": _drawn(rng, classes // 4, classes, classes, classes),
        "has": has,
        "made": made - made % np.array([1, 10, 1]),
    }
    title = f"subsumption in an ontology, {classes:,} classes"
    return Workload("subsumption", title, SUBSUMPTION, "subsumed", {k: _unique(v) for k, v in facts.items()}, "")


def _drawn(rng: np.random.Generator, count: int, *highest: int) -> Cells:
    """Distinct rows of numbers below these."""
    return _unique(rng.integers(0, highest, (count, len(highest))))


def _apart(rows: Cells) -> Cells:
    return _unique(rows[rows[:, 0] != rows[:, 1]])


def _unique(rows: Cells) -> Cells:
    kept: Cells = np.unique(rows, axis=0)
    return kept


PROGRAMS: Mapping[str, Program] = {
    "closure": Program(workloads.random_closure, "edge", "reach(X, Y) :- edge(Y, X)."),
    "same-generation": Program(workloads.same_generation, "parent", "same(X, X) :- parent(_, X)."),
    "points-to": Program(workloads.points_to, "copy", "points(X, Y) :- copy(X, Y)."),
    "cspa": Program(analyses.aliases, "assign", "alias(X, Y) :- points(X, Y)."),
    "csda": Program(analyses.nulls, "arc", "null(X, Y) :- arc(X, Y)."),
    "shortest": Program(workloads.shortest_paths, "road", "distance(X, min<C>) :- road(X, _, W), C = W + 1000."),
    "components": Program(workloads.components, "edge", "component(X, min<Y>) :- edge(X, Y), X < 10."),
    "two-hops": Program(_two_hops, "edge", "hop(X, Y) :- edge(X, Y)."),
    "triangles": Program(_triangles, "edge", "triangle(X, Y, Y) :- edge(X, Y), X < Y."),
    "access": Program(_access, "member", "may(U, O) :- member(U, R), grants(R, O)."),
    "subsumption": Program(_subsumption, "has", "subsumed(X, X) :- has(X, _, _)."),
    "unreached": Program(_unreached, "edge", "unreached(X) :- edge(X, X)."),
}


def changed_rows(program: Program, workload: Workload) -> tuple[Cells, Cells]:
    """The rows that are deleted and inserted again: one in a hundred, and a single one."""
    rows = workload.facts[program.changing]
    chosen = np.random.default_rng(30).permutation(len(rows))
    many = rows[np.sort(chosen[: max(1, len(rows) // SHARE)])]
    return many, rows[chosen[-1:]]
