"""Dates, timestamps, booleans and large integers wherever a term may be written, in both conventions.

Each place (fact, rule, change script, question, `why`, `blame`, case) reads the same literal as the same value, on one
partition and on two. Files and other front ends have their own tests.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from tidelog import Engine
from tidelog.errors import DataError, EngineError, ProgramError
from tidelog.syntax import write_value

JUNE = datetime.date(2026, 6, 1)
TEN = datetime.datetime(2026, 6, 1, 10)
SOUFFLE = ".decl v(k: symbol, x: {type})\n.decl w(x: {type})\n.decl hit(k: symbol)\n"
PLACES = [
    ("date", JUNE, ['date("2026-06-01")', '"2026-06-01"', "'2026-06-01'"]),
    ("timestamp", TEN, ['timestamp("2026-06-01T10:00:00")', '"2026-06-01T10:00:00Z"', '"2026-06-01 12:00:00+02:00"']),
    ("boolean", True, ["true", "1"]),
    ("unsigned", 2**64 - 1, ["18446744073709551615", "18446744073709551615u", "0xFFFFFFFFFFFFFFFF"]),
]
OTHERS = {
    "date": datetime.date(1969, 12, 31),
    "timestamp": datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
    "boolean": False,
    "unsigned": 2**63,
}
CASES = [(type_, value, text) for type_, value, texts in PLACES for text in texts]


def opened(text: str, type_: str, convention: str, partitions: int) -> Engine:
    """An engine whose relation `v` holds a value of the type, by declaration or by its data."""
    rules = f"hit(k) :- v(k, {text}).\nw({text}) :- v(_, _)."
    if convention == "souffle":
        db = Engine(SOUFFLE.format(type=type_) + rules, partitions=partitions)
    else:
        db = Engine("seen(K) :- v(K, _).", partitions=partitions)
    with db.epoch() as epoch:
        epoch.insert("v", [("other", OTHERS[type_])])
    if convention == "prolog":
        with db.epoch() as epoch:
            epoch.add_rule(f"hit(K) :- v(K, X), X = {text}.")
    return db


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("convention", ["souffle", "prolog"])
@pytest.mark.parametrize(("type_", "value", "text"), CASES)
def test_a_literal_is_read_in_every_place(
    type_: str, value: object, text: str, convention: str, partitions: int
) -> None:
    with opened(text, type_, convention, partitions) as db:
        assert db.what_if(f'+v("k", {text}).').changes["v"].inserted.rows() == [("k", value)]
        with db.epoch() as epoch:
            epoch.insert("v", [("k", value)])
        assert list(db["hit"]) == [("k",)]
        variable = "k" if convention == "souffle" else "K"
        assert list(db.query(f"v({variable}, {text})")) == [("k",)]
        assert list(db.prepare(f"v({variable}, X), X = {text}, X = Y", bind="Y")(value)) == [("k", value)]
        assert f'v("k", {write_value(value, type_)})' in str(db.why(f'v("k", {text})')).replace("v(k,", 'v("k",')
        assert epoch.blame(f'v("k", {text})')
        assert db.why(f'v("k", {write_value(value, type_)})')
        assert len(db.what_if(f'-v("k", {text}).').changes["hit"].deleted) == 1
        assert db.verify()


@pytest.mark.parametrize(("type_", "value", "text"), CASES)
def test_a_fact_of_a_program_holds_its_literal(type_: str, value: object, text: str) -> None:
    with Engine(SOUFFLE.format(type=type_) + f'v("k", {text}). w(x) :- v(_, x).') as db:
        assert list(db["w"]) == [(value,)]


@pytest.mark.parametrize(
    "text", ['date("2026-06-01")', 'timestamp("2026-06-01T10:00:00")', "true", "18446744073709551615"]
)
def test_a_literal_tells_the_type_of_an_undeclared_column(text: str) -> None:
    (type_, value) = next((type_, value) for type_, value, found in CASES if found == text)
    with Engine(f"p({text}). q(X) :- p(X).") as db:
        assert (list(db["q"]), db["q"].types) == ([(value,)], (type_,))
    with Engine(f"q({text}) :- p(X). p(1).") as db:
        assert (list(db["q"]), db["q"].types) == ([(value,)], (type_,))


def test_quoted_text_is_a_symbol_where_nothing_says_a_type() -> None:
    with Engine('p("2026-06-01"). q(X) :- p(X), X != "2026-06-02".') as db:
        assert list(db["q"]) == [("2026-06-01",)]


def test_quoted_text_is_a_date_where_a_fact_beside_it_says_so() -> None:
    with Engine('late(X) :- s(X, D), D > "2026-06-01". s(a, date("2026-07-01")). s(b, "2026-01-01").') as db:
        assert (list(db["late"]), db["s"].types) == ([("a",)], ("symbol", "date"))


def test_literals_are_dates_inside_records_and_algebraic_values() -> None:
    types = ".type P = [d: date, b: boolean]\n.type T = At {t: timestamp} | Never {}\n"
    types += ".decl p(x: P, t: T)\n.decl q(d: date)\n"
    rules = 'q(d) :- p([d, true], $At("2026-06-01T10:00:00")).\np(["2026-06-01", true], $At("2026-06-01T10:00:00")).'
    with Engine(types + rules) as db:
        assert list(db["q"]) == [(JUNE,)]
        change = db.what_if(
            '+p([date("2026-06-02"), 1], $At("2026-06-01T10:00:00")). +p(["2026-06-03", false], $Never).'
        )
        assert change.changes["q"].inserted.rows() == [(datetime.date(2026, 6, 2),)]
        assert "is not a value of type date" in str(db.what_if("+p([2026-06-02, true], $Never).").refused)


@pytest.mark.parametrize("text", ["2026-06-01", "20605", "2026"])
@pytest.mark.parametrize("type_", ["date", "timestamp"])
def test_a_number_is_no_date_anywhere(type_: str, text: str) -> None:
    declared = SOUFFLE.format(type=type_)
    for program in (
        f'v("k", {text}).',
        f"hit(k) :- v(k, {text}).",
        f"hit(k) :- v(k, x), x > {text}.",
        f"w({text}) :- v(_, _).",
    ):
        with pytest.raises((ProgramError, DataError)):
            Engine(declared + program)
    with Engine(declared) as db:
        for ask in (db.why, db.why_not):
            with pytest.raises(DataError, match=f"is not a value of type {type_}; write"):
                ask(f'v("k", {text})')
        for sign in "+-":
            refused = db.what_if(f'{sign}v("k", {text}).').refused
            assert f"is not a value of type {type_}; write {type_}(" in str(refused)
        with pytest.raises(ProgramError):
            db.query(f"v(k, {text})")


def test_the_hint_says_how_a_date_is_written() -> None:
    with pytest.raises(ProgramError) as caught:
        Engine(SOUFFLE.format(type="date") + "hit(k) :- v(k, x), x > 2026-6-1.")
    (finding,) = (d for d in caught.value.diagnostics if d.severity == "error")
    assert finding.hint == '`2026-6-1` is a subtraction. Write `date("2026-06-01")`.'


def test_true_and_false_select_rows_of_a_boolean_column() -> None:
    with Engine(".decl active(u:symbol, on:boolean) .decl ok(u:symbol)\nok(u) :- active(u, true).") as db:
        with db.epoch() as epoch:
            epoch.insert("active", [("ann", True), ("bob", False)])
        assert list(db["ok"]) == [("ann",)]
        assert list(db.query("active(U, false)")) == [("bob",)]
        assert list(db.query("active(U, B), B = true")) == [("ann", True)]
        assert list(db.query("active(U, B), B < true")) == [("bob", False)]


def test_true_is_a_boolean_where_nothing_is_known_under_the_prolog_convention() -> None:
    with Engine("p(X) :- flag(X, true).") as db:
        with db.epoch() as epoch:
            epoch.insert("flag", [("a", True), ("b", False)])
        assert list(db["p"]) == [("a",)]


def test_true_is_a_symbol_among_symbols_where_bare_words_are_symbols() -> None:
    with Engine("p(X) :- f(X, true). f(a, true). f(b, unknown).") as db:
        assert (list(db["p"]), db["f"].types) == ([("a",)], ("symbol", "symbol"))
    with Engine(".decl f(x: symbol) .decl p(x: symbol) p(x) :- f(x). f(true).") as db:
        assert list(db["p"]) == [("true",)]


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (".decl f(x: symbol) .decl p(x: symbol) p(x) :- f(x), f(true).", "TL411"),
        (".decl f(x: symbol, b: boolean) .decl p(x: symbol) p(x) :- f(x, True).", "TL412"),
        (".decl f(x: symbol, b: boolean) .decl p(n: number) p(n) :- n = count : { f(_, FALSE) }.", "TL412"),
        (".decl f(x: number) .decl p(x: number) p(x) :- f(x), f(true).", "TL401"),
        (".decl f(x: boolean) .decl p(x: boolean) p(x) :- f(x), f(2).", "TL408"),
        (".decl f(x: boolean) .decl p(x: boolean) p(x) :- f(x), f(1 + 0).", "TL402"),
    ],
)
def test_a_truth_value_that_does_not_fit_is_reported(program: str, code: str) -> None:
    with pytest.raises(ProgramError) as caught:
        Engine(program)
    assert [d.code for d in caught.value.diagnostics if d.severity == "error"] == [code]


def test_a_number_that_no_type_holds_is_told_what_does() -> None:
    with pytest.raises(ProgramError, match="TL108") as caught:
        Engine("p(99999999999999999999).")
    assert "99999999999999999999u" not in str(caught.value.diagnostics[0].hint)
    with pytest.raises(ProgramError, match="TL408"):
        Engine(".decl p(x: number) .decl q(x: number) q(x) :- p(x), x < 18446744073709551615.")


def test_rules_with_literals_come_back_with_their_state_folder(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with Engine("seen(K) :- v(K, _, _).", path=folder) as db:
        with db.epoch() as epoch:
            epoch.insert("v", [("a", JUNE, True), ("b", datetime.date(2025, 1, 1), False)])
        with db.epoch() as epoch:
            epoch.add_rule('hit(K) :- v(K, D, true), D >= "2026-06-01".')
            epoch.add_rule('zoned(timestamp("2026-06-01T12:00:00+02:00")) :- seen(_).')
    with Engine(path=folder) as db:
        assert (list(db["hit"]), list(db["zoned"])) == ([("a",)], [(TEN,)])
        with db.epoch() as epoch:
            epoch.insert("v", [("c", JUNE, True)])
        assert sorted(db["hit"]) == [("a",), ("c",)]


def test_an_instant_does_not_meet_a_time_without_a_zone() -> None:
    local = pa.table({"t": pa.array([0], pa.timestamp("us"))})
    for text in ('timestamp("2026-06-01T10:00:00Z")', '"2026-06-01T10:00:00Z"'):
        with Engine(f".decl a(t: timestamp) .decl p(t: timestamp) p(t) :- a(t), t < {text}.") as db:
            with pytest.raises(EngineError, match="contains instants"), db.epoch() as epoch:
                epoch.insert("a", local)
            with db.epoch() as epoch:
                epoch.insert("a", pa.table({"t": pa.array([0], pa.timestamp("us", "UTC"))}))
            assert len(db["p"]) == 1


def test_a_fact_with_a_zone_makes_a_column_of_instants() -> None:
    with Engine('p(timestamp("2026-06-01T12:00:00+02:00")).') as db:
        assert list(db["p"]) == [(TEN,)]
        assert db["p"].to_arrow().schema.types == [pa.timestamp("us", "UTC")]


def test_what_is_written_is_read_as_the_same_value() -> None:
    rng = Random(5)
    for _ in range(60):
        day = datetime.date.fromordinal(rng.randint(1, datetime.date.max.toordinal()))
        moment = datetime.datetime.combine(
            day, datetime.time(rng.randrange(24), rng.randrange(60), 0, rng.randrange(10**6))
        )
        row = (day, moment, rng.random() < 0.5)
        text = ", ".join(write_value(value) for value in row)
        with Engine(f"p({text}). q(X, Y, Z) :- p(X, Y, Z), p({text}).") as db:
            assert list(db["q"]) == [row]
            assert db.why(f"q({text})")


def test_an_unknown_type_beside_a_quoted_date_is_reported_once() -> None:
    with pytest.raises(ProgramError) as caught:
        Engine('.decl p(x: date, y: Foo) .decl q(x: date) q(x) :- p(x, _), x > "2026-01-01".')
    assert [d.code for d in caught.value.diagnostics] == ["TL206"]
