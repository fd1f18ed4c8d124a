"""Names of variables inside and outside of aggregates: what is reported about them, and what is not rewritten."""

from __future__ import annotations

import pytest

from tidelog import Engine
from tidelog.program.check import examine_program
from tidelog.program.elaborate.separate_scopes import scoped_rule
from tidelog.syntax import parse_program, parse_rule, print_rule


def codes(text: str) -> list[tuple[str, str]]:
    return [(f.code, f.span.text if f.span else "") for f in examine_program(parse_program(text))[1]]


@pytest.mark.parametrize(
    "text",
    [
        "p(X, C) :- n(X), C = count : { e(X, _) }.",
        "p(X, C) :- n(X), C = sum D : { e(X, D) }, D1 = C, D1 > 0.",
        "p(X) :- n(X).",
        "best(X, min<C>) :- e(X, C).",
    ],
)
def test_rule_without_shared_names_stays_as_it_is(text: str) -> None:
    rule = parse_rule(text)
    assert scoped_rule(rule) is rule


@pytest.mark.parametrize(
    "text", ["v(A) :- A = max A : { e(A, _) }.", "v(A, B) :- _ = min A + B : { e(A, B) }.", "v(sum X : { n(X) })."]
)
def test_scoping_again_changes_nothing(text: str) -> None:
    once = scoped_rule(parse_rule(text))
    assert scoped_rule(once) == once


def test_scoped_rule_remembers_the_rule_of_the_text() -> None:
    rule = parse_rule("r7: v(A) :- A = max A : { e(A, _) }.")
    assert scoped_rule(rule).root == rule
    assert scoped_rule(rule).label == "r7"


def test_count_has_no_witness() -> None:
    assert codes("v(W, C) :- C = count : { e(W, _) }.") == [("TL308", "W")]


def test_witness_of_a_min_that_reads_an_outer_aggregate_is_refused() -> None:
    assert [code for code, _ in codes("v(R, W) :- R = count : { n(X), X > min Y : { e(X, Y, W) } }.")] == ["TL308"]


def test_variable_bound_nowhere_is_told_once() -> None:
    assert codes("v(X, W) :- X = max Y : { n(Y), Y < Z }, n(W).") == [("TL309", "Z")]


def test_text_of_rules_stays_the_users() -> None:
    text = "v1: v(A) :- A = max A : { n(A) }."
    with Engine(text) as db:
        assert db.rules == {"v1": text}
        assert print_rule(db.rule("v1")) == text


def test_witnesses_are_proved_by_the_facts_beside_the_value() -> None:
    with Engine('tallest(S, N) :- N = max H : { height(S, H) }. height("ann", 170). height("bob", 180).') as db:
        assert list(db["tallest"]) == [("bob", 180)]
        assert "height" in str(db.why('tallest("bob", 180)'))
