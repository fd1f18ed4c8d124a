"""Which rules are safe, and what is reported about those that are not."""

from __future__ import annotations

import pytest

from tidelog.program.checks.safety import check_safety
from tidelog.program.functions.table import FUNCTIONS
from tidelog.syntax import parse_program


def findings(text: str) -> list[tuple[str, str]]:
    program = parse_program(text)
    found = check_safety(program, FUNCTIONS)
    return [(f.code, "" if f.span is None else f.span.text) for f in found]


@pytest.mark.parametrize(
    "text",
    [
        "p(X) :- q(X).",
        "p(1) :- q(_).",
        "p(X, Y) :- q(X), Y = X + 1.",
        "p(X) :- X = Y, Y = Z, Z = 3.",
        "p(X) :- 3 = X.",
        "p(X) :- q(X, X + 1), r(X).",
        "p(X, Y) :- q(X), (r(X, Y) ; Y = X).",
        "p(X) :- (q(X) ; (r(X) ; s(X))).",
        "p(X) :- q(X), (r(X, Y), Y > 3 ; !s(X)).",
        "p(X) :- X = range(0, 3).",
        "p(X) :- q(N), X = range(0, N).",
        "p(N) :- N = count : { q(_) }.",
        "p(X, N) :- q(X), N = count : { r(X, Y), Y > X }.",
        "p(X, N) :- q(X), N = count : { r(X, Y), Z = Y, !s(Z) }.",
        "p(X, M) :- q(X), M = max N : { N = sum C : { r(X, Y, C) }, s(X, Y) }.",
        "p(X, N, M) :- q(X), N = count : { r(X, Y) }, M = count : { s(X, Y) }.",
        "p(X, min<C>) :- q(X, C).",
        "p(count<*>) :- q(_).",
        "p(X) :- q(X), !r(X, _).",
        "p() :- true.",
        'p(X) :- q(X), contains("a", X).',
        "p(L) :- q(X), L = [X, 1].",
    ],
)
def test_safe_rules_have_no_findings(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p(X) :- q(Y), r(Y).", [("TL301", "X")]),
        ("p(X) :- !q(X).", [("TL301", "X")]),
        ("p(1) :- q(1), !r(X).", [("TL302", "X")]),
        ("p(X) :- q(X), Y < X.", [("TL303", "Y")]),
        ("p(X) :- q(X), X = Y + Y.", [("TL303", "Y")]),
        ("p(X) :- q(X), r(Y * 2).", [("TL304", "Y")]),
        ("p(X) :- (q(X) ; r(Y)).", [("TL301", "X")]),
        ("p(X) :- q(X), (r(X) ; Y < 3).", [("TL303", "Y")]),
        ("p(X + _) :- q(X).", [("TL305", "_")]),
        ("p(X) :- q(X), f_member([_], X).", [("TL305", "_")]),
        ("p(X) :- X = range(0, N).", [("TL306", "N")]),
        ("p(X) :- q(Y), X = range(0, 2) + Y.", [("TL307", "range(0, 2)")]),
        ("p(X) :- q(X), r(range(0, 2)).", [("TL307", "range(0, 2)")]),
        ("p(Y, N) :- q(X), N = count : { r(X, Y) }.", [("TL308", "Y")]),
        ("p(X, min<C>) :- q(X).", [("TL309", "C")]),
        ("p(X, N) :- q(X), N = count : { r(X), !s(Y) }.", [("TL309", "Y")]),
        ("p(X, N) :- q(X), N = sum Y : { r(X) }.", [("TL309", "Y")]),
    ],
)
def test_unsafe_variable_is_underlined_with_its_code(text: str, expected: list[tuple[str, str]]) -> None:
    assert findings(text) == expected


def test_variable_is_reported_once_however_often_it_is_used() -> None:
    assert findings("p(X, X) :- q(Y), X > Y, !r(X).") == [("TL301", "X")]


def test_consequence_of_an_unbound_variable_is_not_reported() -> None:
    assert findings("p(X, Y) :- q(Z), X = W + Z, Y = X + 1.") == [("TL303", "W")]


def test_deeply_nested_disjunctions_are_checked_at_once() -> None:
    nested = "q(X)"
    for _ in range(30):
        nested = f"({nested} ; X = Y, Y = 1)"
    assert findings(f"p(X) :- {nested}.") == []
