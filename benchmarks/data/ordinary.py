"""Ordinary questions: tables as people bring them, rules over them, and the same in SQL.

Law: a question is the same for both systems, and its answers are equal to the last bit: floats are multiples of 2^-20
below 2^12, so that DuckDB's additions, which round, never have to. Data is drawn from a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

SMALLER = 100  # --quick
Tables = dict[str, pa.Table]


@dataclass(frozen=True, slots=True)
class Question:
    """Rules over some tables, and the SQL of each view; ``most`` times DuckDB is what the question may take."""

    title: str
    most: float
    tables: Callable[[int], Tables]  # given by what sizes are divided
    rules: str
    sql: Mapping[str, str]  # by view


def _numbers(low: int, high: int, rows: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.random.default_rng(seed).integers(low, high, rows)


def sales(rows: int, groups: int) -> Callable[[int], Tables]:
    """Sales with a number, a shop and an amount."""

    def made(smaller: int) -> Tables:
        n = rows // smaller
        shops = _numbers(0, max(2, groups // smaller), n, 1)
        return {"sale": pa.table({"k": np.arange(n), "g": shops, "v": _numbers(0, 10**6, n, 2)})}

    return made


def weights(smaller: int) -> Tables:
    """Weights with fractions, in a thousand groups."""
    n = 1_000_000 // smaller
    values = _numbers(-(2**31), 2**31, n, 3) / 2**20
    return {"weight": pa.table({"k": np.arange(n), "g": _numbers(0, 1000, n, 4), "v": values})}


def star(smaller: int) -> Tables:
    """A table of facts with three dimensions."""
    n, sizes = 1_000_000 // smaller, 1000
    columns = {name: _numbers(0, sizes, n, 5 + i) for i, name in enumerate("abc")}
    facts = pa.table({"k": np.arange(n), **columns, "v": _numbers(0, 1000, n, 9)})
    dimension = {f"d{name}": _numbers(0, 10, sizes, 20 + i) for i, name in enumerate("abc")}
    return {
        "fact": facts,
        **{name: pa.table({"k": np.arange(sizes), "r": kinds}) for name, kinds in dimension.items()},
    }


def addresses(smaller: int) -> Tables:
    """Addresses of mail, all different, at 97 hosts."""
    n = 500_000 // smaller
    return {"mail": pa.table({"k": np.arange(n), "s": [f"user{i}@host{i % 97}.example.org" for i in range(n)]})}


def visits(smaller: int) -> Tables:
    """Visits, and half of all visitors."""
    n = 1_000_000 // smaller
    return {
        "visit": pa.table({"k": np.arange(n), "g": _numbers(0, n // 2, n, 30)}),
        "known": pa.table({"g": np.arange(0, n // 2, 2)}),
    }


def intervals(smaller: int) -> Tables:
    """Intervals and points, of which an interval holds two or three."""
    n = 20_000 // smaller
    lows = _numbers(0, 10 * n, n, 40)
    ranges = pa.table({"k": np.arange(n), "l": lows, "h": lows + _numbers(0, 50, n, 41)})
    return {"span": ranges, "point": pa.table({"x": np.unique(_numbers(0, 10 * n, n, 42))})}


def skewed_edges(smaller: int) -> Tables:
    """Edges between 20,000 nodes, a few of which have most of them."""
    n, rng = 60_000 // smaller, np.random.default_rng(43)
    ends = np.minimum(rng.zipf(1.6, size=(n, 2)) - 1, 19_999)
    pairs = np.unique(np.concatenate([ends, rng.integers(0, 20_000, size=(n // 2, 2))]), axis=0)
    return {"edge": pa.table({"x": pairs[:, 0].copy(), "y": pairs[:, 1].copy()})}


def conditions(smaller: int) -> Tables:
    """Three tables without a column in common."""
    n = 100_000 // smaller
    return {name: pa.table({"x": np.arange(n)}) for name in ("a", "b", "c")}


def family(smaller: int) -> Tables:
    """A tree of people, each with the parent: six generations, the first of five people."""
    n = 5 * sum(4**depth for depth in range(3 if smaller > 1 else 5))
    child = np.arange(5, n)
    return {"parent": pa.table({"c": child, "p": (child - 5) // 4})}


GROUPED = """
total(G, sum<V>) :- sale(_, G, V).
number(G, count<*>) :- sale(_, G, _).
best(G, max<V>) :- sale(_, G, V).
"""
TEXTS = """
joined(K, cat(S, "!")) :- mail(K, S).
long(K, strlen(S)) :- mail(K, S).
at(K) :- mail(K, S), match("user[0-9]*7@host1.*", S).
short(K, substr(S, 0, 6)) :- mail(K, S).
"""
SAME_GENERATION = """
same(X, Y) :- parent(X, P), parent(Y, P), X != Y.
same(X, Y) :- parent(X, P), same(P, Q), parent(Y, Q).
"""
QUESTIONS: Mapping[str, Question] = {
    "groups": Question(
        "sum, count and max of 2,000,000 rows in 1,000 groups",
        3.0,
        sales(2_000_000, 1_000),
        GROUPED,
        {
            "total": "SELECT g, sum(v)::BIGINT FROM sale GROUP BY g",
            "number": "SELECT g, count(*) FROM sale GROUP BY g",
            "best": "SELECT g, max(v) FROM sale GROUP BY g",
        },
    ),
    "many-groups": Question(
        "count of 1,000,000 rows in 432,000 groups",
        3.0,
        sales(1_000_000, 500_000),
        "number(G, count<*>) :- sale(_, G, _).",
        {"number": "SELECT g, count(*) FROM sale GROUP BY g"},
    ),
    "floats": Question(
        "sum and mean of 1,000,000 floats in 1,000 groups",
        4.0,
        weights,
        "total(G, sum<V>) :- weight(_, G, V).\nmiddle(G, mean<V>) :- weight(_, G, V).",
        {
            "total": "SELECT g, sum(v) FROM weight GROUP BY g",
            "middle": "SELECT g, avg(v) FROM weight GROUP BY g",
        },
    ),
    "star": Question(
        "sum over a join of 1,000,000 rows with three tables",
        4.0,
        star,
        "total(P, Q, sum<V>) :- fact(_, A, B, C, V), da(A, P), db(B, Q), dc(C, R), R < 5.",
        {
            "total": "SELECT da.r, db.r, sum(v)::BIGINT FROM fact, da, db, dc "
            "WHERE a = da.k AND b = db.k AND c = dc.k AND dc.r < 5 GROUP BY da.r, db.r"
        },
    ),
    "texts": Question(
        "cat, strlen, match and substr of 500,000 texts",
        3.0,
        addresses,
        TEXTS,
        {
            "joined": "SELECT k, s || '!' FROM mail",
            "long": "SELECT k, strlen(s) FROM mail",
            "at": "SELECT k FROM mail WHERE regexp_full_match(s, 'user[0-9]*7@host1.*')",
            "short": "SELECT k, substr(s, 1, 6) FROM mail",
        },
    ),
    "anti-join": Question(
        "anti-join of 1,000,000 rows",
        2.0,
        visits,
        "new(K, G) :- visit(K, G), !known(G).",
        {"new": "SELECT k, g FROM visit WHERE NOT EXISTS (SELECT 1 FROM known WHERE known.g = visit.g)"},
    ),
    "intervals": Question(
        "interval join of 20,000 and 20,000 rows",
        3.0,
        intervals,
        "hit(K, X) :- span(K, L, H), point(X), L <= X, X <= H.",
        {"hit": "SELECT k, x FROM span, point WHERE l <= x AND x <= h"},
    ),
    "triangles": Question(
        "triangles of 60,000 skewed edges",
        4.0,
        skewed_edges,
        "three(X, Y, Z) :- edge(X, Y), edge(Y, Z), edge(X, Z), X < Y, Y < Z.",
        {
            "three": "SELECT a.x, a.y, b.y AS z FROM edge a, edge b, edge c "
            "WHERE a.y = b.x AND c.x = a.x AND c.y = b.y AND a.x < a.y AND a.y < b.y"
        },
    ),
    "conditions": Question(
        "100,000 rows under two conditions that bind nothing",
        2.0,
        conditions,
        "p(X) :- a(X), b(_), c(_).",
        {"p": "SELECT x FROM a WHERE EXISTS (FROM b) AND EXISTS (FROM c)"},
    ),
    "generations": Question(
        "same generation in a tree of 1,705 people",
        1.5,
        family,
        SAME_GENERATION,
        {
            "same": "WITH RECURSIVE s(x, y) AS (SELECT a.c, b.c FROM parent a, parent b WHERE a.p = b.p AND a.c != b.c "
            "UNION SELECT a.c, b.c FROM s, parent a, parent b WHERE a.p = s.x AND b.p = s.y) SELECT x, y FROM s"
        },
    ),
}
