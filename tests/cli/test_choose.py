"""`--runtime auto` (D23): where a run is, and the line that says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.cli.base import choose
from tidelog.cli.base.choose import choose_runtime, free_memory
from tidelog.cli.base.place import Place, Runtime
from tidelog.io.files import InputFile
from tidelog.io.parameters import TABLE, TEXT, Layout

REACH = "reach(X,Y) :- edge(X,Y).\nreach(X,Z) :- edge(X,Y), reach(Y,Z).\n"


@pytest.fixture
def edges(tmp_path: Path) -> InputFile:
    """A file of 1,000 bytes."""
    path = tmp_path / "edge.facts"
    path.write_text("1\t2\n" * 250)
    return InputFile("edge", path, Layout())


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "running_session", lambda: None)
    monkeypatch.delenv("TIDELOG_RUNTIME", raising=False)


def test_files_that_fit_into_memory_are_read_here(edges: InputFile) -> None:
    assert str(choose_runtime(Place(), [edges], [])) == "tidelog: embedded: 1 input file, 1.0 kB, in memory"
    assert str(choose_runtime(Place(), [], [])) == "tidelog: embedded: no input files"


def test_files_larger_than_a_quarter_of_the_free_memory_are_for_spark(edges: InputFile) -> None:
    assert choose_runtime(Place(), [edges], [], free=4000).runtime is Runtime.embedded
    assert str(choose_runtime(Place(), [edges], [], free=3999)) == (
        "tidelog: on Spark: 1 input file, 1.0 kB, more than a quarter of the free memory (4.0 kB)"
    )
    assert choose_runtime(Place(), [edges, edges], [], free=4000).runtime is Runtime.spark


def test_a_folder_of_files_is_as_large_as_its_files(tmp_path: Path) -> None:
    for part in range(3):
        (tmp_path / f"part-{part}.parquet").write_bytes(b"x" * 100)
    folder = InputFile("edge", tmp_path, Layout("parquet"))
    assert choose_runtime(Place(), [folder], [], free=1199).runtime is Runtime.spark
    assert choose_runtime(Place(), [folder], [], free=1200).runtime is Runtime.embedded


def test_master_and_settings_ask_for_spark() -> None:
    assert choose_runtime(Place(master="local[4]"), [], []).reason == "--master was given"
    assert choose_runtime(Place(settings={"a": "b"}), [], []).reason == "--conf was given"


@pytest.mark.parametrize(("kind", "named"), [(TABLE, "a table")])
def test_kinds_that_only_spark_knows_ask_for_it(edges: InputFile, kind: str, named: str) -> None:
    asked = InputFile("edge", edges.path, Layout(kind, named_kind=True))
    assert choose_runtime(Place(), [asked], []).reason == f"`.input edge` names {named}"
    outputs = [("near", Layout(TEXT)), ("reach", Layout(kind))]
    assert choose_runtime(Place(), [edges], outputs).reason == f"`.output reach` names {named}"
    assert choose_runtime(Place(), [edges], [("near", Layout(TEXT))]).runtime is Runtime.embedded


def test_running_session_asks_for_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "running_session", lambda: object())
    assert str(choose_runtime(Place(), [], [])) == "tidelog: on Spark: a Spark session is running in this process"


def test_free_memory_is_that_of_the_container_where_it_is_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "_GROUP", tmp_path)
    whole = free_memory()
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert free_memory() > whole // 2
    (tmp_path / "memory.max").write_text("5000\n")
    assert free_memory() == 4000
    (tmp_path / "memory.current").write_text("6000\n")
    assert free_memory() == 0


# The command


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "reach.dl").write_text(REACH)
    (tmp_path / "edge.facts").write_text("a\tb\nb\tc\n")
    return tmp_path / "reach.dl"


def test_run_says_in_one_line_where_it_is_and_why(program: Path) -> None:
    result = CliRunner().invoke(app, ["run", str(program), "-F", str(program.parent)])
    assert result.exit_code == 0
    assert result.stderr == "tidelog: embedded: 1 input file, 8 bytes, in memory\n"
    assert "a\tc\n" in result.stdout
    asked = CliRunner().invoke(app, ["run", str(program), "-F", str(program.parent), "--runtime", "auto"])
    assert asked.output == result.output


@pytest.mark.parametrize("how", ["option", "variable"])
def test_a_run_with_a_chosen_runtime_does_not_report_the_choice(
    program: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    options = ["--runtime", "embedded"] if how == "option" else []
    if how == "variable":
        monkeypatch.setenv("TIDELOG_RUNTIME", "embedded")
    result = CliRunner().invoke(app, ["run", str(program), "-F", str(program.parent), *options])
    assert (result.exit_code, result.stderr) == (0, "")


def test_partitions_are_no_reason_for_spark(program: Path) -> None:
    result = CliRunner().invoke(app, ["run", str(program), "-F", str(program.parent), "--partitions", "3", "--stats"])
    assert result.exit_code == 0
    assert result.stderr.startswith("tidelog: embedded: ")


@pytest.mark.parametrize("options", [("--master", "local[4]"), ("--conf", "a=b"), ("--runtime", "spark")])
def test_what_asks_for_spark_starts_it(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, str]
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))  # none is there: it gets no further
    result = CliRunner().invoke(app, ["run", str(program), "-F", str(program.parent), *options])
    assert result.exit_code == 1
    assert "error[TL6004]: " in result.stderr


def test_circuit_is_refused_with_what_asks_for_spark(program: Path) -> None:
    result = CliRunner().invoke(app, ["run", str(program), "--algorithm", "circuit", "--master", "local[4]"])
    assert result.exit_code == 1
    assert "--runtime embedded" in result.stderr
