"""One cause, one error: what follows from text that could not be read is not reported."""

from __future__ import annotations

import pytest

from tidelog.program.check import examine_program
from tidelog.syntax import read_program


def codes(text: str) -> list[str]:
    program, read = read_program(text)
    found = examine_program(program)[1]
    return [d.code for d in (*read, *found) if d.severity == "error"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".decl p(x: number\n.decl q(x: number)\nq(x) :- p(x).\n", ["TL103"]),
        (".type T =\n.decl p(x: T)\np(y) :- p(x).\n", ["TL100"]),
        (".type T =\n.type U = T | number\n.decl p(x: U)\n.decl q(x: number)\nq(y) :- p(x).\nq(1).\n", ["TL100"]),
        (".type T =\n.decl p(x: V)\n.decl q(x: T)\nq(y) :- p(x).\np(y) :- p(x).\n", ["TL100", "TL206", "TL301"]),
        ("p(X) :- q(X) r(X).\ns(Y) :- q(X).\n", ["TL100", "TL301"]),
        ('p("a, 1).\nq(X) :- p(X, _, _).\n', ["TL104"]),
    ],
)
def test_what_follows_from_unread_text_is_left_out(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_a_program_that_was_read_keeps_all_its_findings() -> None:
    assert codes(".decl p(x: T)\nq(y) :- p(x).\n") == ["TL206", "TL201", "TL301"]
