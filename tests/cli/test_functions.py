"""`--functions FILE` of every command that reads a program or a state: functors work there as in `tidelog run`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog.cli import app

PROGRAM = """.functor twice(x: number): number
.decl q(x: number)
.decl p(x: number)
q(3).
p(@twice(x)) :- q(x).
.output p
"""


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "p.dl").write_text(PROGRAM)
    (tmp_path / "f.py").write_text("def twice(x):\n    return 2 * x\n")
    (tmp_path / "wrong.py").write_text("def twice(:\n")
    monkeypatch.chdir(tmp_path)
    run("run", "p.dl", "--functions", "f.py", "--state", "state", "-D", "-")
    return tmp_path


def run(*words: str, code: int = 0, typed: str | None = None) -> str:
    result = CliRunner().invoke(app, list(words), input=typed)
    assert result.exit_code == code, result.output
    return result.output


ASKED = {
    "explain": (("explain", "p.dl"), "stratum 1, 1 fact"),
    "why": (("why", "p.dl", "p(6)"), "6 = twice(3)"),
    "why --not": (("why", "p.dl", "p(5)", "--not"), "twice"),
    "why of a state": (("why", "--state", "state", "p(6)"), "6 = twice(3)"),
    "query": (("query", "p.dl", "p(X)"), "6"),
    "query of a state": (("query", "--state", "state", "p(X), Y = twice(X)"), "12"),
    "verify": (("verify", "state"), "certified"),
    "verify a program": (("verify", "state", "p.dl", "-F", "."), "certified"),
    "check": (("check", "p.dl"), "p.dl: ok"),
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.usefixtures("folder")
def test_commands_take_functions(name: str) -> None:
    words, shown = ASKED[name]
    assert shown in run(*words, "--functions", "f.py")


@pytest.mark.parametrize("name", [name for name in ASKED if name != "check"])
@pytest.mark.usefixtures("folder")
def test_without_them_a_functor_is_missing(name: str) -> None:
    assert "twice" in run(*ASKED[name][0], code=1)


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.usefixtures("folder")
def test_a_file_that_cannot_be_loaded_is_reported(name: str) -> None:
    assert "TL1410" in run(*ASKED[name][0], "--functions", "wrong.py", code=1)


@pytest.mark.usefixtures("folder")
def test_functions_last_as_long_as_a_repl() -> None:
    report = run("repl", "p.dl", "--functions", "f.py", typed="q(twice(5)).\n? p(x).\n")
    assert "20" in report
    report = run("repl", "--functions", "f.py", typed=":load p.dl\n? p(x).\n")
    assert "6" in report
    report = run("repl", "--state", "state", "--functions", "f.py", typed=":at 1\n? p(x).\n")
    assert "6" in report


@pytest.mark.usefixtures("folder")
def test_check_knows_functions_that_tell_their_types(folder: Path) -> None:
    (folder / "half.py").write_text(
        "from tidelog import user_function\n"
        "@user_function('half', ('number',), 'number')\ndef half(x):\n    return x // 2\n"
    )
    (folder / "h.dl").write_text(".decl p(x: number)\np(half(8)).\n")
    assert "ok" in run("check", "h.dl", "--functions", "half.py")
    run("check", "h.dl", code=1)
