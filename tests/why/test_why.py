"""Proofs of facts: what they rest on, in whose words, and where they are cut."""

from __future__ import annotations

import datetime
import json
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.law.harness import Case, commit
from tests.why.judge import check_proof, texts
from tidelog import DataError, Engine, EngineError, ProgramError, user_function
from tidelog.engine.engine import core_of
from tidelog.engine.read.ask import ledger_of
from tidelog.syntax import parse_program
from tidelog.why import Absence, Condition, FactNode, GroupNode, NotTrueError, fact_key, prove
from tidelog.why.prove import Bounds
from tidelog.why.tree import AGAIN, CUT

REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."


def engine(text: str) -> Engine:
    return Engine(dedent(text))


def shown(db: Engine, fact: str, **bounds: int) -> str:
    """The tree alone, without the rules below it."""
    return str(db.why(fact, **bounds)).split("\n\n")[0]


def test_asserted_fact_is_its_own_proof() -> None:
    proof = engine("edge(1,2).").why("edge(1, 2)")
    assert str(proof) == "edge(1, 2)  asserted"
    assert (proof.root.relation, proof.root.values, proof.root.how) == ("edge", (1, 2), "asserted")


def test_recursive_proof_follows_rules_down_to_asserted_facts() -> None:
    db = engine(f"edge(1,2). edge(2,3). {REACH}")
    assert str(db.why("reach(1, 3)")) == dedent("""\
        reach(1, 3)  by r2
        ├─ edge(1, 2)  asserted
        └─ reach(2, 3)  by r1
           └─ edge(2, 3)  asserted

        r1: reach(X, Y) :- edge(X, Y).
        r2: reach(X, Z) :- edge(X, Y), reach(Y, Z).""")


def test_cycle_has_a_finite_proof() -> None:
    db = engine(f"edge(1,2). edge(2,1). edge(2,2). {REACH}")
    for fact in ("reach(1, 1)", "reach(2, 2)", "reach(1, 2)", "reach(2, 1)"):
        assert db.why(fact).exact


def test_proof_after_deletion_uses_the_way_that_is_left() -> None:
    db = engine(f"edge(1,2). edge(2,4). edge(1,3). edge(3,4). {REACH}")
    used = texts(db.why("reach(1, 4)"))
    gone = (1, 2) if "edge(1, 2)" in used else (1, 3)
    with db.epoch() as e:
        e.delete("edge", [gone])
    left = texts(db.why("reach(1, 4)"))
    assert f"edge{gone}" not in left
    assert "reach(1, 4)" in left


def test_fact_both_asserted_and_derived_is_told_as_asserted() -> None:
    db = engine(f"edge(1,2). reach(1,2). {REACH}")
    assert shown(db, "reach(1, 2)") == "reach(1, 2)  asserted"


def test_rule_without_body_is_a_support_of_its_own() -> None:
    assert shown(engine("r7: p(1)."), "p(1)") == "p(1)  by r7"


def test_negation_tells_what_is_absent() -> None:
    db = engine("node(1). node(2). edge(1,2). leaf(X) :- node(X), !edge(X, _). lone(X) :- node(X), !leaf(X).")
    assert shown(db, "leaf(2)") == "leaf(2)  by r1\n├─ node(2)  asserted\n└─ no edge(2, _)"
    assert shown(db, "lone(1)") == "lone(1)  by r2\n├─ node(1)  asserted\n└─ no leaf(1)"
    assert db.why("leaf(2)").root.premises[1] == Absence("edge(2, _)")


def test_comparisons_and_computed_values_are_told_with_their_values() -> None:
    db = engine("q(2). p(X + 1, Y) :- q(X), Y = X * 10, X < 5.")
    assert shown(db, "p(3, 20)") == dedent("""\
        p(3, 20)  by r1
        ├─ q(2)  asserted
        ├─ 20 = 2 * 10  (Y = X * 10)
        ├─ 2 < 5  (X < 5)
        └─ 3 = 2 + 1""")
    assert db.why("p(3, 20)").root.premises[2] == Condition("2 < 5", "X < 5")


def test_expressions_inside_atoms_are_told_without_invented_names() -> None:
    text = shown(engine("q(2). r(3). p(X) :- q(X), r(X + 1)."), "p(2)")
    assert text == "p(2)  by r1\n├─ q(2)  asserted\n├─ r(3)  asserted\n└─ 3 = 2 + 1"


def test_functions_and_ranges_are_told() -> None:
    double = user_function("double", ("number",), "number")(lambda x: 2 * x)
    db = Engine(
        'name("ab"). p(X, cat(X, "c")) :- name(X). t(double(N)) :- n(N). n(I) :- I = range(0, 3).', functions=[double]
    )
    assert "abc = cat(ab, c)" in shown(db, "p(ab, abc)")
    assert "4 = double(2)" in shown(db, "t(4)")
    assert "2 is in range(0, 3)" in shown(db, "t(4)")


def test_disjunction_tells_the_branch_that_held() -> None:
    db = engine("r(1). p(X) :- (q(X) ; r(X)). q(X) :- r(X), X > 5.")
    assert shown(db, "p(1)") == "p(1)  by r1\n└─ r(1)  asserted"


@pytest.mark.parametrize(
    ("fact", "first", "rows"),
    [
        ("deg(a, 2)", "count<*> = 2, over 2 rows", ["edge(a, b, 1)", "edge(a, c, 5)"]),
        ("load(a, 6)", "sum<C> = 6, over 2 rows", ["edge(a, b, 1)", "edge(a, c, 5)"]),
        ("avg(a, 3.0)", "mean<C> = 3.0, over 2 rows", ["edge(a, b, 1)", "edge(a, c, 5)"]),
        ("least(a, 1)", "min<C> = 1, the least of 2 candidates", ["edge(a, b, 1)"]),
        ("most(a, 5)", "max<C> = 5, the greatest of 2 candidates", ["edge(a, c, 5)"]),
        ("count(a, 2)", "count : { edge(X, Y, _) } = 2, over 2 rows", ["edge(a, b, 1)", "edge(a, c, 5)"]),
        ("top(a, 5)", "max C : { edge(X, _, C) } = 5, the greatest of 2 candidates", ["edge(a, c, 5)"]),
        ("count(z, 0)", "count : { edge(X, Y, _) } = 0, no rows", []),
    ],
)
def test_aggregate_tells_its_group(fact: str, first: str, rows: list[str]) -> None:
    db = engine("""
        edge(a, b, 1). edge(a, c, 5). edge(b, c, 7). node(a). node(z).
        deg(X, count<*>) :- edge(X, _, _).  load(X, sum<C>) :- edge(X, _, C).  avg(X, mean<C>) :- edge(X, _, C).
        least(X, min<C>) :- edge(X, _, C).  most(X, max<C>) :- edge(X, _, C).
        count(X, N) :- node(X), N = count : { edge(X, Y, _) }.
        top(X, N) :- node(X), N = max C : { edge(X, _, C) }.
    """)
    proof = db.why(fact)
    assert first in str(proof)
    (group,) = [node for node in proof.root.premises if isinstance(node, GroupNode)]
    assert [part.text for row in group.rows for part in row if isinstance(part, FactNode)] == rows
    assert "__" not in str(proof)


def test_aggregates_of_programs_without_text_are_told_too() -> None:
    text = "e(a, 1). n(a). n(b). p(X, N) :- n(X), N = count : { e(X, _) }. q(X, min<C>) :- e(X, C)."
    db = Engine(without_spans(parse_program(text)))
    assert "count : { e(X, _) } = 1, over 1 row" in shown(db, "p(a, 1)")
    assert "count : { e(X, _) } = 0, no rows" in shown(db, "p(b, 0)")
    assert "min<C> = 1, the only candidate" in shown(db, "q(a, 1)")
    assert db.why_not("p(b, 2)").attempts[0].failed == "count : { e(X, _) } = 2"


def without_spans(value: Any) -> Any:
    """A program as values alone, as a state folder gives it back."""
    if isinstance(value, tuple):
        return tuple(map(without_spans, value))
    if not is_dataclass(value):
        return value
    kept = {f.name: without_spans(getattr(value, f.name)) for f in fields(value) if f.compare}
    return type(value)(**kept)


def test_float_sum_over_nothing_is_a_float() -> None:
    db = engine("node(a). w(b, 1.5). s(X, S) :- node(X), S = sum C : { w(X, C) }.")
    assert "= 0.0, no rows" in shown(db, "s(a, 0.0)")


def test_literals_that_bind_a_group_are_told_once() -> None:
    db = engine("n(3). e(1). e(2). r(X, C) :- n(X), C = count : { e(Y), Y < X }.")
    assert shown(db, "r(3, 2)").count("n(3)") == 1


def test_min_in_recursion_names_the_rule_that_decided() -> None:
    db = engine("""
        source(a). edge(a, b, 1). edge(b, c, 2). edge(a, c, 5). edge(c, a, 0).
        dist(X, min<C>) :- source(X), C = 0.
        dist(Y, min<D + C>) :- dist(X, D), edge(X, Y, C).
    """)
    assert shown(db, "dist(c, 3)") == dedent("""\
        dist(c, 3)  by r2
        └─ min<D + C> = 3, the least of 2 candidates
           ├─ dist(b, 1)  by r2
           │  └─ min<D + C> = 1, the only candidate
           │     ├─ dist(a, 0)  by r1
           │     │  └─ min<C> = 0, the least of 2 candidates
           │     │     ├─ source(a)  asserted
           │     │     └─ C = 0
           │     ├─ edge(a, b, 1)  asserted
           │     └─ 1 = 0 + 1
           ├─ edge(b, c, 2)  asserted
           └─ 3 = 1 + 2""")


def test_several_aggregates_of_one_head_have_a_group_each() -> None:
    db = engine("e(a, 1). e(a, 5). m(X, min<C>, max<C>) :- e(X, C).")
    text = shown(db, "m(a, 1, 5)")
    assert "min<C> = 1, the least of 2 candidates" in text
    assert "max<C> = 5, the greatest of 2 candidates" in text


def test_rows_of_several_premises_stand_together() -> None:
    text = shown(engine("q(1). q(2). r(5). c(count<*>) :- q(X), r(Y)."), "c(2)")
    assert "row 1\n" in text
    assert "row 2\n" in text


def test_repeated_subproof_is_shown_once() -> None:
    db = engine("a(1). b(X) :- a(X). c(X) :- b(X). d(X) :- b(X), c(X), b(X).")
    proof = db.why("d(1)")
    assert str(proof).count("a(1)  asserted") == 1
    assert [node.how for node in proof.facts() if node.text == "b(1)"] == ["derived", AGAIN]
    assert "b(1)  as above" in str(proof)


def test_depth_is_cut_with_a_count() -> None:
    db = engine(f"edge(1,2). edge(2,3). edge(3,4). edge(4,5). {REACH}")
    proof = db.why("reach(1, 5)", depth=1)
    assert proof.root.premises[1].how == CUT  # type: ignore[union-attr]  # a fact
    assert (proof.hidden, proof.exact) == (5, True)
    assert str(proof).endswith("5 more facts of the proof are not shown")


def test_number_of_facts_is_cut_with_a_lower_bound() -> None:
    edges = "".join(f"edge({i},{i + 1})." for i in range(50))
    proof = engine(edges + REACH).why("reach(0, 50)", nodes=10)
    assert not proof.exact
    assert len(list(proof.facts())) <= 12


def test_large_group_is_cut_with_a_count() -> None:
    db = Engine("deg(X, count<*>) :- edge(X, _).")
    with db.epoch() as e:
        e.insert("edge", [(1, i) for i in range(5000)])
    proof = db.why("deg(1, 5000)", width=3)
    (group,) = proof.root.premises
    assert isinstance(group, GroupNode)
    assert (group.size, len(group.rows), group.hidden) == (5000, 3, 4997)
    assert "... 4,997 more rows" in str(proof)


def test_deep_proof_is_told_whole_without_recursion() -> None:
    steps = 2 * sys.getrecursionlimit()
    db = engine(f"c(0). c(X + 1) :- c(X), X < {steps}.")
    proof = db.why(f"c({steps})", depth=steps + 1, nodes=2 * steps)
    assert sum(1 for node in proof.facts()) == steps + 1
    assert proof.exact
    assert max(map(len, str(proof).splitlines())) < 120
    assert len(json.loads(proof.json())["facts"]) == steps + 1


def test_json_is_flat_and_names_facts_by_number() -> None:
    db = engine(f"edge(1,2). edge(2,3). {REACH} deg(X, count<*>) :- reach(X, _).")
    told = db.why("deg(1, 2)").to_json()
    assert told["facts"][0]["text"] == "deg(1, 2)"
    (group,) = told["facts"][0]["premises"]
    assert group["aggregate"] == "count"
    assert group["value"] == 2
    named = {part["fact"] for row in group["rows"] for part in row}
    assert named <= {fact["id"] for fact in told["facts"]}
    assert set(told["rules"]) == {"r1", "r2", "r3"}


def test_question_is_narrowed_by_indexes_which_are_kept_like_those_of_queries() -> None:
    db = Engine(REACH)
    with db.epoch() as e:
        e.insert("edge", [(i, i + 1) for i in range(0, 40_000, 2)] + [(1, 2), (3, 4)])
    relations = core_of(db).runtime.node.partition.relations
    before = relations.index_columns()
    key = fact_key("reach", (0, 2), ("number", "number"), core_of(db).runtime.node.partition.dictionary)
    assert prove(ledger_of(core_of(db), 50), key, Bounds()).exact
    assert relations.index_columns().keys() - before.keys() == relations.lent


def test_question_changes_nothing() -> None:
    db = engine(f"edge(1,2). edge(2,3). {REACH} deg(X, min<Y>) :- reach(X, Y).")
    before = db.state()
    db.why("deg(1, 2)")
    db.why_not("deg(3, 2)")
    assert db.state() == before


@pytest.mark.parametrize("fact", ["p(a, [1, b])", ("p", ("a", (1, "b"))), ("p", ["a", [1, "b"]])])
def test_facts_are_given_as_text_or_values(fact: object) -> None:
    db = engine("q(a, [1, b]). p(X, L) :- q(X, L).")
    assert db.why(fact).root.values == ("a", (1, "b"))  # type: ignore[arg-type]  # both forms


def test_dates_are_written_as_symbols() -> None:
    db = Engine("p(X, D) :- q(X, D).")
    with db.epoch() as e:
        e.insert("q", [(1, datetime.date(2024, 2, 29))])
    proof = db.why('p(1, "2024-02-29")')
    assert proof.root.values == (1, datetime.date(2024, 2, 29))
    assert json.loads(proof.json())["facts"][0]["values"] == [1, "2024-02-29"]
    with pytest.raises(DataError, match="not a date"):
        db.why('p(1, "soon")')


def test_state_that_was_opened_again_is_explained_alike(tmp_path: Path) -> None:
    text = f"edge(1,2). edge(2,3). {REACH} n(X, C) :- edge(X, _), C = count : {{ reach(X, _) }}."
    with Engine(text, path=tmp_path / "state") as db:
        before = str(db.why("n(1, 2)"))
    with Engine(path=tmp_path / "state") as db:
        assert str(db.why("n(1, 2)")) == before


def test_absent_fact_has_no_proof() -> None:
    with pytest.raises(NotTrueError, match=r"`reach\(2, 1\)` is not true; use `why_not`"):
        engine(f"edge(1,2). {REACH}").why("reach(2, 1)")


@pytest.mark.parametrize(
    ("fact", "error", "words"),
    [
        ("reech(1, 2)", EngineError, "did you mean `reach`"),
        ("__val_r1(1)", EngineError, "unknown relation"),
        ("reach(1)", DataError, "has 2 columns"),
        ("reach(1, b)", DataError, "reach, column 2"),
        ("reach(1", ProgramError, "TL"),
        ("reach(_, 2)", ProgramError, "TL124"),
    ],
)
def test_wrong_question_gets_an_error(fact: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        engine(f"edge(1,2). {REACH}").why(fact)


def test_souffle_symbols_are_quoted_as_the_program_writes_them() -> None:
    db = engine('.decl q(x: symbol)\n.decl p(x: symbol)\nq("a"). p(x) :- q(x).')
    assert shown(db, "p(a)") == 'p("a")  by r1\n└─ q("a")  asserted'


@pytest.mark.parametrize("seed", range(12))
def test_every_step_of_a_random_proof_is_repeated_by_the_naive_evaluator(seed: int) -> None:
    """Notices wrong premises, missing ones, rising ranks and words of rewrites; not whether a nicer proof exists."""
    case = Case.random(seed, "all", 2)
    db = Engine(case.program)
    for change in case.changes:
        commit(db, change, case.program.convention)
    rules = {label: db.rule(label) for label in db.rules}
    for name in db.relations:
        for row in db[name].head(3):
            proof = db.why((name, row), depth=10**6, width=10**6, nodes=10**6)
            assert "__" not in str(proof)
            check_proof(db, proof, rules, case.program)


def test_a_proof_with_records_algebraic_values_and_infinity_has_json() -> None:
    types = ".type P = [a: number, b: symbol]\n.type T = Leaf {v: P} | Nil {}\n"
    relations = ".decl p(x: P, y: T, z: float) .decl q(x: P, y: T, z: float)\nq(x, y, z) :- p(x, y, z).\n"
    proof = Engine(types + relations + 'p(nil, $Leaf([1, "a, b"]), 1.0Inf).').why('q(nil, $Leaf([1, "a, b"]), 1.0Inf)')
    values = json.loads(proof.json())["facts"][0]["values"]
    assert values == ["nil", '$Leaf([1, "a, b"])', "Infinity"]


EQUIVALENCE = """
.decl q(x: number, y: number) eqrel
.decl b(x: number, y: number)
q(x, y) :- b(x, y).
b(1, 2). b(2, 3). b(7, 8).
"""


def test_a_proof_of_an_equivalence_relation_names_its_declaration_and_classes() -> None:
    assert str(Engine(EQUIVALENCE).why("q(3, 1)")).splitlines() == [
        "q(3, 1)  by .decl q",
        "├─ 3 is in the class of 1",
        "│  ├─ 2 is in the class of 1",
        "│  │  ├─ 1 is the least of its class",
        "│  │  │  └─ b(1, 2)  asserted",
        "│  │  └─ b(1, 2)  asserted",
        "│  └─ b(2, 3)  asserted",
        "└─ 1 is the least of its class",
        "   └─ b(1, 2)  asserted",
        "",
        "r1: q(x, y) :- b(x, y).",
        ".decl q(x: number, y: number) eqrel",
    ]


def test_a_proof_of_a_chosen_fact_names_the_rule_that_proposed_it() -> None:
    db = Engine(
        ".decl b(x: number, y: number) .decl c(x: number, y: number) choice-domain x\nc(x, y) :- b(x, y). b(1, 2)."
    )
    proof = db.why("c(1, 2)")
    assert (proof.root.rule, dict(proof.rules)) == ("r1", {"r1": "r1: c(x, y) :- b(x, y)."})


@pytest.mark.parametrize("seed", range(20))
def test_every_rule_that_a_proof_names_is_listed_and_is_in_the_program(seed: int) -> None:
    case = Case.random(seed, "all", 1)
    program = case.program
    db = Engine(program)
    for change in case.changes:
        commit(db, change, program.convention)
    for name in db.relations:
        for row in db[name].head(2):
            proof = db.why((name, row))
            named = {node.rule for node in proof.facts() if node.rule is not None}
            assert named <= proof.rules.keys()
            assert all(label in db.rules or label.startswith(".decl ") for label in proof.rules)
