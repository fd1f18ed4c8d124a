"""`tidelog revert` and `:undo`, from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import CliRunner, Result
from tidelog import Engine
from tidelog.cli import app


def run(*arguments: object, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=typed)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Engine("p(X) :- q(X). q(1).", path="state") as db:
        for number in (2, 3):
            with db.epoch() as e:
                e.insert("q", [(number,)])


def rows() -> list[tuple[int, ...]]:
    with Engine(path="state", at=-1) as db:
        return sorted(db["p"])


def test_the_last_epoch_is_undone_and_noted() -> None:
    result = run("revert", "--state", "state", "--author", "ann")
    assert result.exit_code == 0, result.output
    assert "epoch 4 committed" in result.stdout
    assert rows() == [(1,), (2,)]
    assert "revert of epoch 3" in run("log", "state").stdout


def test_a_dry_run_shows_what_would_change() -> None:
    result = run("revert", 2, "--state", "state", "--dry-run")
    assert "dry run, nothing was changed" in result.stdout
    assert rows() == [(1,), (2,), (3,)]


def test_several_epochs_are_undone_at_once() -> None:
    assert run("revert", "--state", "state", "--since", 1).exit_code == 0
    assert rows() == [(1,)]


def test_what_cannot_be_reverted_is_refused() -> None:
    run("revert", "--state", "state")
    result = run("revert", 3, "--state", "state")
    assert result.exit_code == 1
    assert "epoch 4 changed it again" in " ".join(result.output.split())


def test_the_prompt_undoes_and_redoes() -> None:
    told = run("repl", typed="p(X) :- q(X).\nq(1).\n:undo\n?p(X)\n:undo\n?p(X)\n:undo soon\n").output
    assert "- p(1)" in told
    assert told.count("+ p(1)") == 2
    assert "`soon` is not an epoch" in " ".join(told.split())
