"""Magics in an IPython shell of this process: what they give, what they show, what they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import tidelog
from tidelog.cli.repl.commands import COMMANDS
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.view import Rows
from tidelog.explain.graph import ProgramGraph
from tidelog.explain.history import ViewHistory
from tidelog.notebook.extension import LEFT_OUT, CellError, free_words
from tidelog.why import Proof, WhyNot

GRAPH = """edge(1, 2). edge(2, 3).
reach(X, Y) :- edge(X, Y).
reach(X, Z) :- edge(X, Y), reach(Y, Z).
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    tidelog.load_ipython_extension(made)
    yield made
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


def cell(shell: InteractiveShell, text: str, line: str = "") -> list[dict[str, Any]]:
    """What a cell shows: of every output its representations."""
    with capture_output() as captured:
        shell.run_cell_magic("tidelog", line, text)
    return [output.data for output in captured.outputs]


def texts(shell: InteractiveShell, text: str, line: str = "") -> list[str]:
    return [data["text/plain"] for data in cell(shell, text, line)]


def engine(shell: InteractiveShell) -> Engine:
    found = shell.run_line_magic("tidelog", "")
    assert isinstance(found, Engine)
    return found


def test_a_cell_of_clauses_is_one_epoch_that_tells_what_changed(shell: InteractiveShell) -> None:
    (report,) = texts(shell, GRAPH)
    assert "+ reach(1, 3)" in report
    assert "r2: reach(X, Z) :- edge(X, Y), reach(Y, Z)." in report
    assert engine(shell).epoch_number == 1
    assert len(engine(shell)["reach"]) == 3


def test_a_cell_given_again_changes_nothing(shell: InteractiveShell) -> None:
    declared = ".decl e(a: number)\n.decl p(a: number)\ne(1).\np(a) :- e(a).\n"
    cell(shell, declared)
    again = texts(shell, declared)
    assert "nothing changed" in again[-1]
    assert list(engine(shell).rules) == ["r1"]


def test_changes_questions_and_commands_stand_in_cells(shell: InteractiveShell) -> None:
    report = texts(shell, f"{GRAPH}-edge(1, 2).\n+edge(1, 3).\n\n?reach(1, X)\n:relations\n:why reach(1, 3)")
    assert "- reach(1, 2)" in report[1]
    assert report[2].startswith("X\n─\n3\n1 answer")
    assert report[3].startswith("edge(c1: number, c2: number)  2 facts")
    assert "reach(1, 3)  by r1" in report[-1]
    assert engine(shell).epoch_number == 2


def test_pages_show_tables_changes_and_drawings(shell: InteractiveShell) -> None:
    shown = [data["text/html"] for data in cell(shell, f"{GRAPH}?reach(X, Y)\n:why reach(1, 3)\n:graph\n:rules\n")]
    assert "<details" in shown[0]
    assert "<table" in shown[1]
    assert "<svg" in shown[2]
    assert "as text, with the rules" in shown[2]
    assert "<svg" in shown[3]
    assert all("<script" not in page for page in shown)


def test_nothing_of_a_value_is_markup(shell: InteractiveShell) -> None:
    shown = [
        data["text/html"] for data in cell(shell, 'p("<script>x</script>").\n?p(X)\n:why p("<script>x</script>")\n')
    ]
    assert all("<script>" not in page for page in shown)


def test_line_magics_give_values(shell: InteractiveShell) -> None:
    cell(shell, GRAPH)
    assert isinstance(shell.run_line_magic("why", "reach(1, 3)"), Proof)
    assert isinstance(shell.run_line_magic("whynot", "reach(3, 1)"), WhyNot)
    assert isinstance(shell.run_line_magic("graph", ""), ProgramGraph)
    assert "stratum 1" in str(shell.run_line_magic("explain", ""))
    assert "last epoch" in str(shell.run_line_magic("profile", ""))
    rows = shell.run_line_magic("tidelog", "?reach(1, X)")
    assert isinstance(rows, Rows)
    assert sorted(rows) == [(2,), (3,)]


def test_values_of_magics_are_shown_as_pages_and_texts(shell: InteractiveShell) -> None:
    cell(shell, GRAPH)
    data, _ = shell.display_formatter.format(shell.run_line_magic("why", "reach(1, 3)"))
    assert "<svg" in data["text/html"]
    assert data["text/plain"].startswith("reach(1, 3)  by r2")
    data, _ = shell.display_formatter.format(shell.run_line_magic("whynot", "reach(3, 1)"))
    assert "is not true" in data["text/plain"]


def test_a_plot_counts_epochs_of_cells_and_of_python(shell: InteractiveShell) -> None:
    cell(shell, GRAPH)
    with engine(shell).epoch() as epoch:
        epoch.delete("edge", [(1, 2)])
    history = shell.run_line_magic("plot", "reach")
    assert isinstance(history, ViewHistory)
    assert [(step.epoch, step.inserted, step.deleted, step.size) for step in history.steps] == [
        (1, 3, 0, 3),
        (2, 0, 2, 1),
    ]
    data, _ = shell.display_formatter.format(history)
    assert "<svg" in data["text/html"]


def test_an_engine_that_is_given_back_is_no_longer_counted(shell: InteractiveShell) -> None:
    with Engine("reach(X) :- edge(X). edge(0).") as db:
        shell.user_ns["db"] = db
        shell.run_line_magic("tidelog", "use db")
        with db.epoch() as epoch:
            epoch.insert("edge", [(1,)])
        history = shell.run_line_magic("plot", "reach")
        shell.run_line_magic("tidelog", "new")
        assert (history.start, len(history.steps)) == (1, 1)
        assert not core_of(db).listeners


def test_words_that_ipython_has_stay_its_own(shell: InteractiveShell) -> None:
    line = shell.magics_manager.magics["line"]
    taken = {"load", "save", "time"}
    assert {name for name in COMMANDS if name in line} == set(COMMANDS) - set(LEFT_OUT) | taken
    assert taken.isdisjoint(free_words(line))
    cell(shell, GRAPH + ":save p.dl\n")
    shell.run_line_magic("tidelog", "new")
    with capture_output() as captured:
        shell.run_line_magic("tidelog", ":load p.dl")
    assert captured.outputs[0].data["text/plain"].startswith("2 rules, ")


def test_a_dry_cell_changes_nothing(shell: InteractiveShell) -> None:
    cell(shell, GRAPH)
    (report,) = texts(shell, "edge(3, 4).\n", line="dry")
    assert "not committed" in report
    assert engine(shell).epoch_number == 1


def test_a_mistake_is_reported_with_its_line_in_the_cell_and_stops_it(shell: InteractiveShell) -> None:
    with pytest.raises(CellError) as failed:
        cell(shell, f"{GRAPH}?reach(1, X)\n\np(X) :- q(Y).\nn(1).\n")
    report = "\n".join(failed.value._render_traceback_())
    assert "TL301" in report
    assert "<cell>:6:3" in report
    assert engine(shell).epoch_number == 1


def test_a_failed_cell_is_an_error_of_the_shell(shell: InteractiveShell) -> None:
    with capture_output() as captured:
        result = shell.run_cell("%%tidelog\np(X) :- q(Y).\n")
    assert isinstance(result.error_in_exec, CellError)
    assert "TL301" in captured.stdout
    assert "Traceback" not in captured.stdout


def test_an_unfinished_cell_is_reported(shell: InteractiveShell) -> None:
    with pytest.raises(CellError, match="end with a period"):
        cell(shell, "p(1).\np(2)")
    assert not engine(shell).relations


def test_the_notebook_takes_another_engine_and_leaves_it_open(shell: InteractiveShell) -> None:
    shell.user_ns["mine"] = mine = Engine("p(X) :- n(X).", partitions=2)
    shell.run_line_magic("tidelog", "use mine")
    cell(shell, ".decl m(a: symbol)\nn(1).\n")
    assert engine(shell) is mine
    shell.run_line_magic("tidelog", "new")
    assert sorted(mine["p"]) == [(1,)]
    mine.close()


def test_only_an_engine_is_taken(shell: InteractiveShell) -> None:
    shell.user_ns["x"] = 1
    for name, found in (("x", "of type int"), ("y", "not defined")):
        with pytest.raises(CellError, match=f"`{name}` is {found}") as failed:
            shell.run_line_magic("tidelog", f"use {name}")
        assert failed.value.error.code == "TL4844"


def test_warnings_are_reported_in_the_cell(shell: InteractiveShell) -> None:
    report = texts(shell, f"{GRAPH}?reech(1, X)\n")
    warning = "warning: TL4070: unknown relation `reech`: not declared, no facts, no rules; did you mean `reach`?"
    assert report[-1] == warning
    assert "warning[TL123]" in texts(shell, "likes(ann, X).\n")[0]


def test_cells_are_completed(shell: InteractiveShell) -> None:
    cell(shell, GRAPH)
    for text, wanted in (
        ("%%tidelog\np(X) :- rea", "reach"),
        ("%%tidelog\n?edge(", "edge(1"),
        ("%%tidelog\n:whyn", "whynot"),
    ):
        with provisionalcompleter():
            found = [each.text for each in shell.Completer.completions(text, len(text))]
        assert any(wanted in each or wanted.endswith(each) for each in found), (text, found)
    with provisionalcompleter():
        assert not list(shell.Completer.completions("rea", 3))  # no cell of ours


def test_the_extension_can_be_loaded_again(shell: InteractiveShell) -> None:
    cell(shell, GRAPH)
    tidelog.load_ipython_extension(shell)
    assert not engine(shell).relations
    assert "why" in free_words(shell.magics_manager.magics["line"])
    assert sum(getattr(m, "matcher_identifier", "") == "tidelog" for m in shell.Completer.custom_matchers) == 1


def test_undefined_facts_are_reported_beside_answers_and_returned(shell: InteractiveShell) -> None:
    reports = texts(shell, "win(X) :- move(X, Y), !win(Y). move(1, 2). move(2, 1).")
    assert "2 undefined facts" in reports[-1]
    with capture_output() as captured:
        rows = shell.run_line_magic("tidelog", "?win(X)")
    assert (list(rows), len(captured.outputs)) == ([], 1)
    assert "`:undefined win`" in captured.outputs[0].data["text/html"]
    assert sorted(shell.run_line_magic("undefined", "win")) == [(1,), (2,)]
