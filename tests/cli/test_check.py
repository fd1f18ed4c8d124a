"""`tidelog check` from outside: output, exit codes, odd files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runner import CliRunner, Result
from tidelog import __version__
from tidelog.cli import app
from tidelog.cli.base.show import console, show_diagnostics
from tidelog.cli.input.report import check_file
from tidelog.errors.render import render_diagnostics
from tidelog.program.check import examine_program
from tidelog.program.messages.check_catalogue import CATALOGUE
from tidelog.syntax import read_program

REJECTED = Path(__file__).parents[2] / "programs" / "rejected"
PROGRAMS = sorted(path.stem for path in REJECTED.glob("*.dl"))


def run(*arguments: str, given: bytes | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=given)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.dl"
    path.write_text("edge(1, 2). edge(2, 3).\nreach(X, Y) :- edge(X, Y).\nreach(X, Z) :- reach(X, Y), edge(Y, Z).\n")
    return path


@pytest.mark.parametrize("name", PROGRAMS)
def test_rejected_program_gets_its_codes_at_its_lines(name: str) -> None:
    path = REJECTED / f"{name}.dl"
    result = run("check", "--format", "json", str(path))
    assert result.exit_code == 1
    (report,) = json.loads(result.stdout)
    found = [f"{d['code']} {d['span']['line']}" for d in report["diagnostics"]]
    assert found == path.with_suffix(".expected").read_text().split("\n")[:-1]


def test_rejected_programs_cover_every_code() -> None:
    text_reported = {
        line.split()[0] for name in PROGRAMS for line in (REJECTED / f"{name}.expected").read_text().splitlines()
    }
    assert set(CATALOGUE) - {"TL705", "TL760"} <= text_reported  # these are asked of programs that are in order
    assert len(PROGRAMS) >= 30


def test_rule_that_another_rule_makes_redundant_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "paths.dl"
    file.write_text(
        "reach(X, Y) :- edge+(X, Y).\nreach(A, B) :- (edge/edge)(A, B).\nreach(A, B) :- edge(B, A).\n"
        'near(Y) :- edge("a", Y).\nnear(Y) :- (edge|^edge)*("a", Y).\nnear(Y) :- edge+("b", Y).\n'
        'twice(X, Y) :- edge{2}(X, Y).\ntwice(X, Y) :- (edge/edge)(X, Y).\nedge("a", "b").\n'
    )
    (report,) = json.loads(run("check", "--format", "json", str(file)).stdout)
    found = [(d["code"], d["severity"], d["span"]["line"]) for d in report["diagnostics"]]
    assert found == [("TL705", "warning", 2), ("TL705", "warning", 4), ("TL705", "warning", 8)]


def test_good_program_is_summed_up_in_one_line(good: Path) -> None:
    result = run("check", str(good))
    assert result.exit_code == 0
    assert result.stdout == f"{good}: ok: 2 rules, 2 facts, 2 relations, 1 stratum, 0 warnings\n"


def test_warnings_are_shown_and_do_not_fail(tmp_path: Path) -> None:
    path = tmp_path / "warn.dl"
    path.write_text("source(X) :- edge(X, Y).\n")
    result = run("check", str(path))
    assert result.exit_code == 0
    assert result.stdout.startswith("warning[TL702]: variable `Y` is used only once\n")
    assert result.stdout.endswith("1 stratum, 1 warning\n")


def test_a_value_that_may_grow_for_ever_is_reported_with_the_term_that_makes_it(tmp_path: Path) -> None:
    path = tmp_path / "count.dl"
    path.write_text("n(0).\nn(Y) :- n(X), Y = X + 1.\n")
    result = run("check", str(path))
    assert result.exit_code == 0
    assert "warning[TL760]: evaluation may not end: `X + 1` computes column 1 of `n`" in result.stdout
    assert json.loads(run("check", "--format", "json", str(path)).stdout)[0]["ends"] is False


def test_the_condition_under_which_a_program_ends_is_reported(tmp_path: Path, good: Path) -> None:
    path = tmp_path / "cost.dl"
    path.write_text("d(X, min<C>) :- s(X, C).\nd(Y, min<C>) :- d(X, D), e(X, Y, W), C = D + W.\n")
    assert run("check", str(path)).stdout.endswith("0 warnings; terminates if `W` is never negative\n")
    found = json.loads(run("check", "--format", "json", str(path), str(good)).stdout)
    assert [(report["ends"], report["ends_if"]) for report in found] == [(False, ["`W` is never negative"]), (True, [])]


def test_one_bad_file_among_good_ones_fails(good: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.dl"
    bad.write_text("p(X) :- q(Y).\n")
    result = run("check", str(good), str(bad), str(good))
    assert result.exit_code == 1
    assert result.stdout.count(": ok: ") == 2
    assert f"{bad}: 1 error, 1 warning" in result.stdout


def test_errors_are_shown_with_the_underlined_text(tmp_path: Path) -> None:
    path = tmp_path / "bad.dl"
    path.write_text("p(X) :- q(Y), r(Y).\n")
    lines = run("check", str(path)).stdout.splitlines()
    assert lines[:5] == [
        "error[TL301]: variable `X` in the head is not bound by the body",
        f" --> {path}:1:3",
        "  |",
        "1 | p(X) :- q(Y), r(Y).",
        "  |   ^",
    ]


def test_syntax_and_meaning_are_reported_together(tmp_path: Path) -> None:
    path = tmp_path / "bad.dl"
    path.write_text("p(1) q(2).\nr(X) :- s(Y), t(Y).\n")
    codes = [finding.code for finding in check_file(str(path)).findings]
    assert codes[0].startswith("TL1")
    assert "TL301" in codes


def test_dash_reads_the_standard_input() -> None:
    result = run("check", "-", given=b"p(X) :- q(X).\n")
    assert (result.exit_code, result.stdout) == (
        0,
        "<stdin>: ok: 1 rule, 0 facts, 2 relations, 1 stratum, 0 warnings\n",
    )


def test_json_says_what_the_text_says(good: Path) -> None:
    (report,) = json.loads(run("check", "--format", "json", str(good)).stdout)
    assert report == {
        "file": str(good),
        "ok": True,
        "rules": 2,
        "facts": 2,
        "relations": 2,
        "strata": 1,
        "warnings": 0,
        "errors": 0,
        "ends": True,
        "ends_if": [],
        "monotone": [["reach"]],
        "diagnostics": [],
    }


def test_missing_file_folder_and_bad_bytes_end_in_diagnostics(tmp_path: Path) -> None:
    binary = tmp_path / "binary.dl"
    binary.write_bytes(bytes(range(256)))
    for path in (tmp_path / "missing.dl", tmp_path, binary):
        result = run("check", str(path))
        assert result.exit_code == 1
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert "error[TL1" in result.stdout
        assert "Traceback" not in result.output


def test_version_and_help_are_complete() -> None:
    assert run("--version").stdout == f"tidelog {__version__}\n"
    assert "check" in run("--help").stdout
    text = run("check", "--help").stdout
    assert "--format" in text
    assert "FILE" in text


def test_unknown_option_is_a_usage_error() -> None:
    assert run("check", "--nonsense").exit_code == 2
    assert run("check").exit_code == 2


def test_colours_change_no_character(capsys: pytest.CaptureFixture[str]) -> None:
    _, findings = examine_program(read_program('p(X) :- q(Y), Y = [1, "日本"].')[0])
    show_diagnostics(findings, console())
    assert capsys.readouterr().out == render_diagnostics(findings) + "\n\n"


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_end_in_diagnostics(text: bytes) -> None:
    program, read = read_program(text)
    _, found = examine_program(program)
    assert isinstance(render_diagnostics((*read, *found)), str)


WORDS = """p q( X Y ) , :- . ! min< > = count:{ } 1 2.5 "s" _ ( ; sum~X:{ range( + [ ] @ r1: - materialize( p(X) q(X,Y)
p(X):- f_size( min( C .input~p .decl~p(x:number) .type~T<:symbol"""


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS.split()), max_size=40))
def test_any_words_of_the_language_end_in_diagnostics(words: list[str]) -> None:
    program, read = read_program(" ".join(words).replace("~", " "))
    _, found = examine_program(program)
    assert isinstance(render_diagnostics((*read, *found)), str)
