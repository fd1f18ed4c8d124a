"""`tidelog run --state`: what a run commits is there for the next one."""

from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog.cli import app

PROGRAM = "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "reach.dl").write_text(PROGRAM)
    (tmp_path / "edge.facts").write_text("1\t2\n2\t3\n")
    (tmp_path / "more.txt").write_text("+edge(3, 4).\ncommit.\n")
    return tmp_path


def run(folder: Path, *args: str) -> tuple[int, str]:
    base = ["run", str(folder / "reach.dl"), "-F", str(folder), "--state", str(folder / "state")]
    result = CliRunner().invoke(app, [*base, *args])
    return result.exit_code, result.output


def test_a_second_run_goes_on_from_the_state_of_the_first(folder: Path) -> None:
    code, first = run(folder, "-D", "-")
    assert code == 0
    assert "1\t3" in first
    (folder / "edge.facts").unlink()
    code, second = run(folder, "-D", "-", "--changes", str(folder / "more.txt"))
    assert code == 0, second
    assert "1\t4" in second
    code, third = run(folder, "-D", "-")
    assert code == 0
    assert "1\t4" in third


def test_an_earlier_epoch_is_shown_with_at(folder: Path) -> None:
    run(folder, "-D", "-", "--changes", str(folder / "more.txt"))
    assert "1\t4" not in run(folder, "-D", "-", "--at", "1")[1]
    assert "1\t4" in run(folder, "-D", "-", "--at", "-1")[1]


def test_run_at_an_epoch_with_an_edited_program_only_reads(folder: Path) -> None:
    """Stone 26: what an old epoch shows are its own rules; the program's text says what to put out of them."""
    run(folder, "-D", "-", "--changes", str(folder / "more.txt"))
    before = {path: path.read_bytes() for path in (folder / "state").rglob("*") if path.is_file()}
    edited = PROGRAM.replace("edge(X, Y), reach(Y, Z)", "reach(X, Y), reach(Y, Z)") + "near(X) :- reach(1, X).\n"
    (folder / "reach.dl").write_text(edited)
    code, report = run(folder, "-D", "-", "--at", "1")
    assert code == 0, report
    assert "has different rules from the program" in report
    assert report.endswith("reach\n===============\n1\t2\n1\t3\n2\t3\n===============\n")
    (folder / "reach.dl").write_text(edited + ".output near\n.output reach\n.printsize reach\n.printsize near\n")
    code, report = run(folder, "-D", str(folder / "out"), "--at", "-1")
    assert code == 0, report
    assert "at epoch -1 has no relation `near`" in report
    assert report.endswith("reach\t6\n")
    assert [path.name for path in (folder / "out").iterdir()] == ["reach.csv"]
    assert {path: path.read_bytes() for path in (folder / "state").rglob("*") if path.is_file()} == before
    assert run(folder, "-D", "-")[0] == 1  # to go on from it the program must be the same


def test_another_program_for_the_same_state_is_refused_with_the_difference(folder: Path) -> None:
    run(folder, "-D", "-")
    (folder / "reach.dl").write_text(PROGRAM + "near(X) :- reach(1, X).\n")
    code, report = run(folder, "-D", "-")
    assert code == 1
    assert "near" in report


def test_at_without_a_state_is_refused(folder: Path) -> None:
    result = CliRunner().invoke(app, ["run", str(folder / "reach.dl"), "--at", "1"])
    assert result.exit_code == 1
    assert "--state" in result.output
