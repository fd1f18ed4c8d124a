"""Small cases that break near-misses of ranked support, each under its own name (design pages: ranked-support.md).

Every epoch of every case is checked against the naive evaluator, with I1, I2 and the change feed; what a test asserts
itself is the point of the case. Chosen by hand, so they notice what random cases rarely hit, and nothing else.
"""

from __future__ import annotations

from tests.law.harness import check, story
from tidelog.engine.engine import Engine
from tidelog.program import Program
from tidelog.syntax import parse_program
from tidelog.testing import State
from tidelog.testing.changes import EpochChanges

REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."


def supports(db: Engine, name: str, *row: object) -> int:
    """The number of supports of a fact."""
    return db.state().facts[name][row].all


def test_self_join_is_counted_once() -> None:
    told = story("p(X) :- e(X,Y), e(Y,X).", "+e(1,1).", "+e(1,2). +e(2,1).", "-e(1,1).")
    assert supports(told[0][1], "p", 1) == 1
    assert sorted(told[1][1]["p"]) == [(1,), (2,)]


def test_self_join_of_three_counts_every_valuation_once() -> None:
    told = story("p(X) :- e(X,Y), e(Y,Z), e(Z,X).", "+e(1,1). +e(1,2). +e(2,1).")
    assert supports(told[0][1], "p", 1) == 3  # 1-1-1, 1-1-2, 1-2-1
    assert supports(told[0][1], "p", 2) == 1  # 2-1-1


def test_cycle_that_loses_its_base_support_vanishes() -> None:
    told = story(
        "p(X) :- q(X).  q(X) :- p(X).  p(X) :- base(X).",
        "+base(1). +base(2).",
        "-base(1).",
    )
    assert list(told[1][1]["p"]) == [(2,)]
    assert list(told[1][1]["q"]) == [(2,)]


def test_longer_cycle_of_facts_that_loses_its_base_support_vanishes() -> None:
    told = story(REACH, "+edge(1,2). +edge(2,3). +edge(3,2). +edge(3,4).", "-edge(1,2).", "-edge(2,3).")
    assert sorted(told[2][1]["reach"]) == [(3, 2), (3, 4)]


def test_mutual_support_across_two_rules() -> None:
    program = "p(X) :- q(X).  q(X) :- p(X).  p(X) :- a(X).  q(X) :- b(X)."
    told = story(program, "+a(1). +b(1).", "-a(1).", "-b(1).", "+a(1).", "+b(1). -a(1).")
    assert len(told[2][1]["p"]) == 1  # the last epoch has put it back
    assert told[1][0].changes["p"].deleted == []
    assert told[2][0].changes["p"].deleted == [(1,)]


def test_rule_removed_while_another_derives_the_same_fact() -> None:
    told = story("p(X) :- a(X).  p(X) :- b(X).", "+a(1). +b(1). +a(2).", "- r1.", "- r2.")
    assert told[1][0].changes["p"].deleted == [(2,)]
    assert told[2][0].changes["p"].deleted == [(1,)]


def test_the_same_rule_under_two_labels_is_two_supports() -> None:
    told = story("p(X) :- a(X).", "+a(1).", "+ again: p(X) :- a(X).", "- r1.", "- again.")
    assert [len(epoch.changes["p"].deleted) for epoch, _ in told] == [0, 0, 0, 1]


def test_base_assertion_retracted_while_a_rule_still_derives_the_fact() -> None:
    told = story("p(X) :- a(X).", "+a(1). +p(1).", "-p(1).", "-a(1).")
    assert not told[1][0].changes["p"]
    assert told[2][0].changes["p"].deleted == [(1,)]


def test_rule_lost_while_the_base_assertion_holds_the_fact() -> None:
    told = story("p(X) :- a(X).", "+a(1). +p(1).", "- r1.", "-p(1).")
    assert not told[1][0].changes["p"]
    assert told[2][0].changes["p"].deleted == [(1,)]


def test_deletion_of_everything_and_reinsertion() -> None:
    edges = [(i, (i * 7 + 1) % 20) for i in range(20)]
    insert = "".join(f"+edge{edge}." for edge in edges)
    delete = insert.replace("+", "-")
    told = story(REACH, insert, delete, insert, delete)
    db = told[0][1]
    assert told[0][0].changes["reach"].inserted == told[2][0].changes["reach"].inserted
    assert len(db["reach"]) == 0
    assert not any(facts for facts in db.state().facts.values())


def test_suspended_and_revived_is_no_change_above() -> None:
    views = (
        "above(X) :- reach(X, _).  node(X) :- edge(X, _).  node(Y) :- edge(_, Y).  quiet(X) :- node(X), !reach(X, X)."
    )
    program = REACH + views
    told = story(program, "+edge(1,2). +edge(2,3). +edge(1,4). +edge(4,2).", "-edge(1,2).")
    epoch = told[1][0]
    assert epoch.statistics.revived >= 1  # reach(1,2) is held by edge(1,4) and reach(4,2), which came later
    assert epoch.statistics.suspended == epoch.statistics.revived + 1  # and the edge itself
    assert not epoch.changes["reach"]
    assert not epoch.changes["above"]
    assert not epoch.changes["quiet"]


def test_strata_merged_by_a_rule() -> None:
    told = story(
        "p(X) :- a(X).  q(X) :- p(X).  r(X) :- q(X).",
        "+a(1). +a(2).",
        "+ back: p(X) :- r(X).",
        "-a(1).",
        "+p(3).",
        "-p(3).",
    )
    db = told[0][1]
    assert frozenset({"p", "q", "r"}) in db.state().strata
    assert sorted(db["r"]) == [(2,)]


def test_strata_split_by_the_removal_of_a_rule() -> None:
    story(
        "p(X) :- a(X).  q(X) :- p(X).  p(X) :- q(X).",
        "+a(1). +q(2).",
        "- r3.",
        "-q(2).",
        "-a(1).",
        "+a(5). +q(5).",
        "+ r3b: p(X) :- q(X).",
        "-a(5).",
        "-q(5).",
    )


def test_strata_merged_and_split_many_times() -> None:
    scripts = ["+a(1). +a(2). +q(7)."]
    for i in range(4):
        scripts += [f"+ m{i}: p(X) :- r(X).", f"+a({10 + i}). -a({9 + i}).", f"- m{i}.", f"+r({i}).", f"-r({i})."]
    story("p(X) :- a(X).  q(X) :- p(X).  r(X) :- q(X).", *scripts)


def test_negation_added_between_relations_that_were_in_one_stratum() -> None:
    told = story(
        "p(X) :- a(X).  q(X) :- p(X).  p(X) :- q(X).",
        "+a(1). +q(2). +b(1). +b(2). +b(3).",
        "- r3. + neg: q(X) :- b(X), !p(X).",
        "-a(1).",
        "+a(3). -q(2).",
    )
    db = told[0][1]
    order = {name: i for i, stratum in enumerate(db.state().strata) for name in stratum}
    assert order["p"] < order["q"]
    assert sorted(db["q"]) == [(1,), (2,), (3,)]


def test_negation_the_other_way_round_after_a_split() -> None:
    story(
        "p(X) :- a(X).  q(X) :- p(X).  p(X) :- q(X).",
        "+a(1). +q(2). +b(1). +b(2). +b(3).",
        "- r2. - r3. + neg: p(X) :- b(X), !q(X).",
        "+q(1).",
        "-q(1). -q(2).",
        "- neg. + r2b: q(X) :- p(X). + r3b: p(X) :- q(X).",
        "-a(1).",
    )


def test_base_fact_of_a_relation_with_rules_is_not_of_rank_zero() -> None:
    told = story("p(X) :- p(X).", "+p(2).", "-p(2).")
    assert len(told[1][1]["p"]) == 0


def test_suspended_fact_is_visible_until_its_losses_are_fired() -> None:
    told = story("p(Z) :- p(Z), p(X).", "+p(0).", "-p(0).")
    assert len(told[1][1]["p"]) == 0


def test_widest_path_restores_in_clean_up_what_did_not_change() -> None:
    program = "d(X,max<C>) :- s(X,C).  d(Y,max<C>) :- d(X,A), e(X,Y,B), C = min(A,B)."
    told = story(program, "+s(0,9). +e(0,1,1). +e(1,2,1).", "+e(0,1,5).", "-e(0,1,5).", "-e(0,1,1).")
    assert sorted(told[1][0].changes["d"].inserted) == [(1, 5)]
    assert sorted(told[3][1]["d"]) == [(0, 9)]


def test_parts_of_a_split_stratum_compare_ranks_together() -> None:
    told = story(
        "p() :- q().  q() :- p().  q2() :- q().  q() :- q2().",
        "+q().",
        "+q2().",
        "- r2.",
        "-q().",
        "-q2().",
    )
    db = told[-1][1]
    assert [len(db[name]) for name in ("p", "q", "q2")] == [0, 0, 0]


def test_base_relation_gets_its_first_rule() -> None:
    story(
        "q(X) :- p(X).",
        "+p(1). +p(2).",
        "+ loop: p(X) :- q(X).",
        "-p(1).",
        "- loop.",
        "-p(2).",
    )


def test_relation_loses_its_last_rule_and_gets_one_again() -> None:
    story("p(X) :- a(X).", "+a(1). +p(2).", "- r1.", "+p(1).", "+ back: p(X) :- a(X).", "-p(1).", "-a(1).")


def test_one_fact_with_both_signs_in_an_epoch_stays_as_it_was() -> None:
    told = story("p(X) :- a(X).", "+a(1).", "+a(1). -a(1). +a(2). -a(2).")
    assert not told[1][0].changes["a"]
    assert sorted(told[1][1]["p"]) == [(1,)]


def test_whole_program_replaced_in_one_epoch() -> None:
    program = parse_program(REACH)
    other = parse_program("a: reach(X,Y) :- edge(Y,X).  b: reach(X,Z) :- reach(X,Y), edge(Z,Y), !blocked(Z).")
    db, state = Engine(program), State.start(Program())
    with db.epoch() as e:
        e.insert("edge", [(1, 2), (2, 3), (3, 1), (3, 4)])
        e.insert("blocked", [(1,)])
    with db.epoch() as e:
        for label in list(db.rules):
            e.remove_rule(label)
        e.add_rule("a: reach(X,Y) :- edge(Y,X).")
        e.add_rule("b: reach(X,Z) :- reach(X,Y), edge(Z,Y), !blocked(Z).")
    facts = (*(("edge", row) for row in db["edge"]), ("blocked", (1,)))
    check(db, state.after(EpochChanges(inserts=facts, add_rules=other.rules)))
