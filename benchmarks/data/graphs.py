"""Graphs and other base facts for the benchmarks, made by seeded generators.

Law: the same arguments yield the same rows in the same order, on every machine; rows of a relation are distinct.
No file is read here; data that comes by path is read in `lubm`, `gmark` and `networks`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Cells = npt.NDArray[np.int64]
Quadrants = tuple[float, float, float, float]

SKEWED: Quadrants = (0.57, 0.19, 0.19, 0.05)
"""The usual R-MAT: few nodes have most edges."""
MILDER: Quadrants = (0.45, 0.22, 0.22, 0.11)
"""Less skew: oriented low to high, 2^17 nodes and 100,000 edges close to about 7 million pairs."""


def random_graph(nodes: int, chance: float, seed: int = 1) -> Cells:
    """Every ordered pair, loops included, is an edge with the given chance.

    >>> len(random_graph(1000, 0.01))
    10035
    """
    drawn = np.random.default_rng(seed).random((nodes, nodes)) < chance
    return np.argwhere(drawn).astype(np.int64)


def rmat(bits: int, edges: int, quadrants: Quadrants = SKEWED, seed: int = 2) -> Cells:
    """Distinct R-MAT edges without loops over 2^bits nodes, in the order in which they were drawn."""
    return _draw(bits, edges, quadrants, seed, orient=False)


def rmat_upwards(bits: int, edges: int, quadrants: Quadrants = MILDER, seed: int = 1) -> Cells:
    """R-MAT with every edge turned from its lower to its higher node: a graph without cycles."""
    return _draw(bits, edges, quadrants, seed, orient=True)


def _draw(bits: int, edges: int, quadrants: Quadrants, seed: int, *, orient: bool) -> Cells:
    rng = np.random.default_rng(seed)
    found = np.zeros(0, np.int64)
    while len(found) < edges:
        source, target = _quadrant_walks(rng, bits, edges, quadrants)
        if orient:
            source, target = np.minimum(source, target), np.maximum(source, target)
        codes = (source << bits | target)[source != target]
        found = distinct(np.concatenate([found, codes]))
    kept = found[:edges]
    return np.stack([kept >> bits, kept & ((1 << bits) - 1)], axis=1)


def _quadrant_walks(rng: np.random.Generator, bits: int, count: int, quadrants: Quadrants) -> tuple[Cells, Cells]:
    source, target = np.zeros(count, np.int64), np.zeros(count, np.int64)
    cuts = np.cumsum(quadrants)[:3]
    for _ in range(bits):
        quadrant = np.searchsorted(cuts, rng.random(count), side="right")
        source, target = 2 * source + quadrant // 2, 2 * target + quadrant % 2
    return source, target


def distinct(codes: Cells) -> Cells:
    """Each value once, where it came first.

    >>> distinct(np.array([3, 1, 3, 2, 1])).tolist()
    [3, 1, 2]
    """
    _, first = np.unique(codes, return_index=True)
    return codes[np.sort(first)]


def grid(squares: int) -> Cells:
    """Edges to the right and down along a grid of this many squares each way.

    60 x 60 squares have 61 x 61 corners, of which 3,572,160 pairs are connected.
    """
    side = squares + 1
    corners = np.arange(side * side, dtype=np.int64).reshape(side, side)
    right = np.stack([corners[:, :-1].ravel(), corners[:, 1:].ravel()], axis=1)
    down = np.stack([corners[:-1].ravel(), corners[1:].ravel()], axis=1)
    return np.concatenate([right, down])


def tree(fan: int, depth: int) -> Cells:
    """(parent, child) of the complete tree whose nodes are numbered level by level from 0.

    >>> tree(2, 2).tolist()
    [[0, 1], [0, 2], [1, 3], [1, 4], [2, 5], [2, 6]]
    """
    nodes = sum(fan**level for level in range(depth + 1))
    children = np.arange(1, nodes, dtype=np.int64)
    return np.stack([(children - 1) // fan, children], axis=1)


def pointer_program(variables: int, seed: int = 3) -> dict[str, Cells]:
    """A random program's statements ``y = &x``, ``y = z``, ``y = *x`` and ``*y = x``, in the proportions of C code.

    Copies go from older to younger variables nine times in ten, so that cycles exist but do not swallow everything.
    """
    rng = np.random.default_rng(seed)
    counts = {"address": 0.30, "copy": 0.69, "load": 0.08, "store": 0.06}
    return {name: _statements(rng, variables, int(share * variables), name) for name, share in counts.items()}


def _statements(rng: np.random.Generator, variables: int, count: int, kind: str) -> Cells:
    left, right = rng.integers(0, variables, (2, count))
    if kind == "copy":
        older, younger = np.minimum(left, right), np.maximum(left, right)
        forward = rng.random(count) < 0.9
        left, right = np.where(forward, younger, older), np.where(forward, older, younger)
    codes = distinct((left * variables + right)[left != right])
    return np.stack([codes // variables, codes % variables], axis=1)


def islands(count: int, nodes: int = 20, chance: float = 0.12, seed: int = 4) -> Cells:
    """Copies of one small random graph on separate nodes: a change in one island never reaches another."""
    shape = random_graph(nodes, chance, seed)
    offsets = np.arange(count, dtype=np.int64) * nodes
    return (shape[None, :, :] + offsets[:, None, None]).reshape(-1, 2)


def nodes_of(edges: Cells) -> Cells:
    """The nodes of some edges, one per row."""
    nodes: Cells = np.unique(edges[:, :2])
    return nodes.reshape(-1, 1)


def weighted(edges: Cells, highest: int = 100, seed: int = 5) -> Cells:
    """Edges with a third column: a weight from 1 to ``highest``."""
    weights = np.random.default_rng(seed).integers(1, highest + 1, (len(edges), 1))
    return np.concatenate([edges, weights.astype(np.int64)], axis=1)


def sample(rows: Cells, count: int, seed: int) -> Cells:
    """So many different rows, at random."""
    chosen = np.random.default_rng(seed).choice(len(rows), count, replace=False)
    return rows[chosen]
