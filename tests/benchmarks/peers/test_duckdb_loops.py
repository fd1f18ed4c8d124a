"""Loops of SQL made from rules: they find the least model, and refuse what they cannot say.

The judge is the naive evaluator. Cannot notice: anything that needs many rounds or much data.
"""

from __future__ import annotations

import duckdb
import numpy as np
import pytest
from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload
from benchmarks.peers.duckdb import fetched, load_tables
from benchmarks.peers.duckdb_loops import Unspoken, evaluate

from benchmarks.data import analyses, texts
from tidelog.syntax import parse_program
from tidelog.testing import State

BOTH_WAYS = """
even(X) :- start(X).
odd(Y) :- even(X), edge(X, Y).
even(Y) :- odd(X), edge(X, Y).
never(X) :- edge(X, _), !even(X), !odd(X).
pair(X, Y) :- even(X), even(Y), X < Y, X != 4.
marked(X, 7) :- edge(X, 3).
"""
EDGES = np.array([[1, 2], [2, 3], [3, 4], [4, 1], [6, 7]], np.int64)


def by_loops(rules: str, facts: dict[str, Cells], names: set[str]) -> dict[str, frozenset[tuple[int, ...]]]:
    with duckdb.connect() as connection:
        load_tables(connection, Workload("", "", rules, "", facts, ""))
        evaluate(connection, rules)
        return {name: frozenset(map(tuple, fetched(connection, name).tolist())) for name in names}


@pytest.mark.parametrize(
    ("rules", "facts"),
    [
        (BOTH_WAYS, {"edge": EDGES, "start": np.array([[1]], np.int64)}),
        (analyses.CSPA, analyses.pointer_functions(3, 6)),
        (texts.TEXT, texts.trace(2)),
    ],
    ids=["both-ways", "cspa", "text"],
)
def test_loops_find_the_least_model(rules: str, facts: dict[str, Cells]) -> None:
    program = parse_program(rules)
    start = State.start(program)
    given = frozenset((name, tuple(row)) for name, rows in facts.items() for row in rows.tolist())
    model = State(start.program, start.facts | given).model()
    heads = {rule.head.predicate for rule in program.rules}
    assert by_loops(rules, facts, heads) == {name: model[name] for name in heads}


def test_a_relation_with_facts_and_rules_has_both() -> None:
    found = by_loops("edge(Y, X) :- edge(X, Y).", {"edge": EDGES}, {"edge"})["edge"]
    assert found == {tuple(row) for row in (*EDGES.tolist(), *EDGES[:, ::-1].tolist())}


@pytest.mark.parametrize("rule", ["p(X + 1) :- edge(X, _).", "p(X) :- X = count : { edge(_, _) }."])
def test_what_loops_cannot_say_is_refused(rule: str) -> None:
    with pytest.raises(Unspoken):
        by_loops(rule, {"edge": EDGES}, {"p"})
