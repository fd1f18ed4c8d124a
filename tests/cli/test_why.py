"""`tidelog why` from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runner import CliRunner, Result
from tidelog.cli import app


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.dl").write_text("reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\n")
    Path("edge.facts").write_text("1\t2\n2\t3\n")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["why", "p.dl", *arguments])


def test_proof_is_printed_as_a_tree() -> None:
    result = run("reach(1, 3)")
    assert result.exit_code == 0
    assert result.stdout.startswith("reach(1, 3)  by r2\n├─ edge(1, 2)  asserted\n")


def test_proof_is_printed_as_json() -> None:
    report = json.loads(run("reach(1, 3)", "--json").stdout)
    assert report["fact"] == "reach(1, 3)"
    assert len(report["facts"]) == 4


def test_proof_is_drawn_into_a_file() -> None:
    result = run("reach(1, 3)", "--svg", "p.svg")
    assert (result.exit_code, result.stdout) == (0, "")
    assert Path("p.svg").read_text().startswith("<svg")
    assert "reach(2, 3)" in Path("p.svg").read_text()


def test_a_drawing_that_cannot_be_written_is_reported() -> None:
    result = run("reach(1, 3)", "--svg", "nowhere/p.svg")
    assert (result.exit_code, "error[TL4841]: cannot write `nowhere/p.svg`" in result.stderr) == (1, True)


@pytest.mark.parametrize("other", ["--not", "--json"])
def test_only_a_proof_is_drawn(other: str) -> None:
    result = run("reach(1, 3)", "--svg", "p.svg", other)
    assert (result.exit_code, Path("p.svg").exists()) == (2, False)


def test_depth_is_limited() -> None:
    assert "2 more facts of the proof are not shown" not in run("reach(1, 3)").stdout
    assert "1 more fact of the proof is not shown" in run("reach(1, 3)", "--depth", "1").stdout


def test_absent_fact_fails_and_names_the_option() -> None:
    result = run("reach(3, 1)")
    assert result.exit_code == 1
    assert "`reach(3, 1)` is not true; `--not` explains why\n" in result.stderr


def test_absence_is_reported() -> None:
    result = run("reach(3, 1)", "--not")
    assert result.exit_code == 0
    assert "fails  edge(3, 1): no such fact" in result.stdout
    assert json.loads(run("reach(3, 1)", "--not", "--json").stdout)["present"] is False


def test_absence_of_a_present_fact_fails() -> None:
    result = run("reach(1, 3)", "--not")
    assert (result.exit_code, result.stdout) == (1, "reach(1, 3) is true: ask `why`\n")


def test_facts_come_from_another_folder() -> None:
    Path("other").mkdir()
    Path("other/edge.facts").write_text("7\t8\n")
    assert run("reach(7, 8)", "-F", "other").exit_code == 0


@pytest.mark.parametrize(
    ("fact", "words"), [("reech(1)", "did you mean `reach`"), ("reach(1,", "error[TL"), ("reach(a,1)", "column 1")]
)
def test_wrong_fact_gets_an_error_and_no_traceback(fact: str, words: str) -> None:
    result = run(fact)
    assert result.exit_code == 1
    assert words in result.stderr
    assert "Traceback" not in result.output


def test_the_text_of_a_proof_asks_about_the_same_fact() -> None:
    Path("p.dl").write_text(
        '.decl s(u: symbol, d: date)\n.decl y(u: symbol, d: date)\ny(u, d) :- s(u, d).\ns("a", "2027-01-01").\n'
    )
    report = run('y("a", "2027-01-01")').stdout
    printed = report.partition("  by ")[0]
    assert printed == 'y("a", date("2027-01-01"))'
    assert run(printed).stdout == report
    refused = run("y(a, 2027-01-01)")
    assert refused.exit_code == 1
    assert "is not a value of type date" in refused.output
