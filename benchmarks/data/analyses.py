"""Analyses of programs that were never written: statements drawn at random, in the shapes of real ones.

Law: the same arguments yield the same rows. Functions are blocks of variables or statements; most of what happens stays
inside a block, so that results grow with the number of functions and not with its square.
"""

from __future__ import annotations

import numpy as np

from benchmarks.data.graphs import Cells, distinct
from benchmarks.data.workloads import Workload

CSPA = """
flows(X, X) :- assign(X, _).
flows(X, X) :- assign(_, X).
flows(X, Y) :- assign(X, Y).
flows(X, Z) :- flows(X, Y), flows(Y, Z).
flows(X, Z) :- assign(X, Y), memory(Y, Z).
memory(X, X) :- assign(X, _).
memory(X, X) :- assign(_, X).
memory(X, Y) :- points(P, X), alias(P, Q), points(Q, Y).
alias(X, Y) :- flows(X, Z), flows(Y, Z).
alias(X, Y) :- flows(X, Z), memory(Z, W), flows(Y, W).
"""
CSDA = """
null(X, Y) :- source(X, Y).
null(X, Z) :- null(X, Y), arc(Y, Z).
"""
CSDA_SQL = """
WITH RECURSIVE found(a, b) AS (
    SELECT a, b FROM source
    UNION
    SELECT n.a, e.b FROM found n, arc e WHERE n.b = e.a
) SELECT a, b FROM found
"""


def aliases(quick: bool) -> Workload:
    """Values that flow and memory that is shared, found from each other: three relations that recur together."""
    functions = 20 if quick else 500
    facts = pointer_functions(functions)
    count = sum(map(len, facts.values()))
    title = f"CSPA-like alias analysis, {functions:,} functions, {count:,} statements"
    return Workload("cspa", title, CSPA, "alias", facts, "")


def nulls(quick: bool) -> Workload:
    """Where a null may arrive: one rule that recurs, along flow graphs that are long and thin."""
    functions, length = (10, 60) if quick else (500, 400)
    facts = flow_graphs(functions, length)
    title = f"CSDA-like dataflow analysis, {functions:,} functions of {length} statements"
    return Workload("csda", title, CSDA, "null", facts, CSDA_SQL)


def pointer_functions(functions: int, variables: int = 30, seed: int = 21) -> dict[str, Cells]:
    """Assignments and dereferences in blocks of variables; a block takes some of its values from the block before."""
    rng = np.random.default_rng(seed)
    start = np.arange(functions, dtype=np.int64)[:, None] * variables
    low, high = np.sort(rng.integers(0, variables, (2, functions, 9 * variables // 10)), axis=0)
    inner = _pairs(start + high, start + low)
    calls = _pairs(start[1:], start[:-1] + rng.integers(0, variables, (functions - 1, 1)))[::4]
    pointers = rng.integers(0, variables, (2, functions, 2 * variables // 5))
    return {"assign": _rows(inner, calls), "points": _rows(_pairs(start + pointers[0], start + pointers[1]))}


def flow_graphs(functions: int, length: int, seed: int = 22) -> dict[str, Cells]:
    """Chains of statements with jumps ahead and loops back; one in four functions continues into the next."""
    rng = np.random.default_rng(seed)
    start = np.arange(functions, dtype=np.int64)[:, None] * length
    steps = np.arange(length - 1)
    chain = _pairs(start + steps, start + steps + 1)
    jumps = rng.integers(0, length, (2, functions, length // 8))
    near = np.clip(jumps[0] + jumps[1] % 12 - 2, 0, length - 1)
    ends = _pairs(start[:-1] + length - 1, start[1:])[::4]
    sources = rng.integers(0, length, (2, functions, 6))
    return {
        "arc": _rows(chain, _pairs(start + jumps[0], start + near), ends),
        "source": _rows(_pairs(start + sources[0], start + sources[1])),
    }


def _pairs(left: Cells, right: Cells) -> Cells:
    return np.stack([part.ravel() for part in np.broadcast_arrays(left, right)], axis=1).astype(np.int64)


def _rows(*parts: Cells) -> Cells:
    """All pairs of different ends, each once.

    >>> _rows(np.array([[1, 2], [3, 3]]), np.array([[1, 2], [2, 1]])).tolist()
    [[1, 2], [2, 1]]
    """
    rows = np.concatenate(parts)
    kept = rows[rows[:, 0] != rows[:, 1]]
    codes = distinct(kept[:, 0] << 32 | kept[:, 1])
    return np.stack([codes >> 32, codes & 0xFFFFFFFF], axis=1)
