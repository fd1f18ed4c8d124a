"""The circuits on tiny data: systems agree, what is absent is named, and numbers of facts that differ are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.options import Options
from benchmarks.outcome import Disagreement

from benchmarks.cases import circuits


def test_without_data_nothing_is_left_of_a_case_that_needs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="nothing is left to run"):
        main(["circuits/lubm-rdfs", "--out", str(tmp_path)])
    assert "circuits/lubm-rdfs is left out: it needs --data" in capsys.readouterr().err


def test_a_path_that_does_not_exist_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no such file or folder: .*absent\.tsv"):
        main(["circuits/lubm-rdfs", "--data", str(tmp_path / "absent.tsv"), "--out", str(tmp_path)])


def test_a_cell_measures_each_step_and_counts_facts() -> None:
    sizes = circuits.sizes_of(Options(small_nodes=5))
    found = [circuits.run_cell("small-closure", system, "50 %", sizes) for system in ("indexed", "not-indexed")]
    assert list(found[0]["seconds"]) == ["load 50 %", "+50 %", "-50 %"]
    assert found[0]["facts"] == found[1]["facts"]


def test_rule_churn_brings_the_facts_back(tmp_path: Path) -> None:
    ontology = tmp_path / "small.tsv"
    ontology.write_text("p\tsubPropertyOf\tq\nq\tdomain\tA\nA\tsubClassOf\tB\nx\tp\ty\n")
    found = circuits.run_cell("lubm-owl-rl", "indexed", "churn", circuits.sizes_of(Options(data=ontology)))
    assert found["facts"] == {"loaded": 7, "afterwards": 7}


def test_disagreement_is_told() -> None:
    cells = {system: {"facts": {"load": count}} for system, count in (("indexed", 7), ("not-indexed", 8))}
    with pytest.raises(Disagreement, match=r"small-closure, 1 %: the systems disagree.*'not-indexed': \[8\]"):
        circuits.must_agree(cells, "small-closure, 1 %")
