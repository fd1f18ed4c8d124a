"""Blame and what-if where rules, constraints and ends of facts get in the way: each was wrong once."""

from __future__ import annotations

import datetime

import pytest

from tidelog import Engine
from tidelog.errors import TidelogError


def changes_of(found: object) -> list[str]:
    return [str(change) for change in found.changes]  # type: ignore[attr-defined]  # of a fact, not of a view


def test_rows_that_go_with_the_last_rule_of_a_relation_were_not_retracted() -> None:
    db = Engine("zz0: zz(X) :- zzz(X).")
    with db.epoch() as e:
        e.insert("q", [(2,)])
        e.insert("p", [(3, 3), (0, 0)])
    with db.epoch() as e:
        e.add_rule("q(X) :- p(X, X).", label="qq")
    with db.epoch() as e:
        e.remove_rule("qq")
        e.add_rule("a(X) :- w(X).")
        e.insert("q", [(3,)])
        e.delete("q", [(2,)])
    assert changes_of(e.blame("q(0)")) == ["rule `qq` was removed"]


def test_a_bound_of_a_table_is_no_cause() -> None:
    db = Engine("materialize(ping, infinity, 2, keys(1)).  two(1) :- ping(1, _), ping(2, _).")
    with db.epoch() as e:
        e.insert("ping", [(1, 10)])
    with db.epoch() as e:
        e.insert("ping", [(2, 11)])
    assert changes_of(e.blame("two(1)")) == ["ping(2, 11) was asserted"]


@pytest.mark.parametrize("partitions", [1, 2])
def test_a_constraint_beside_the_question_refuses_no_blame(partitions: int) -> None:
    db = Engine("v(X) :- a(X).\n:- a(X), !b(X).", partitions=partitions)
    with db.epoch() as e:
        e.insert("a", [(1,)])
        e.insert("b", [(1,)])
    assert changes_of(e.blame("v(1)")) == ["a(1) was asserted"]


def test_facts_are_asked_as_why_asks_them() -> None:
    db = Engine("v(X) :- p(X).")
    with db.epoch() as e:
        e.insert("p", [(datetime.datetime(2020, 1, 1),)])
    assert len(changes_of(e.blame('v("2020-01-01T00:00:00")'))) == 1
    with pytest.raises(TidelogError):
        e.blame("v(1, 2)")


def test_alternatives_with_new_relations_stand_side_by_side() -> None:
    db = Engine("v(X) :- p(X).")
    found = db.what_if({"a": "+fresh(1).", "b": "+p(1)."})
    assert "fresh" in str(found)
    assert ("fresh" in found["a"].changes, "fresh" in found["b"].changes) == (True, False)


def test_input_that_came_before_would_change_nothing() -> None:
    db = Engine("v(X) :- p(X).")
    with db.epoch("s", 1) as e:
        e.insert("p", [(1,)])
    again = db.epoch("s", 1)
    again.insert("p", [(2,)])
    db.preview(again)
    assert "p" not in again.changes
