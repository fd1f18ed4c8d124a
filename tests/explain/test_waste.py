"""Rules that visit far more rows than they find supports are reported, with the step that visits the rows."""

from __future__ import annotations

import json

import pytest

from tidelog import Engine
from tidelog.explain.waste import FACTOR, MANY, is_wasteful

ROWS = [(i,) for i in range(600)]


@pytest.mark.parametrize("partitions", [1, 2])
def test_rule_that_wastes_is_told_with_plan_and_step(partitions: int) -> None:
    db = Engine("q: p(X, Y) :- a(X), a(Y), X * Y = 7. r(X) :- a(X), b(X).", partitions=partitions)
    with db.epoch() as e:
        e.insert("a", ROWS)
        e.insert("b", [(3,)])
    (waste,) = db.profile().last.wasteful
    assert (waste.rule, waste.supports) == ("q", 2)
    assert waste.text == "q: p(X, Y) :- a(X), a(Y), X * Y = 7."
    assert waste.visited >= 600 * 600
    assert waste.step in ("all of a(X)", "all of a(Y)") or "[copy of a on every partition]" in waste.step
    assert waste.step in waste.plan
    assert waste.step_visited in (waste.step_entered * 600, waste.step_entered * 300)  # on one partition, on two
    assert "__" not in str(db.profile())


def test_waste_is_told_of_all_epochs_together() -> None:
    db = Engine("p(X, Y) :- a(X), b(Y), X * Y = 7.")
    with db.epoch() as e:
        e.insert("a", ROWS)
    for number in range(200):
        with db.epoch() as e:
            e.insert("b", [(1000 + number,)])
    profile = db.profile()
    assert profile.last.wasteful == ()
    (waste,) = profile.overall.wasteful
    assert (waste.visited, waste.supports) == (200 * 600, 0)
    text = str(profile).split("all epochs")[1]
    assert "rules that visit more than 1,000 rows for each support they find\n    r1: p(X, Y)" in text
    assert "120,000 rows visited, 0 supports\n      plan  on b(Y): all of a(X), then X * Y = 7" in text
    assert max(map(len, str(profile).splitlines())) <= 100


def test_rule_that_finds_what_it_visits_is_not_told() -> None:
    db = Engine("p(X, Y) :- a(X), a(Y).")
    with db.epoch() as e:
        e.insert("a", ROWS)
    profile = db.profile()
    assert profile.overall.rules[0].visited > MANY
    assert profile.overall.wasteful == ()
    assert "visit more than" not in str(profile)


def test_waste_of_a_rule_that_is_gone_is_told_without_a_plan() -> None:
    db = Engine("q: p(X, Y) :- a(X), a(Y), X * Y = 7.")
    with db.epoch() as e:
        e.insert("a", ROWS)
    with db.epoch() as e:
        e.remove_rule("q")
    (waste,) = db.profile().overall.wasteful
    assert (waste.rule, waste.plan, waste.step) == ("q", "", "")
    assert "q: p(X, Y) :- a(X), a(Y), X * Y = 7." in str(db.profile())


def test_bounds_are_those_of_the_law() -> None:
    assert not is_wasteful(MANY, 0)
    assert is_wasteful(MANY + 1, 0)
    assert not is_wasteful(FACTOR * 500, 500)
    assert is_wasteful(FACTOR * 500 + 1, 500)


def test_waste_is_json() -> None:
    db = Engine("p(X, Y) :- a(X), a(Y), X * Y = 7.")
    with db.epoch() as e:
        e.insert("a", ROWS)
    told = json.loads(json.dumps(db.profile().to_json()))["last"]["wasteful"]
    assert told[0]["rule"] == "r1"
