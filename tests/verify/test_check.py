"""Verdicts on small states: what is named, and in which words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tidelog.engine.engine import Engine
from tidelog.errors import EngineError
from tidelog.program.functions.table import user_function
from tidelog.program.values.state import EngineState, FactState
from tidelog.syntax import parse_program
from tidelog.verify import Certificate, Violation, verify

CLOSURE = "r1: reach(X, Y) :- edge(X, Y).  r2: reach(X, Z) :- edge(X, Y), reach(Y, Z)."


def state(**relations: dict[tuple[object, ...], tuple[int, bool]]) -> EngineState:
    """A state of relations of numbers: each row with its rank and whether it is asserted."""
    facts = {n: {r: FactState(rank, 1, 1, given) for r, (rank, given) in rows.items()} for n, rows in relations.items()}
    types = {n: ("number",) * len(next(iter(rows))) for n, rows in relations.items() if rows}
    return EngineState(facts, (), (), types)


def base(*rows: tuple[object, ...]) -> dict[tuple[object, ...], tuple[int, bool]]:
    return dict.fromkeys(rows, (0, True))


def test_certificate_counts_facts_rules_and_supports() -> None:
    db = Engine(CLOSURE + " edge(1, 2). edge(2, 3).")
    verdict = db.verify()
    assert isinstance(verdict, Certificate)
    assert (verdict.facts, verdict.rules, verdict.strata, verdict.supports) == (5, 2, 1, 3)
    assert str(verdict).startswith("certified: 5 facts of 2 relations are the least model of 2 rules")


def test_missing_fact_is_named_with_rule_and_body() -> None:
    held = state(edge=base((1, 2), (2, 4)), reach={(1, 2): (1, False), (2, 4): (2, False)})
    verdict = verify(parse_program(CLOSURE), None, held)
    assert str(verdict) == (
        "not closed: r2 derives reach(1, 4) from edge(1, 2), reach(2, 4), but reach(1, 4) is missing from the state"
    )
    assert isinstance(verdict, Violation)
    assert (verdict.rule, verdict.fact) == ("r2", ("reach", (1, 4)))


def test_facts_that_support_only_each_other_are_unfounded_whatever_their_ranks() -> None:
    program = parse_program("p(X) :- e(X). p(X) :- q(X). q(X) :- p(X).")
    for ranks in [(1, 2), (2, 1), (1, 1), (5, 9)]:
        p = {(0,): (1, False), (7,): (ranks[0], False)}
        q = {(0,): (2, False), (7,): (ranks[1], False)}
        held = state(e=base((0,)), p=p, q=q)
        verdict = verify(program, None, held)
        assert isinstance(verdict, Violation)
        assert verdict.kind == "unfounded"
        assert verdict.fact in [("p", (7,)), ("q", (7,))]


def test_rank_of_a_fact_must_be_above_those_of_one_support() -> None:
    program = parse_program(CLOSURE)
    reach = {(1, 2): (5, False), (2, 3): (6, False), (1, 3): (6, False)}
    assert str(verify(program, None, state(edge=base((1, 2), (2, 3)), reach=reach))) == (
        "unfounded: reach(1, 3) has no support of lower rank"
    )
    assert verify(program, None, state(edge=base((1, 2), (2, 3)), reach={**reach, (1, 3): (7, False)}))


def test_fact_of_a_relation_without_rules_must_be_asserted() -> None:
    held = state(edge={(1, 2): (0, False)})
    assert str(verify(parse_program(""), None, held)) == (
        "unfounded: edge(1, 2) is not asserted, and its relation has no rules"
    )


def test_asserted_fact_that_is_not_held_is_named() -> None:
    verdict = verify(parse_program("p(X) :- e(X)."), {"e": [(1,)]}, state(e={}, p={}))
    assert str(verdict) == "base: e(1) is asserted, but missing from the state"


def test_negated_relation_that_changed_is_found_above() -> None:
    program = parse_program("p(X) :- e(X), !q(X).")
    assert verify(program, None, state(e=base((1,), (2,)), q=base((2,)), p={(1,): (1, False)}))
    verdict = verify(program, None, state(e=base((1,), (2,)), q={}, p={(1,): (1, False)}))
    assert str(verdict) == "not closed: r1 derives p(2) from e(2), but p(2) is missing from the state"
    assert not verify(program, None, state(e=base((1,), (2,)), q=base((1,), (2,)), p={(1,): (1, False)}))


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("n(count<*>) :- e(_, _).", 3, 2),
        ("n(sum<Y>) :- e(_, Y).", 9, 7),
        ("n(min<Y>) :- e(_, Y).", 2, 3),
        ("n(C) :- C = max Y : { e(X, Y), X < 3 }.", 5, 2),
        ("n(C) :- C = count : { e(X, _), !e(_, X) }.", 3, 2),
    ],
)
def test_value_of_an_aggregate_is_checked(text: str, right: int, wrong: int) -> None:
    edges = base((1, 2), (1, 5), (3, 2))
    program = parse_program(text)
    assert verify(program, None, state(e=edges, n={(right,): (0, False)}))
    assert not verify(program, None, state(e=edges, n={(wrong,): (0, False)}))
    assert not verify(program, None, state(e=edges, n={}))


@pytest.mark.parametrize(
    "text",
    [
        "q(X) :- e(X), X = max Z : { e(Z) }. e(0). e(1).",
        "q(X) :- e(X), N = max Z : { e(Z) }, N = X. e(0). e(1).",
        "q(X, Y) :- e(X, Y), X = count : { e(_, Y) }. e(0, 1). e(1, 1). e(1, 2). e(2, 1).",
    ],
)
def test_aggregate_equal_to_a_variable_that_has_a_value_is_a_test(text: str) -> None:
    assert Engine(text).verify()


def test_shortest_paths_that_support_each_other_are_unfounded() -> None:
    db = Engine("d(0, min<C>) :- C = 0, e(0, _, _). d(Y, min<C>) :- d(X, B), e(X, Y, W), C = B + W.")
    with db.epoch() as epoch:
        epoch.insert("e", [(0, 1, 4), (1, 2, 0), (2, 1, 0), (0, 2, 9)])
    assert db.verify()
    held = db.state()
    facts = {name: dict(rows) for name, rows in held.facts.items()}
    facts["d"] = {(0, 0): facts["d"][0, 0], (1, 3): FactState(8, 1, 1, False), (2, 3): FactState(9, 1, 1, False)}
    verdict = verify(db.program, None, replace(held, facts=facts))
    assert isinstance(verdict, Violation)
    assert verdict.kind == "unfounded"
    facts["d"] = {(0, 0): facts["d"][0, 0], (1, 5): FactState(8, 1, 1, False), (2, 5): FactState(9, 1, 1, False)}
    verdict = verify(db.program, None, replace(held, facts=facts))
    assert isinstance(verdict, Violation)
    assert (verdict.kind, verdict.fact) == ("not closed", ("d", (1, 4)))


def test_value_that_cannot_be_computed_is_a_violation_that_names_the_rule() -> None:
    verdict = verify(parse_program("half: p(Y) :- e(X), Y = 6 / X."), None, state(e=base((0,)), p={}))
    assert str(verdict) == "undefined: half cannot be evaluated over the state: division by zero: 6 / 0"


def test_user_functions_are_evaluated() -> None:
    twice = user_function("twice", ("number",), "number")(lambda x: 2 * x)
    db = Engine("p(Y) :- e(X), Y = twice(X). e(4).", functions=[twice])
    assert db.verify()


def test_program_that_is_not_stratified_has_no_certificate() -> None:
    from tidelog.verify.normal import to_clause
    from tidelog.verify.strata import stratify

    rules = parse_program("p(X) :- e(X), !q(X). q(X) :- p(X).").rules
    with pytest.raises(EngineError, match="not stratified"):
        stratify([to_clause(rule) for rule in rules])


def test_auxiliary_relations_are_no_part_of_the_claim() -> None:
    db = Engine("p(X) :- e(X), !f(X, _). e(1). e(2). f(2, 3).")
    held = db.state()
    assert any(name.startswith("__") for name in held.facts)
    kept = {name: rows for name, rows in held.facts.items() if not name.startswith("__")}
    assert verify(db.program, None, replace(held, facts=kept))


def test_large_recursion_is_certified_and_one_lost_fact_found() -> None:
    db = Engine(CLOSURE)
    with db.epoch() as epoch:
        epoch.insert("edge", [(i, (i * 7 + 3) % 101) for i in range(101)] + [(i, i + 1) for i in range(100)])
    assert db.verify()
    held = db.state()
    facts = {name: dict(rows) for name, rows in held.facts.items()}
    del facts["reach"][next(reversed(facts["reach"]))]
    assert not verify(db.program, None, replace(held, facts=facts))


@pytest.mark.parametrize(
    "text",
    [
        "v(W, M) :- M = max C : { e(Z, C) }, e(W, M). e(0, 2). e(1, 3).",
        "v(W, M) :- e(W, M), M = range(3, 5). e(0, 2). e(1, 3).",
    ],
)
def test_value_that_an_atom_has_bound_is_compared_with_the_aggregate_or_range(text: str) -> None:
    with Engine(text) as db:
        assert list(db["v"]) == [(1, 3)]
        assert db.verify()
