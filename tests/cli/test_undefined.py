"""Undefined facts on the command line and at the prompt: whatever shows a view says how many it leaves out, and how to
list them; without undefined facts nothing is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import CliRunner, Result
from tidelog import Engine
from tidelog.cli import app

GAME = "win(X) :- move(X, Y), !win(Y).\nmove(1, 2). move(2, 3). move(5, 6). move(6, 5).\n"
NOTE = "warning: `win` has 2 undefined facts, neither true nor false and not shown here. List them with `{} win`.\n"


def run(*words: object, typed: str | None = None) -> Result:
    result = CliRunner().invoke(app, [str(word) for word in words], input=typed)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def game(tmp_path: Path) -> Path:
    (tmp_path / "game.dl").write_text(GAME)
    return tmp_path / "game.dl"


def test_a_run_names_undefined_facts_of_what_it_writes(game: Path, tmp_path: Path) -> None:
    result = run("run", game, "-D", tmp_path / "out", "--runtime", "embedded")
    what = "2 undefined facts, neither true nor false and not in the output: win(5), win(6)"
    assert result.stderr.splitlines()[-1] == f"warning: `win` has {what}"
    assert (tmp_path / "out" / "win.csv").read_text() == "2\n"
    (tmp_path / "many.dl").write_text(GAME + "\n".join(f"move({n}, {n})." for n in range(10, 20)))
    assert "win(15) and 4 more (list them with `tidelog query --undefined`)" in run("run", tmp_path / "many.dl").stderr
    (tmp_path / "dag.dl").write_text(GAME.replace("move(6, 5).", ""))
    assert "undefined" not in run("run", tmp_path / "dag.dl").output


def test_a_query_reports_them_and_lists_them(game: Path, tmp_path: Path) -> None:
    result = run("query", game, "win(X), move(X, _)")
    assert (result.stdout, result.stderr) == ("2\n", NOTE.format("tidelog query --undefined"))
    assert run("query", game, "move(X, 2)").stderr == ""
    assert run("query", "--undefined", game, "win").output == "5\n6\n"
    assert run("query", "--undefined", game, "move").output == ""
    with Engine(GAME, path=str(tmp_path / "state")) as db, db.epoch() as epoch:
        epoch.delete("move", [(6, 5)])
    assert run("query", "--state", tmp_path / "state", "--at", 1, "--undefined", "win").stdout == "5\n6\n"
    assert run("query", "--state", tmp_path / "state", "win(X)").output == "2\n5\n"


def test_the_prompt_reports_them_after_changes_and_before_answers(game: Path) -> None:
    note = NOTE.format(":undefined").rstrip()
    typed = f":load {game}\n?win(X)\n?move(1, X)\n:relations\n:undefined win\n-move(6, 5).\n:undo\n"
    shown = run("repl", typed=typed).output.splitlines()
    assert [number for number, line in enumerate(shown) if line == note] == [1, 2, len(shown) - 1]
    assert shown[3:5] == ["X", "─"]
    assert "win(X: number)  1 fact, 2 undefined" in shown
    assert shown[shown.index("win(X: number)  1 fact, 2 undefined") + 1 :][:4] == ["X", "─", "5", "6"]
