"""Profiles: what is counted, what is measured, what is sampled."""

from __future__ import annotations

import json

import pytest

from tidelog import Engine

REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- reach(X,Y), edge(Y,Z)."


def test_supports_are_counted_per_rule_and_stratum() -> None:
    db = Engine(REACH)
    with db.epoch() as e:
        e.insert("edge", [(1, 2), (2, 3)])
    last = db.profile().last
    assert {rule.rule: rule.supports for rule in last.rules} == {"r1": 2, "r2": 1}
    (reach,) = [stratum for stratum in last.strata if stratum.relations == ("reach",)]
    assert (reach.visits, reach.supports, reach.suspended) == (1, 3, 0)


def test_suspended_and_revived_facts_are_told_per_stratum() -> None:
    db = Engine(REACH)
    with db.epoch() as e:
        e.insert("edge", [(1, 2), (2, 3), (3, 4), (4, 2)])
    with db.epoch() as e:
        e.delete("edge", [(1, 2)])
    last = db.profile().last
    (reach,) = [stratum for stratum in last.strata if stratum.relations == ("reach",)]
    assert reach.suspended == 3
    assert last.suspended == reach.suspended + 1  # the edge itself


def test_overall_adds_up_epochs() -> None:
    db = Engine(REACH)
    for i in range(3):
        with db.epoch() as e:
            e.insert("edge", [(i, i + 1)])
    profile = db.profile()
    assert (profile.last.epochs, profile.overall.epochs) == (1, 4)
    assert sum(rule.supports for rule in profile.overall.rules) == 6
    assert profile.overall.seconds >= profile.last.seconds > 0


def test_rules_are_told_by_their_user_labels() -> None:
    db = Engine("e(1,2). d(X, count<*>) :- e(X, _). m(X, N) :- e(X, _), N = sum Y : { e(X, Y) }.")
    assert {rule.rule for rule in db.profile().overall.rules} <= {"r1", "r2"}
    assert "__" not in str(db.profile())


def test_time_of_rules_is_sampled_only_when_asked_for() -> None:
    db = Engine("p(X, Y) :- a(X), a(Y), X * Y = 7.")
    rows = [(i,) for i in range(1500)]
    with db.epoch() as e:
        e.insert("a", rows)
    assert all(rule.seconds is None for rule in db.profile().last.rules)
    db.profiling = True
    assert db.profiling
    with db.epoch() as e:
        e.delete("a", rows)
    with db.epoch() as e:
        e.insert("a", rows)
    (rule,) = db.profile().overall.rules
    assert rule.seconds is not None
    assert 0 < rule.seconds <= db.profile().overall.seconds


def test_profile_of_an_engine_that_did_nothing_is_empty() -> None:
    assert db_text(Engine()) == (
        "last epoch: 0.00 ms, 0 facts suspended, 0 revived\n\nall epochs (0): 0.00 ms, 0 facts suspended, 0 revived"
    )


def db_text(db: Engine) -> str:
    return str(db.profile())


def test_profile_is_json() -> None:
    db = Engine("e(1,2). p(X) :- e(X, _).")
    assert json.loads(json.dumps(db.profile().to_json()))["last"]["rules"] == [
        {"rule": "r1", "supports": 1, "seconds": None, "visited": 0}
    ]


def test_failed_epoch_leaves_the_profile_as_it_was() -> None:
    db = Engine("n(1). p(X / 0) :- q(X).")
    before = db.profile()
    with pytest.raises(Exception, match="division by zero"), db.epoch() as e:
        e.insert("q", [(1,)])
    assert db.profile() == before
