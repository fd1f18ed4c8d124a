"""The plot of a view: with a state folder the epochs of its log, in memory those since the first call."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog import Engine, EngineError
from tidelog.explain.history import ViewHistory

RULES = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- edge(X, Y), reach(Y, Z)."
STEPS = [(2, 1, 0, 1), (3, 2, 0, 3), (4, 0, 2, 1)]


def change(db: Engine) -> None:
    """Three epochs, which change the view as in `STEPS`."""
    for insert, delete in (([(1, 2)], []), ([(2, 3)], []), ([], [(1, 2)])):
        with db.epoch() as epoch:
            epoch.insert("edge", insert)
            epoch.delete("edge", delete)


def steps(history: ViewHistory) -> list[tuple[int, int, int, int]]:
    return [(step.epoch, step.inserted, step.deleted, step.size) for step in history.steps]


@pytest.mark.parametrize("partitions", [1, 2])
def test_an_engine_in_memory_counts_from_the_first_call(partitions: int) -> None:
    with Engine(RULES, partitions=partitions) as db:
        first = db["reach"].plot()
        assert str(first) == "reach: 0 facts after epoch 1\nno epoch after 1 has changed it"
        assert "no epoch after 1 has changed it" in first.svg()
        change(db)
        assert steps(db["reach"].plot()) == STEPS
        assert db["edge"].plot().since == 1


def test_with_a_state_folder_the_plot_has_the_epochs_of_the_log(tmp_path: Path) -> None:
    with Engine(RULES, path=str(tmp_path / "s")) as db:
        change(db)
        history = db["reach"].plot()
    assert (steps(history), history.start, history.since) == (STEPS, 0, 0)
    with Engine(path=str(tmp_path / "s"), at=3) as db:
        assert steps(db["reach"].plot()) == STEPS[:2]


def test_epochs_that_are_no_longer_kept_are_not_shown(tmp_path: Path) -> None:
    with Engine(RULES, path=str(tmp_path / "s"), history=1) as db:
        change(db)
        db.snapshot()
        change(db)
        db.snapshot()
        history = db["reach"].plot()
        assert all(step.epoch > history.since for step in history.steps)
        assert history.steps[-1].size == len(db["reach"])


def test_a_failed_epoch_is_not_counted() -> None:
    with Engine(RULES) as db:
        db["reach"].plot()
        with pytest.raises(ZeroDivisionError), db.epoch() as epoch:
            epoch.insert("edge", [(1, 2)])
            raise ZeroDivisionError
        change(db)
        assert steps(db["reach"].plot()) == STEPS


def test_a_plot_of_a_closed_engine_is_refused() -> None:
    with Engine(RULES) as db:
        view = db["reach"]
    with pytest.raises(EngineError, match="the engine is closed"):
        view.plot()
