"""`tidelog explain` from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runner import CliRunner, Result
from tidelog.cli import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["explain", *arguments])


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "p.dl"
    path.write_text(
        "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\nleaf(X) :- edge(_, X), !edge(X, _).\n"
    )
    return path


def test_program_is_explained_without_facts(program: Path) -> None:
    result = run(str(program))
    assert result.exit_code == 0
    assert "on reach(Y, Z): edge(X, Y) by column 2" in result.stdout
    assert "__" not in result.stdout


def test_facts_of_a_folder_are_counted(program: Path) -> None:
    (program.parent / "edge.facts").write_text("1\t2\n2\t3\n")
    assert "edge(c1: number, c2: number)  base, 2 facts" in run(str(program), "-F", str(program.parent)).stdout


def test_core_rules_are_shown_on_demand(program: Path) -> None:
    assert "__only_edge/1(V1) :- edge(V1, _)." in run(str(program), "--core").stdout


def test_json_is_printed_on_demand(program: Path) -> None:
    output = json.loads(run(str(program), "--json").stdout)
    assert output["strata"][0]["recursive"] is True


def test_program_in_error_gets_diagnostics(tmp_path: Path) -> None:
    path = tmp_path / "bad.dl"
    path.write_text("p(X) :- q(Y).\n")
    result = run(str(path))
    assert result.exit_code == 1
    assert "error[TL301]" in result.stderr


def test_missing_program_gets_a_diagnostic(tmp_path: Path) -> None:
    result = run(str(tmp_path / "none.dl"))
    assert result.exit_code == 1
    assert "error[TL" in result.stderr


def test_placement_is_reported_for_two_partitions_or_as_many_as_asked_for(program: Path) -> None:
    program.write_text("reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\n")
    output = run(str(program)).stdout
    assert "placement on 2 partitions" in output
    assert "  reach: placed by column 2; 0 messages between partitions\n" in output
    assert "  r2: sends nothing\n" in output
    assert "placement on 3 partitions" in run(str(program), "--partitions", "3").stdout
    assert "placement" not in run(str(program), "--partitions", "1").stdout
    assert json.loads(run(str(program), "--json").stdout)["placement"]["partitions"] == 2


def test_analyze_tells_what_every_step_did(program: Path) -> None:
    (program.parent / "edge.facts").write_text("1\t2\n2\t3\n3\t4\n")
    result = run(str(program), "-F", str(program.parent), "--analyze")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["edge(X,", "Y)", "by", "column", "2", "6", "3", "3", "0.5"] in [line[:9] for line in lines]
    assert max(map(len, result.stdout.splitlines())) <= 100
