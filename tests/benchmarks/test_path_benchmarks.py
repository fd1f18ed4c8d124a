"""The benchmarks of paths on tiny data: they run, their results agree, and absent data is skipped by name."""

from __future__ import annotations

import doctest
import importlib
import json
from pathlib import Path

import pytest

from benchmarks import gmark, paths

QUERY = {
    "query": 0,
    "head": ["x0", "x2"],
    "body": [
        {"from": "x0", "to": "x1", "paths": [["p", "^q"], ["r"]], "star": True},
        {"from": "x1", "to": "x2", "paths": [["p"]], "star": False},
    ],
}
QUESTION = {"query": 1, "head": [], "body": [{"from": "x0", "to": "x0", "paths": [["p", "q"]], "star": False}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"{i % 7}\t{'pqrs'[i % 4]}\t{i * i % 7}" for i in range(28)]
    (tmp_path / "graph.tsv").write_text("\n".join(sorted(set(rows))) + "\n")
    (tmp_path / "queries.json").write_text(json.dumps([QUERY, QUESTION]))
    return tmp_path


def test_a_query_is_one_rule_of_path_expressions() -> None:
    assert gmark.query_to_rule(QUERY) == "answer(X0, X2) :- (p/^q|r)*[node](X0, X1), (p)(X1, X2)."
    assert gmark.query_to_rule(QUESTION) == "answer :- (p/q)(X0, X0)."
    assert gmark.labels_of(QUERY) == ["p", "q", "r"]


@pytest.mark.long
def test_the_workload_is_measured_in_the_form_of_the_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gmark.main(["--data", str(folder), "--repeat", "1"])
    shown = capsys.readouterr().out
    assert shown.count("| 25 % |") == 2
    assert "| query 0 |" in shown
    assert "sums over 2 queries" in shown


def test_absent_data_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"has no graph\.tsv and no queries\.json"):
        gmark.main(["--data", str(tmp_path)])


def test_a_view_that_differs_counts_as_disagreement() -> None:
    with pytest.raises(gmark.Disagreement, match="maintained 1 rows, computed 0"):
        gmark.must_equal(frozenset({(1,)}), frozenset(), "query 0")


def test_closures_beside_sql_agree_on_small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "EPOCHS", 4)
    told: list[str] = []
    paths.main(["--quick", "--repeat", "1", "--only", "source", "both", "composed"], told.append)
    assert told[0].count("\n| `") == 3


def test_unknown_question_is_told_by_name() -> None:
    with pytest.raises(SystemExit, match="no question is called odd; known: all, "):
        paths.main(["--quick", "--only", "odd"])


@pytest.mark.parametrize("name", ["gmark", "paths", "table"])
def test_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"benchmarks.{name}")).failed == 0
