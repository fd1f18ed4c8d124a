"""Namespaces of NDlog: a relation inside `namespace n` is `n::name`."""

from __future__ import annotations

import pytest

from tidelog import Engine
from tidelog.errors import ProgramError
from tidelog.syntax import parse_program, print_program, read_program
from tidelog.syntax.layout import lay_out

TEXT = """
namespace n {
    materialize(p, infinity, infinity, keys(1, 2)).
    r1 p(@X, Y) :- ::e(@X, Y), f_inPath([X, Y], X) = 1, !periodically(@X), q@X(Y).
    namespace m { r2 q(@X, count<*>) :- n::p(@X, Y), ::e+(X, Y). }
    f(@a, 1).
}
r3 q(@X, N) :- n::m::q(@X, N).
"""


def test_names_inside_belong_to_the_namespace_and_others_are_written_out() -> None:
    program = parse_program(TEXT)
    assert print_program(program) == (
        "materialize(n::p, infinity, infinity, keys(1, 2)).\nn::f(@a, 1).\n"
        "r1: n::p(@X, Y) :- e(@X, Y), f_inPath([X, Y], X) = 1, !n::periodically(@X), n::q(@X, Y).\n"
        "r2: n::m::q(@X, count<*>) :- n::p(@X, Y), e+(X, Y).\n"
        "r3: q(@X, N) :- n::m::q(@X, N).\n"
    )
    assert parse_program(print_program(program)) == program


def test_a_namespace_is_laid_out_as_a_block() -> None:
    laid_out = lay_out("namespace n{p(X):-::q(X). namespace m{r(1).}}\n").text
    assert laid_out == ("namespace n {\n    p(X) :- ::q(X).\n    namespace m {\n        r(1).\n    }\n}\n")
    assert parse_program(laid_out) == parse_program("n::p(X) :- q(X). n::m::r(1).")


def test_facts_queries_and_rules_outside_use_the_whole_name() -> None:
    with Engine("namespace n { p(X) :- q(X). }") as db:
        with db.epoch() as epoch:
            epoch.insert("n::q", [(1,), (2,)])
            epoch.add_rule("r(X) :- n::p(X), X > 1.")
        assert (sorted(db.query("n::p(X)")), sorted(db["r"])) == ([(1,), (2,)], [(2,)])


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("namespace n {\n p(X) :- q(X).", "TL103", 2),
        ("namespace n {\n p(X) :- \n r(1).\n}\ns(X :- t(X).", "TL103", 5),
        ("p(X) :- q(X).\n}", "TL113", 2),
    ],
)
def test_mistakes_are_found_inside_and_after_a_namespace(text: str, code: str, line: int) -> None:
    _, found = read_program(text)
    assert (code, line) in [(each.code, each.span.line) for each in found if each.span]


def test_souffle_programs_have_no_namespaces() -> None:
    with pytest.raises(ProgramError):
        parse_program(".decl p(x: number)\nnamespace n {\np(1).\n}")
