"""Programs whose state did not survive another number of partitions, each with facts; here and on Spark."""

from __future__ import annotations

from random import Random

ALL_PAIRS = "d(X, Y, min<C>) :- w(X, Y, C).  d(X, Z, min<C + K>) :- d(X, Y, C), w(Y, Z, K)."
WIDEST = "d(X, Y, max<C>) :- w(X, Y, C).  d(X, Z, max<M>) :- d(X, Y, C), w(Y, Z, K), M = min(C, K)."
BEST_PATH = """
materialize(w, infinity, infinity, keys(1, 2)).
materialize(best, infinity, infinity, keys(1, 2)).
r1 path(@S, D, C, P) :- w(@S, D, C), P = f_init(S, D).
r2 path(@S, D, C, P) :- w(@S, Z, C1), best(@Z, D, C2, P2), C = C1 + C2, f_inPath(P2, S) = false, P = f_concat(S, P2).
r3 best(@S, D, a_MIN<C>, P) :- path(@S, D, C, P).
"""
SUBSUMPTION = """
.decl w(x: number, y: number, c: number)
.decl s(x: number, y: number, c: number)
s(x, y, c) :- w(x, y, c).
s(x, z, c + k) :- s(x, y, c), w(y, z, k).
s(x, y, a) <= s(x, y, b) :- b <= a.
"""
GROUPED = "g(X, Y, max<C>, Z) :- w(X, Y, C), w(Y, Z, _).  materialize(g, infinity, infinity, keys(1, 2))."
NESTED = "p(X, N) :- w(X, _, _), N = max M : { w(Y, _, _), M = count : { w(Y, Z, _), Z <= X } }."
SHAPES = {
    "all pairs": ALL_PAIRS,
    "widest": WIDEST,
    "best path": BEST_PATH,
    "subsumption": SUBSUMPTION,
    "grouped": GROUPED,
    "nested": NESTED,
}

UNGROUPED = "d(V) :- v(V), G = count : { e(_) }."  # reads a copy of a total that every partition has


def random_graph(nodes: int, seed: int = 0) -> list[tuple[int, int, int]]:
    """Twice as many edges as nodes, with a cycle through all, one weight for each pair."""
    rng = Random(seed)
    pairs = {(i, (i + 1) % nodes) for i in range(nodes)}
    pairs |= {(rng.randrange(nodes), rng.randrange(nodes)) for _ in range(nodes)}
    return [(x, y, rng.randrange(1, 9)) for x, y in sorted(pairs)]
