"""A little of the chaos: each kind of misfortune once; `make chaos MINUTES=n` goes on with it."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chaos import victim
from tests.chaos.attacks import ATTACKS, Round, run_round


@pytest.mark.parametrize("attack", [victim.Victim.opened, victim.Victim.ends])
def test_a_writer_that_hangs_is_a_finding(
    attack: Callable[[victim.Victim], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(chaos: Round) -> None:
        with chaos.victim() as writer:
            writer.signal(signal.SIGSTOP)
            attack(writer)

    monkeypatch.setattr(victim, "PATIENCE", 0.5)
    monkeypatch.setitem(ATTACKS, "hang", hang)
    problem = run_round("hang", 1, tmp_path, Counter())
    assert problem is not None
    assert "the writer did not" in problem


@pytest.mark.long
@pytest.mark.parametrize("name", ["killed", "stopped", "full disk"])
def test_states_survive(name: str, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    assert run_round(name, 1, tmp_path, counts) is None
    assert counts["states judged"] > 0


@pytest.mark.long
@pytest.mark.spark
def test_states_of_partitions_on_spark_survive(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    assert run_round("on spark", 1, tmp_path, counts) is None
    assert counts["SIGKILL of a driver"] > 0
