"""Which files a command reads, what it reports of those that it does not read, and what it writes (D36, D37, D46)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import CliRunner, Result
from tidelog.cli import app

REACH = "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\n"


def tidelog(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a program."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.dl").write_text(REACH)
    return tmp_path


COMMANDS = {
    "run": ("run", "r.dl"),
    "query": ("query", "r.dl", "reach(X, Y)"),
    "why": ("why", "r.dl", "reach(a, b)"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_is_given_and_not_there_is_an_error(command: str, reach: Path) -> None:
    result = tidelog(*COMMANDS[command], "-F", "nowhere")
    assert (result.exit_code, "TL1075" in result.stderr) == (1, True), result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_a_possible_header_is_refused_by_every_command(command: str, reach: Path) -> None:
    (reach / "edge.csv").write_text("from,to\na,b\nb,c\n")
    result = tidelog(*COMMANDS[command])
    assert (result.exit_code, "TL1018" in result.stderr) == (1, True), result.output


@pytest.mark.parametrize("headers", ["true", "false"])
def test_a_header_that_is_declared_is_read_as_the_program_says(headers: str, reach: Path) -> None:
    (reach / "edge.csv").write_text("from,to\na,b\n")
    (reach / "r.dl").write_text(f".input edge(headers={headers})\n{REACH}")
    result = tidelog("run", "r.dl")
    assert ("from\tto" in result.stdout, "a\tb" in result.stdout) == (headers == "false", True)


def test_a_file_that_fits_no_relation_is_reported_with_the_probable_name(reach: Path) -> None:
    (reach / "edgee.facts").write_text("a\tb\n")
    result = tidelog("run", "r.dl")
    assert "TL1076: edgee.facts is not read: the program has no relation `edgee`; did you mean `edge`?" in result.stderr
    (reach / "edge.facts").write_text("a\tb\n")
    assert "TL1076" not in tidelog("run", "r.dl").stderr  # nothing is missing


@pytest.mark.parametrize(("name", "advice"), [("edge.rdf", "N-Triples"), ("edge.xlsx", "CSV"), ("edge.db", "Parquet")])
def test_a_file_of_a_kind_that_is_not_read_is_reported_with_what_to_do(name: str, advice: str, reach: Path) -> None:
    (reach / name).touch()
    report = tidelog("run", "r.dl").stderr
    assert f"{name} is not read" in report
    assert advice in report
    (reach / "p.dl").write_text(".decl edge(x: symbol, y: symbol)\n.input edge\n")
    report = tidelog("run", "p.dl").stderr
    assert "TL1057" in report
    assert f"{name} is not read" in report


def test_files_beside_the_program_are_found_with_f_and_the_message_says_so(reach: Path) -> None:
    place = reach / "loc"
    place.mkdir()
    (place / "edge.facts").write_text("a\tb\n")
    (place / "r.dl").write_text(REACH)
    (place / "p.dl").write_text(".decl edge(x: symbol, y: symbol)\n.input edge\n")
    assert "use `-F loc`" in tidelog("run", "loc/r.dl").stderr
    refused = tidelog("run", "loc/p.dl")
    assert (refused.exit_code, "use `-F loc`" in refused.stderr) == (1, True)
    assert "a\tb" in tidelog("run", "loc/r.dl", "-F", "loc").stdout


@pytest.mark.parametrize(
    "question", ["raech(X, Y)", "raech[knows]+(X, Y)", "edge(X, Y), !raech(X, Y)", "(edge/raech)(X, Y)"]
)
def test_a_misspelt_relation_in_a_question_is_reported(question: str, reach: Path) -> None:
    (reach / "edge.facts").write_text("a\tb\n")
    result = tidelog("query", "r.dl", question)
    assert "TL4070" in result.stderr
    assert "did you mean `reach`?" in result.stderr


def test_nulls_are_skipped_and_reported_as_the_directive_says(reach: Path) -> None:
    (reach / "r.dl").write_text(
        '.decl emp(name: symbol, mgr: symbol)\n.input emp(nulls="{}")\n.decl top(name: symbol)\n.output top\n'
        'top(n) :- emp(n, "none").\n'.format("mgr=none")
    )
    (reach / "emp.csv").write_text("name,mgr\nann,\nbob,ann\n")
    result = tidelog("run", "r.dl", "-D", "-")
    assert (result.exit_code, "\nann\n" in result.stdout) == (0, True), result.output
    assert "TL1020: emp.csv: replaced 1 null in `mgr`" in result.stderr
    (reach / "r.dl").write_text((reach / "r.dl").read_text().replace("mgr=none", "skip"))
    assert "skipped 1 row with a null" in tidelog("run", "r.dl", "-D", "-").stderr


# What -D writes


def test_with_declarations_d_writes_what_output_names(reach: Path) -> None:
    declared = ".decl p(x: number)\n.decl q(x: number)\np(1).\nq(x) :- p(x).\n"
    (reach / "r.dl").write_text(f"{declared}.output p\n")
    assert tidelog("run", "r.dl", "-D", "out").exit_code == 0
    assert [path.name for path in (reach / "out").iterdir()] == ["p.csv"]
    (reach / "r.dl").write_text(declared)
    result = tidelog("run", "r.dl", "-D", "none")
    assert (result.exit_code, (reach / "none").exists()) == (0, False)
    assert "no output was written, because the program has no `.output` directive" in result.stderr
    assert "q" in tidelog("run", "r.dl").stdout  # without -D views are printed


def test_without_declarations_d_writes_the_derived_views(reach: Path) -> None:
    (reach / "r.dl").write_text("p(1).\nq(X) :- p(X).\n")
    assert tidelog("run", "r.dl", "-D", "out").exit_code == 0
    assert [path.name for path in (reach / "out").iterdir()] == ["q.csv"]


# A declared relation is known


@pytest.mark.parametrize("pair", [("big", "bigk"), ("edge", "edges"), ("person", "persons")])
def test_a_declared_relation_that_is_still_empty_is_known(pair: tuple[str, str], reach: Path) -> None:
    first, second = pair
    (reach / "t.dl").write_text(f".decl {first}(id: number)\n.decl {second}(id: number)\n{second}(i) :- {first}(i).\n")
    for words in (("run", "t.dl"), ("run", "t.dl", "--state", "s")):
        result = tidelog(*words)
        assert (result.exit_code, "TL4070" in result.stderr) == (0, False), result.output


def test_semicolons_between_columns_with_decimal_commas_are_refused(tmp_path):
    (tmp_path / "e.csv").write_text("a;1,5\nb;2,5\n")
    program = """
        .decl e(a: symbol, n: float)
        .input e(filename="e.csv"{more})
        .decl s(a: symbol)
        s(a) :- e(a, _).
        .output s
    """
    (tmp_path / "p.dl").write_text(program.replace("{more}", ""))
    refused = CliRunner().invoke(app, ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path), "-D", "-"])
    assert refused.exit_code == 1
    assert "TL1079" in refused.output
    assert 'delimiter=";"' in refused.output
    (tmp_path / "p.dl").write_text(program.replace("{more}", ', delimiter=","'))
    accepted = CliRunner().invoke(app, ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path), "-D", "-"])
    assert accepted.exit_code == 0
    assert "a;1" in accepted.output
    (tmp_path / "e.csv").write_text("a;x,1.5\nb,2.5\n")
    (tmp_path / "p.dl").write_text(program.replace("{more}", ""))
    assert CliRunner().invoke(app, ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path), "-D", "-"]).exit_code == 0
