"""Demand: what is evaluated of relations that are asked for a part, and what is not restricted, and why."""

from __future__ import annotations

import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.program.values.pragmas import MAGIC, NO_MAGIC, values_of
from tidelog.rewrite import to_core
from tidelog.rewrite.demand.restrict import (
    ASKED_WHOLE,
    IN_MIN_MAX,
    LOCATED,
    UNSTRATIFIED,
    Demand,
    restrict_to_demand,
)
from tidelog.syntax import parse_program, print_rule

CLOSURE = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(Y, Z), edge(X, Y)."
SAME = "sg(X, X) :- node(X). sg(X, Y) :- par(X, P), sg(P, Q), par(Y, Q)."


def restricted(text: str, *names: str) -> Demand:
    return restrict_to_demand({rule.label or "": rule for rule in to_core(parse_program(text).rules)}, names)


def texts(demand: Demand) -> list[str]:
    return [print_rule(rule) for rule in demand.rules.values()]


def tree(height: int, program: str) -> Engine:
    """A complete binary tree: node N has the parent (N - 1) // 2."""
    count = 2**height - 1
    db = Engine(program)
    with db.epoch() as epoch:
        epoch.insert("par", [(n, (n - 1) // 2) for n in range(1, count)])
        epoch.insert("node", [(n,) for n in range(count)])
    return db


def test_same_generation_of_one_pair_does_not_compute_all_pairs() -> None:
    with tree(15, f'.pragma "magic-transform" "sg" {SAME}') as db:
        left, right, below = 2**14 - 1, 2**15 - 2, 2**13
        assert len(db.query(f"sg({left}, {right})")) == 1
        assert len(db.query(f"sg({left}, {below})")) == 0
        assert len(db["sg"]) == 0
        with db.epoch() as epoch:
            epoch.add_rule(f"out(X) :- sg({left}, X), X = {right}.")
        assert list(db["out"]) == [(right,)]
        assert len(db["sg"]) == 15  # the pairs on the way up; all of them are 358 million


def test_search_goes_on_from_what_is_known_wherever_it_stands_in_the_text() -> None:
    demand = restricted(f"{CLOSURE} out(Y) :- reach(1, Y).", "reach")
    assert demand.patterns == {"reach": ("bf",)}
    assert "r2/bf/asks0bf/1: __wanted_reach/bf(Y) :- __wanted_reach/bf(X), edge(X, Y)." in texts(demand)


def test_tests_bound_what_is_asked_for() -> None:
    fibonacci = "fib(N, A + B) :- num(N), N > 1, M = N - 1, K = N - 2, fib(M, A), fib(K, B). fib(0, 0). fib(1, 1)."
    numbers = "num(N) :- N = range(0, 80)."
    with Engine(f'.pragma "magic-transform" "fib" {fibonacci} {numbers} out(F) :- fib(10, F).') as db:
        assert list(db["out"]) == [(55,)]
        assert len(db["fib"]) == 11


def test_values_computed_from_what_is_asked_ask_for_nothing() -> None:
    text = "gen(X) :- seed(X). gen(X) :- gen(X + 1), valid(X). yes() :- gen(0)."
    demand = restricted(text, "gen")
    assert [text for text in texts(demand) if "asks" in text] == [
        "r2/b/asks0b/1/2: __wanted_gen/b(V1) :- __wanted_gen/b(X), V1 = X + 1, valid(X).",
        "r3/asks0b: __wanted_gen/b(0).",
    ]
    facts = "seed(5). seed(9). valid(0). valid(1). valid(2). valid(3). valid(4). valid(8)."
    with Engine(f'.pragma "magic-transform" "gen" {text} {facts}') as db:
        assert (list(db["yes"]), len(db["gen"])) == ([()], 6)


def test_negated_relation_is_asked_for_its_facts() -> None:
    text = f"{CLOSURE} far(X) :- node(X), !reach(1, X)."
    with Engine(
        f'.pragma "magic-transform" "reach" {text} edge(1, 2). edge(2, 3). edge(4, 5). node(3). node(5).'
    ) as db:
        assert list(db["far"]) == [(5,)]
        assert all(x != 4 for x, _ in db["reach"])


def test_group_of_an_aggregate_is_asked_for_and_its_value_is_not() -> None:
    text = "deg(X, count<Y>) :- edge(X, Y). out(N) :- deg(1, N). no(X) :- node(X), deg(X, 2)."
    with Engine(f'.pragma "magic-transform" "deg" {text} edge(1, 2). edge(1, 3). edge(4, 5). node(1).') as db:
        assert (list(db["out"]), list(db["no"]), list(db["deg"])) == ([(2,)], [(1,)], [(1, 2)])


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        (f"{CLOSURE} out(X, Y) :- reach(X, Y).", "reach", ASKED_WHOLE),
        ("p(@X, Y) :- e(@X, Y). out(@X) :- p(@X, 1).", "p", LOCATED),
        ("d(0, 0). d(Y, min<C>) :- d(X, B), e(X, Y, W), C = B + W. out(C) :- d(3, C).", "d", IN_MIN_MAX),
    ],
)
def test_relation_that_is_not_restricted_says_why(text: str, name: str, reason: str) -> None:
    demand = restricted(text, name)
    assert demand.whole.get(name, "") == reason


def test_demand_that_would_recur_through_negation_is_given_up() -> None:
    text = "a(X) :- n(X), !b(X). b(X) :- m(X, Y), c(X, Y). c(X, Y) :- m(X, Y). out(X) :- k(X, Y), a(X), c(X, Y), b(Y)."
    demand = restricted(text, "b", "c")
    assert (demand.patterns, demand.whole) == ({"b": ("b",), "c": ("bb",)}, {})
    # now what a asks of b comes from n, and so from out, which needs a and with it the absence from b
    assert restricted(f"{text} n(X) :- out(X), l(X).", "b", "c").whole == {"b": UNSTRATIFIED}


def test_outputs_are_whole() -> None:
    text = f'.pragma "magic-transform" "*" .output reach {CLOSURE} other(Y) :- reach(1, Y). edge(1, 2). edge(3, 4).'
    with Engine(text) as db:
        assert len(db["reach"]) == 2
        assert core_of(db).rules.restricted == {"other"}


def test_question_about_all_of_a_relation_gets_all_of_it() -> None:
    with Engine(f'.pragma "magic-transform" "*" {CLOSURE} edge(1, 2). edge(2, 3).') as db:
        assert sorted(db.query("reach(X, Y)")) == [(1, 2), (1, 3), (2, 3)]
        assert sorted(db.query("reach(2, Y)")) == [(3,)]
        assert len(db["reach"]) == 0


def test_explain_tells_what_is_asked() -> None:
    text = f"{CLOSURE} out(Y) :- reach(1, Y). edge(1, 2). all(X) :- other(X). other(X) :- edge(X, _)."
    with Engine(f'.pragma "magic-transform" "reach, other" {text}') as db:
        told = str(db.explain())
        assert "on demand\n  other: whole, all its facts are demanded\n  reach: demanded by column 1, 2 values" in told
        assert "__" not in told
        assert db.explain().to_json()["demand"][1]["asked"] == ((1,),)


def test_why_and_why_not_speak_of_the_users_rules() -> None:
    with Engine(f'.pragma "magic-transform" "reach" {CLOSURE} out(Y) :- reach(1, Y). edge(1, 2). edge(3, 4).') as db:
        assert "asked" not in str(db.why("reach(1, 2)"))
        assert "no rule demands this fact" in str(db.why_not("reach(3, 4)"))
        assert "asked for reach(1, _)" in str(db.why_not("reach(1, 4)"))


def test_magic_after_a_declaration_is_the_pragma_of_its_relation() -> None:
    text = '.pragma "magic-transform" "d, e" .decl a, b(x: number) magic\n.decl c(x: number) no_magic\n'
    assert values_of(parse_program(text), MAGIC) == ("d", "e", "a", "b")
    assert values_of(parse_program(text), NO_MAGIC) == ("c",)


def test_state_folder_keeps_demand(tmp_path) -> None:  # type: ignore[no-untyped-def]  # a fixture
    text = f'.pragma "magic-transform" "reach" {CLOSURE} out(Y) :- reach(1, Y).'
    with Engine(text, path=tmp_path) as db, db.epoch() as epoch:
        epoch.insert("edge", [(1, 2), (2, 3), (7, 8)])
    with Engine(path=tmp_path) as db:
        assert sorted(db["out"]) == [(2,), (3,)]
        with db.epoch() as epoch:
            epoch.delete("edge", [(2, 3)])
        assert (sorted(db["out"]), sorted(db["reach"])) == ([(2,)], [(1, 2)])
        assert db.verify()
