"""`tidelog format`: files are laid out, checked or shown, and left alone where they cannot be."""

import os
from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.cli.act.format_files import FormatOptions, format_all

ROOT = Path(__file__).parents[2]
UGLY, FORMED = "p( X ):-q(X,Y).\n", "p(X) :- q(X, Y).\n"


def run(*words, text=None):
    return CliRunner().invoke(app, ["format", *map(str, words)], input=text)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "a.dl").write_text(UGLY)
    (tmp_path / "below" / "b.dl").write_text(FORMED)
    (tmp_path / "notes.txt").write_text("p( X ) :- no program")
    return tmp_path


def test_a_folder_stands_for_the_programs_below_it(folder):
    done = run(folder)
    assert done.exit_code == 0
    assert f"formatted {folder / 'a.dl'}" in done.stdout
    assert "1 changed, 1 unchanged" in done.stderr
    assert (folder / "a.dl").read_text() == FORMED
    assert run("--check", folder).exit_code == 0


def test_check_writes_nothing_and_tells_by_its_exit_code(folder):
    done = run("--check", folder)
    assert done.exit_code == 1
    assert f"would format {folder / 'a.dl'}" in done.stdout
    assert (folder / "a.dl").read_text() == UGLY


def test_diff_shows_the_change_and_writes_nothing(folder):
    done = run("--diff", folder / "a.dl")
    assert done.exit_code == 0
    assert "-p( X ):-q(X,Y).\n+p(X) :- q(X, Y).\n" in done.stdout
    assert (folder / "a.dl").read_text() == UGLY
    assert run("--diff", "--check", folder / "a.dl").exit_code == 1


def test_standard_input_goes_to_standard_output():
    assert run("-", text=UGLY).stdout == FORMED
    assert run("-", "--check", text=UGLY).exit_code == 1
    assert run("-", "--check", text=FORMED).exit_code == 0


def test_what_does_not_parse_is_reported_and_left_alone(folder):
    (folder / "wrong.dl").write_text("p( X :- q.\n")
    done = run(folder)
    assert done.exit_code == 1
    assert "TL103" in done.stderr
    assert "does not parse; left unchanged" in done.stderr
    assert (folder / "wrong.dl").read_text() == "p( X :- q.\n"
    assert (folder / "a.dl").read_text() == FORMED


def test_a_file_that_is_not_there_is_reported(tmp_path):
    done = run(tmp_path / "none.dl")
    assert done.exit_code == 1
    assert "TL122" in done.stderr


def test_an_empty_folder_is_reported(tmp_path):
    assert "TL4721" in run(tmp_path).stderr


def test_a_text_that_counts_its_lines_is_left_alone(tmp_path):
    file = tmp_path / "lines.dl"
    file.write_text("\n\np(__LINE__).\n")
    done = run(file)
    assert done.exit_code == 1
    assert "TL4720" in done.stderr
    assert file.read_text() == "\n\np(__LINE__).\n"


def test_a_file_that_cannot_be_written_is_reported(folder, monkeypatch, capsys):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    assert not format_all([str(folder / "a.dl")], FormatOptions())
    output = capsys.readouterr().err
    assert "error[TL4722]" in output
    assert "No space left on device" in output
    assert (folder / "a.dl").read_text() == UGLY
    assert sorted(path.name for path in folder.iterdir()) == ["a.dl", "below", "notes.txt"]


def test_permissions_and_links_stay(folder):
    (folder / "a.dl").chmod(0o640)
    (folder / "link.dl").symlink_to("a.dl")
    assert run(folder / "link.dl").exit_code == 0
    assert (folder / "link.dl").is_symlink()
    assert (folder / "a.dl").read_text() == FORMED
    assert (folder / "a.dl").stat().st_mode & 0o777 == 0o640


def test_the_convention_of_a_part_can_be_said(tmp_path):
    file = tmp_path / "part.dl"
    file.write_text("p(x):-g.edge(x,y),x%2=0.\n")
    assert run(file).exit_code == 1
    assert run("--convention", "souffle", file).exit_code == 0
    assert file.read_text() == "p(x) :- g.edge(x, y), x % 2 = 0.\n"


def test_all_programs_here_are_formatted():
    """Those of `rejected` are mistakes, each shown by its diagnostics as it is written."""
    folders = [path for path in sorted((ROOT / "programs").iterdir()) if path.name != "rejected"]
    assert run("--check", *folders, ROOT / "examples").exit_code == 0
