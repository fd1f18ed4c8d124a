"""What is gained in a stratum: values that were improved upon support nothing in the end."""

from __future__ import annotations

import pytest

from tidelog import Engine, EvaluationError
from tidelog.program import check


def test_rules_that_are_not_monotone_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # The check of the program refuses such rules; without it the partition still gives no wrong answer.
    monkeypatch.setattr(check, "check_monotone", lambda *_: [])
    db = Engine("d(min<X>) :- s(X). d(min<Y>) :- d(X), X = 5, Y = 1.")
    with pytest.raises(EvaluationError, match=r"1 groups of a min or max .* not monotone") as raised, db.epoch() as e:
        e.insert("s", [(5,)])
    assert raised.value.code == "TL2205"
    assert list(db["s"]) == list(db["d"]) == []
