"""Why facts hold, or not, that rules take apart by patterns: explained by values, never by rewritten rules."""

from __future__ import annotations

import re

import pytest

from tidelog import Engine

PROGRAM = """.type E = Num {x: number} | Neg {e: E} | Add {a: E, b: E}
.type P = [x: number, next: P]
.decl e(x: E)
.decl l(p: P)
.decl v(x: E, n: number)
.decl s(x: number)
.decl t(x: number)
.decl u(p: P)
e($Neg($Num(1))). e($Num(2)). e($Add($Num(1), $Num(2))). l([1, [2, nil]]). t(7).
v($Num(n), n) :- e($Num(n)).
v($Neg(a), 0 - n) :- e($Neg(a)), a = $Num(n).
s(x) :- l([x, [y, nil]]), t(y + 5).
s(x) :- e(a), a = $Neg($Neg($Num(x))).
s(x) :- e($Neg($Num(x))), !l([x, nil]).
u(p) :- l([_, p]), p != nil, p = [_, q], q != nil.
"""
MADE = re.compile(r"\bV\d|\bpart\(|\bis\(|__")


@pytest.mark.parametrize("fact", ["v($Neg($Num(1)), -1)", "v($Num(2), 2)", "s(1)"])
def test_a_proof_shows_no_rewrite(fact: str) -> None:
    assert not MADE.search(str(Engine(PROGRAM).why(fact)))


@pytest.mark.parametrize(
    ("fact", "shown"),
    [
        ("v($Neg($Num(1)), 5)", "fails  5 = 0 - 1: the head computes column 2 as 0 - n"),
        ("v($Num(3), 3)", "fails  e($Num(3)): no such fact"),
        ("s(9)", "fails  $Num(1): its constructor is not `$Neg`"),
        ("s(9)", "fails  [1, [2, nil]]: its part 1 is not 9"),
        ("u([2, nil])", "fails  nil != nil: it is false (q != nil)"),
    ],
)
def test_what_is_not_true_shows_the_value_that_does_not_fit(fact: str, shown: str) -> None:
    told = str(Engine(PROGRAM).why_not(fact))
    assert shown in told
    assert not MADE.search(told)
