"""The benchmark script on tiny data: it runs, its systems agree, and it skips by name what is absent."""

import argparse
import importlib.util
import json
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "circuits.py"


@pytest.fixture(scope="module")
def circuits():
    spec = importlib.util.spec_from_file_location("benchmark_circuits", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(circuits, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *map(str, arguments)])
    circuits.main()


def test_absent_data_is_skipped_by_name(circuits, monkeypatch, tmp_path, capsys):
    with pytest.raises(SystemExit) as done:
        run(circuits, monkeypatch, "--only", "lubm-rdfs", "--lubm", tmp_path / "absent.tsv")
    shown = capsys.readouterr()
    assert done.value.code == 0
    assert "absent.tsv does not exist" in shown.err
    assert "skipped: no --lubm path" in shown.out


def test_a_cell_measures_each_step_and_counts_facts(circuits, monkeypatch, capsys):
    found = []
    for system in ("indexed", "not-indexed"):
        run(circuits, monkeypatch, "--small-nodes", 5, "--cell", "small-closure", system, "50 %")
        found.append(json.loads(capsys.readouterr().out))
    assert list(found[0]["seconds"]) == ["load 50 %", "+50 %", "-50 %"]
    assert found[0]["facts"] == found[1]["facts"]


def test_rule_churn_brings_the_facts_back(circuits, tmp_path):
    ontology = tmp_path / "small.tsv"
    ontology.write_text("p\tsubPropertyOf\tq\nq\tdomain\tA\nA\tsubClassOf\tB\nx\tp\ty\n")
    found = circuits.run_cell("lubm-owl-rl", "indexed", "churn", argparse.Namespace(lubm=ontology))
    assert found["facts"] == {"loaded": 7, "afterwards": 7}


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_graphs_are_the_same_on_every_run(circuits, kind):
    make = getattr(circuits, kind)
    assert make(20) == make(20)
    assert len(make(20)[1]) > 60


def test_disagreement_is_told(circuits, monkeypatch):
    counts = iter([7, 8])
    cell = {"seconds": {"load": 1.0}, "peak": 2, "before": 1, "rules": 1, "rows": 1}
    monkeypatch.setattr(circuits, "spawn_cell", lambda *_: cell | {"facts": {"load": next(counts)}})
    told = []
    assert not circuits.tell_cells("small-closure", "1 %", ("indexed", "not-indexed"), told.append)
    assert "The systems DISAGREE" in told[-1]
