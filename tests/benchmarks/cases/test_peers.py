"""The contest between systems: its protocol, its judge, and systems that come by command."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from benchmarks.data.contest import PROGRAMS
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.peers.protocol import read_task, write_task

from benchmarks.cases import peers
from benchmarks.peers import contestants

LIAR = """import json
for step in ("build", "out"):
    print(json.dumps({"step": step, "seconds": 0.1, "rows": 1, "sum": 2}))
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_systems_agree(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = PROGRAMS[name]
    write_task(tmp_path / "task", program, program.make(True))
    lines = {}
    for system in ("tidelog", "duckdb"):
        contestants.main([system, name, str(tmp_path / "task")])
        found = map(json.loads, capsys.readouterr().out.splitlines())
        lines[system] = [(line["step"], line["rows"], line["sum"]) for line in found]
    assert lines["tidelog"][:5] == lines["duckdb"]
    assert len(lines["tidelog"]) == 6


def test_a_task_is_read_as_it_was_written(tmp_path: Path) -> None:
    program = PROGRAMS["shortest"]
    workload = program.make(True)
    write_task(tmp_path / "task", program, workload)
    task = read_task(tmp_path / "task")
    assert {name: rows.tolist() for name, rows in task.facts.items()} == {
        name: rows.tolist() for name, rows in workload.facts.items()
    }
    assert (task.rules, task.rule, task.view) == (workload.rules, program.rule, "distance")
    assert task.out[0] == task.one[0] == "road"


def test_a_system_that_holds_other_rows_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "liar.py").write_text(LIAR)
    options = Options(quick=True, peer=[("Liar", f"{sys.executable} {tmp_path / 'liar.py'}")])
    with pytest.raises(Disagreement, match="Liar has 1 rows"):
        list(peers.contest("unreached", options))


def test_a_system_that_cannot_is_named(tmp_path: Path) -> None:
    (tmp_path / "weak.py").write_text("import sys\nprint('no negation', file=sys.stderr)\nsys.exit(3)\n")
    options = Options(quick=True, peer=[("Weak", f"{sys.executable} {tmp_path / 'weak.py'}")])
    (record,) = peers.contest("unreached", options)
    assert record.notes == ("Weak: no negation",)
    assert {"Tidelog rule", "DuckDB one in", "clingo memory"} <= {value.name for value in record.values}


def test_all_systems_must_agree_on_the_rule(tmp_path: Path) -> None:
    (tmp_path / "liar.py").write_text('print(\'{"step": "rule", "seconds": 0.1, "rows": 1, "sum": 2}\')\n')
    options = Options(quick=True, peer=[("Liar", f"{sys.executable} {tmp_path / 'liar.py'}")])
    with pytest.raises(Disagreement, match="unreached, rule"):
        list(peers.contest("unreached", options))


def test_a_system_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("while True:\n    pass\n")
    with pytest.raises(peers.Missing, match="takes more than 1 s"):
        peers.steps_of([sys.executable, str(tmp_path / "slow.py")], 1)
