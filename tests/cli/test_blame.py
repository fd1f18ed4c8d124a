"""`tidelog blame`, `tidelog what-if` and `preview.` in change scripts, from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runner import CliRunner, Result
from tidelog import Engine
from tidelog.cli import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- reach(X, Y), edge(Y, Z).\n"
    Path("p.dl").write_text(f"{program}edge(1, 2). edge(2, 3).\n.output reach\n")
    with Engine(Path("p.dl").read_text(), path="state") as db:
        with db.epoch(author="ann", note="a bridge") as e:
            e.insert("edge", [(3, 4)])
        with db.epoch(author="bob") as e:
            e.delete("edge", [(1, 2)])
    Path("open.txt").write_text("+edge(4, 5).\n")
    Path("close.txt").write_text("-edge(3, 4).\npreview.\n")
    Path("wrong.txt").write_text("- nobody.\n")


def test_blame_tells_the_epoch_who_and_why() -> None:
    report = run("blame", "--state", "state", "reach(1, 4)").stdout
    assert report.startswith("reach(1, 4) was removed in epoch 3, by bob\n")
    assert "  edge(1, 2) was retracted\n" in report
    came = run("blame", "--state", "state", "reach(2, 4)", "--epoch", 2).stdout
    assert came.startswith("reach(2, 4) was added in epoch 2, by ann: a bridge\n")
    whole = json.loads(run("blame", "--state", "state", "reach", "--since", 1, "--json").stdout)
    assert [(group["inserted"], group["deleted"]) for group in whole["groups"]] == [(2, 0), (0, 2)]


def test_blame_of_what_did_not_change_fails() -> None:
    result = run("blame", "--state", "state", "reach(1, 4)", "--epoch", 1)
    assert result.exit_code == 1
    assert "error[TL4653]: `reach(1, 4)` did not change in epoch 1" in result.stderr


def test_what_if_shows_scripts_side_by_side_and_changes_nothing() -> None:
    before = run("log", "state").stdout
    result = run("what-if", "--state", "state", "open.txt", "close.txt", "wrong.txt", "--blame", "reach(2, 4)")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["open.txt", "close.txt", "wrong.txt"]
    assert lines[2].split()[:5] == ["reach", "+3", "-0", "+0", "-2"]
    assert "close.txt: reach(2, 4) was removed in an uncommitted epoch" in result.stdout
    assert "open.txt: `reach(2, 4)` did not change in the epoch" in result.stdout
    assert run("log", "state").stdout == before


def test_what_if_of_one_script_tells_rows() -> None:
    result = run("what-if", "--state", "state", "open.txt")
    assert result.stdout.startswith("open.txt: ")
    assert "  edge  +1 -0  +edge(4, 5)\n" in result.stdout
    report = json.loads(run("what-if", "--state", "state", "open.txt", "--json", "--blame", "reach").stdout)
    assert report[0]["changes"]["edge"]["inserted"] == [[4, 5]]
    assert report[0]["blame"]["groups"][0]["inserted"] == 3
    assert run("what-if", "--state", "state", "wrong.txt").exit_code == 1


def test_preview_in_a_script_is_reported_and_leaves_nothing() -> None:
    Path("changes.txt").write_text("+edge(3, 9).\npreview.\n-edge(1, 2).\ncommit.\n")
    result = run("run", "p.dl", "--runtime", "embedded", "--changes", "changes.txt", "-D", "out")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split(",")[0] for line in lines if not line.startswith(" ")] == [
        "preview: 1 change",
        "epoch 2: 1 change",
    ]
    assert Path("out/reach.csv").read_text() == "2\t3\n"


def test_preview_in_the_repl_leaves_nothing() -> None:
    typed = "+edge(3, 9). preview.\n? reach(2, 9)\n"
    report = CliRunner().invoke(app, ["repl", "p.dl"], input=typed).stdout
    assert "edge(3, 9)" in report
    assert "no" in report.splitlines()[-1]
