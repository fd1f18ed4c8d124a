"""Python's garbage collector in epochs of many rules."""

from __future__ import annotations

import gc

import pytest

from tidelog import Engine, TidelogError, user_function
from tidelog.engine.base.collector import MANY_RULES, SELDOM


def _thresholds_of(rules: int) -> tuple[int, int]:
    """How often the collector runs during the first epoch of a program, and after it."""
    seen = []

    @user_function("note", ("number",), "number")
    def note(value: int) -> int:
        seen.append(gc.get_threshold()[0])
        return value

    text = "\n".join(f"v{i}(X) :- e(X)." for i in range(rules))
    db = Engine(text, functions=[note])
    with db.epoch() as epoch:
        epoch.add_rule("w(note(X)) :- e(X).")
        epoch.insert("e", [(1,)])
    db.close()
    return seen[0], gc.get_threshold()[0]


def test_it_runs_seldom_while_many_rules_run_and_as_before_afterwards() -> None:
    usual = gc.get_threshold()[0]
    assert _thresholds_of(3) == (usual, usual)
    assert _thresholds_of(MANY_RULES) == (SELDOM, usual)


def test_it_runs_as_before_after_an_epoch_that_fails() -> None:
    usual = gc.get_threshold()
    with pytest.raises(TidelogError):
        Engine("\n".join(f"v{i}(X) :- e(X, Y), X < Z." for i in range(MANY_RULES)))
    assert gc.get_threshold() == usual


def test_an_application_that_has_switched_it_off_finds_it_off() -> None:
    usual = gc.get_threshold()
    gc.set_threshold(0, *usual[1:])
    try:
        assert _thresholds_of(MANY_RULES) == (0, 0)
    finally:
        gc.set_threshold(*usual)
