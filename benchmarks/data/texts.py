"""A text that several people write at once, as operations, and the rules that put its characters in order.

Law: an operation inserts a character behind one that its author knew, or removes one; operations only ever come.
Characters have Lamport numbers: larger than any that the author knew, and none is given twice. Behind one character
the later number comes first; so every replica that has the same operations has the same text.
"""

from __future__ import annotations

import numpy as np

from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload

TEXT = """
later(X, Y) :- behind(X, P), behind(Y, P), X > Y.
between(X, Z) :- later(X, Y), later(Y, Z).
beside(X, Y) :- later(X, Y), !between(X, Y).
has_later(Y) :- later(_, Y).
has_beside(X) :- beside(X, _).
has_behind(P) :- behind(_, P).
climbs(X, Y) :- beside(X, Y).
climbs(X, Y) :- behind(X, P), !has_beside(X), climbs(P, Y).
next(P, X) :- behind(X, P), !has_later(X).
next(X, Y) :- behind(X, _), !has_behind(X), climbs(X, Y).
skips(X, Y) :- next(X, Y), !removed(X).
skips(X, Z) :- skips(X, Y), removed(Y), next(Y, Z).
text(X, Y) :- skips(X, Y), !removed(Y).
"""
TEXT_SQL = """
WITH RECURSIVE
ranked AS MATERIALIZED (
    SELECT a AS x, b AS p, lead(a) OVER (PARTITION BY b ORDER BY a DESC) AS y,
           lag(a) OVER (PARTITION BY b ORDER BY a DESC) AS before FROM behind),
climbs(x, y) AS (
    SELECT x, y FROM ranked WHERE y IS NOT NULL
    UNION
    SELECT r.x, c.y FROM ranked r, climbs c WHERE r.y IS NULL AND r.p = c.x),
next AS MATERIALIZED (
    SELECT p AS x, x AS y FROM ranked WHERE before IS NULL
    UNION ALL
    SELECT c.x, c.y FROM climbs c WHERE NOT EXISTS (SELECT 1 FROM behind k WHERE k.b = c.x)),
skips(x, y) AS (
    SELECT n.x, n.y FROM next n WHERE NOT EXISTS (SELECT 1 FROM removed r WHERE r.a = n.x)
    UNION
    SELECT s.x, n.y FROM skips s, removed r, next n WHERE s.y = r.a AND n.x = s.y)
SELECT x, y FROM skips s WHERE NOT EXISTS (SELECT 1 FROM removed r WHERE r.a = s.y)
"""
WRITERS, RUN, KEPT = 4, 12, 400


def shared_text(quick: bool) -> Workload:
    """Characters in order, from insertions behind one another."""
    rounds = 8 if quick else 500
    facts = trace(rounds)
    title = f"text of {len(facts['behind']):,} insertions by {WRITERS} writers, {len(facts['removed']):,} removals"
    return Workload("crdt", title, TEXT, "text", facts, TEXT_SQL)


def trace(rounds: int, seed: int = 31) -> dict[str, Cells]:
    """In every round each writer types a run somewhere among the last characters known, and takes a few away.

    0 is the beginning of the text, and no character.
    """
    rng = np.random.default_rng(seed)
    known, clock = [0], 0
    behind: list[tuple[int, int]] = []
    removed: dict[int, None] = {}
    for _ in range(rounds):
        recent, fresh = known[-KEPT:], []
        for writer in range(WRITERS):
            at = recent[int(rng.integers(len(recent)))]
            for step in range(1, 1 + int(rng.integers(1, 2 * RUN))):
                character = (clock + step) * WRITERS + writer
                behind.append((character, at))
                fresh.append(character)
                at = character
            victims = rng.choice(recent, min(2, len(recent)), replace=False)
            removed.update(dict.fromkeys(int(victim) for victim in victims if victim))
        clock = max(fresh) // WRITERS
        known += fresh
    return {"behind": np.array(behind, np.int64), "removed": np.array([[c] for c in removed], np.int64)}
