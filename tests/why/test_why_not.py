"""Why facts are absent: how far each rule gets."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from tests.law.harness import Case, commit
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.engine.read.ask import ledger_of
from tidelog.why import WhyNot, fact_key, refute

REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."


def why_not(program: str, fact: str) -> WhyNot:
    return Engine(dedent(program)).why_not(fact)


def failed(program: str, fact: str) -> list[tuple[str, str]]:
    """What fails and why, rule by rule."""
    return [(attempt.failed, attempt.reason) for attempt in why_not(program, fact).attempts]


def test_each_rule_tells_the_atom_that_fails_and_the_bindings_that_got_furthest() -> None:
    told = why_not(f"edge(1,2). edge(1,3). edge(3,4). {REACH}", "reach(1, 9)")
    assert not told.present
    assert str(told) == dedent("""\
        reach(1, 9) is not true: it is not asserted, and no rule derives it

        r1: reach(X, Y) :- edge(X, Y).
          fails  edge(1, 9): no such fact
          with   X = 1, Y = 9

        r2: reach(X, Z) :- edge(X, Y), reach(Y, Z).
          holds  edge(1, 2)
          fails  reach(2, 9): no such fact
          with   X = 1, Y = 2, Z = 9 (one of 2 attempts that get this far)""")


def test_present_fact_is_said_to_be_present() -> None:
    told = why_not("edge(1,2).", "edge(1, 2)")
    assert told.present
    assert str(told) == "edge(1, 2) is true: ask `why`"


def test_base_fact_without_rules_is_not_asserted() -> None:
    assert why_not("edge(1,2).", "edge(2, 1)").note == "it is not asserted, and `edge` has no rules"


def test_negation_names_the_fact_in_the_way() -> None:
    program = "node(1). edge(1,7). leaf(X) :- node(X), !edge(X, _). q(X) :- node(X), !node(X)."
    assert failed(program, "leaf(1)") == [("!edge(1, _)", "edge(1, 7) is true")]
    assert failed(program, "q(1)") == [("!node(1)", "node(1) is true")]


def test_comparison_is_told_with_its_values() -> None:
    assert failed("q(9). p(X) :- q(X), X < 5.", "p(9)") == [("9 < 5", "it is false (X < 5)")]


def test_head_that_cannot_be_the_fact_is_told() -> None:
    program = "q(1). p(1, X) :- q(X). p(X, X) :- q(X)."
    assert failed(program, "p(2, 1)") == [
        ("p(1, X)", "its column 1 is not 2"),
        ("p(X, X)", "its column 2 is not 1"),
    ]


def test_head_that_computes_another_value_is_told() -> None:
    (attempt,) = why_not("q(3). p(X * 2) :- q(X).", "p(7)").attempts
    assert attempt.failed == "7 = 3 * 2"
    assert attempt.reason == "the head computes column 1 as X * 2"


@pytest.mark.parametrize(
    ("fact", "what", "reason"),
    [
        ("deg(a, 7)", "count<*> = 7", "it is 2 in this group"),
        ("least(a, 5)", "min<C> = 5", "it is 1 in this group"),
        ("deg(z, 1)", "edge(z, _, _)", "no fact matches"),
        ("least(z, 1)", "edge(z, _, C)", "no fact matches"),
        ("total(a, 9)", "sum C : { edge(X, _, C) } = 9", "its value is 6"),
        ("total(q, 9)", "node(q)", "no such fact"),
        ("top(z, 3)", "max C : { edge(X, _, C) } = 3", "it has no rows"),
        ("both(a, 1, 4)", "max<C> = 4", "its value is 5"),
    ],
)
def test_aggregates_tell_the_value_they_have(fact: str, what: str, reason: str) -> None:
    program = """
        edge(a, b, 1). edge(a, c, 5). node(a). node(z).
        deg(X, count<*>) :- edge(X, _, _).  least(X, min<C>) :- edge(X, _, C).
        total(X, S) :- node(X), S = sum C : { edge(X, _, C) }.  top(X, S) :- node(X), S = max C : { edge(X, _, C) }.
        both(X, min<C>, max<C>) :- edge(X, _, C).
    """
    assert failed(program, fact) == [(what, reason)]


def test_pooled_rules_are_told_together() -> None:
    program = "s(a). e(a, b, 1). d(X, min<C>) :- s(X), C = 0. d(Y, min<D + C>) :- d(X, D), e(X, Y, C)."
    (attempt,) = why_not(program, "d(b, 4)").attempts
    assert attempt.rule == "r1, r2"
    assert [a.rule for a in why_not(program, "d(c, 4)").attempts] == ["r1", "r2"]


def test_every_branch_of_a_disjunction_is_tried() -> None:
    assert failed("q(1). r(2). p(X) :- (q(X) ; r(X)).", "p(3)") == [("q(3)", "no such fact"), ("r(3)", "no such fact")]


def test_search_that_grows_too_large_is_stopped_and_says_so() -> None:
    db = Engine("p() :- a(X), b(Y), X + Y < 0.")
    with db.epoch() as e:
        e.insert("a", [(i,) for i in range(100)])
        e.insert("b", [(i,) for i in range(100)])
    told = refute(ledger_of(core_of(db), 500), fact_key("p", (), (), core_of(db).runtime.node.partition.dictionary))
    (attempt,) = told.attempts
    assert not attempt.complete
    assert "the search was stopped" in str(told)


def test_json_has_everything() -> None:
    told = json.loads(json.dumps(why_not(f"edge(1,2). {REACH}", "reach(2, 1)").to_json()))
    assert told["present"] is False
    assert [attempt["rule"] for attempt in told["attempts"]] == ["r1", "r2"]


@pytest.mark.parametrize("seed", range(12))
def test_absent_facts_of_random_programs_are_refuted_rule_by_rule(seed: int) -> None:
    case = Case.random(seed, "all", 2)
    db = Engine(case.program)
    for change in case.changes:
        commit(db, change, case.program.convention)
    heads = [db.rule(label).head.predicate for label in db.rules]
    for name in db.relations:
        for row in db[name].head(3):
            other = tuple(value + 1 if isinstance(value, int | float) else value for value in row)
            told = db.why_not((name, other))
            assert told.present == (other in db[name])
            assert told.present or bool(told.attempts) == (name in heads)
            assert "__" not in str(told)


def test_copies_of_several_partitions_are_told_as_what_they_copy() -> None:
    text = "r1 reach(@S, D) :- link(@S, Z), hop(@Z, D). link(1, 2). link(1, 3). hop(4, 5)."
    with Engine(text) as one, Engine(text, partitions=2) as two:
        told = str(one.why_not("reach(1, 5)"))
        assert "no such fact" in told
        assert str(two.why_not("reach(1, 5)")).replace("@", "") == told.replace("@", "")


def test_negated_copies_of_walks_and_projections_are_told_as_the_rule_writes_them() -> None:
    """On several partitions they were reported as a count of no rows, and two of them as one."""
    text = """
        r1 back(X, Y) :- q(X, Y), r(X), !q(Y, _), !follows*(X, Y), !follows*(Y, X).
        q(5, 8). q(1, 3). q(4, 5). r(1). r(4). r(5). follows(1, 2). follows(2, 3)."""
    with Engine(text) as one, Engine(text, partitions=3) as two:
        assert "no follows*(8, 5)" in str(one.why("back(5, 8)"))
        assert str(two.why("back(5, 8)")) == str(one.why("back(5, 8)"))
        for absent in ("back(1, 3)", "back(4, 5)", "back(2, 2)"):
            assert str(two.why_not(absent)) == str(one.why_not(absent))


def test_rule_that_is_labelled_like_its_relation_is_no_copy() -> None:
    db = Engine("p: p(X) :- q(X, Y).  r(X) :- s(X), !p(X).  s(1). s(2). q(2, 3).")
    assert "no p(1)" in str(db.why("r(1)"))
    assert "!p(2): p(2) is true" in str(db.why_not("r(2)"))


@pytest.mark.parametrize("work", range(12))
def test_answer_is_told_with_however_little_work(work: int) -> None:
    """Looking for what a negated atom forbids may run out of work too: `OutOfWorkError` never leaves the package."""
    db = Engine("n(1). e(1, 5). e(1, 6). e(2, 5). leaf(X) :- n(X), !e(X, _).")
    core = core_of(db)
    told = refute(ledger_of(core, work), fact_key("leaf", (1,), ("number",), core.dictionary))
    assert [attempt.failed for attempt in told.attempts] in (["!e(1, _)"], ["n(1)"])
    assert "__" not in str(told)


@pytest.mark.parametrize(
    ("fact", "note"),
    [
        ("q(1, 7)", "`q` is an equivalence relation, and 1 and 7 are in different classes"),
        ("q(1, 9)", "`q` is an equivalence relation, and nothing relates 9 to any value"),
    ],
)
@pytest.mark.parametrize("more", ["", "q(x, y) :- q(x, z), b(z, y)."])
def test_an_equivalence_relation_tells_of_classes(fact: str, note: str, more: str) -> None:
    program = (
        ".decl q(x: number, y: number) eqrel\n.decl b(x: number, y: number)\nq(x, y) :- b(x, y).\nb(1, 2). b(7, 8).\n"
    )
    answer = Engine(program + more).why_not(fact)
    assert answer.note == note
    assert [attempt.rule for attempt in answer.attempts][:1] == ["r1"]
    assert "  = " not in str(answer)


def test_a_subsumed_fact_tells_which_column_has_another_value() -> None:
    program = ".decl b(x: number, y: number) .decl s(x: number, y: number)\ns(x, y) :- b(x, y).\n"
    more = "s(x, y) <= s(x, z) :- y <= z. b(1, 2). b(1, 3)."
    (attempt,) = Engine(program + more).why_not("s(1, 2)").attempts
    assert (attempt.failed, attempt.reason) == ("column 2 = 2", "it is 3 in this group")
