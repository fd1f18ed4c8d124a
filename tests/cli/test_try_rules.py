"""`tidelog test` from outside: output, exit codes, machine formats, watching."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.runner import CliRunner, Result
from tidelog.cli import app
from tidelog.cli.act import try_rules
from tidelog.cli.commands.test import CaseFormat

EXAMPLES = Path(__file__).parents[2] / "examples" / "tests"
PROGRAM = "twice: p(X, Y) :- n(X), Y = 2 * X.\nnever: q(X) :- p(X, Y), Y > 100.\n"
CASES = (
    "program: p.dl\ncase: two\ngiven: n(1).\nthen: equals p(1, 2).\n"
    "case: wrong\ngiven: n(2).\nthen: contains p(2, 5).\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.dl").write_text(PROGRAM)
    (tmp_path / "p.case").write_text(CASES)
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["test", *map(str, arguments)])


def test_the_cases_of_the_examples_pass_and_use_every_rule() -> None:
    result = run(EXAMPLES)
    assert result.exit_code == 0
    assert result.stdout.endswith("15 of 15 rules used\n5 of 5 cases passed\n")


def test_what_fails_is_reported_and_the_exit_code_says_so(folder: Path) -> None:
    result = run(folder)
    assert result.exit_code == 1
    case = folder / "p.case"
    assert result.stdout.splitlines() == [
        f"ok      {case}: two",
        f"FAILED  {case}: wrong",
        f"        {case}:7: p(2, 5) is missing",
        "rule `never` was never used",
        "1 of 2 rules used",
        "1 of 2 cases passed",
    ]


def test_json_and_junit_say_the_same(folder: Path) -> None:
    report = json.loads(run(folder, "--format", "json").stdout)
    assert [case["passed"] for case in report["cases"]] == [True, False]
    assert report["coverage"]["unused"] == ["never"]
    suite = ElementTree.fromstring(run(folder, "--format", "junit").stdout)[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    (failure,) = suite.iter("failure")
    assert "p(2, 5) is missing" in (failure.text or "")


def test_mistakes_that_no_case_notices_are_reported_on_request(folder: Path) -> None:
    (folder / "p.case").write_text(CASES.split("case: wrong")[0])
    result = run(folder, "--mutants")
    assert result.exit_code == 0
    assert "not detected by any case: rule `never`: the rule is removed" in result.stdout
    assert "rule `twice`" not in result.stdout
    assert "no case notices" not in run(folder, "--mutants", "--most-mutants", 1).stdout


def test_facts_and_functions_come_from_files(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(
        ".decl n(x: number)\n.decl p(x: number)\n.functor f(x: number): number\np(@f(x)) :- n(x).\n"
    )
    (tmp_path / "f.py").write_text("def f(x):\n    return x + 1\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "n.facts").write_text("1\n")
    (tmp_path / "p.case").write_text(
        "program: p.dl\nfacts: data\nfunctions: f.py\ncase: a\ngiven: n(5).\nthen: equals p(2), p(6).\n"
    )
    result = run(tmp_path)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "1 of 1 cases passed")


def test_golden_views_are_accepted(folder: Path) -> None:
    (folder / "p.case").write_text("program: p.dl\ncase: two\ngiven: n(1).\nthen: golden p.\n")
    assert run(folder).exit_code == 1
    assert run(folder, "--accept").exit_code == 0
    assert (folder / "golden" / "p" / "two" / "p.txt").read_text() == "p(1, 2)\n"
    assert run(folder).exit_code == 0


def test_a_program_with_errors_is_refused_before_anything_runs(folder: Path) -> None:
    (folder / "p.dl").write_text("p(X, Y) :- n(X).\n")
    result = run(folder)
    assert result.exit_code == 1
    assert "TL301" in result.stderr


def test_watching_runs_the_cases_again_when_a_file_changes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = 0

    def wait(_: float) -> None:
        nonlocal turns
        turns += 1
        if turns == 2:
            (folder / "p.case").write_text(CASES.replace("p(2, 5)", "p(2, 4)"))
            os.utime(folder / "p.case", ns=(1, 1))
        if turns == 3:
            (folder / "p.dl").write_text("p(X :- n(X).\n")
            os.utime(folder / "p.dl", ns=(1, 1))
        if turns == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        try_rules.watch_rules(try_rules.TrialRequest((folder,), False, False, False, 9, CaseFormat.text), wait)
    report = capsys.readouterr()
    passed = [line for line in report.out.splitlines() if "cases passed" in line]
    assert passed == ["1 of 2 cases passed", "2 of 2 cases passed"]
    assert "TL1" in report.err
