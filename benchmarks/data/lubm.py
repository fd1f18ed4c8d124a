"""LUBM-1: triples read by path, the six RDFS rules, and the same question in numbers and SQL.

Law: Tidelog reads terms as text, its peers get numbers for terms; the closure of all of LUBM-1 has 127,022 triples.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload

EXPECTED = {101_150: 127_022}
"""Triples given, triples in the closure."""
QUICK = 5_000
Triple = tuple[str, str, str]
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TERMS = {name: f"<{RDFS}{name}>" for name in ("domain", "range", "subPropertyOf", "subClassOf")}
TERMS["type"] = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
RULES = """
rdfs2  t(Y, {type}, X) :- t(A, {domain}, X), t(Y, A, Z).
rdfs3  t(Z, {type}, X) :- t(A, {range}, X), t(Y, A, Z).
rdfs5  t(X, {subPropertyOf}, Z) :- t(X, {subPropertyOf}, Y), t(Y, {subPropertyOf}, Z).
rdfs7  t(X, B, Y) :- t(A, {subPropertyOf}, B), t(X, A, Y).
rdfs9  t(Z, {type}, Y) :- t(X, {subClassOf}, Y), t(Z, {type}, X).
rdfs11 t(X, {subClassOf}, Z) :- t(X, {subClassOf}, Y), t(Y, {subClassOf}, Z).
"""
# Per rule: the new triple, and what joins p with q; each runs twice, with the new rows on either side.
JOINS = (
    ("q.a, {type}, p.c", "p.b = {domain} AND q.b = p.a"),
    ("q.c, {type}, p.c", "p.b = {range} AND q.b = p.a"),
    ("p.a, {subPropertyOf}, q.c", "p.b = {subPropertyOf} AND q.b = {subPropertyOf} AND q.a = p.c"),
    ("q.a, p.c, q.c", "p.b = {subPropertyOf} AND q.b = p.a"),
    ("q.a, {type}, p.c", "p.b = {subClassOf} AND q.b = {type} AND q.c = p.a"),
    ("p.a, {subClassOf}, q.c", "p.b = {subClassOf} AND q.b = {subClassOf} AND q.a = p.c"),
)


def read_triples(path: Path, limit: int | None = None) -> list[Triple]:
    """Tab-separated terms, plain or gzip."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        rows = [tuple(line.rstrip("\n").split("\t")) for line in islice(lines, limit)]
    return [(s, p, o) for s, p, o in rows]


def text_rules() -> str:
    """The rules with terms as text."""
    return RULES.format(**{name: f'"{term}"' for name, term in TERMS.items()})


def encoded(triples: Sequence[Triple], more: Iterable[str] = ()) -> tuple[Workload, dict[str, int]]:
    """The workload with a number for every term, and these numbers; ``more`` are terms that rules name."""
    terms = sorted({term for row in triples for term in row} | set(TERMS.values()) | set(more))
    numbers = {term: number for number, term in enumerate(terms)}
    rows: Cells = np.array([[numbers[term] for term in row] for row in triples], np.int64)
    named = {name: numbers[term] for name, term in TERMS.items()}
    lines = [line.split(maxsplit=1)[1] for line in RULES.format(**named).split("\n") if line]
    return Workload("lubm", f"LUBM-1, {len(rows):,} triples", "\n".join(lines), "t", {"t": rows}, _sql(named)), numbers


def _sql(named: dict[str, int]) -> str:
    sides = ("closed p, recurring.closed q", "recurring.closed p, closed q")
    parts = [f"SELECT {new} FROM {side} WHERE {join}" for new, join in JOINS for side in sides]
    found = "\n UNION ".join(parts).format(**named)
    return f"""
WITH RECURSIVE closed(a, b, c) USING KEY (a, b, c) AS (
    SELECT a, b, c FROM t UNION
    SELECT * FROM ({found}) AS n(a, b, c)
    WHERE NOT EXISTS (SELECT 1 FROM recurring.closed k WHERE k.a = n.a AND k.b = n.b AND k.c = n.c)
) SELECT a, b, c FROM closed"""


def arrow(triples: Sequence[Triple]) -> Any:
    """The triples as columns of text."""
    import pyarrow as pa  # not above: a process whose memory is measured reads triples without it

    return pa.table(list(map(list, zip(*triples, strict=True))), names=["s", "p", "o"])
