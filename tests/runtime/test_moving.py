"""Strata that are built again for other partitions have the facts that they had."""

from __future__ import annotations

from itertools import count

import pytest

from tidelog import Engine
from tidelog.errors import EngineError
from tidelog.program.functions.table import Function


def test_a_build_with_other_facts_is_refused() -> None:
    numbers = count()
    impure = Function("tick", ("number",), "number", lambda x: next(numbers))
    program = "t(X, Y) :- e(X, Y). t(X, Z) :- t(X, Y), t(Y, Z). t(X, Y) :- s(X), Y = tick(X)."
    with Engine(program, functions=[impure]) as db:
        with db.epoch() as e:
            e.insert("e", [(1, 2), (2, 3)])
            e.insert("s", [(5,)])
        before = sorted(db["t"])
        with pytest.raises(EngineError, match="`t`: the new partitions derive different facts") as told:
            db.repartition(2)
        assert told.value.code == "TL4460"
        assert sorted(db["t"]) == before
        assert db.epoch_number == 2
