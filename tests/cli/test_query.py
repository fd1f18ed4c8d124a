"""`tidelog query`, and `--state` of `query`, `why` and `repl`: a state is asked at any epoch, and stays as it is."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import tidelog
from tests.runner import CliRunner, Result
from tidelog import Engine
from tidelog.cli import app

PROGRAM = "reach(X, Y) :- edge(X, Y).\nstep: reach(X, Z) :- edge(X, Y), reach(Y, Z).\n"
COMMAND = (sys.executable, "-m", "tidelog.cli")


def run(*words: object, code: int = 0, typed: str | None = None) -> Result:
    result = CliRunner().invoke(app, [str(word) for word in words], input=typed)
    assert result.exit_code == code, result.output
    return result


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a folder with its content and the time of its last change."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(params=[1, 2], ids=["one partition", "two partitions"])
def state(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Epoch 1: the edges 1-2-3; epoch 2: the edge 3-4 too; epoch 3: without the recursive rule."""
    folder = tmp_path / "state"
    with Engine(PROGRAM, path=folder, partitions=request.param) as db:
        with db.epoch() as e:
            e.insert("edge", [(1, 2), (2, 3)])
        with db.epoch() as e:
            e.insert("edge", [(3, 4)])
        with db.epoch() as e:
            e.remove_rule("step")
        before = files(folder)
        yield folder  # while the writer holds the lock
        assert files(folder) == before


def test_a_state_is_asked_at_any_epoch_of_its_history(state: Path) -> None:
    assert run("query", "--state", state, "reach(1, X)").stdout == "2\n"
    assert run("query", "--state", state, "reach(1, X)", "--at", 3).stdout == "2\n3\n4\n"
    assert run("query", "--state", state, "reach(1, X)", "--at", -2).stdout == "2\n3\n4\n"
    assert run("query", "--state", state, "reach(1, X)", "--at", 2).stdout == "2\n3\n"
    assert run("query", "--state", state, "edge(X, Y)", "--at", 1).stdout == ""


def test_a_question_may_join_compare_and_count(state: Path) -> None:
    assert run("query", "--state", state, "edge(X, Y), !edge(Y, _)").stdout == "3\t4\n"
    assert run("query", "--state", state, "N = count : { reach(_, _) }", "--at", 3).stdout == "6\n"


def test_proofs_are_returned_for_any_epoch(state: Path) -> None:
    proof = run("why", "--state", state, "reach(1, 4)", "--at", 3).stdout
    assert proof.startswith("reach(1, 4)  by step\n├─ edge(1, 2)  asserted\n")
    assert "--not" in run("why", "--state", state, "reach(1, 4)", code=1).output
    assert "reach(1, 4) is not true" in run("why", "--state", state, "reach(1, 4)", "--not").stdout
    assert json.loads(run("why", "--state", state, "reach(1,2)", "--json").stdout)["fact"] == "reach(1, 2)"


def test_the_prompt_goes_to_other_epochs(state: Path) -> None:
    typed = "?reach(1, 4)\n:at 3\n?reach(1, 4)\n:why reach(3, 4)\n:at -1\n?reach(1, 4)\n:at\n"
    shown = run("repl", "--state", state, typed=typed).stdout.splitlines()
    assert [line.split(",")[0] for line in shown if line.startswith(("yes", "no"))] == ["no", "yes", "no"]
    assert [line for line in shown if " at epoch " in line] == [f"{state} at epoch {n}" for n in (3, 4, 4)]
    assert "edge(3, 4)  asserted" in "\n".join(shown)
    assert "TL4818" in run("repl", "--state", state, typed=":at noon\n", code=1).output
    assert "no epoch 9" in run("repl", "--state", state, typed=":at 9\n", code=1).output
    assert "TL4817" in run("repl", typed=":at 3\n", code=1).output


@pytest.mark.parametrize(
    "typed", ["edge(7, 8).", "-edge(1, 2).", "p(X) :- edge(X, _).", ".decl p(x: number)", ":load p.dl"]
)
def test_a_state_is_not_changed_at_the_prompt(state: Path, typed: str) -> None:
    report = run("repl", "--state", state, typed=f"{typed}\n?edge(1, X)\n", code=1).output
    assert "TL4816" in report
    assert f"{state} is open read-only at epoch 4" in report
    assert "1 answer" in report


def test_a_program_is_asked_with_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.dl").write_text(PROGRAM)
    Path("edge.facts").write_text("1\t2\n2\t3\n")
    assert run("query", "p.dl", "reach(X, 3)").stdout == "1\n2\n"
    (tmp_path / "none").mkdir()
    assert run("query", "p.dl", "reach(X, 3)", "-F", "none").stdout == ""


@pytest.fixture
def values(tmp_path: Path) -> Path:
    """Values of every kind, out of order."""
    folder = tmp_path / "values"
    with Engine("v(X, Y, Z) :- w(X, Y, Z).", path=folder) as db, db.epoch() as e:
        e.insert("w", [("tab\there", 2.5, (1, "b")), ('quo"te, é', float("nan"), ()), ("a", -1.0, ((2,), "x"))])
    return folder


def asked(values: Path, form: str, question: str = "v(X, Y, Z)") -> bytes:
    """What another program gets through a pipe."""
    return run("query", "--state", values, question, "--format", form).stdout_bytes


def test_every_format_in_a_pipe_has_the_same_answers(values: Path) -> None:
    rows = [("a", -1.0, "[[2], x]"), ('quo"te, é', "nan", "[]"), ("tab\there", 2.5, "[1, b]")]
    report = asked(values, "csv").decode()
    assert list(csv.reader(io.StringIO(report))) == [["X", "Y", "Z"], *([str(part) for part in row] for row in rows)]
    table = asked(values, "table").decode().splitlines()
    assert table[0].split() == ["X", "Y", "Z"]
    assert len(table) == 6
    assert table[-1] == "3 answers"
    objects = json.loads(asked(values, "json"))
    assert [(each["X"], each["Y"], each["Z"]) for each in objects] == [
        ("a", -1.0, [[2], "x"]),
        ('quo"te, é', "NaN", []),
        ("tab\there", 2.5, [1, "b"]),
    ]
    assert [json.loads(line) for line in asked(values, "jsonl").splitlines()] == objects


def test_arrow_and_parquet_keep_the_types_of_columns(values: Path) -> None:
    question = 'v(X, Y, _), X = "a"'
    expected = {"X": ["a"], "Y": [-1.0]}
    with pa.ipc.open_stream(asked(values, "arrow", question)) as stream:
        assert stream.read_all().to_pydict() == expected
    assert pyarrow.parquet.read_table(pa.BufferReader(asked(values, "parquet", question))).to_pydict() == expected


@pytest.mark.parametrize(
    ("form", "yes", "no"),
    [
        ("table", "yes\n", "no\n"),
        ("text", "yes\n", "no\n"),
        ("csv", "answer\nyes\n", "answer\nno\n"),
        ("json", "true\n", "false\n"),
        ("jsonl", "true\n", "false\n"),
    ],
)
def test_a_question_without_variables_is_answered_with_yes_or_no(values: Path, form: str, yes: str, no: str) -> None:
    assert asked(values, form, 'v("a", -1.0, _)').decode() == yes
    assert asked(values, form, 'v("b", -1.0, _)').decode() == no


def test_bytes_are_not_written_to_a_terminal(values: Path) -> None:
    leader, follower = os.openpty()
    environment = {**os.environ, "PYTHONPATH": str(Path(tidelog.__file__).parents[1])}
    words = (*COMMAND, "query", "--state", str(values), "v(X, _, _)", "--format", "parquet")
    ended = subprocess.run(words, stdout=follower, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    os.close(follower)
    os.close(leader)
    assert ended.returncode == 1
    assert "TL4819" in ended.stderr
    assert "answers.parquet" in ended.stderr


def test_what_is_asked_wrongly_is_reported(values: Path, tmp_path: Path) -> None:
    assert "contains no state" in run("query", "--state", tmp_path / "none", "v(X, Y, Z)", code=1).output
    assert "no epoch 7" in run("query", "--state", values, "v(X, Y, Z)", "--at", 7, code=1).output
    assert "TL" in run("query", "--state", values, "v(X, Y", code=1).output
    assert "TL4807" in run("query", "p.dl", "v(X, Y, Z)", "--at", 1, code=1).output
    for words in (("query", "v(X, Y, Z)"), ("why", "v(1)")):
        assert "--state DIR" in run(*words, code=2).output
    assert "contains its program" in run("query", "p.dl", "v(X, Y, Z)", "--state", values, code=2).output
    assert "contains its program" in run("repl", "p.dl", "--state", values, code=2).output
    assert "omit -F" in run("query", "v(X, Y, Z)", "--state", values, "-F", tmp_path, code=2).output
