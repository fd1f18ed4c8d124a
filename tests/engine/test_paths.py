"""Paths in the engine: the example of the Regular Datalog paper, diagnostics, sharing, seeds, and what users see."""

from __future__ import annotations

import pytest

from tests.law.harness import story
from tidelog.engine.engine import Engine
from tidelog.errors import ProgramError
from tidelog.program.check import examine_program
from tidelog.syntax import parse_program

FRIENDS = """
connected(X, Y) :- follows+(X, Y).
pfriends(X, Y) :- ((knows & (connected/^connected)) | contacted)(X, Y).
pconnected(X, Y) :- pfriends+(X, Y).
knows(alice, bob). contacted(bob, eve). follows(alice, tim). follows(tim, bill). follows(bob, bill).
"""
CHAIN = [(i, i + 1) for i in range(300)]


def chained(*rules: str) -> Engine:
    db = Engine("\n".join(rules))
    with db.epoch() as epoch:
        epoch.insert("edge", CHAIN)
    return db


def codes(text: str) -> list[str]:
    return [finding.code for finding in examine_program(parse_program(text))[1]]


def test_potential_friends_of_the_paper_follow_changes() -> None:
    told = story(FRIENDS, "-follows(bob, bill).", "+follows(bob, tim). +knows(eve, alice).", "-contacted(bob, eve).")
    changes = [epoch.changes["pconnected"] for epoch, _ in told]
    assert sorted(changes[0].deleted) == [("alice", "bob"), ("alice", "eve")]
    assert sorted(changes[1].inserted) == [("alice", "bob"), ("alice", "eve")]
    assert sorted(changes[2].deleted) == [("alice", "eve"), ("bob", "eve")]


def test_proof_of_a_walk_is_its_hops() -> None:
    proof = Engine(FRIENDS).why("connected(alice, bill)")
    assert [fact.text for fact in proof.facts()] == [
        "connected(alice, bill)", "follows(alice, tim)", "follows(tim, bill)",
    ]  # fmt: skip


def test_missing_and_forbidden_walks_are_told_as_paths() -> None:
    db = Engine(FRIENDS + "apart(X, Y) :- knows(X, _), knows(_, Y), !follows*(X, Y), !knows+(Y, alice).")
    assert "no follows*(alice, bob)" in str(db.why("apart(alice, bob)"))
    assert "pfriends+(eve, bob): no such path" in str(db.why_not("pconnected(eve, bob)"))


def test_explain_names_walks_in_words() -> None:
    db = Engine("p(Y) :- start(X), edge+(X, Y). q(X, Y) :- edge*(X, Y).")
    told = str(db.explain())
    assert "nodes reached by edge+ from start" in told
    assert "walks edge*" in told
    assert "__" not in told


@pytest.mark.parametrize(
    ("rule", "view", "size", "most"),
    [
        ("p(Y) :- edge+(290, Y).", "p", 10, 30),
        ("p(X) :- edge+(X, 10).", "p", 10, 30),
        ("p(X, Y) :- near(X), edge+(X, Y). near(295).", "p", 5, 20),
        ("p(Y) :- near(X), edge+(X, Y). near(290). near(291).", "p", 10, 30),
        ("p(X, Y) :- edge+(X, Y), goal(Y). goal(5).", "p", 5, 20),
        ("p(X) :- edge+(X, _).", "p", 300, 300),
        ("p :- edge+(295, 299).", "p", 1, 10),
        ("p(X, Y) :- near(X), goal(Y), edge+(X, Y). near(290). goal(295).", "p", 1, 20),
        ("p(Y) :- edge{2,3}(0, Y).", "p", 2, 10),
    ],
)
def test_walks_from_known_nodes_do_not_build_the_closure(rule: str, view: str, size: int, most: int) -> None:
    db = chained(rule)
    assert len(list(db[view])) == size
    assert db.fact_count - len(CHAIN) <= most


def test_rules_share_a_closure_as_long_as_one_of_them_is_there() -> None:
    db = chained("one(X) :- edge+(X, X).", "two(X, Y) :- edge+(X, Y), X > 297.")
    closure = len(CHAIN) * (len(CHAIN) + 1) // 2
    assert db.fact_count < len(CHAIN) + closure + 10
    with db.epoch() as epoch:
        epoch.remove_rule("r1")
    assert len(list(db["two"])) == 3
    with db.epoch() as epoch:
        epoch.remove_rule("r2")
    assert db.fact_count == len(CHAIN)


def test_queries_may_walk() -> None:
    assert sorted(chained("p(X) :- edge(X, _).").query("edge{2}(1, X)")) == [(3,)]


def test_paths_are_there_when_a_state_is_opened_again(tmp_path) -> None:
    rule = "p(X, Y) :- node(X), (edge[a]/^edge[b])*[node](X, Y)."
    with Engine(rule, path=tmp_path / "state") as db, db.epoch() as epoch:
        epoch.insert("edge", [(1, "a", 2), (3, "b", 2), (3, "a", 4)])
        epoch.insert("node", [(1,), (9,)])
    with Engine(path=tmp_path / "state") as db:
        assert sorted(db["p"]) == [(1, 1), (1, 3), (9, 9)]
        with db.epoch() as epoch:
            epoch.insert("edge", [(5, "b", 4)])
        assert sorted(epoch.changes["p"].inserted) == [(1, 5)]


def test_values_of_labels_take_the_type_of_their_column() -> None:
    db = Engine("""
        .decl t(x: number, w: unsigned, y: number)
        .decl f(x: symbol, w: float, y: symbol)
        .decl p(x: number, y: number)
        .decl q(x: symbol, y: symbol)
        p(x, y) :- t[3]+(x, y).
        q(x, y) :- ^f[2]/f[2](x, y).
        t(1, 3, 2). t(2, 3, 3). t(3, 4, 5). f("a", 2.0, "b").
    """)
    assert sorted(db["p"]) == [(1, 2), (1, 3), (2, 3)]
    assert list(db["q"]) == [("b", "b")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("p(X, Y) :- a+(X, Y). a(1, 2, 3).", "TL202"),
        ("p(X, Y) :- a[x]+(X, Y). a(1, 2).", "TL202"),
        ("p(X, Y) :- a*[n](X, Y). a(1, 2). n(1, 2).", "TL202"),
        (".decl a(x: number, y: number) .decl p(x: number) p(x) :- b+(x, x).", "TL201"),
        ("p(X, Y) :- a+(X, Y). a(1, x).", "TL401"),
        ("p(X, Y) :- (a/b)(X, Y). a(1, x). b(1, 2).", "TL401"),
        ("p(X, Y) :- (a|b)(X, Y). a(1, x). b(1, 2).", "TL401"),
        ("p(X, Y) :- (a & b)(X, Y). a(x, 1). b(1, 1).", "TL401"),
        ("p(X, Y) :- (a/^a)*(X, Y). a(1, x).", "TL401"),
        ("p(X, Y) :- a*[n](X, Y). a(1, 2). n(x).", "TL401"),
        ("p(X, Y) :- (a*[n]|b?)(X, Y). a(1, 2). n(x). b(1, 2).", "TL401"),
        ("p(X) :- t[x]+(X, Y), X < Y. t(1, 2, 3).", "TL401"),
        ("p(X) :- a+(X, y). a(1, 2).", "TL401"),
        ("p(X) :- q(X), !a+(X, Y).", "TL302"),
        ("p(X, Y) :- a+(X, Z).", "TL301"),
        ("p(X) :- a+(X, Y + 1).", "TL304"),
        ("p(X, Y) :- q(X, Y), !p+(X, Y).", "TL501"),
        ("p(X, Y) :- q(X, Y), !a*[r](X, Y). r(X) :- p(X, X).", "TL501"),
        ("p(X, C) :- q(X), C = count : { p+(X, Y) }.", "TL502"),
        ("d(X, min<C>) :- s(X), C = 0. d(Y, min<C>) :- d(X, C), d+(X, Y).", "TL505"),
        ("d(X, min<C>) :- s(X), C = 0. d(Y, min<D>) :- d(X, C), a+(C, Y), D = C + 1.", "TL505"),
        ("d(X, min<C>) :- s(X), C = 0. d(Y, min<D>) :- d(X, C), e(X, Y), !a+(C, Y), D = C + 1.", "TL505"),
        ("d(X, min<C>) :- s(X), C = 0. e(X, Y) :- d+(X, Y). d(Y, min<D>) :- e(Y, D).", "TL505"),
    ],
)  # fmt: skip
def test_mistakes_in_paths_have_their_codes(text: str, code: str) -> None:
    assert code in codes(text)


def test_nodes_of_different_types_need_a_domain_only_where_the_whole_path_may_be_empty() -> None:
    facts = "lives(ann, 1). lives(bob, 1). person(ann)."
    assert codes(f"p(X, Y) :- (lives/^lives)*(X, Y). {facts}") == ["TL401"]
    db = Engine(f"p(X, Y) :- (lives/^lives)*[person](X, Y). q(X, C) :- (lives/(^lives/lives)*)(X, C). {facts}")
    assert len(list(db["p"])) == 4
    assert sorted(db["q"]) == [("ann", 1), ("bob", 1)]


def test_a_path_of_too_many_steps_is_refused_with_its_place() -> None:
    with pytest.raises(ProgramError) as refused:
        Engine("p(X, Y) :- a{600}(X, Y).")
    (finding,) = refused.value.diagnostics
    assert (finding.code, finding.span.text) == ("TL642", "a")


def test_a_variable_that_a_path_alone_mentions_is_told() -> None:
    assert codes("p(X) :- a+(X, Y).") == ["TL702"]


def test_counts_are_of_distinct_pairs_not_of_walks() -> None:
    db = Engine(
        "p(C) :- C = count : { (a/b)(X, Y) }. q(X, count<*>) :- (a/b)(X, Y). a(1, 2). a(1, 3). b(2, 4). b(3, 4)."
    )
    assert (list(db["p"]), list(db["q"])) == ([(1,)], [(1, 1)])
