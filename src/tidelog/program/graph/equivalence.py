"""Equivalence relations: ``.decl same(x: T, y: T) eqrel`` is closed under reflexivity, symmetry and transitivity.

Law: rules and assertions produce the edges of a graph, and the relation holds between any two nodes of one component.
Edges are a separate relation. If no rule that derives edges reads the relation itself, every node is
kept with the least node of its component (a recursive min), so that a pair has one support:

    __node_p(x) :- __edge_p(x, _).   __node_p(y) :- __edge_p(_, y).
    __least_p(x, min<x>) :- __node_p(x).
    __least_p(y, min<r>) :- __least_p(x, r), __edge_p(x, y).   and back
    p(x, y) :- __least_p(x, r), __least_p(y, r).

Otherwise walks are followed edge by edge, with a support for every pair and every edge at its end:

    p(x, x) :- __node_p(x).   p(x, z) :- p(x, y), __edge_p(y, z).   and back

The cost of deleting an edge follows what depends on it: with least nodes, the nodes whose least node was reached
through it, and their pairs; with walks, the pairs whose walks used it.
"""

from __future__ import annotations

from tidelog.program.values.program import Program
from tidelog.program.values.schema import Declaration

EQREL = "eqrel"
EDGE, NODE, LEAST = "__edge_", "__node_", "__least_"


def equivalences(program: Program) -> dict[str, Declaration]:
    """The relations declared as equivalence relations."""
    return {d.relation: d for d in program.declarations if EQREL in d.qualifiers and len(d.columns) == 2}


def edge_name(name: str) -> str:
    """The relation that holds the edges of an equivalence relation."""
    return f"{EDGE}{name}"
