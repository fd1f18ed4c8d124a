"""Names that are easily mistaken: variables in lower case, variables as labels, marks of a question, keywords."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path

import pandas as pd
import pytest

from tidelog import DataError, Engine, EngineError, ProgramError, TidelogWarning
from tidelog.cli.input.report import check_file
from tidelog.program.check import examine_program
from tidelog.syntax import read_program

ROOT = Path(__file__).parents[2]
SOUFFLE = ".decl t(a: symbol, b: symbol, c: symbol)\n.decl v(a: symbol, b: symbol)\n"


def codes(text: str) -> list[str]:
    program, found = read_program(text)
    return [finding.code for finding in (*found, *examine_program(program)[1])]


LOWER = [
    "p(x) :- q(x).",
    "reach(x, z) :- edge(x, y), reach(y, z).",
    "p(x) :- q(x, _).",
    "p(x) :- q(x), !r(x).",
    "p(f) :- q([f, 1]).",
]
RIGHT = [
    "p(X) :- q(X).",
    'p("x") :- q("x").',
    "mortal(socrates) :- human(socrates).  human(socrates).",
    "happy :- rich(ann).",
    "p(x) :- q(y).",
    "p(x, X) :- q(x, X).",
    ".decl p(x: symbol)\n.decl q(x: symbol)\np(x) :- q(x).",
]


@pytest.mark.parametrize("text", LOWER)
def test_a_rule_whose_symbols_look_like_variables_is_reported(text: str) -> None:
    assert "TL704" in codes(text)
    with pytest.warns(TidelogWarning, match=r"TL704: .*not a variable.*Write `[A-Z]`"):
        Engine(text).close()
    with Engine() as db, pytest.warns(TidelogWarning, match="TL704"), db.epoch() as e:
        e.add_rule(text)


@pytest.mark.parametrize("text", RIGHT)
def test_a_rule_with_variables_or_symbols_of_facts_is_not_reported(text: str) -> None:
    assert "TL704" not in codes(text)
    Engine(text).close()


def test_a_symbol_that_the_data_has_is_one() -> None:
    with Engine("r(X) :- human(X).") as db:
        with db.epoch() as e:
            e.insert("human", [("socrates",)])
        with db.epoch() as e:
            e.add_rule("mortal(socrates) :- human(socrates).")
        assert list(db["mortal"]) == [("socrates",)]


def test_no_program_of_this_repository_is_reported() -> None:
    files = [path for folder in ("programs", "examples", "benchmarks") for path in (ROOT / folder).rglob("*.dl")]
    reported = [path.name for path in files if "rejected" not in path.parts and _looks_wrong(path)]
    assert reported == []
    assert len(files) > 50


def _looks_wrong(path: Path) -> bool:
    return any(finding.code in ("TL704", "TL138") for finding in check_file(str(path)).findings)


@pytest.mark.parametrize(
    "text",
    [
        "v(X, Y) :- triple[P]+(X, Y).",
        "v(X, Y) :- triple[_]+(X, Y).",
        "u(X, Y, P) :- triple[P](X, Y).",
        "v(X, Y) :- !(a/triple[Any]*)(X, Y), n(X), n(Y).",
        SOUFFLE + "v(x, y) :- t[p]+(x, y).",
        SOUFFLE + "v(x, y) :- t[_]+(x, y).",
    ],
)
def test_a_variable_as_the_label_of_a_path_is_refused_with_the_way_out(text: str) -> None:
    with pytest.raises(ProgramError) as refused:
        Engine(text)
    assert [
        (finding.code, "quot" in finding.hint or '["' in finding.hint) for finding in refused.value.diagnostics
    ] == [("TL138", True)]


@pytest.mark.parametrize(
    "text", ["v(X, Y) :- t[p]+(X, Y).", 'v(X, Y) :- t["P"]+(X, Y).', SOUFFLE + 'v(x, y) :- t["p"]+(x, y).']
)
def test_a_constant_is_the_label_of_a_path(text: str) -> None:
    with Engine(text) as db:
        with db.epoch() as e:
            e.insert("t", [("a", "p", "b"), ("a", "P", "c")])
        assert list(db["v"]) == [("a", "c" if '"P"' in text else "b")]


@pytest.mark.parametrize("question", ["?anc(ann, X)", "?- anc(ann, X).", "anc(ann, X)?", "  ?- anc(ann, X)"])
def test_marks_of_a_question_are_understood(question: str) -> None:
    assert list(Engine("anc(ann, bob).").query(question)) == [("bob",)]


@pytest.mark.parametrize("ask", ["why", "why_not"])
def test_a_variable_in_a_question_about_a_fact_is_reported(ask: str) -> None:
    with (
        Engine("anc(ann, bob). p(X) :- anc(X, _).") as db,
        pytest.warns(TidelogWarning, match='TL123: `X` .*symbol "X"'),
        contextlib.suppress(EngineError),
    ):
        getattr(db, ask)("anc(ann, X)")
    with Engine('anc(ann, "Bob").') as db, warnings.catch_warnings():
        warnings.simplefilter("error")
        db.why('anc(ann, "Bob")')


def test_values_of_a_prepared_query_may_be_given_by_name() -> None:
    with Engine("p(1, 2). p(2, 3). p(2, 4).") as db:
        asked = db.prepare("p(X, Y)", bind="X, Y")
        assert [len(asked(Y=3, X=2)), len(asked(2, Y=4)), len(asked(1, 3))] == [1, 1, 0]
        for values, named in (((1,), {}), ((1, 2), {"X": 1}), ((), {"X": 1, "Z": 2}), ((1,), {"X": 2})):
            with pytest.raises(EngineError):
                asked(*values, **named)


def test_a_wrong_keyword_names_the_method_that_was_called() -> None:
    with Engine() as db, pytest.raises(TypeError, match=r"^Engine\.epoch\(\) got an unexpected keyword"):
        db.epoch(comment="x")  # type: ignore[call-arg]


def test_a_single_row_is_told_to_be_put_into_a_list() -> None:
    with Engine() as db:
        for rows, hint in (((5, "eve", "x"), "into a list"), ([1, 2], r"\(value,\)")):
            with pytest.raises(DataError) as refused, db.epoch() as e:
                e.insert("emp", rows)
            assert hint.replace("\\", "") in refused.value.hint


def test_a_period_is_told_to_be_cast() -> None:
    frame = pd.DataFrame({"m": pd.period_range("2026-01", periods=2, freq="M")})
    with Engine() as db, pytest.raises(DataError, match="cast it to strings or timestamps"), db.epoch() as e:
        e.insert("m", frame)


def test_times_with_and_without_a_zone_are_told_for_their_column() -> None:
    local = pd.DataFrame({"t": pd.to_datetime(["2026-01-01"])})
    zoned = pd.DataFrame({"t": pd.to_datetime(["2026-01-01"]).tz_localize("UTC")})
    with Engine() as db:
        with db.epoch() as e:
            e.insert("n4", zoned)
        with pytest.raises(EngineError, match="column 1 of `n4` would contain both") as refused, db.epoch() as e:
            e.insert("n4", local)
        assert "tz_localize" in refused.value.hint


def test_a_file_that_is_included_twice_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "facts.dl").write_text("".join(f".type T{i} <: symbol\n.decl r{i}(x: T{i})\n" for i in range(20)))
    (tmp_path / "ci.dl").write_text('#include "facts.dl"\n')
    (tmp_path / "m.dl").write_text('#include "facts.dl"\n#include "ci.dl"\n')
    (found,) = check_file(str(tmp_path / "m.dl")).findings
    assert found.code == "TL216"
    assert found.span is not None
    places = [found.span, *(span for _, span in found.related)]
    assert [(Path(place.source.name).name, place.line) for place in places] == [("ci.dl", 1), ("m.dl", 1)]
    (tmp_path / "facts.dl").write_text(".once\n" + (tmp_path / "facts.dl").read_text())
    assert not check_file(str(tmp_path / "m.dl")).findings
