"""The options of the `souffle` command: those with a meaning here have it, the others name the way that works."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tidelog.cli import app

LIBRARY = ".decl e(x: number, y: number)\ne(1, N). e(2, TWO).\n"
PROGRAM = '#include "lib.dl"\n.decl p(x: number)\np(y) :- e(z, y).\n.output p\n'


@pytest.fixture
def program(tmp_path):
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "lib.dl").write_text(LIBRARY)
    (tmp_path / "p.dl").write_text(PROGRAM)
    return tmp_path / "p.dl"


def run(program, *options: str):
    found = CliRunner().invoke(app, ["run", str(program), "-F", str(program.parent), "-D", "-", *options])
    return found.exit_code, found.stdout, found.stderr


def given(program) -> tuple[str, ...]:
    return "-I", str(program.parent / "inc"), "-M", "N=7 TWO=2"


def test_includes_and_macros_come_from_the_command_line(program):
    code, out, err = run(program, *given(program))
    assert code == 0
    assert out.splitlines()[2:6] == ["x", "=" * 15, "2", "7"]
    assert "TL702" in err
    assert run(program, "-I", str(program.parent / "inc"), "--macro", "N=7", "--macro", "TWO=2")[1] == out


def test_the_first_folder_that_has_a_file_wins(program):
    other = program.parent / "other"
    other.mkdir()
    (other / "lib.dl").write_text(".decl e(x: number, y: number)\ne(1, 100).\n")
    assert "100" in run(program, "-I", str(other), *given(program))[1]
    assert "100" not in run(program, *given(program), "-I", str(other))[1]


def test_a_missing_include_names_the_option(program):
    code, _, err = run(program)
    assert code == 1
    assert "TL180" in err
    assert "-I DIR" in err


def test_no_warning_is_printed(program):
    code, out, err = run(program, *given(program), "-w")
    assert code == 0
    assert "warning" not in err
    assert out


@pytest.mark.parametrize(
    "option", ["-c", "--compile", "--jobs=1", "-j1", "-v", "--verbose", "-m*", "--magic-transform=p"]
)
def test_accepted_options_change_no_result(program, option):
    code, out, _ = run(program, *given(program), option)
    assert (code, out) == (0, run(program, *given(program))[1])


def test_a_profile_is_written_to_a_file(program):
    assert run(program, *given(program), "-p", str(program.parent / "prof"))[0] == 0
    assert "stratum" in (program.parent / "prof").read_text()
    assert "TL4" in run(program, *given(program), "-p", str(program.parent / "no" / "prof"))[2]


def test_pragmas_and_legacy(tmp_path):
    (tmp_path / "q.dl").write_text(
        ".type City <: symbol\n.decl name(x: symbol)\n.decl city(x: City)\n"
        'name("a").\ncity(x) :- name(x).\n.output city'
    )
    assert run(tmp_path / "q.dl")[0] == 1
    for options in (["--legacy"], ["-P", "legacy"], ["--pragma", "legacy="]):
        assert run(tmp_path / "q.dl", *options)[0] == 0
    (tmp_path / "w.dl").write_text(
        ".decl n(x: number)\n.decl m(x: number)\nn(9223372036854775807).\nm(x + 1) :- n(x).\n.output m\n"
    )
    assert run(tmp_path / "w.dl")[0] == 1
    assert "-9223372036854775808" in run(tmp_path / "w.dl", "-P", "overflow:wrap")[1]


@pytest.mark.parametrize(
    ("options", "way"),
    [
        (["-t", "explain"], "tidelog why"),
        (["-texplore"], "tidelog why"),
        (["--debug-report=r.html"], "tidelog explain"),
        (["-r", "r.html"], "tidelog explain"),
        (["-o", "prog"], "compiled once"),
        (["-oprog"], "compiled once"),
        (["--show", "transformed-ast"], "tidelog explain PROGRAM --core"),
        (["--show=parse-errors,scc-graph"], "tidelog check"),
        (["-lfunctors"], "--functions FILE"),
        (["-g", "x.cpp"], "generates no code"),
        (["--live-profile"], "--profile"),
        (["-z", "MinimiseProgramTransformer"], "Leave the option out"),
    ],
)
def test_other_options_name_the_way_that_works(program, options, way):
    code, out, err = run(program, *given(program), *options)
    assert (code, out) == (2, "")
    assert way in err
    assert "Traceback" not in err


def test_a_macro_that_is_none_is_refused(program):
    code, _, err = run(program, "-M", "1x")
    assert code == 2
    assert "NAME=VALUE" in err
