"""`tidelog check --fragment regular`: what is refused, where, and what is in order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runner import CliRunner, Result
from tidelog.cli import app
from tidelog.errors import Diagnostic
from tidelog.program import Atom, Const, Fact, Program, Rule, Var
from tidelog.program.checks.fragment import MOST_LITERALS, body_size, check_regular
from tidelog.program.messages.fragment_catalogue import CATALOGUE
from tidelog.syntax import parse_program

FRIENDS = """
knows(alice, bob).  contacted(bob, eve).  follows(alice, bill).  follows(bob, bill).
connected(X, Y) :- follows+(X, Y).
pfriends(X, Y) :- ((knows & (connected/^connected)) | contacted)(X, Y).
view(X, Y, Z) :- pfriends+(X, Y), (pfriends(Y, Z) ; contacted(Z, _)).
"""


def run(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(app, ["check", *arguments], input=given)


def findings(text: str) -> list[Diagnostic]:
    return check_regular(parse_program(text))


def codes(text: str) -> list[str]:
    return sorted(finding.code for finding in findings(text))


@pytest.mark.parametrize("code", CATALOGUE)
def test_example_of_a_code_gets_that_code_alone(code: str) -> None:
    assert codes(CATALOGUE[code].example) == [code]


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_entry_has_title_template_note_hint(code: str) -> None:
    entry = CATALOGUE[code]
    assert entry.title
    assert entry.template
    assert entry.note.endswith(".")
    assert entry.hint


@pytest.mark.parametrize(
    "text",
    [
        FRIENDS,
        "p(X, Y) :- (a|b)+(X, Y).",
        "p(X, Y) :- a{1,3}(X, Y). q :- p(X, X).",
        "p(X, Y) :- edge[u](X, Y). edge(1, u, 2).",
        "p(X, 3) :- a(X, _), b(7, X).",
        "r1: p(1, 2).",
        ".decl a(x: number, y: number)\n.decl p(x: number)\n.output p\np(x) :- a(x, _).",
    ],
)
def test_programs_of_the_fragment_have_no_findings(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p(X, Y) :- a(X, Y), X != Y.", ["TL660"]),
        ("p(X, Y) :- a(X, Y), true.", ["TL660"]),
        ("p(X, Y) :- a(X, Y), (b(X, X) ; !c(X, X) ; X = 1).", ["TL660", "TL660"]),
        ("p(X, Y) :- a(X, Y), q(X).", ["TL661"]),
        ("v(X) :- a(X, _). p(X, Y) :- (v/a)(X, Y).", ["TL661"]),
        ("edge(X, u, Y) :- a(X, Y). p(X, Y) :- edge[u](X, Y).", ["TL661"]),
        ("q(1). q(2). p(X, Y) :- a(X, Y).", ["TL661"]),
        ("v(X) :- a(X, _). v(X) :- a(_, X). v(X) :- b(X, _).", ["TL662"]),
        ("p(X, Y) :- (a|b/p+)(X, Y).", ["TL663"]),
        ("p(X, Y) :- q(X, Y). q(X, Y) :- (a|p)(X, Y). r(X, Y) :- q(X, Y).", ["TL663"]),
        ("p(X, Y) :- (a/b?)(X, Y).", ["TL664"]),
        ("p(X, Y) :- a{0,2}(X, Y), b*(Y, X).", ["TL664", "TL664"]),
        ("p(X, count<Y>) :- a(X, Y).", ["TL665"]),
        ("p(X, Y) :- a(X, X + 1), b+([1], Y).", ["TL665", "TL665"]),
        ("p(X, Y) :- a(X, Y). p(1, 2). p(3, 4).", ["TL666"]),
        ("p(X, Y) :- a{20000}(X, Y).", ["TL667"]),
        ("p(X, Y) :- (a|b){30,}(X, Y).", ["TL667"]),
        ("p(X, Y) :- ((a|b){20})+(X, Y).", ["TL667"]),
        ("p(X, Y) :- a{1,2000000000}(X, Y).", ["TL667"]),
        ("p(X, Y) :- a{2000000000,}(X, Y).", ["TL667"]),
        ("p(X, Y) :- " + ", ".join(["(a(X, Y) ; b(X, Y))"] * 20) + ".", ["TL667"]),
    ],
)
def test_what_lies_outside_is_reported_by_code(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_findings_stand_where_the_text_is() -> None:
    text = "p(X, Y) :- q(X, Y).\nq(X, Y) :- (a/^p)(X, Y), !b(X, Y).\nq(X, Y) :- c(X, Y, _).\n"
    text_reported = {finding.code: finding for finding in findings(text)}
    places = {code: (finding.span.line, finding.span.text) for code, finding in text_reported.items() if finding.span}
    assert places["TL660"] == (2, "!b(X, Y)")
    assert places["TL661"] == (3, "c(X, Y, _)")
    assert places["TL662"] == (3, "q(X, Y)")
    assert [(text, span.line) for text, span in text_reported["TL662"].related] == [("another clause of the symbol", 2)]
    assert text_reported["TL663"].message == "`p` depends on itself: `q` -> `p` -> `q`"
    assert [(text, span.text) for text, span in text_reported["TL663"].related] == [("`q` reads `p` here", "p")]


def test_findings_without_places_are_reported_too() -> None:
    head, other = Atom("p", (Var("X"), Var("Y"))), Atom("q", (Var("X"), Var("Y")))
    rules = (Rule(head, (other,)), Rule(head, (Atom("a", head.args),)), Rule(other, (head,)))
    found = check_regular(Program(rules, (Fact(Atom("p", (Const(1, "number"), Const(2, "number")))),)))
    assert sorted(finding.code for finding in found) == ["TL662", "TL663", "TL666"]
    assert all(finding.span is None and not finding.related for finding in found)


def test_sizes_count_conjunctions_and_literals() -> None:
    def size(path: str) -> tuple[int, int]:
        return body_size(parse_program(f"p(X, Y) :- {path}(X, Y).").rules[0].body)

    assert size("(a|b/c)") == (2, 3)
    assert size("((a|b)/(c|d))") == (4, 8)
    assert size("a{1,3}") == (3, 6)
    assert size("^a+") == (1, 1)
    assert size("(a|b){1,99999}")[1] > MOST_LITERALS


def test_program_of_the_fragment_is_summed_up_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "friends.dl"
    path.write_text(FRIENDS)
    result = run("--fragment", "regular", str(path))
    assert result.exit_code == 0, result.stdout
    assert result.stdout.startswith(f"{path}: ok: 3 rules, 4 facts")
    assert result.stdout.endswith("; in the fragment `regular`\n")


def test_program_outside_the_fragment_fails_only_when_it_is_asked_for() -> None:
    text = "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- reach(X, Y), edge(Y, Z).\n"
    assert run("-", given=text).exit_code == 0
    result = run("--fragment", "regular", "-", given=text)
    assert result.exit_code == 1
    assert "error[TL662]: `reach` has 2 clauses" in result.stdout
    assert "error[TL663]: `reach` depends on itself: `reach` -> `reach`" in result.stdout
    assert "connected(X, Y) :- follows+(X, Y)." in result.stdout


def test_json_names_the_fragment(tmp_path: Path) -> None:
    path = tmp_path / "p.dl"
    path.write_text("p(X, Y) :- a(X, Y), X < Y.\n")
    (report,) = json.loads(run("--format", "json", "--fragment", "regular", str(path)).stdout)
    assert report["fragment"] == "regular"
    assert [found["code"] for found in report["diagnostics"]] == ["TL660"]
    (plain,) = json.loads(run("--format", "json", str(path)).stdout)
    assert "fragment" not in plain
    assert plain["ok"]


def test_unknown_fragment_is_a_wrong_use() -> None:
    assert run("--fragment", "odd", "-", given="").exit_code == 2
