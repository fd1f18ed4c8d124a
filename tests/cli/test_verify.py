"""`tidelog verify`: certificates of state folders, exit codes and words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runner import CliRunner, Result
from tidelog import Engine
from tidelog.cli import app

PROGRAM = """\
base: reach(X, Y) :- edge(X, Y).
step: reach(X, Z) :- edge(X, Y), reach(Y, Z).
edge(1, 2).
"""


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    with Engine(PROGRAM, path=folder) as db, db.epoch() as epoch:
        epoch.insert("edge", [(2, 3)])
    return folder


def test_state_folder_is_certified_with_counts_and_seconds(state: Path) -> None:
    report = run("verify", state).stdout
    assert report.startswith(
        "certified: 5 facts of 2 relations are the least model of 2 rules in 1 stratum; 3 supports"
    )
    assert run("verify", state, "--at", 1).stdout.startswith("certified: 2 facts")


def test_verdict_is_reported_as_json(state: Path) -> None:
    report = json.loads(run("verify", state, "--format", "json").stdout)
    assert report["certified"] is True
    assert (report["facts"], report["checker"]) == (5, "Python")


def test_state_is_certified_against_other_rules(state: Path, tmp_path: Path) -> None:
    file = tmp_path / "other.dl"
    file.write_text("back: reach(X, Y) :- edge(Y, X).\n")
    report = run("verify", state, file, code=1).stdout
    assert report == "not closed: back derives reach(2, 1) from edge(1, 2), but reach(2, 1) is missing from the state\n"
    report = json.loads(run("verify", state, file, "--format", "json", code=1).stdout)
    assert (report["certified"], report["kind"], report["rule"]) == (False, "not closed", "back")


def test_state_is_certified_against_the_facts_of_a_program_and_folder(state: Path, tmp_path: Path) -> None:
    file = tmp_path / "program.dl"
    file.write_text(PROGRAM)
    (tmp_path / "edge.facts").write_text("2\t3\n")
    assert run("verify", state, file, "-F", tmp_path).stdout.startswith("certified")
    (tmp_path / "edge.facts").write_text("2\t4\n")
    report = run("verify", state, file, "-F", tmp_path, code=1).stdout
    assert report == "base: edge(2, 4) is asserted, but missing from the state\n"


def test_mistakes_of_the_user_are_reported_without_traceback(state: Path, tmp_path: Path) -> None:
    assert "contains no state" in run("verify", tmp_path / "nothing", code=1).stderr
    assert "requires a PROGRAM argument" in run("verify", state, "-F", tmp_path, code=1).stderr
    wrong = tmp_path / "wrong.dl"
    wrong.write_text("p(X) :- q(Y).\n")
    assert "TL3" in run("verify", state, wrong, code=1).stderr
