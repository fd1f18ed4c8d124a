"""The gMark queries on tiny data: they are rules, views that differ are refused, and absent data is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.__main__ import main

from benchmarks.cases import gmark
from benchmarks.data import gmark as data

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
    assert data.query_to_rule(QUERY) == "answer(X0, X2) :- (p/^q|r)*[node](X0, X1), (p)(X1, X2)."
    assert data.query_to_rule(QUESTION) == "answer :- (p/q)(X0, X0)."
    assert data.labels_of(QUERY) == ["p", "q", "r"]


@pytest.mark.long
def test_the_workload_is_measured_in_the_form_of_the_table(folder: Path, tmp_path: Path) -> None:
    main(["gmark", "--gmark", str(folder), "--repeat", "1", "--out", str(tmp_path / "out"), "--write"])
    page = (tmp_path / "out" / "gmark.md").read_text()
    assert page.count("| 25 % |") == 2
    assert "| query 0 |" in page
    assert "over 2 queries" in page.replace("\n", " ")


def test_absent_data_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"has no graph\.tsv and no queries\.json"):
        main(["gmark", "--gmark", str(tmp_path), "--out", str(tmp_path)])


def test_a_view_that_differs_counts_as_disagreement() -> None:
    with pytest.raises(gmark.Disagreement, match="maintained 1 rows, computed 0"):
        gmark.must_equal(frozenset({(1,)}), frozenset(), "query 0")
