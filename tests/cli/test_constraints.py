"""Constraints on the command line: exit codes and texts of `check`, `run` and `apply`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import CliRunner, Result
from tidelog.cli import app

PROGRAM = """\
.decl n(x: number)
.decl m(x: number)
.output m
m(x) :- n(x).
few: :- m(x), x > 9.
"""


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "few.dl"
    path.write_text(PROGRAM)
    (tmp_path / "n.facts").write_text("1\n2\n")
    return path


def test_check_counts_constraints(program: Path) -> None:
    result = run("check", program)
    assert result.stdout == f"{program}: ok: 1 rule, 1 constraint, 0 facts, 2 relations, 1 stratum, 0 warnings\n"


def test_run_puts_nothing_out_that_a_constraint_refuses(program: Path, tmp_path: Path) -> None:
    assert run("run", program, "-F", tmp_path, "-D", "-").stdout.endswith("\n1\n2\n===============\n")
    (tmp_path / "n.facts").write_text("1\n10\n")
    result = run("run", program, "-F", tmp_path, "-D", "-")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "error[TL4951]: the epoch is refused and rolled back: constraint `few` is violated once" in result.stderr
    assert "n(10)" in result.stderr


def test_a_warning_is_a_line_and_no_failure(program: Path, tmp_path: Path) -> None:
    program.write_text(PROGRAM + ".constraint few severity(warn)\n")
    (tmp_path / "n.facts").write_text("10\n")
    result = run("run", program, "-F", tmp_path, "-D", "-")
    assert result.exit_code == 0
    assert "warning: constraint `few` is violated once" in result.stderr


def test_apply_refuses_and_a_dry_run_says_so(program: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert run("run", program, "-F", tmp_path, "-D", "-", "--state", state).exit_code == 0
    program.write_text(PROGRAM.replace("x > 9", "x > 1"))
    result = run("apply", program, "--state", state, "--dry-run")
    assert result.exit_code == 1
    assert "would be refused: constraint `few` is violated once: :- m(x), x > 1." in result.stdout
    result = run("apply", program, "--state", state)
    assert result.exit_code == 1
    assert "error[TL4951]" in result.stderr
    assert run("query", "--state", state, "m(x)").stdout.count("\n") >= 2
