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
# The same with two numbers for a character, its author's clock and its author: as a record, and in a column each.
AS_RECORDS = """
.type id = [clock: number, writer: number]
.decl inserted(a: number, b: number, c: number, d: number)
.decl taken(a: number, b: number)
.decl behind(x: id, p: id)
.decl removed(x: id)
.decl later(x: id, y: id)
.decl between(x: id, y: id)
.decl beside(x: id, y: id)
.decl has_later(x: id)
.decl has_beside(x: id)
.decl has_behind(x: id)
.decl climbs(x: id, y: id)
.decl next(x: id, y: id)
.decl skips(x: id, y: id)
.decl text(a: number, b: number, c: number, d: number)
behind([a, b], [c, d]) :- inserted(a, b, c, d).
removed([a, b]) :- taken(a, b).
later([a, b], [c, d]) :- behind([a, b], p), behind([c, d], p), (a > c; a = c, b > d).
between(x, z) :- later(x, y), later(y, z).
beside(x, y) :- later(x, y), !between(x, y).
has_later(y) :- later(_, y).
has_beside(x) :- beside(x, _).
has_behind(p) :- behind(_, p).
climbs(x, y) :- beside(x, y).
climbs(x, y) :- behind(x, p), !has_beside(x), climbs(p, y).
next(p, x) :- behind(x, p), !has_later(x).
next(x, y) :- behind(x, _), !has_behind(x), climbs(x, y).
skips(x, y) :- next(x, y), !removed(x).
skips(x, z) :- skips(x, y), removed(y), next(y, z).
text(a, b, c, d) :- skips([a, b], [c, d]), !removed([c, d]).
"""
IN_COLUMNS = """
behind(A, B, C, D) :- inserted(A, B, C, D).
removed(A, B) :- taken(A, B).
later(A, B, C, D) :- behind(A, B, P, Q), behind(C, D, P, Q), A > C.
later(A, B, A, D) :- behind(A, B, P, Q), behind(A, D, P, Q), B > D.
between(A, B, E, F) :- later(A, B, C, D), later(C, D, E, F).
beside(A, B, C, D) :- later(A, B, C, D), !between(A, B, C, D).
has_later(C, D) :- later(_, _, C, D).
has_beside(A, B) :- beside(A, B, _, _).
has_behind(C, D) :- behind(_, _, C, D).
climbs(A, B, C, D) :- beside(A, B, C, D).
climbs(A, B, C, D) :- behind(A, B, P, Q), !has_beside(A, B), climbs(P, Q, C, D).
next(P, Q, A, B) :- behind(A, B, P, Q), !has_later(A, B).
next(A, B, C, D) :- behind(A, B, _, _), !has_behind(A, B), climbs(A, B, C, D).
skips(A, B, C, D) :- next(A, B, C, D), !removed(A, B).
skips(A, B, E, F) :- skips(A, B, C, D), removed(C, D), next(C, D, E, F).
text(A, B, C, D) :- skips(A, B, C, D), !removed(C, D).
"""


def shared_text(quick: bool) -> Workload:
    """Characters in order, from insertions behind one another."""
    rounds = 8 if quick else 500
    facts = trace(rounds)
    title = f"text of {len(facts['behind']):,} insertions by {WRITERS} writers, {len(facts['removed']):,} removals"
    return Workload("crdt", title, TEXT, "text", facts, TEXT_SQL)


def operations(rounds: int) -> dict[str, Cells]:
    """The operations of a trace with two numbers for each character."""
    facts = trace(rounds)
    (x, p), gone = facts["behind"].T, facts["removed"][:, 0]
    parts = {"inserted": (x, p), "taken": (gone,)}
    return {
        name: np.stack([part for cells in columns for part in divmod(cells, WRITERS)], axis=1)
        for name, columns in parts.items()
    }


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
