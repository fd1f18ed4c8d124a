"""An epoch is given up while there is memory to undo it."""

from __future__ import annotations

import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.errors import LimitError
from tidelog.runtime.base.headroom import SPARE, Headroom, bytes_left


def test_an_epoch_for_which_memory_runs_short_is_given_up_and_undone() -> None:
    with Engine("n(0). n(Y) :- n(X), step(Y), Y = X + 1.") as db:
        partition = core_of(db).runtime.node.partition
        left = [SPARE + (1 << 30), SPARE - 1]
        headroom = Headroom(partition.memory, lambda: left.pop(0) if len(left) > 1 else left[0])
        before = partition.machine.on_slice
        headroom.check()
        headroom._next = 0.0
        with pytest.raises(LimitError, match="bytes of memory are free") as raised, db.epoch() as epoch:
            epoch.insert("step", [(i,) for i in range(100)])
            partition.machine.on_slice = headroom.check
            headroom.check()
        assert raised.value.code == "TL3170"
        partition.machine.on_slice = before
        assert (len(db["n"]), len(db["step"])) == (1, 0)


def test_what_is_held_asks_for_more_to_be_left() -> None:
    Headroom(lambda: 0, lambda: SPARE).check()
    with pytest.raises(LimitError):
        Headroom(lambda: 1 << 20, lambda: SPARE).check()
    Headroom(lambda: 1 << 40, lambda: None).check()


def test_this_machine_tells_what_is_left_or_nothing() -> None:
    left = bytes_left()
    assert left is None or left > 0
    assert bytes_left(lambda path: "nothing of the kind") is None
