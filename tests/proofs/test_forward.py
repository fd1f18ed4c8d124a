"""The forward engine extracted from Coq beside the one in Python: equal graphs after every update.

By the theorems the extracted engine leaves the least model; what can be noticed here are mistakes of the driver and of
the engine in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lab.semantics.regular.programs import Case, Facts, cases, changed
from tests.proofs.build import MISSING, REASON, Built
from tidelog.lab.semantics.regular import (
    CLOSED,
    ONCE,
    Graph,
    RegularProgram,
    compute,
    difference,
    edges_of,
    maintain,
    to_regular,
    updated,
)
from tidelog.lab.semantics.regular.clause import TaggedRelation, Term
from tidelog.program import Var
from tidelog.syntax import parse_program

pytestmark = [pytest.mark.long, pytest.mark.skipif(bool(MISSING), reason=REASON)]
HEADER = "tidelog-forward 1\n"


def symbol_word(key: TaggedRelation) -> str:
    """A symbol as one word; names of labelled edges contain brackets."""
    return "s:" + re.sub(r"\W", lambda found: f"%{ord(found[0]):x}", key[0]) + key[1]


def value_word(value: object) -> str:
    return f"{type(value).__name__}:{value}"


def terms(args: Iterable[Term]) -> str:
    return " ".join(f"?{arg.name}" if isinstance(arg, Var) else value_word(arg.value) for arg in args)


def program_text(program: RegularProgram) -> Iterator[str]:
    yield " ".join(["base", *(symbol_word((symbol, ONCE)) for symbol in sorted(program.base))])
    for symbol, clause in program.clauses.items():
        for body in clause.bodies:
            literals = [f"{symbol_word(literal.tagged)} {terms(literal.args)}" for literal in body]
            yield " | ".join([f"clause {symbol_word((symbol, ONCE))}", terms(clause.head), *literals])


def edge_lines(sign: str, graph: Graph, program: RegularProgram) -> Iterator[str]:
    for symbol in sorted(program.base):
        for row in sorted(graph[symbol, ONCE], key=repr):
            yield " ".join([sign, symbol_word((symbol, ONCE)), *map(value_word, row)])


def graph_lines(graph: Graph, program: RegularProgram) -> set[str]:
    """What the extracted engine prints for a graph."""
    symbols = [*program.base, *program.defined]
    keys = [(s, tag) for s in symbols for tag in (ONCE, CLOSED) if tag == ONCE or program.is_binary(s)]
    return {" ".join([symbol_word(key), *map(value_word, row)]) for key in keys for row in graph[key]}


def printed(text: str) -> list[set[str]]:
    """The graph after each run."""
    lines = text.splitlines()
    return [set(found) for ended, found in groupby(lines, lambda line: line == ".") if not ended]


def both(built: Built, program: RegularProgram, graphs: Sequence[Graph]) -> tuple[list[set[str]], list[set[str]]]:
    """The graphs of both engines: the edges of the first computed, then maintained to those of the others."""
    lines = [*program_text(program), *edge_lines("+", graphs[0], program), "run"]
    graph = compute(program, graphs[0].only((symbol, ONCE) for symbol in program.base))
    expected = [graph_lines(graph, program)]
    for edges in graphs[1:]:
        kept = [(symbol, ONCE) for symbol in program.base]
        update = difference(graph.only(kept), edges.only(kept))
        lines += [*edge_lines("-", update.deleted, program), *edge_lines("+", update.inserted, program), "run"]
        graph = updated(graph, maintain(program, graph, update))
        expected.append(graph_lines(graph, program))
    done = built.forward(HEADER + "\n".join([*lines, ""]))
    assert done.returncode == 0, done.stderr
    return printed(done.stdout), [lines for lines in expected if lines]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_graphs_are_equal_after_every_update(built: Built, data: st.DataObject) -> None:
    case: Case = data.draw(cases())
    parsed = parse_program(case.text)
    program = to_regular(parsed)
    facts: list[Facts] = [case.facts]
    for _ in range(3):
        facts.append(data.draw(changed(facts[-1])))
    found, expected = both(built, program, [edges_of(parsed, each) for each in facts])
    assert found == expected


def test_a_program_of_the_page_is_computed_and_maintained(built: Built) -> None:
    text = (
        "base follows likes\nclause near | ?X ?Y | follows+ ?X ?Y\nclause near | ?X ?Y | likes ?X ?Z | likes ?Y ?Z\n"
        "+ follows ann bob\n+ likes ann tea\nrun\n- likes ann tea\nrun\n"
    )
    first, second = printed(built.forward(HEADER + text).stdout)
    assert first - second == {"likes ann tea", "likes+ ann tea", "near ann ann", "near+ ann ann"}
    assert second == {"follows ann bob", "follows+ ann bob", "near ann bob", "near+ ann bob"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("clause p | ?X ?Y | q ?X ?Y\nclause q | ?X ?Y | e ?X ?Y\nbase e\nrun", "not a program"),
        ("base e\nclause p | ?X ?Y | e ?X ?Z\nrun", "not a program"),
        ("base e\nclause e | ?X ?Y | e ?X ?Y\nrun", "not a program"),
        ("base e\n+ f a b", "not a base symbol"),
        ("base e\nrun\nbase f", "cannot change"),
        ("base e\nclause p ?X", "expected |"),
        ("base e\nclause p | ?X ?Y | e ?X ?Y\nclause p | ?Y ?X | e ?X ?Y", "the same head"),
        ("walk", "expected base, clause"),
    ],
)
def test_malformed_texts_are_refused_with_their_line(built: Built, text: str, what: str) -> None:
    done = built.forward(HEADER + text)
    assert done.returncode == 2
    assert re.match(r"malformed: line \d+: ", done.stderr)
    assert what in done.stderr
