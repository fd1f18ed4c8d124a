"""The machine notices counts that do not balance, which no user can cause."""

from __future__ import annotations

import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.partition.memory.records import COUNTS
from tidelog.runtime.one.embedded import EmbeddedRuntime


def test_counts_that_do_not_balance_are_a_defect_and_no_error_of_the_user() -> None:
    db = Engine("q(1). p(X) :- q(X).")
    runtime = core_of(db).runtime
    assert isinstance(runtime, EmbeddedRuntime)
    relations = runtime.partition.relations
    relations.records(relations.numbers["p"])[:, COUNTS] = 0
    with pytest.raises(AssertionError, match="support counts of `p` do not balance"), db.epoch() as e:
        e.delete("q", [(1,)])
    assert list(db["q"]) == list(db["p"]) == [(1,)]
