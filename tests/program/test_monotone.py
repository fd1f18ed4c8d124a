"""Which recursions through min and max are accepted, and why the others are not."""

from __future__ import annotations

import pytest

from tidelog.errors import Diagnostic
from tidelog.program.check import examine_program
from tidelog.syntax import parse_program

START_MIN = "d(X, min<C>) :- s(X, C). "
START_MAX = "d(X, max<C>) :- s(X, C). "


def found(text: str) -> list[Diagnostic]:
    _, findings = examine_program(parse_program(text))
    return [finding for finding in findings if finding.severity == "error"]


@pytest.mark.parametrize(
    "text",
    [
        START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y, W), C = D + W.",
        START_MIN + "d(Y, min<D + W>) :- d(X, D), e(X, Y, W).",
        START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y, W), C = D - W.",
        START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y), C = 2 * D + 1.",
        START_MIN + "d(X, min<C>) :- d(Y, C), e(X, Y).",
        START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y, W), C = max(D, W).",
        START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y, W), C = D + W, C < 100.",
        START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y, W), T = D + W, C = T + 1, 100 >= T, W > 0, !f(X).",
        START_MIN + "d(Z, min<C>) :- d(X, A), d(X, B), e(X, Z), C = A + B.",
        START_MIN + "d(Y, min<C>) :- d(X, D), (e(X, Y), C = D ; f(X, Y), C = D + 1).",
        START_MAX + "d(Y, max<C>) :- d(X, D), e(X, Y, W), C = min(D, W).",
        START_MAX + "d(Y, max<C>) :- d(X, C), e(X, Y), C > 3.",
        START_MAX + "d(Y, max<C>) :- d(X, D), e(X, Y), C = D - 1.",
        "p(X, Y, C) :- e(X, Y, C). p(X, Y, C) :- e(X, Z, A), b(Z, Y, B), C = A + B. b(X, Y, min<C>) :- p(X, Y, C).",
        ".decl w(x: number, y: number, c: unsigned)\n.decl d(x: number, c: unsigned)\n.decl k(x: unsigned)\n"
        ".input w\n.input k\nd(x, min c : { k(c) }) :- w(x, _, _).\n",
    ],
)
def test_monotone_recursion_is_accepted(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y, W), C = W - D.", "strictly smaller"),
        (START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y, W), C = D * W.", "strictly smaller"),
        (START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y, W), C = min(D, W).", "strictly smaller"),
        (START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y), C = D / 2.", "strictly smaller"),
        (START_MAX + "d(Y, max<C>) :- d(X, D), e(X, Y), C = min(5, D) + 1.", "strictly greater"),
        (START_MAX + "d(Y, max<C>) :- d(X, D), e(X, Y, W), C = max(D, W).", "strictly greater"),
        (START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y, C).", "does not depend on the value `D`"),
        (START_MIN + "d(Y, min<C>) :- d(X, _), e(X, Y, C).", "read by a variable"),
        (START_MIN + "d(Y, min<C>) :- d(X, 3), e(X, Y, C).", "read by a variable"),
        (START_MIN + "d(Y, min<C>) :- d(X, C), e(X, Y, C).", "joined with another column"),
        (START_MIN + "d(Y, min<C>) :- d(X, C), e(X, Y), C > 3.", "fail this test"),
        (START_MIN + "d(Y, min<C>) :- d(X, C), e(X, Y), C != 3.", "fail this test"),
        (START_MIN + "d(Y, min<C>) :- d(X, C), d(Y, D), e(X, Y), C < D.", "fail this test"),
        (START_MAX + "d(Y, max<C>) :- d(X, C), e(X, Y), C < 3.", "fail this test"),
        (START_MIN + "d(Y, min<C>) :- d(X, C), e(X, Y), !f(C).", "in a negation"),
        (START_MIN + "d(Y, min<C>) :- d(X, C), e(X, Y), g(C + 1).", "inside an atom"),
        (START_MIN + "d(D, min<C>) :- d(X, D), e(X, C).", "not aggregated"),
        (START_MIN + "d(Y, min<C>) :- d(X, D), e(X, Y), N = count : { g(D, _) }, C = D + N.", "inside an aggregate"),
        (START_MIN + "r(X) :- d(X, _). d(X, min<C>) :- r(X), e(X, C).", "does not pass on the value"),
        (START_MIN + "r(X, D, D) :- d(X, D). d(X, min<C>) :- r(X, C, _).", "more than one column"),
    ],
)
def test_other_recursion_is_refused_with_its_reason(text: str, reason: str) -> None:
    findings = found(text)
    assert {finding.code for finding in findings} == {"TL505"}
    assert any(reason in finding.message for finding in findings)


def test_unsigned_weights_never_improve_a_minimum() -> None:
    text = (
        ".decl s(x: number, c: unsigned)\n.decl e(x: number, y: number, w: unsigned)\n.decl d(x: number, c: unsigned)\n"
        ".input s\n.input e\n"
        "d(x, min<c>) :- s(x, c).\n"
        "d(y, min<c>) :- d(x, a), e(x, y, w), c = a + w.\n"
        "d(y, min<c>) :- d(x, a), e(x, y, w), c = max(a, w).\n"
    )
    assert found(text) == []
    signed = found(text.replace("unsigned", "number"))
    assert [finding.code for finding in signed] == ["TL505"]


def test_capped_and_growing_rules_do_not_mix() -> None:
    text = START_MAX + (
        "d(Y, max<C>) :- d(X, D), e(X, Y, W), C = min(D, W).\nd(Y, max<C>) :- d(X, D), f(X, Y, W), C = D + W."
    )
    (finding,) = found(text)
    assert finding.code == "TL505"
    assert finding.span is not None
    assert finding.span.line == 2
    assert len(finding.related) == 1


@pytest.mark.parametrize(
    "text",
    [
        START_MIN + "d(Y, min<C>) :- d(X, C), e(X, Y). d(X, 0) :- o(X).",
        START_MIN + "d(Y, max<C>) :- d(X, C), e(X, Y).",
        "d(X, min<C>) :- u(X, C). u(X, max<C>) :- d(X, C).",
        "d(X, min<C>, max<E>) :- d(X, C, E).",
    ],
)
def test_rules_that_aggregate_differently_do_not_mix(text: str) -> None:
    assert {finding.code for finding in found(text)} == {"TL504"}


def test_body_aggregate_of_the_same_stratum_is_refused() -> None:
    assert [f.code for f in found("p(X, C) :- q(X, C). p(X, C) :- q(X, _), C = min D : { p(X, D) }.")] == ["TL503"]


def test_aggregates_outside_recursion_are_free() -> None:
    text = "p(X, min<C>, max<C>) :- q(X, C). r(X, C) :- p(X, C, C), C != 3. p(X, 0, 0) :- s(X)."
    assert found(text) == []


def test_a_rule_with_too_many_alternatives_is_refused() -> None:
    pairs = ", ".join(f"(e{i}(X) ; f{i}(X))" for i in range(40))
    (finding,) = found(START_MIN + f"d(X, min<C>) :- d(X, C), {pairs}.")
    assert "alternatives" in finding.message
