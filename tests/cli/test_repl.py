"""`tidelog repl`: through a pipe, input by input, and what completion offers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

import tidelog
from tests.runner import CliRunner, Result
from tidelog.cli import app
from tidelog.cli.base.show import console
from tidelog.cli.repl.commands import COMMANDS
from tidelog.cli.repl.complete import Offer, completions, wants_file
from tidelog.cli.repl.execute import HANDLERS, ReplSession
from tidelog.cli.repl.inputs import is_complete, missing, read_inputs
from tidelog.cli.repl.prompt import ReplLexer, hint, history, new_prompt
from tidelog.cli.repl.show import reporter
from tidelog.engine.engine import Engine

GRAPH = "edge(1,2). edge(2,3).\nreach(X,Y) :- edge(X,Y).\nreach(X,Z) :- edge(X,Y),\n  reach(Y,Z).\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(text: str, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["repl", *arguments], input=text)


def lines(text: str) -> list[str]:
    """What a pipe prints, without the lines that show times."""
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
    text_reported = lines(f"{GRAPH}?reach(1, X), reach(X, Y)\n?reach(1, 3)\n?reach(3, 1).\n")[7:]
    assert text_reported[:3] == ["X  Y", "─  ─", "2  3"]
    assert [line.split(",")[0] for line in text_reported[3:]] == ["1 answer", "yes", "no"]


def test_long_answers_are_cut_with_a_count() -> None:
    facts = " ".join(f"n({i})." for i in range(100))
    text_reported = lines(f"{facts}\n?n(X)\n")
    assert "+ ... 92 more of n" in text_reported
    assert "... 60 more" in text_reported


def test_why_and_whynot_answer() -> None:
    text_reported = run(f"{GRAPH}:why reach(1,3)\n:whynot reach(3,1)\n").stdout
    assert "reach(1, 3)  by r2\n├─ edge(1, 2)  asserted" in text_reported
    assert "fails  edge(3, 1): no such fact" in text_reported


def test_commands_answer() -> None:
    text_reported = run(f"{GRAPH}:relations\n:profile on\n:profile\n:explain\n:explain core\n:help\n").stdout
    assert "edge(c1: number, c2: number)  2 facts" in text_reported
    assert "sampling of rules is on" in text_reported
    assert "all epochs (3)" in text_reported
    assert text_reported.count("stratum 1, recursive: reach") == 2
    assert all(f":{name}" in text_reported for name in COMMANDS)


def test_an_edited_program_is_applied_at_the_prompt(tmp_path: Path) -> None:
    before = ".decl p(x: number, y: number)\n.decl q(x: number)\nq(x) :- p(x, _).\n"
    (tmp_path / "a.dl").write_text(before)
    (tmp_path / "b.dl").write_text(before.replace("y: number", "z: symbol").replace("p(x, _)", 'p(x, "4")'))
    options = "--column 'p.z=to_string(y + 1)' --drop-column p.y"
    text = f"""p(1, 2).
p(2, 3).
:dry :apply {tmp_path}/b.dl {options}
?p(X, Y)
:apply {tmp_path}/b.dl {options}
?p(2, Y)
:apply {tmp_path}/b.dl
"""
    result = CliRunner().invoke(app, ["repl", str(tmp_path / "a.dl")], input=text)
    found = result.stdout.splitlines()
    assert found.count("* p(x: number, y: number) -> p(x: number, z: symbol): z = to_string(y + 1); 2 facts") == 2
    assert "2 answers" in result.stdout
    assert found.count("- q(1)") == 2, result.stdout
    assert found[found.index("Y") + 2] == "4"
    assert f"nothing to do: the program already matches {tmp_path}/b.dl" in found
    for wrong in ("--colum p.z=1", "--column", "'open"):
        assert "TL4899" in CliRunner().invoke(app, ["repl"], input=f":apply x.dl {wrong}\n").stdout


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
        (":why", "error[TL4801]: `:why` needs an argument"),
        (":why n(2)", "`n(2)` is not true; use `:whynot`"),
        (":load nowhere.dl", "error[TL4806]: cannot read `nowhere.dl`"),
        (":load declared.dl", "error[TL4805]: `declared.dl` contains declarations"),
        ("n(a).", "not a value of type number"),
        ('.pragma "overflow" "wrap"', "error[TL4803]: after rules and facts, only relations, types and keys"),
        (".output n", "error[TL4803]: after rules and facts, only relations, types and keys"),
        (":dry ?n(X)", "error[TL4840]: `:dry` expects a change, but `?n(X)` is not one"),
        (":dry", "error[TL4801]: `:dry` needs an argument"),
        (":save nowhere/p.dl", "error[TL4841]: cannot write `nowhere/p.dl`"),
        (":graph nowhere/p.svg", "error[TL4841]: cannot write `nowhere/p.svg`"),
        (":plot", "error[TL4801]: `:plot` needs an argument"),
        (":plot m", "error[TL4050]: unknown relation `m`"),
        (":why n(1) nowhere/p.svg", "error[TL4841]: cannot write `nowhere/p.svg`"),
        (":save declared.dl", "error[TL4842]: `declared.dl` already exists"),
        (":open state for ever", "error[TL4843]: `:open STATE` opens a state folder read-only"),
        (":open nowhere", "error[TL5303]"),
        ("likes(", "error[TL4802]: rules and facts end with a period"),
        ("likes(x) :-", "error[TL4802]: rules and facts end with a period"),
        ('likes("a).', "error[TL"),
    ],
)
def test_wrong_input_is_reported_and_changes_nothing(text: str, words: str) -> None:
    Path("declared.dl").write_text(".decl m(x: number)\n")
    result = run(f"n(1).\n{text}\n\n?n(X)\n")
    assert result.exit_code == 1
    assert words in result.stdout
    assert "1 answer" in result.stdout
    assert "Traceback" not in result.output


@pytest.mark.parametrize("word", ["rules", "why"])
def test_a_command_word_without_a_colon_is_reported(word: str) -> None:
    result = run(f"{word}\nedge(1, 2).\n")
    assert f"error[TL4815]: commands start with a colon: `:{word}`" in result.stdout
    assert "+ edge(1, 2)" in result.stdout


def test_a_capitalised_symbol_in_a_fact_is_warned_of() -> None:
    text_reported = lines("likes(ann, X).\n")
    assert text_reported[0] == 'warning[TL123]: `X` in a fact is the symbol "X", not a variable'
    assert text_reported[-1] == '+ likes(ann, "X")'


def test_a_misspelt_relation_is_reported_in_the_repl() -> None:
    text_reported = lines(f"{GRAPH}?reech(1, X)\n")
    warning = "warning: TL4070: unknown relation `reech`: not declared, no facts, no rules; did you mean `reach`?"
    assert text_reported[-1] == warning


def test_a_mistake_in_a_question_is_shown_in_the_text_that_was_typed() -> None:
    text_reported = run(f"{GRAPH}?reach(1, X), Y < X\n").stdout
    assert "<query>:1:15" in text_reported
    assert "answers()" not in text_reported


def test_declarations_typed_first_fix_the_convention() -> None:
    text_reported = lines('.decl e(a: number, b: symbol)\n.decl p(b: symbol)\ne(1, "x").\np(b) :- e(_, b).\n?p(b)\n')
    assert text_reported[:3] == ['+ e(1, "x")', "r1: p(b) :- e(_, b).", '+ p("x")']
    assert text_reported[3:6] == ["b", "─", "x"]


def test_program_and_facts_are_loaded_at_the_start(tmp_path: Path) -> None:
    Path("p.dl").write_text("reach(X, Y) :- edge(X, Y).\n")
    Path("facts").mkdir()
    Path("facts/edge.facts").write_text("1\t2\n")
    assert "1 answer" in run("?reach(1, X)\n", "p.dl", "-F", "facts").stdout


def test_files_are_loaded_into_a_session() -> None:
    Path("p.dl").write_text("edge(1, 2).\nreach(X, Y) :- edge(X, Y).\n")
    assert lines(":load p.dl\n") == ["1 rule, 2 facts"]
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
    return ReplSession(
        Engine('edge(1,2). reach(X,Y) :- edge(X,Y). near: read(X) :- edge(X,_). says("a, b", d).'), reporter(console())
    )


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
        (".de", ".de", [".decl"]),
        ("?edge(", "", ["1", "C1"]),
        ("?edge(1, ", "", ["2", "C2"]),
        ("?edge(1, C", "C", ["C2"]),
        ("?edge(Left, 2), edge(", "", ["1", "C1", "Left"]),
        ("?edge(1, 2, ", "", []),
        ("?edge(1), re", "re", ["reach", "read"]),
        ('?says("a, (b", ', "", ["C2", "d"]),
        ('?says("a', '"a', ['"a, b"']),
        ("?says(-", "-", []),
    ],
)
def test_completion_offers_what_may_stand_there(session: ReplSession, before: str, word: str, found: list[str]) -> None:
    typed, offers = completions(session, before)
    assert (typed, [offer.text for offer in offers]) == (word, found)


def test_every_command_is_carried_out_by_something() -> None:
    assert set(HANDLERS) == set(COMMANDS)


def test_values_are_offered_with_their_column_and_commands_with_their_help(session: ReplSession) -> None:
    assert {offer.beside for offer in completions(session, "?edge(")[1]} == {
        "value, c1: number",
        "variable, c1: number",
    }
    assert completions(session, ":sa")[1] == [
        Offer("save", "FILE  write declarations, rules and base facts as a program")
    ]


def test_values_of_declared_programs_are_quoted_and_variables_are_columns() -> None:
    session = ReplSession(Engine('.decl e(a: symbol, b: number)\ne("x", 1).'), reporter(console()))
    assert [offer.text for offer in completions(session, "?e(")[1]] == ['"x"', "a"]


def test_a_large_relation_is_not_read_whole_to_complete(session: ReplSession) -> None:
    with session.db.epoch() as epoch:
        epoch.insert("edge", [(i, i) for i in range(5000)])
    assert len(completions(session, "?edge(")[1]) <= 14
    offers = [offer.text for offer in completions(session, "?edge(199")[1]]  # of the rows that were looked at
    assert set(offers) <= {"199", *(str(number) for number in range(1990, 2000))}


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("p(X", "expected `)` to close the bracket of line 1"),
        ("p(X) :- q(X),\n  r([X", "expected `]` to close the bracket of line 2"),
        ("p(N) :- N = count : { q(X)", "expected `}` to close the bracket of line 1"),
        ("p(X) :-", "expected the body of the rule"),
        ("p(X) :- q(X),", "expected another part after the comma"),
        ("p(X) :- q(X) ;", "expected an alternative after the semicolon"),
        ("p(X) :- !", "expected an atom after `!`"),
        ("p(X) :- q(X)", "expected a period"),
        (".comp C { .decl p(x: number)", "expected `}` to close the bracket of line 1"),
        (".decl p(x: number,", "expected `)` to close the bracket of line 1"),
        (":dry p(X) :- q(X),", "expected another part after the comma"),
        (":time p(", "expected `)` to close the bracket of line 1"),
        (":time ?p(", None),
        (":dry p(1).", None),
        (":why p(", None),
        (".decl p(x: number)", None),
        ("p(1). ]", "expected a period"),
    ],
)
def test_an_unfinished_input_says_what_is_missing(text: str, lacks: str | None) -> None:
    assert missing(text, "prolog") == lacks


def test_a_directive_may_take_several_lines() -> None:
    typed = ".comp C {\n  .decl p(x: number)\n  .decl q(x: number)\n  q(x) :- p(x).\n}\n.init a = C\na.p(1).\n"
    assert lines(typed) == ["+ a.p(1)", "+ a.q(1)"]


def test_relations_are_declared_after_facts_too() -> None:
    text_reported = lines("n(1).\n.decl m(a: symbol,\n  b: float)\nm(x, 1.5).\n:relations\n")
    assert text_reported[-2:] == ["m(a: symbol, b: float)  1 fact", "n(c1: number)  1 fact"]
    assert lines("n(1).\n.decl m(a: symbol)\n.decl m(a: symbol)\n")[1:] == []


def test_constraints_are_typed_at_any_time() -> None:
    typed = ".decl n(a: number, b: number)\nn(1, 2).\n.key n(a)\nsmall: :- n(a, _), a > 5.\n:rules\n:graph\n"
    text_reported = lines(typed)
    assert text_reported[-4:] == [".key n(a)", "small: :- n(a, _), a > 5.", "base relations", "  n  (1 fact)"]
    for wrong in ("n(1, 3).", "n(7, 7)."):
        assert "error[TL4951]" in run(f"{typed}{wrong}\n").stdout


def test_what_is_given_again_changes_nothing_and_labels_are_replaced() -> None:
    rule = "r(X) :- n(X).\n"
    text_reported = lines(
        f"n(1).\n{rule}{rule}two: s(X) :- n(X).\ntwo: s(X + 1) :- n(X).\ntwo: s(X + 1) :- n(X).\n:rules\n"
    )
    assert text_reported[-2:] == ["r1: r(X) :- n(X).", "two: s(X + 1) :- n(X)."]
    assert text_reported[-6:-2] == ["+ s(1)", "two: s(X + 1) :- n(X).", "+ s(2)", "- s(1)"]


def test_a_dry_run_tells_and_changes_nothing() -> None:
    text_reported = run(
        f"{GRAPH}:dry edge(3, 4).\n:dry - r2.\n:dry same(X, X) :-\n  edge(X, _).\n?reach(1, X)\n:rules\n"
    ).stdout
    assert all(f"+ {fact}\n" in text_reported for fact in ("edge(3, 4)", "reach(1, 4)", "reach(2, 4)", "reach(3, 4)"))
    assert text_reported.count("not committed: ") == 3
    assert "- reach(1, 3)\nnot committed: " in text_reported
    assert "+ same(1, 1)" in text_reported
    assert "2 answers" in text_reported
    assert text_reported.endswith("r2: reach(X, Z) :- edge(X, Y), reach(Y, Z).\n")


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    typed = GRAPH + 'near: p(X) :- edge(X, Y), Y < 3.\nsays("A b", 1.5, x).\n:save p.dl\n:save p.dl\n'
    assert "p.dl: 3 rules, 3 facts" in lines(typed)
    again = lines(":load p.dl\n:rules\n?reach(X, Y)\n?says(X, Y, Z)\n-edge(1, 2).\n:save p.dl\n")
    assert "near: p(X) :- edge(X, Y), Y < 3." in again
    assert "A b  1.5  x" in again
    assert again[-1] == "p.dl: 3 rules, 2 facts"


def test_a_declared_program_is_saved_with_its_declarations() -> None:
    declared = '.type T = symbol\n.decl e(a: T, b: number)\n.decl p(b: number)\ne("X y", 1).\np(b) :- e(_, b).\n'
    lines(declared + ":save p.dl\n")
    assert lines(":load p.dl\n?e(a, b)\n?p(b)\n")[3:4] == ["X y  1"]


@pytest.mark.parametrize("declared", ["", ".decl d(k: symbol, x: date, t: timestamp, b: boolean)\n"])
def test_dates_timestamps_and_booleans_are_saved_as_they_are_read(declared: str) -> None:
    fact = 'd("a", date("1969-12-31"), timestamp("2027-01-01T10:00:00.000005"), true).'
    saved = lines(f"{declared}{fact}\n:save p.dl\n")
    assert saved[-1].startswith("p.dl: ")
    assert fact.replace('"a"', "a") in Path("p.dl").read_text().replace('d("a"', "d(a")
    question = f'?{fact[:-1]}\n?d(K, X, T, B), X < date("1970-01-01"), B = true\n:why {fact}\n'
    text_reported = lines(f":load p.dl\n{question}")
    assert any(line.startswith("yes") for line in text_reported)
    assert any("1969-12-31" in line for line in text_reported)
    assert text_reported[-1].endswith("asserted")


def test_a_number_for_a_date_is_refused_at_the_prompt() -> None:
    text_reported = run(".decl d(x: date)\nd(2027-05-05).\n?d(X)\n").output
    assert "2017 is not a value of type date; write date(" in text_reported or "is a subtraction" in text_reported
    assert "1975" not in text_reported


def test_a_state_is_opened_asked_changed_and_gone_back_in(tmp_path: Path) -> None:
    with Engine("p(X) :- n(X).", path=tmp_path / "s") as db, db.epoch() as epoch:
        epoch.insert("n", [(1,)])
    text_reported = lines(":open s\n?p(X)\n:open s write\nn(2).\n:open s\n:at 2\n?p(2)\n:at -1\n?p(2)\n")
    assert text_reported[0] == "s at epoch 2"
    assert "s at epoch 2, open for changes" in text_reported
    assert [line.split(",")[0] for line in text_reported if line.startswith(("yes", "no"))] == ["no", "yes"]
    assert "TL4816" in run(":open s\nn(3).\n").stdout


def test_time_asks_again_and_profiles_changes() -> None:
    text_reported = run(f"{GRAPH}:time ?reach(1, X)\n:time edge(7, 8).\n").stdout
    assert re.search(r"ran [\d,]+ times: minimum [\d.]+ \w+, median", text_reported)
    assert "+ reach(7, 8)" in text_reported
    assert "last epoch: " in text_reported
    assert "all epochs" not in text_reported


def test_the_graph_is_reported_and_drawn() -> None:
    text_reported = lines(f"{GRAPH}lone(X) :- n(X), !reach(X, X).\n:graph\n:graph g.svg\n")
    assert "  lone <- n, !reach  (0 facts)" in text_reported
    assert text_reported[-1] == "g.svg: 4 relations, 4 arrows"
    assert Path("g.svg").read_text().startswith("<svg")


def test_a_view_is_plotted_over_epochs() -> None:
    text_reported = lines(f"{GRAPH}-edge(1, 2).\n:plot reach\n:plot reach p.svg\n")
    start = text_reported.index("reach: 1 fact after epoch 4")
    assert text_reported[start + 1 : start + 5] == [
        "   epoch    inserted     deleted       facts",
        "       2          +2          -0           2",
        "       3          +1          -0           3",
        "       4          +0          -2           1",
    ]
    assert text_reported[-1] == "p.svg: reach, 3 epochs"
    assert Path("p.svg").read_text().startswith("<svg")


def test_a_plot_of_a_state_folder_has_the_epochs_of_its_log() -> None:
    with Engine("r(X) :- n(X).", path="state") as db:
        for number in range(3):
            with db.epoch() as epoch:
                epoch.insert("n", [(number,), (number + 1,)])
    text_reported = lines(":open state\n:plot r\n:at 2\n:plot r\n")
    assert [line.split() for line in text_reported if line.startswith("      ")][:3] == [
        ["2", "+2", "-0", "2"],
        ["3", "+1", "-0", "3"],
        ["4", "+1", "-0", "4"],
    ]
    assert text_reported[-1].split() == ["2", "+2", "-0", "2"]


def test_a_proof_is_drawn_into_a_file() -> None:
    text_reported = lines(f"{GRAPH}:why reach(1, 3) p.svg\n")
    assert text_reported[-1] == "p.svg: the proof of reach(1, 3)"
    assert Path("p.svg").read_text().startswith("<svg")


def test_the_prompt_colours_completes_hints_and_finds_in_the_history(
    session: ReplSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    history().append_string("reach(X, 7) :- edge(X, _).")
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("?rea\tch(1, X)\r")
        assert new_prompt(session).prompt() == "?reach(1, X)"
        keys.send_text("p(X) :- edge(X, _),\r  edge(X, 2).\r")
        assert new_prompt(session).prompt() == "p(X) :- edge(X, _),\n  edge(X, 2)."
        keys.send_text("\x127)\r\r")  # Ctrl-R
        assert new_prompt(session).prompt() == "reach(X, 7) :- edge(X, _)."
    assert (
        hint("p(X) :-\n q(X", "prolog")
        == "expected `)` to close the bracket of line 2; an empty line cancels the input"
    )
    assert hint("p(X) :- q(X", "prolog") is None
    colours = ReplLexer(session).lex_document(Document(":why p(X)\n% c"))
    assert ("class:pygments.keyword.namespace", "why") in colours(0)
    assert colours(1) == [("class:pygments.comment.single", "% c")]
    assert colours(2) == []


@pytest.mark.parametrize(("before", "file"), [(":load p", "p"), (":open ", ""), ("load p", None), (":why p", None)])
def test_files_are_completed_after_commands_that_take_them(before: str, file: str | None) -> None:
    assert wants_file(before) == file


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
        '+ b.p("x")',
        '+ b.q("x")',
        "- a.p(1)",
        "- a.q(1)",
        "b.r1: b.q(x) :- b.p(x).",
        "c.r1: c.q(x) :- c.p(x).",
    ]


def test_declarations_go_into_a_state_folder_that_holds_nothing(tmp_path: Path) -> None:
    with Engine("p(X) :- q(X).", path=tmp_path / "state") as db, db.epoch() as e:
        e.remove_rule("r1")
    run(f":open {tmp_path / 'state'} write\n.decl r(x: number)\nr(5).\n")
    with Engine(path=tmp_path / "state") as db:
        assert list(db["r"]) == [(5,)]


@pytest.mark.parametrize("before", [[":dry .key q(x) as kk"], [".key q(x) as kk", "-kk."]], ids=["tried", "removed"])
def test_a_key_that_was_only_tried_or_was_removed_is_in_force_when_it_is_given(before: list[str]) -> None:
    session = ReplSession(Engine(), lambda report: None)
    for text in ("z(1).", ".decl q(x: number, y: number)", *before, ".key q(x) as kk", "q(1, 2).", "q(1, 3)."):
        session.execute(text)
    assert list(session.db["q"]) == [(1, 2)]


def test_a_lifetime_may_come_late() -> None:
    session = ReplSession(Engine(), lambda report: None)
    for text in ("p(1).", ".lifetime ping 10s", "ping(1)."):
        session.execute(text)
    session.db.advance(100)
    assert list(session.db["ping"]) == []


@pytest.mark.parametrize("question", ["?reach(1, X)", "?- reach(1, X).", "reach(1, X)?", "?- reach(1,\nX) ?."])
def test_a_question_is_understood_as_prolog_writes_it(question: str) -> None:
    assert lines(f"{GRAPH}{question}\n")[-4:-1] == ["─", "2", "3"]


@pytest.mark.parametrize("word", [":exit", ":quit", ":q", "exit", "quit()", "halt", "halt.", "exit.", "quit()."])
def test_the_session_ends_by_each_of_its_words(word: str) -> None:
    assert lines(f"p(1).\n{word}\np(2).\n") == ["+ p(1)"]


def test_a_word_with_a_period_is_a_fact_of_a_relation_that_exists() -> None:
    assert lines(".decl halt()\nhalt.\nexit.\nhalt.\n") == ["+ halt()"]


def test_a_rule_that_may_run_forever_is_warned_of_before_it_runs() -> None:
    found = run(
        "n(0).\nn(Y) :- n(X), X < 5, Y = X + 1.\n:dry n(X) :- n(X).\nm(Y) :- m(X), Y = X + 1.\nk(Y) :- n(Y).\n"
    ).output
    assert found.count("TL760") == 1
    assert found.index("+ n(5)") < found.index("warning[TL760]") < found.index("r2: m(Y)")


def test_a_variable_in_a_question_why_is_reported_before_the_answer() -> None:
    text_reported = run("anc(ann, bob).\n:why anc(ann, X)\n").output
    assert text_reported.index("warning: TL123: `X`") < text_reported.index("TL4601")


def test_a_rule_whose_symbols_look_like_variables_is_reported_at_the_prompt() -> None:
    assert "warning: TL704" in run("reach(x, y) :- edge(x, y).\n").output


def test_sparql_is_answered_in_its_order() -> None:
    pytest.importorskip("rdflib")
    facts = "".join(f'triple("<urn:{x}>", "<urn:p>", "<urn:{y}>").\n' for x, y in ("ab", "bc"))
    asked = ":sparql SELECT ?x { <urn:a> <urn:p>+ ?x } ORDER BY DESC(?x)\n:sparql ASK { ?x ?y <urn:d> }\n"
    shown = run(facts + asked).stdout.splitlines()
    assert shown[shown.index("x") + 2 :][:2] == ["<urn:c>", "<urn:b>"]
    assert shown[-1].startswith("no, ")
