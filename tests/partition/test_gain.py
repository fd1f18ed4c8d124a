"""What is gained in a stratum: values that were improved upon support nothing in the end."""

from __future__ import annotations

import pytest

from tidelog import Engine, EvaluationError
from tidelog.partition.phases import clean_up
from tidelog.program import check


def test_rules_that_are_not_monotone_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # The check of the program refuses such rules; without it the partition still gives no wrong answer.
    monkeypatch.setattr(check, "check_monotone", lambda *_: [])
    db = Engine("d(min<X>) :- s(X). d(min<Y>) :- d(X), X = 5, Y = 1.")
    with pytest.raises(EvaluationError, match=r"1 groups of a min or max .* not monotone") as raised, db.epoch() as e:
        e.insert("s", [(5,)])
    assert raised.value.code == "TL2205"
    assert list(db["s"]) == list(db["d"]) == []


def test_recursion_that_never_settles_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    # Three nodes in a ring, each of which prefers to go through the next as long as that one goes its own way.
    program = """
        materialize(best, infinity, infinity, keys(1)).
        best(X, min<C>, P) :- own(X, C), P = [X].
        best(X, min<C>, P) :- link(X, Y), best(Y, D, Q), f_size(Q) = 1, C = D - 1, P = [X, Y].
    """
    monkeypatch.setattr(check, "check_monotone", lambda *_: [])
    monkeypatch.setattr(clean_up, "MOST_TIMES", 20)
    db = Engine(program)
    with pytest.raises(EvaluationError, match="still change after 20 iterations") as found, db.epoch() as epoch:
        epoch.insert("own", [(1, 5), (2, 5), (3, 5)])
        epoch.insert("link", [(1, 2), (2, 3), (3, 1)])
    assert found.value.code == "TL2206"
    assert len(db["own"]) == 0
