"""From texts to clauses: what paths become, what triples become, and what is refused."""

from __future__ import annotations

import pytest

from tidelog.errors import DataError, ProgramError
from tidelog.lab.semantics.regular import Graph, Lit, RegularClause, RegularProgram, compute, edges_of, read_regular
from tidelog.lab.semantics.regular.clause import ONCE
from tidelog.program import Var
from tidelog.syntax import parse_program


def clauses(text: str) -> list[str]:
    return str(read_regular(text)[0]).splitlines()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("(a)", ["p(X, Y) <- a(X, Y)"]),
        ("^a", ["p(X, Y) <- a(Y, X)"]),
        ("(a/^b/c)", ["p(X, Y) <- a(X, #1), b(#2, #1), c(#2, Y)"]),
        ("(a|^b)", ["p(X, Y) <- a(X, Y) ; b(Y, X)"]),
        ("(a & b)", ["p(X, Y) <- a(X, Y), b(X, Y)"]),
        ("^(a/b)", ["p(X, Y) <- a(Y, #1), b(#1, X)"]),
        ("a+", ["p(X, Y) <- a+(X, Y)"]),
        ("(^a)+", ["p(X, Y) <- a+(Y, X)"]),
        ("a{1,2}", ["p(X, Y) <- a(X, Y) ; a(X, #1), a(#1, Y)"]),
        ("a{3,}", ["p(X, Y) <- a(X, #2), a(#2, #1), a+(#1, Y)"]),
        ("((a|b)/c)", ["p(X, Y) <- a(X, #1), c(#1, Y) ; b(X, #1), c(#1, Y)"]),
        ("(a/b)+", ["(a/b)(X, Y) <- a(X, #1), b(#1, Y)", "p(X, Y) <- (a/b)+(X, Y)"]),
        ("(^(a/b))+", ["(a/b)(X, Y) <- a(X, #1), b(#1, Y)", "p(X, Y) <- (a/b)+(Y, X)"]),
        ("((a/b)+ | ((a/b)+/a))", ["(a/b)(X, Y) <- a(X, #1), b(#1, Y)",
                                    "p(X, Y) <- (a/b)+(X, Y) ; (a/b)+(X, #2), a(#2, Y)"]),
        ("(a+|b)+", ["(a+|b)(X, Y) <- a+(X, Y) ; b(X, Y)", "p(X, Y) <- (a+|b)+(X, Y)"]),
        ("(e[u]/f[1])", ['p(X, Y) <- e["u"](X, #1), f[1](#1, Y)']),
    ],
)  # fmt: skip
def test_a_path_is_written_out_as_clauses(path: str, expected: list[str]) -> None:
    assert clauses(f"p(X, Y) :- {path}(X, Y).") == expected


def test_disjunctions_are_distributed_and_every_wildcard_is_its_own() -> None:
    text = "p(X, 1) :- a(X, _), (b(_, X) ; c(X, Z), (d(Z, 3) ; e+(Z, _)))."
    assert clauses(text) == [
        "p(X, 1) <- a(X, #1), b(#2, X) ; a(X, #1), c(X, Z), d(Z, 3) ; a(X, #1), c(X, Z), e+(Z, #3)"
    ]


def test_a_labelled_fact_is_a_clause_with_an_empty_body() -> None:
    program, edges = read_regular("r1: p(1, 2). q(X) :- p(X, _).")
    assert str(program).splitlines() == ["p(1, 2) <- true", "q(X) <- p(X, #1)"]
    assert compute(program, edges)["q", ONCE] == {(1,)}


def test_a_nullary_view_is_a_yes_or_no_question() -> None:
    program, edges = read_regular("yes :- a+(X, X). a(1, 2).")
    assert compute(program, edges)["yes", ONCE] == frozenset()
    assert compute(program, edges | Graph.of({"a": [(2, 1)]}))["yes", ONCE] == {()}


def test_triples_are_edges_of_their_labels_and_of_their_relation() -> None:
    graph = edges_of(parse_program("e(1, u, 2). e(2, v, 1 + 2)."), {"f": [(1, 2)]})
    assert graph == Graph.of({'e["u"]': [(1, 2)], 'e["v"]': [(2, 3)], "e": [(1, 2), (2, 3)], "f": [(1, 2)]})


def test_everything_that_is_wrong_is_reported_at_once() -> None:
    with pytest.raises(ProgramError) as output:
        read_regular("p(X, Y) :- a*(X, Y). p(X, Z) :- p(X, Y), !b(Y, Z), Z > 1.")
    assert {found.code for found in output.value.diagnostics} >= {"TL301", "TL660", "TL662", "TL663", "TL664"}
    places = [found.span.start for found in output.value.diagnostics if found.span is not None]
    assert places == sorted(places)


def test_clauses_that_depend_on_one_another_are_no_program() -> None:
    x, y = Var("X"), Var("Y")
    step = RegularClause((x, y), ((Lit("p", (x, y)),),))
    with pytest.raises(DataError, match="the clauses of p, q are recursive") as refused:
        RegularProgram({"p": RegularClause((x, y), ((Lit("q", (x, y)),),)), "q": step})
    assert refused.value.code == "TL7501"
