"""Runs by number: readers keep theirs when an epoch is run again, and what is not read is forgotten once."""

from __future__ import annotations

import gc

from tidelog.runtime.base.outcome import RowChanges
from tidelog.runtime.base.runs import Runs


def test_epoch_that_was_run_again_is_read_under_its_new_number() -> None:
    runs = Runs()
    first = runs.begin()
    runs.begin()
    runs.replaced(first)
    runs.committed(7)
    assert (runs.present(first), dict(runs.epochs)) == (2, {2: 7})
    runs.forget(first)
    assert runs.take_forgotten() == (2,)
    assert not runs.epochs
    assert runs.take_forgotten() == ()


def test_run_is_forgotten_when_nobody_holds_its_changes() -> None:
    runs = Runs()
    changes = RowChanges({})
    changes.run = runs.begin()
    runs.forget_with(changes)
    assert runs.take_forgotten() == ()
    del changes
    gc.collect()
    assert runs.take_forgotten() == (1,)
