"""What the circuits are asked: rules as values with their facts.

Law: the same arguments yield the same facts in the same order. LUBM-1 is read from a path; OWL RL is translated to
rules by `examples/owl_rl.py`.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.data.lubm import TERMS, read_triples
from tidelog.program import Rule
from tidelog.syntax import parse_program

RDFS_RULES = """
t(Y, {type}, X) :- t(A, {domain}, X), t(Y, A, Z).
t(Z, {type}, X) :- t(A, {range}, X), t(Y, A, Z).
t(X, {subPropertyOf}, Z) :- t(X, {subPropertyOf}, Y), t(Y, {subPropertyOf}, Z).
t(X, {subClassOf}, Z) :- t(X, {subClassOf}, Y), t(Y, {subClassOf}, Z).
t(Z, {type}, Y) :- t(X, {subClassOf}, Y), t(Z, {type}, X).
t(X, B, Y) :- t(A, {subPropertyOf}, B), t(X, A, Y).
"""
CLOSURE_RULES = "reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z)."
Facts = list[tuple[str, tuple[Any, ...]]]


def rdfs(path: Path, triples: int | None = None) -> tuple[list[Rule], Facts]:
    """The RDFS rules over some triples."""
    rules = parse_program(RDFS_RULES.format(**{name: f'"{term}"' for name, term in TERMS.items()})).rules
    return list(rules), [("t", triple) for triple in read_triples(path, triples)]


def owl(path: Path, limit: int | None = None) -> tuple[list[Rule], Facts]:
    """The rules of OWL RL that an ontology needs, over its triples."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
    translator = importlib.import_module("owl_rl")
    triples = read_triples(path, limit)
    facts = [(name, row) for name, rows in translator.to_facts(triples).items() for row in sorted(rows)]
    return translator.to_rules(triples), facts


def dense(nodes: int) -> tuple[list[Rule], Facts]:
    """Every pair is an edge with such a probability that each node has ten: 0.01 at the paper's 1,000 nodes."""
    rng, chance = random.Random(1), 10 / nodes
    return closure((x, y) for x in range(nodes) for y in range(nodes) if rng.random() < chance)


def sparse(nodes: int) -> tuple[list[Rule], Facts]:
    """R-MAT: ten edges per node, most of them at few nodes (quadrants 0.57, 0.19, 0.19, 0.05)."""
    rng, bits = random.Random(2), max(1, (nodes - 1).bit_length())
    edges: set[tuple[int, int]] = set()
    while len(edges) < min(10 * nodes, nodes * nodes // 4):
        x = y = 0
        for _ in range(bits):
            right, down = rng.choices(((0, 0), (1, 0), (0, 1), (1, 1)), (57, 19, 19, 5))[0]
            x, y = 2 * x + right, 2 * y + down
        edges.add((x, y))
    return closure(sorted(edges))


def closure(edges: Iterable[tuple[int, int]]) -> tuple[list[Rule], Facts]:
    """Reachability over some edges."""
    return list(parse_program(CLOSURE_RULES).rules), [("edge", edge) for edge in edges]
