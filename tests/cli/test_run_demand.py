"""`tidelog run --outputs-only`: the same outputs, and no more than they ask for."""

from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.program.values.pragmas import outputs
from tidelog.syntax import parse_file
from tidelog.testing.programs import find_programs

ROOT = Path(__file__).parents[2] / "programs"
PROGRAMS = {f"{path.parent.name}/{path.stem}": path for path in find_programs(ROOT) if outputs(parse_file(path))}


def run(*args):
    return CliRunner().invoke(app, ["run", *map(str, args), "--runtime", "embedded"])


def written(folder):
    return {path.stem: sorted(path.read_text("utf-8").replace(", ", ",").splitlines()) for path in folder.iterdir()}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_programs_have_the_same_outputs(name, tmp_path):
    folder = PROGRAMS[name].with_suffix("")
    result = run(PROGRAMS[name], "-F", folder, "-D", tmp_path / "out", "--outputs-only")
    assert result.exit_code == 0, result.output
    assert written(tmp_path / "out") == written(folder / "expected")


@pytest.mark.parametrize(
    "name", sorted(n for n, p in PROGRAMS.items() if (p.with_suffix("") / "changes.txt").exists())[:6]
)
def test_programs_follow_their_change_scripts(name, tmp_path):
    folder = PROGRAMS[name].with_suffix("")
    report = [
        run(PROGRAMS[name], "-F", folder, "-D", tmp_path / mode, "--changes", folder / "changes.txt", *options)
        for mode, options in (("whole", []), ("asked", ["--outputs-only"]))
    ]
    assert [result.exit_code for result in report] == [0, 0], report[1].output
    assert written(tmp_path / "asked") == written(tmp_path / "whole")


def test_relations_hold_what_outputs_ask_for(tmp_path):
    text = "reach(X,Y) :- edge(X,Y).\nreach(X,Z) :- edge(X,Y), reach(Y,Z).\nout(Y) :- reach(1, Y).\n.output out\n"
    (tmp_path / "reach.dl").write_text(text)
    (tmp_path / "edge.facts").write_text("".join(f"{n}\t{n + 1}\n" for n in range(10, 60)) + "1\t2\n")
    result = run(tmp_path / "reach.dl", "-F", tmp_path, "-D", tmp_path / "out", "--outputs-only", "--stats")
    assert result.exit_code == 0, result.output
    assert written(tmp_path / "out") == {"out": ["2"]}
    assert any(line.split() == ["reach", "view", "1"] for line in result.output.splitlines())


def test_program_without_outputs_is_refused(tmp_path):
    (tmp_path / "p.dl").write_text("p(1).\n")
    assert "TL4831" in run(tmp_path / "p.dl", "-F", tmp_path, "--outputs-only").output
