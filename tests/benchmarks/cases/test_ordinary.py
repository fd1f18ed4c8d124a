"""Ordinary questions: both systems give the same views, and a view that differs ends the run."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.data.ordinary import QUESTIONS
from benchmarks.options import Options
from benchmarks.outcome import Disagreement

from benchmarks.cases import ordinary, ordinary_changes


@pytest.mark.parametrize("name", QUESTIONS)
def test_both_systems_answer_alike(name: str) -> None:
    ways = (ordinary.in_engine, ordinary.in_engine_at_once, ordinary.in_duckdb)
    one, *others = (way(name, quick=True)["views"] for way in ways)
    assert others == [one, one]
    assert all(rows > 0 for rows, _ in one.values())


def test_views_that_differ_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(function: str, **_: Any) -> dict[str, Any]:
        return {"load": 1.0, "question": 1.0, "memory": 1, "views": {"v": (len(function), "")}}

    monkeypatch.setattr(ordinary, "call_apart", answer)
    with pytest.raises(Disagreement, match="the views differ"):
        list(ordinary.asked("groups", Options(quick=True)))


@pytest.mark.parametrize("name", ordinary_changes.WORKLOADS)
def test_both_systems_build_alike(name: str) -> None:
    ways = (ordinary_changes.build_in_engine, ordinary_changes.build_in_duckdb)
    own, peer = (way(name, threads=2, quick=True) for way in ways)
    assert own["rows"] == peer["rows"]
    assert own["rows"][0] > 0


def test_both_systems_change_alike() -> None:
    assert ordinary_changes.root_in_engine(quick=True)["rows"] == ordinary_changes.root_in_duckdb(quick=True)["rows"]
    own, peer = (way(quick=True) for way in (ordinary_changes.points_in_engine, ordinary_changes.points_in_duckdb))
    assert own["rows"] == peer["rows"]
    assert own["rows"][0] > 0
