"""Blame, by name: negation, aggregates, recursion, rules, keys, bounds, and how it is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidelog import ConstraintError, Engine
from tidelog.blame import Blame, ViewBlame
from tidelog.engine.ask.what_if import Alternative
from tidelog.engine.write.epoch import Epoch
from tidelog.engine.write.script import take_script
from tidelog.errors import EngineError
from tidelog.syntax import parse_changes

ACCESS = """
member(U, G) :- joins(U, G).
member(U, H) :- member(U, G), part(G, H).
reads: reads(U, D) :- member(U, G), grant(G, F), inside(D, F), !blocked(U).
blocked(U) :- banned(U), !pardon(U).
rights(U, count<D>) :- reads(U, D).
joins(ann, dev). joins(bob, ops). part(dev, all). grant(all, f1). inside(plan, f1). inside(memo, f1). banned(bob).
"""


def blamed(epoch: Epoch, fact: str, trials: int = 1000) -> Blame:
    found = epoch.blame(fact, trials=trials)
    assert isinstance(found, Blame)
    return found


def texts(blame: Blame) -> list[str]:
    return [str(change) for change in blame.changes]


@pytest.fixture
def friday() -> Epoch:
    """An epoch in which a fact goes, others come, and counts follow."""
    db = Engine(ACCESS)
    with db.epoch(author="zoe", note="friday") as e:
        e.delete("part", [("dev", "all")])
        e.insert("joins", [("bob", "all"), ("ann", "x")])
        e.insert("pardon", [("bob",)])
    return e


def test_fact_that_went_names_where_its_proof_broke(friday: Epoch) -> None:
    found = blamed(friday, "reads(ann, plan)")
    assert (found.what, texts(found)) == ("removed", ["part(dev, all) was retracted"])
    path = ("reads(ann, plan)  by reads", "member(ann, all)  by r2", "part(dev, all) was retracted")
    assert found.causes[0].path == path
    assert found.old_proof is not None
    assert found.proof is None
    assert found.missing is not None
    assert found.missing.attempts[0].failed == "grant(dev, F)"


def test_fact_that_came_through_a_negation_is_followed_through_it(friday: Epoch) -> None:
    found = blamed(friday, "reads(bob, plan)")
    assert texts(found) == ["joins(bob, all) was asserted"]
    assert [str(change) for change in found.instead] == ["pardon(bob) was asserted"]
    gone = blamed(friday, "blocked(bob)")
    assert (texts(gone), gone.causes[0].path[-2:]) == (
        ["pardon(bob) was asserted"],
        ("no pardon(bob)", "pardon(bob) was asserted"),
    )


def test_value_of_a_group_changes_and_is_given_back_by_its_cause() -> None:
    db = Engine(ACCESS)
    with db.epoch() as e:
        e.delete("inside", [("memo", "f1")])
        e.insert("inside", [("rota", "f2")])
    found = blamed(e, "rights(ann, 1)")
    assert (found.what, found.before, found.after) == ("changed", ("rights(ann, 2)",), ("rights(ann, 1)",))
    assert texts(found) == ["inside(memo, f1) was retracted"]
    assert str(found).startswith("rights(ann, 1) replaced rights(ann, 2) in epoch 2")


def test_two_proofs_have_two_causes() -> None:
    db = Engine("reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z).")
    with db.epoch() as e:
        e.insert("edge", [(1, 2), (2, 4), (1, 3), (3, 4), (8, 9)])
    found = blamed(e, "reach(1, 4)")
    assert len(found.causes) == 2
    assert all(cause.path[0].startswith("reach(1, 4)") for cause in found.causes)
    with db.epoch() as e:
        e.delete("edge", [(1, 2), (3, 4), (8, 9)])
    assert len(blamed(e, "reach(1, 4)").causes) == 1  # either way is enough to have it back


def test_shortest_path_that_grows_longer() -> None:
    db = Engine("d(Y, min<C>) :- e(0, Y, C). d(Y, min<C>) :- d(X, A), e(X, Y, B), C = A + B.")
    with db.epoch() as e:
        e.insert("e", [(0, 1, 1), (1, 2, 1), (0, 2, 9)])
    with db.epoch() as e:
        e.delete("e", [(1, 2, 1)])
        e.insert("e", [(2, 3, 4)])
    found = blamed(e, "d(2, 9)")
    assert (found.before, texts(found)) == (("d(2, 2)",), ["e(1, 2, 1) was retracted"])
    assert texts(blamed(e, "d(3, 13)")) == ["e(2, 3, 4) was asserted"] or "e(1, 2, 1)" in str(blamed(e, "d(3, 13)"))


def test_rule_and_facts_at_once_are_blamed_on_the_rule() -> None:
    db = Engine(ACCESS)
    with db.epoch() as e:
        e.add_rule("deputy: reads(V, D) :- stands_in(V, U), reads(U, D).")
        e.insert("stands_in", [("cid", "ann"), ("dan", "cid")])
        e.delete("inside", [("memo", "f1")])
    found = blamed(e, "reads(dan, plan)")
    assert texts(found) == ["rule `deputy` was added"]
    others = ["stands_in(cid, ann) was asserted", "stands_in(dan, cid) was asserted"]
    assert [str(change) for change in found.instead] == others
    view = e.blame("reads")
    assert isinstance(view, ViewBlame)
    assert view.complete
    assert [(str(group), group.counts) for group in view] == [
        ("rule `deputy` was added", "+2"),
        ("inside(memo, f1) was retracted", "-1"),
    ]
    with db.epoch() as e:
        e.remove_rule("deputy")
    gone = blamed(e, "reads(dan, plan)")
    assert (gone.what, texts(gone)) == ("removed", ["rule `deputy` was removed"])
    assert "deputy: reads(V, D) :- stands_in(V, U), reads(U, D)." in str(gone)


def test_change_that_the_rest_cannot_be_without_is_a_cause() -> None:
    db = Engine("odd: p(X) :- q(X). q(1).")
    with db.epoch() as e:
        e.remove_rule("odd")
        e.add_rule("even: r(X) :- s(X), (!p(X) ; q(X)).")
        e.add_rule("turn: q(X) :- r(X).")
    found = blamed(e, "p(1)")
    assert "rule `odd` was removed" in texts(found)
    assert len(found.causes) == 2  # one of the rules that would close a circle through a negation
    refused = next(cause for cause in found.causes if "odd" not in str(cause))
    assert refused.path[0].startswith("undoing the others without this one is refused: ")


def test_asserted_fact_of_a_relation_with_rules() -> None:
    db = Engine("p(X) :- q(X). p(1). p(2). q(2).")
    with db.epoch() as e:
        e.insert("p", [(1,), (2,), (3,)])  # two of them are asserted already
        e.delete("q", [(2,)])
    assert list(e.changes) == ["p", "q"]
    assert texts(blamed(e, "p(3)")) == ["p(3) was asserted"]
    assert blamed(e, "p(3)").considered == 2
    with db.epoch() as e:
        e.delete("p", [(1,), (9,)])
    assert texts(blamed(e, "p(1)")) == ["p(1) was retracted"]


def test_row_that_replaces_another_is_one_change() -> None:
    db = Engine("materialize(host, infinity, infinity, keys(1)). at(H, R) :- host(H, R), room(R).")
    with db.epoch() as e:
        e.insert("host", [("h1", "r1")])
        e.insert("room", [("r1",), ("r2",)])
    with db.epoch() as e:
        e.insert("host", [("h1", "r2")])
    for fact in ("at(h1, r1)", "at(h1, r2)"):
        assert texts(blamed(e, fact)) == ["host(h1, r2) was asserted and replaced host(h1, r1)"]


def test_trials_that_are_spent_leave_a_set_that_does() -> None:
    db = Engine("n(count<X>) :- p(X).")
    with db.epoch() as e:
        e.insert("p", [(number,) for number in range(40)])
    with db.epoch() as e:
        e.insert("p", [(number,) for number in range(40, 60)])
        e.delete("p", [(number,) for number in range(5)])
    found = blamed(e, "n(55)", trials=4)
    assert (found.exact, found.minimal, len(found.causes)) == (True, False, 25)
    assert "the maximum number of trials was reached" in str(found)
    whole = blamed(e, "n(55)")
    assert (whole.exact, whole.minimal) == (True, True)
    assert all(cause.path[1].startswith("count<X> = ") for cause in whole.causes)


def test_choice_depends_on_history_and_says_so() -> None:
    db = Engine(".decl p(x: number, y: number) choice-domain x\n.decl q(x: number, y: number)\np(X, Y) :- q(X, Y).")
    with db.epoch() as e:
        e.insert("q", [(1, 5), (1, 7)])
    with db.epoch() as e:
        e.delete("q", [(1, 5)])
        e.insert("q", [(2, 2)])
    assert list(db["p"]) != []
    found = blamed(e, "p(1, 5)")
    assert not found.exact
    assert "depends on more than base facts and rules" in str(found)


def test_past_epochs_name_who_made_them(tmp_path: Path) -> None:
    with Engine(ACCESS, path=tmp_path) as db:
        with db.epoch(author="ann") as first:
            first.insert("joins", [("eve", "dev")])
        with db.epoch(author="bob", note="the wall") as second:
            second.delete("part", [("dev", "all")])
        found = db.blame("reads(eve, plan)")
        assert isinstance(found, Blame)
        assert str(found).startswith("reads(eve, plan) was removed in epoch 3, by bob: the wall")
        came = db.blame("reads(eve, plan)", epoch=2)
        assert isinstance(came, Blame)
        assert (came.what, came.origin.author) == ("added", "ann")
        assert str(first.blame("reads(eve, plan)")).splitlines()[0] == str(came).splitlines()[0]
        both = db.blame("member(eve, dev)", since=1)
        assert isinstance(both, Blame)
        assert [(str(c), c.origin.author) for c in both.changes] == [("joins(eve, dev) was asserted", "ann")]
        with pytest.raises(EngineError, match=r"`reads\(eve, plan\)` did not change in the epochs 2 to 3"):
            db.blame("reads(eve, plan)", since=1)
        with pytest.raises(EngineError, match="no epochs after 8 up to 9; the last epoch is 3"):
            db.blame("reads(eve, plan)", epoch=9)
        with pytest.raises(
            EngineError, match=r"`reads\(zoe, plan\)` did not change in the epochs that are kept, 1 to 3"
        ):
            db.blame("reads(zoe, plan)")


def test_blame_is_told_as_text_page_and_json(friday: Epoch) -> None:
    found = blamed(friday, "reads(ann, plan)")
    page = found._repr_html_()
    assert "part(dev, all) was retracted" in page
    assert "the proof that broke" in page
    told = json.loads(found.json())
    assert told["causes"][0]["retracted"] == ["dev", "all"]
    assert (told["what"], told["origin"]["author"]) == ("removed", "zoe")
    view = friday.blame("reads")
    assert isinstance(view, ViewBlame)
    assert "part(dev, all) was retracted" in view._repr_html_()
    assert {group["inserted"] - group["deleted"] for group in json.loads(view.json())["groups"]} == {2, -2}


def test_view_tells_what_it_found_no_cause_for(friday: Epoch) -> None:
    view = friday.blame("reads", trials=1)
    assert isinstance(view, ViewBlame)
    assert not view.complete
    assert "without a known cause" in str(view)
    assert "without a known cause" in view._repr_html_()


def test_nothing_is_left_of_a_blame() -> None:
    db = Engine(ACCESS)
    with db.epoch() as e:
        e.delete("part", [("dev", "all")])
    before = db.state().facts
    e.blame("reads(ann, plan)")
    e.blame("reads")
    assert db.state().facts == before
    assert db.epoch_number == e.number


@pytest.mark.parametrize("fact", ["nobody", "nobody(1)"])
def test_unknown_relations_are_refused(friday: Epoch, fact: str) -> None:
    with pytest.raises(EngineError, match="unknown relation `nobody`"):
        friday.blame(fact)


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize(
    ("program", "first", "then", "fact", "causes"),
    [
        (
            ".decl r(x: number, y: number) eqrel",
            "+r(1, 2).",
            "+r(2, 3). +r(7, 8).",
            "r(1, 3)",
            ["r(2, 3) was asserted"],
        ),
        (
            "best(X, A) <= best(X, B) :- B <= A. best(X, C) :- offer(X, C).",
            "+offer(1, 9).",
            "+offer(1, 4). +offer(2, 4).",
            "best(1, 9)",
            ["offer(1, 4) was asserted"],
        ),
        (
            "far(X, Y) :- road+(X, Y).",
            "+road(1, 2).",
            "+road(2, 3). +road(8, 9).",
            "far(1, 3)",
            ["road(2, 3) was asserted"],
        ),
        (
            ".comp Graph { .decl edge(x: number, y: number) .decl path(x: number, y: number)\n"
            "path(x, y) :- edge(x, y). path(x, z) :- path(x, y), edge(y, z). }\n.init g = Graph",
            "+g.edge(1, 2).",
            "+g.edge(2, 3). +g.edge(8, 9).",
            "g.path(1, 3)",
            ["g.edge(2, 3) was asserted"],
        ),
    ],
    ids=["eqrel", "subsumption", "paths", "components"],
)
def test_constructs_that_rewrites_take_apart(
    program: str, first: str, then: str, fact: str, causes: list[str], partitions: int
) -> None:
    with Engine(program, partitions=partitions) as db:
        for script in (first, then):
            with db.epoch() as e:
                take_script(e, parse_changes(script, convention=db.convention)[0])
        found = blamed(e, fact)
        assert (found.exact, texts(found)) == (True, causes)


def test_instance_that_comes_is_one_change_of_declarations_and_its_rules() -> None:
    comp = ".comp C { .decl p(x: number) .decl q(x: number)\np(x) :- q(x). q(1). }"
    db = Engine(f".decl r(x: number)\n{comp}\nr(2).")
    with db.epoch() as e:
        e.add_instance(".init c = C")
    found = blamed(e, "c.p(1)")
    assert found.exact
    assert len(found.causes) == 1


def test_violation_that_refuses_an_epoch_is_blamed() -> None:
    db = Engine("reads(U, D) :- owns(U, D). reads(U, D) :- deputy(U, V), reads(V, D). safe: :- reads(U, D), secret(D).")
    with db.epoch() as e:
        e.insert("owns", [("ann", "plan")])
    refused = db.epoch()
    refused.insert("deputy", [("bob", "ann")])
    refused.insert("secret", [("plan",)])
    with pytest.raises(ConstraintError) as failed:
        refused.commit()
    violation = failed.value.violations[0].first[0]
    found = refused.blame(violation)
    assert isinstance(found, Blame)
    assert (found.exact, texts(found)) == (True, ["secret(plan) was asserted"])
    assert str(found).startswith("U = ann, D = plan  by safe was added in an uncommitted epoch")
    assert "__" not in str(found)
    trial = db.what_if("+secret(plan).")
    assert isinstance(trial, Alternative)
    assert trial.refused is not None
    assert trial.refused.code == failed.value.code
    assert sorted(trial["secret"]) == [("plan",)]


@pytest.mark.parametrize("partitions", [1, 2])
def test_a_fact_whose_lifetime_ended_expired_and_one_that_was_deleted_was_retracted(
    tmp_path: Path, partitions: int
) -> None:
    program = ".decl life(x: symbol) .lifetime life 10s\n.decl v(x: symbol)\nv(x) :- life(x)."
    db = Engine(program, path=tmp_path / "state", partitions=partitions)
    with db.epoch(at=1) as e:
        e.insert("life", [("a",), ("b",), ("c",)])
    with db.epoch(at=5) as e:
        e.delete("life", [("c",)])
    assert [str(change).rpartition(")")[2] for change in blamed(e, 'v("c")').changes] == [" was retracted"]
    with db.epoch(at=20) as e:
        e.insert("life", [("d",)])
    for found in (e.blame('v("a")'), db.blame('v("a")'), db.blame('v("b")', since=2)):
        assert isinstance(found, Blame)
        assert [str(change).rpartition(")")[2] for change in found.changes] == [" expired"]
        assert found.to_json()["causes"][0]["expired"] is True
    told = str(db.blame("v", since=2))
    assert told.count(" expired") == 2
    assert told.count(" was retracted") == 1
    db.close()
