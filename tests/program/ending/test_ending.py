"""Whether a program surely ends: what is recognised as a bound, what is reported where none is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tidelog.program import Atom, Call, Const, Program, Rule, Var
from tidelog.program.check import check_program, examine_program
from tidelog.program.checks.termination.lists import CASE_GROWTH
from tidelog.syntax import parse_program, read_file

PROGRAMS = Path(__file__).parents[3] / "programs"

ENDS = {
    "no function in recursion": "r(X,Y) :- e(X,Y). r(X,Z) :- e(X,Y), r(Y,Z). s(N) :- r(X,Y), N = X + Y.",
    "a number with an upper bound": "n(0). n(Y) :- n(X), X < 100, Y = X + 1.",
    "a bound on the result": "n(0). n(Y) :- n(X), Y = X + 1, Y <= 100.",
    "a bound on an expression": "n(0). n(X + 1) :- n(X), X + 1 <= 100.",
    "a bound from data": "n(0). n(X + 1) :- n(X), limit(L), X < L.",
    "a bound by a bounded number": "m(0). m(X+1) :- m(X), X < 9. n(0). n(X+1) :- n(X), m(L), X < L.",
    "counting down": "n(100). n(X - 1) :- n(X), X > 0.",
    "an unsigned that falls": ".decl n(x: unsigned)\nn(9). n(x - 1) :- n(x), x > 0.",
    "bounds on both sides": "p(1). p(Y) :- p(X), 0 <= X, X <= 9, Y = X * X - 3.",
    "a remainder": "p(1). p(Y) :- p(X), Y = (7 * X + 3) mod 100.",
    "a remainder by data": "p(1). p(Y) :- p(X), m(M), Y = (X * X) mod M.",
    "halving": "h(99). h(X / 2) :- h(X).",
    "the smaller of two": "p(9). p(min(X, 3)) :- p(X).",
    "bits": "p(9). p(X band Y) :- p(X), p(Y). p(X bor Y) :- p(X), p(Y).",
    "a step known to be positive": "w(0). w(C) :- w(D), e(W), W > 0, C = D + W, C < 100.",
    "a value that an atom asks for": "p(1). p(X + 1) :- p(X), known(X + 1).",
    "a second value that keeps step": "fib(0, 0). fib(1, 1). fib(N + 1, A + B) :- fib(N, A), fib(N - 1, B), N < 20.",
    "two counters": "m(0,0,0). m(I+1,J,S+1) :- m(I,J,S), I < 9. m(I,J+1,S+1) :- m(I,J,S), J < 9.",
    "a list without repetition": "p(X,Y,P) :- e(X,Y), P = f_init(X,Y). "
    "p(X,Z,P) :- e(X,Y), p(Y,Z,Q), f_inPath(Q,X) = false, P = f_concat(X,Q).",
    "a negated test of a list": "p(X,P) :- e(X,_), P = [X]. "
    "p(X,P) :- e(X,Y), p(Y,Q), !f_member(Q,X), P = f_concat(X,Q).",
    "the cost of a path without repetition": "p(X,Y,P,C) :- e(X,Y,C), P = f_init(X,Y). "
    "p(X,Z,P,C) :- e(X,Y,A), p(Y,Z,Q,B), f_inPath(Q,X) = false, P = f_concat(X,Q), C = A + B.",
    "a list of bounded size": "p(X,P) :- e(X,_), P = [X]. p(X,P) :- e(X,Y), p(Y,Q), f_size(Q) < 5, P = f_concat(X,Q).",
    "the size by a name": "p(X,P) :- e(X,_), P = [X]. "
    "p(X,P) :- e(X,Y), p(Y,Q), N = f_size(Q), N < 5, P = f_append(Q,X).",
    "a list that gets shorter": "p(P) :- e(P). p(f_removeLast(P)) :- p(P), f_size(P) > 0.",
    "a text that is cut": "p(S) :- e(S). p(substr(S, 1, strlen(S) - 1)) :- p(S), strlen(S) > 1.",
    "a text of bounded length": "p(S) :- e(S). p(T) :- p(S), e(U), T = cat(S, U), strlen(T) <= 9.",
    "a text in other case": "p(S) :- e(S). p(lower(trim(S))) :- p(S), strlen(S) > 1. p(upper(S)) :- p(S).",
    "a text whose parts are replaced": 'p(S) :- e(S). p(replace(S, "ab", "c")) :- p(S), starts_with(S, "a") = 1.',
    "a text that is split": 'p(S) :- e(S), S != "". p(T) :- p(S), T = elements(split(S, ",")). '
    'p(join(split(S, ";"), ",")) :- p(S).',
    "a group of a match": 'p(S) :- e(S), S != "". p(regex_group("(a*)b", S, 1)) :- p(S).',
    "a text that is padded": 'p(S) :- e(S), S != "". p(pad_left(S, 8, "0")) :- p(S). p(substr(S, 0, 3)) :- p(S).',
    "the text of a length": 'p(S) :- e(S), S != "". p(to_string(strlen(S))) :- p(S).',
    "the least of texts": "p(S) :- e(S). p(least(S, lower(T))) :- p(S), p(T).",
    "a number without its sign": "p(X) :- e(X), X < 9. p(abs(X)) :- p(X). p(-X) :- p(X). "
    "p(greatest(X, Y)) :- p(X), p(Y).",
    "a rounded float": ".decl p(x: float)\n.decl e(x: float)\np(x) :- e(x). p(floor(x)) :- p(x). p(ceil(-x)) :- p(x).",
    "the weekday of a date": ".decl p(d: date, n: number)\n.decl e(d: date)\np(d, 0) :- e(d). "
    "p(e, weekday(date_add(d, n))) :- p(d, n), e(e).",
    "parts of structures": ".type L = [h: number, t: L]\n.decl p(l: L)\n.decl e(l: L)\n"
    "p(l) :- e(l). p(t) :- p([_, t]).",
    "structures around what gets smaller": ".type L = [h: number, t: L]\n.decl p(l: L, r: L)\n.decl e(l: L)\n"
    "p(l, nil) :- e(l). p(t, [h, r]) :- p([h, t], r).",
    "the least of values that get worse": ".decl d(x: symbol, c: number)\n.decl e(x: symbol, y: symbol, w: unsigned)\n"
    "d(x, min<0>) :- e(x, _, _). d(y, min<c + 1>) :- d(x, c), e(x, y, _).",
    "the widest of ways": "w(Y, max<C>) :- s(Y, C). w(Y, max<C>) :- w(X, D), e(X, Y, W), C = min(D, W).",
    "a step of a least value that is tested": "d(X, min<C>) :- s(X, C). "
    "d(Y, min<C>) :- d(X, D), e(X, Y, W), W >= 0, C = D + W.",
    "an aggregate over a lower stratum": "p(N) :- N = count : { e(_) }. p(N) :- p(M), N = sum X : { e(X), X > M }.",
    "a float that steps by a constant": ".decl c(x: float)\nc(1). c(x + 1) :- c(x), x < 100.",
    "a range": "p(0). p(Y) :- p(X), Y = range(0, 9).",
    "a disjunction with a bound in each branch": "n(0). n(Y) :- n(X), (X < 5, Y = X + 1 ; X < 9, Y = X + 2).",
}
GROWS = {
    "a number without bound": ("n(0). n(Y) :- n(X), Y = X + 1.", "X + 1"),
    "a bound on the wrong side": ("n(0). n(Y) :- n(X), X > -9, Y = X + 1.", "X + 1"),
    "a bound on another value": ("n(0, 0). n(X + 1, Y) :- n(X, Y), Y < 9.", "X + 1"),
    "a bound that grows itself": ("n(0, 1). n(X + 1, L + 1) :- n(X, L), X < L.", "X + 1"),
    "bounds that push each other": (
        "p(0). q(1). p(X + 1) :- p(X), q(B), X < B. q(B + 1) :- q(B), p(X), B < X + 2.",
        "X + 1",
    ),
    "a bound in one branch only": ("n(0). n(Y) :- n(X), (Y = X + 1 ; X < 5, Y = X + 2).", "X + 1"),
    "a test for one value": ("n(0). n(X + 1) :- n(X), !limit(X).", "X + 1"),
    "through two relations": ("a(0). a(X) :- b(X). b(Y) :- a(X), Y = X * 2 + 1.", "X * 2 + 1"),
    "a list": ("p(X,P) :- e(X,_), P = [X]. p(X,P) :- e(X,Y), p(Y,Q), P = f_concat(X,Q).", "f_concat(X,Q)"),
    "the test of another list": (
        "p(X,P) :- e(X,_), P = [X]. p(X,P) :- e(X,Y), p(Y,Q), p(X,R), f_inPath(R,X) = false, P = f_concat(X,Q).",
        "f_concat(X,Q)",
    ),
    "a list of new elements": (
        "p(0,P) :- P = [0]. p(N,P) :- p(M,Q), N = M + 1, f_inPath(Q,N) = false, P = f_concat(N,Q).",
        "M + 1",
    ),
    "a text": ('p(S) :- e(S). p(cat(S, "a")) :- p(S).', 'cat(S, "a")'),
    "a replacement that is longer": ('p(S) :- e(S). p(replace(S, "a", "aa")) :- p(S).', 'replace(S, "a", "aa")'),
    "a replacement that upper case makes longer": (
        'p(S) :- e(S). p(replace(S, "a", "ß")) :- p(S). p(upper(S)) :- p(S). p(replace(S, "S", "a")) :- p(S).',
        'replace(S, "a", "ß")',
    ),
    "signs of bits": ("p(X) :- e(X), X < 9. p(abs(X)) :- p(X). p(bnot X) :- p(X).", "abs(X)"),
    "a padding that grows": ('p("a"). p(pad_left(S, strlen(S) + 1, "0")) :- p(S).', 'pad_left(S, strlen(S) + 1, "0")'),
    "a structure": (".type L = [h: number, t: L]\n.decl p(l: L)\np(nil). p([1, t]) :- p(t).", "[1, t]"),
    "the greatest cost": ("c(X, max<0>) :- e(X, _). c(Y, max<N>) :- c(X, M), e(X, Y), N = M + 1.", "M + 1"),
    "the least value that falls": ("c(X, min<0>) :- e(X, _). c(Y, min<N>) :- c(X, M), e(X, Y), N = M - 1.", "M - 1"),
    "half a float": (".decl c(x: float)\nc(1). c(x / 2) :- c(x), x > 0, x < 9.", "x / 2"),
}


def test_case_makes_texts_of_a_character_few_and_short() -> None:
    """`lower` and `upper` of Unicode may lengthen a text, but not again and again: what `CASE_GROWTH` relies on."""
    for character in map(chr, range(sys.maxunicode + 1)):
        reached, waiting = {character}, [character]
        while waiting:
            text = waiting.pop()
            for other in {text.lower(), text.upper()} - reached:
                reached.add(other)
                waiting.append(other)
                assert len(other) <= CASE_GROWTH, character


def test_the_finding_names_the_function_of_a_rule_that_has_no_text() -> None:
    step = Rule(Atom("n", (Call("+", (Var("X"), Const(1, "number"))),)), (Atom("n", (Var("X"),)),))
    start = Rule(Atom("n", (Var("X"),)), (Atom("e", (Var("X"),)),))
    (finding,) = (f for f in check_program(Program((start, step))).warnings if f.code == "TL760")
    assert "`+` computes column 1 of `n`" in finding.message


def ending(text: str) -> tuple[list[str], tuple[str, ...]]:
    """What the findings are about, and the conditions."""
    checked, findings = examine_program(parse_program(text))
    assert not [finding for finding in findings if finding.severity == "error"], findings
    found = [finding.span.text for finding in findings if finding.code == "TL760" and finding.span is not None]
    return found, checked.ends_if


@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS.keys())
def test_a_program_with_a_bound_ends(text: str) -> None:
    assert ending(text) == ([], ())


@pytest.mark.parametrize(("text", "term"), GROWS.values(), ids=GROWS.keys())
def test_a_value_without_a_bound_is_told_at_the_term_that_makes_it(text: str, term: str) -> None:
    found, _ = ending(text)
    assert term in found


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("d(X, min<C>) :- s(X, C). d(Y, min<C>) :- d(X, D), e(X, Y, W), C = D + W.", "`W` is never negative"),
        ("c(S, C) :- e(S, _, C). c(S, C) :- e(S, Z, A), c(Z, B), C = A + B, C < 16.", "`A` is never negative"),
    ],
)
def test_a_program_that_ends_by_the_sign_of_its_data_says_so(text: str, condition: str) -> None:
    assert ending(text) == ([], (condition,))


def test_a_finding_names_the_cycle_and_where_it_is_closed() -> None:
    _, findings = examine_program(parse_program("a(0).\na(X) :- b(X).\nb(Y) :- a(X), Y = X + 1.\nc(X) :- b(X).\n"))
    (told,) = findings
    assert (told.code, told.severity) == ("TL760", "warning")
    assert told.message == (
        "evaluation may not end: `X + 1` computes column 1 of `b` from its own values, through `b` and `a`"
    )
    assert sorted((text, span.line) for text, span in told.related) == [
        ("`a` is read here", 3),
        ("`b` is read here", 2),
    ]


def test_one_finding_for_each_cycle() -> None:
    found, _ = ending("a(0). a(X + 1) :- a(X). a(X + 2) :- a(X). b(0). b(X + 3) :- b(X). c(X * 2) :- b(X).")
    assert sorted(found) == ["X + 1", "X + 3"]


def test_no_word_of_auxiliary_relations() -> None:
    text = ".decl p(x: number, y: number) eqrel\np(0, 0). p(x + 1, y) :- p(x, y).\n"
    _, findings = examine_program(parse_program(text))
    told = [finding.message + "".join(text for text, _ in finding.related) for finding in findings]
    assert told
    assert not [text for text in told if "__" in text]


# These end because their data has no cycle (`primes`: by the numbers that it begins with): nothing in the text says so.
UNBOUNDED = {"build/dependencies", "build/planner", "numbers/primes", "parts/bill_of_materials", "planning/schedule"}


def test_of_our_own_programs_those_are_told_that_only_their_data_bounds() -> None:
    told = set()
    for path in sorted(PROGRAMS.glob("*/*.dl")):
        if path.parent.name != "rejected":
            _, findings = examine_program(read_file(str(path))[0])
            if any(finding.code == "TL760" for finding in findings):
                told.add(f"{path.parent.name}/{path.stem}")
    assert told == UNBOUNDED
