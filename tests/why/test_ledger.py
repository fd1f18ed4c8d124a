"""The ledger of a question counts the facts it visits."""

from __future__ import annotations

import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.engine.read.ask import ledger_of
from tidelog.errors import LimitError
from tidelog.why import Bounds, fact_key, prove


def test_work_that_is_used_up_ends_the_search() -> None:
    ledger = ledger_of(core_of(Engine("p(1).")), 2)
    ledger.spend(2)
    with pytest.raises(LimitError, match="visits too many facts") as raised:
        ledger.spend()
    assert raised.value.code == "TL3201"


def test_proof_that_runs_out_of_work_is_told_as_far_as_it_was_found() -> None:
    core = core_of(Engine("q(1). q(2). p(X) :- q(X), q(Y), Y > X."))
    proof = prove(ledger_of(core, 1), fact_key("p", (1,), ("number",), core.dictionary), Bounds())
    assert not proof.exact
    assert proof.root.values == (1,)
