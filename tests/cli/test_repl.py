"""`tidelog repl`: through a pipe, input by input, and what completion offers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import tidelog
from tidelog.cli import app
from tidelog.cli.repl.commands import COMMANDS
from tidelog.cli.repl.complete import completions
from tidelog.cli.repl.inputs import is_complete, read_inputs
from tidelog.cli.repl.prompt import history
from tidelog.cli.repl.session import ReplSession
from tidelog.cli.show import console
from tidelog.engine.engine import Engine

GRAPH = "edge(1,2). edge(2,3).\nreach(X,Y) :- edge(X,Y).\nreach(X,Z) :- edge(X,Y),\n  reach(Y,Z).\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(text: str, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["repl", *arguments], input=text)


def lines(text: str) -> list[str]:
    """What a pipe prints, without the lines that tell times."""
    result = run(text)
    assert result.exit_code == 0, result.output
    return [line for line in result.stdout.splitlines() if not line.startswith("epoch")]


def test_changes_are_epochs_that_tell_what_changed() -> None:
    assert lines(GRAPH) == [
        "+ edge(1, 2)",
        "+ edge(2, 3)",
        "r1: reach(X, Y) :- edge(X, Y).",
        "+ reach(1, 2)",
        "+ reach(2, 3)",
        "r2: reach(X, Z) :- edge(X, Y), reach(Y, Z).",
        "+ reach(1, 3)",
    ]
    assert run(GRAPH).stdout.count("\nepoch ") == 3


@pytest.mark.parametrize("deletion", ["-edge(1,2).", ":delete edge(1, 2)"])
def test_facts_are_retracted(deletion: str) -> None:
    assert lines(f"{GRAPH}{deletion}\n")[-3:] == ["- edge(1, 2)", "- reach(1, 2)", "- reach(1, 3)"]


def test_rules_are_removed_by_label_and_listed() -> None:
    assert lines(f"{GRAPH}- r2.\n:rules\n")[-2:] == ["- reach(1, 3)", "r1: reach(X, Y) :- edge(X, Y)."]


def test_query_is_answered_by_a_table() -> None:
    told = lines(f"{GRAPH}?reach(1, X), reach(X, Y)\n?reach(1, 3)\n?reach(3, 1).\n")[7:]
    assert told[:3] == ["X  Y", "─  ─", "2  3"]
    assert [line.split(",")[0] for line in told[3:]] == ["1 answer", "yes", "no"]


def test_long_answers_are_cut_with_a_count() -> None:
    facts = " ".join(f"n({i})." for i in range(100))
    told = lines(f"{facts}\n?n(X)\n")
    assert "+ ... 92 more of n" in told
    assert "... 60 more" in told


def test_why_and_whynot_answer() -> None:
    told = run(f"{GRAPH}:why reach(1,3)\n:whynot reach(3,1)\n").stdout
    assert "reach(1, 3)  by r2\n├─ edge(1, 2)  asserted" in told
    assert "fails  edge(3, 1): no such fact" in told


def test_commands_answer() -> None:
    told = run(f"{GRAPH}:relations\n:profile on\n:profile\n:explain\n:explain core\n:help\n").stdout
    assert "edge(c1: number, c2: number)  2 facts" in told
    assert "sampling of rules is on" in told
    assert "all epochs (3)" in told
    assert told.count("stratum 1, recursive: reach") == 2
    assert all(f":{name}" in told for name in COMMANDS)


def test_commands_may_be_shortened_if_one_is_meant() -> None:
    assert lines(":rul\n:rel\n") == ["no rules", "no relations"]
    assert "unknown command `:r`" in run(":r\n").stdout


def test_quit_ends_the_session() -> None:
    assert lines("n(1).\n:quit\nn(2).\n") == ["+ n(1)"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("p(X) :- q(Y).", "error[TL301]: variable `X`"),
        ("p(X :- .", "error[TL103]"),
        ("?p(X", "error[TL"),
        ("- r9.", "no rule has the label `r9`"),
        (":nonsense", "error[TL4804]: unknown command `:nonsense`"),
        (":why", "error[TL4801]: `:why` needs more"),
        (":why n(2)", "`n(2)` is not true; ask `:whynot`"),
        (":load nowhere.dl", "error[TL4806]: cannot read `nowhere.dl`"),
        (":load declared.dl", "error[TL4805]: `declared.dl` has declarations"),
        ("n(a).", "not a value of type number"),
        (".decl m(x: number)", "error[TL4803]: declarations come before"),
        ("likes(", "error[TL4802]: rules and facts end with a period"),
        ("likes(x) :-", "error[TL4802]: rules and facts end with a period"),
        ('likes("a).', "error[TL"),
    ],
)
def test_wrong_input_is_told_and_changes_nothing(text: str, words: str) -> None:
    Path("declared.dl").write_text(".decl m(x: number)\n")
    result = run(f"n(1).\n{text}\n\n?n(X)\n")
    assert result.exit_code == 1
    assert words in result.stdout
    assert "1 answer" in result.stdout
    assert "Traceback" not in result.output


def test_declarations_typed_first_fix_the_convention() -> None:
    told = lines('.decl e(a: number, b: symbol)\n.decl p(b: symbol)\ne(1, "x").\np(b) :- e(_, b).\n?p(b)\n')
    assert told[:3] == ["+ e(1, x)", "r1: p(b) :- e(_, b).", "+ p(x)"]
    assert told[3:6] == ["b", "─", "x"]


def test_program_and_facts_are_loaded_at_the_start(tmp_path: Path) -> None:
    Path("p.dl").write_text("reach(X, Y) :- edge(X, Y).\n")
    Path("facts").mkdir()
    Path("facts/edge.facts").write_text("1\t2\n")
    assert "1 answer" in run("?reach(1, X)\n", "p.dl", "-F", "facts").stdout


def test_files_are_loaded_into_a_session() -> None:
    Path("p.dl").write_text("edge(1, 2).\nreach(X, Y) :- edge(X, Y).\n")
    assert lines(":load p.dl\n") == ["1 rules, 2 facts"]
    assert lines("n(1).\n:load p.dl\n")[1:] == ["r1: reach(X, Y) :- edge(X, Y).", "+ edge(1, 2)", "+ reach(1, 2)"]


def test_work_after_a_query_goes_on() -> None:
    assert lines("e(1,2).\n?e(X,Y)\n-e(1,2).\n")[-1] == "- e(1, 2)"


def test_pipe_of_a_process_works() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tidelog.cli", "repl"],
        input="n(1).\n?n(X)",
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(tidelog.__file__).parents[1])},
    )
    assert done.returncode == 0
    assert "1 answer" in done.stdout


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("", True),
        ("p(X)", False),
        ("p(1).", True),
        ('p("a.', True),  # a string ends with its line: this is an error, not something to wait for
        ('p("a.b").', True),
        ("p(1). q(", False),
        ("p(1). // tail", True),
        (":why p(1)", True),
        ("?p(X)", True),
        (".decl p(x: number)", True),
        ("p(X) :- q(X),\n\n", True),
    ],
)
def test_input_ends_with_a_period_or_its_line(text: str, whole: bool) -> None:
    assert is_complete(text, "prolog") == whole


def test_inputs_span_lines() -> None:
    text = ["p(X) :-\n", "  q(X).\n", "\n", "?p(X)\n", "rest("]
    assert list(read_inputs(text, lambda: "prolog")) == ["p(X) :-\n  q(X).\n", "?p(X)\n", "rest("]


@pytest.fixture
def session() -> ReplSession:
    return ReplSession(Engine("edge(1,2). reach(X,Y) :- edge(X,Y). near: read(X) :- edge(X,_)."), console())


@pytest.mark.parametrize(
    ("before", "word", "found"),
    [
        (":wh", "wh", ["why", "whynot"]),
        (":", "", sorted(COMMANDS)),
        ("- n", "n", ["near"]),
        ("?rea", "rea", ["reach", "read"]),
        ("p(X) :- ed", "ed", ["edge"]),
        (":why re", "re", ["reach", "read"]),
        ("edge", "edge", []),
    ],
)
def test_completion_offers_what_may_stand_there(session: ReplSession, before: str, word: str, found: list[str]) -> None:
    assert completions(session, before) == (word, found)


def test_history_is_kept_where_the_system_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    history().append_string("p(1).")
    assert "p(1)." in (tmp_path / "tidelog" / "history").read_text()


def test_instances_of_components_come_and_go() -> None:
    component = ".comp C<T> { .decl p(x: T) .decl q(x: T) q(x) :- p(x). }\n.init a = C<number>\n"
    typed = component + "a.p(1).\n.init b = C<symbol>\n+ .init c = C<symbol>.\nb.p(x).\n- .init a.\n:rules\n"
    assert lines(typed) == [
        "+ a.p(1)",
        "+ a.q(1)",
        "+ b.p(x)",
        "+ b.q(x)",
        "- a.p(1)",
        "- a.q(1)",
        "b.r1: b.q(x) :- b.p(x).",
        "c.r1: c.q(x) :- c.p(x).",
    ]
