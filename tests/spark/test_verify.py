"""The Spark checker gives the verdicts of the Python checker, on sound states and on damaged ones.

All claims of a test go to Spark together, so that a test costs a few jobs.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.law.harness import Case, commit
from tests.verify.corrupt import Subject, corruptions, user_facts
from tidelog.engine.engine import Engine
from tidelog.errors import EngineError, ProgramError
from tidelog.program.values.state import FactState
from tidelog.spark.verify import verify_claims
from tidelog.verify import Certificate
from tidelog.verify.check import check_claim
from tidelog.verify.claim import Claim, to_claim

PROGRAM = """
r1: reach(X, Y) :- edge(X, Y, _).
r2: reach(X, Z) :- edge(X, Y, _), reach(Y, Z).
leaf(X) :- reach(_, X), !edge(X, _, _).
degree(X, count<*>) :- edge(X, _, _).
heavy(X, S) :- node(X), S = sum W : { edge(X, _, W) }, S > 2.
near(0, min<C>) :- C = 0, node(0).
near(Y, min<C>) :- near(X, B), edge(X, Y, W), C = B + W.
name(X, N) :- node(X), N = cat("n", to_string(X)).
small(X) :- (node(X), X < 2 ; leaf(X)), X band 1 = 1.
"""
EDGES = [(0, 1, 4), (1, 2, 1), (2, 1, 1), (0, 2, 9), (2, 3, 2)]


def engine() -> Engine:
    db = Engine(PROGRAM)
    with db.epoch() as epoch:
        epoch.insert("edge", EDGES)
        epoch.insert("node", [(i,) for i in range(4)])
    return db


def claims_of(subjects: list[Subject]) -> list[Claim]:
    found = []
    for subject in subjects:
        try:
            found.append(to_claim(subject.program, None, subject.state))
        except ProgramError:  # a rule that does not go with the others
            continue
    return found


def test_spark_certifies_what_python_certifies(spark: Any) -> None:
    db = engine()
    python, sql = db.verify(), db.verify(spark)
    assert isinstance(python, Certificate)
    assert isinstance(sql, Certificate)
    assert (sql.facts, sql.rules, sql.strata) == (python.facts, python.rules, python.strata)


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.long)])
def test_spark_finds_the_damage_that_python_finds(spark: Any, every: int) -> None:
    """Every eighth kind of damage takes seconds, every kind half a minute."""
    db = engine()
    start = Subject(db.program, db.state())
    subjects = [damaged for _, damaged in corruptions(Random(1), start, ())][::every]
    claims = claims_of([start, *subjects])
    verdicts = verify_claims(claims, spark)
    assert [bool(v) for v in verdicts] == [bool(check_claim(claim, 0)) for claim in claims]
    assert {bool(v) for v in verdicts} == {True, False}


def test_spark_names_rule_and_fact(spark: Any) -> None:
    db = engine()
    facts, cyclic = user_facts(db.state()), user_facts(db.state())
    del facts["reach"][0, 3]
    cyclic["reach"] |= {(7, 8): FactState(98, 1, 1, False)}
    claims = [to_claim(db.program, None, replace(db.state(), facts=damaged)) for damaged in (facts, cyclic)]
    missing, unfounded = verify_claims(claims, spark)
    assert str(missing) == "not closed: r2 derives reach(0, 3), but reach(0, 3) is missing from the state"
    assert str(unfounded) == "unfounded: reach(7, 8) has no support of lower rank"


@pytest.mark.long
def test_verdicts_agree_on_random_programs(spark: Any) -> None:
    claims: list[Claim] = []
    for seed in range(60):
        case = Case.random(seed, "all", 2)
        db = Engine(case.program)
        for change in case.changes:
            commit(db, change, case.program.convention)
        start = Subject(db.program, db.state())
        claims += claims_of([start, *(damaged for _, damaged in corruptions(Random(seed), start, ()))][:4])
    checked = 0
    for claim in claims:
        try:
            (verdict,) = verify_claims([claim], spark)
        except EngineError as error:
            if "use the Python checker" not in str(error):
                raise
            continue
        checked += 1
        assert bool(verdict) == bool(check_claim(claim, 0)), verdict
    assert checked > 30


@pytest.mark.parametrize(
    ("program", "what"),
    [
        ('p(X) :- q(X), match("a.*", X). q(abc).', "match"),
        ("p(X, L) :- q(X), L = [X]. q(1).", "list"),
        (".decl q(x: number)\n.decl p(x: float)\np(variance<x>) :- q(x).\nq(1). q(2).", "variance"),
        (".decl q(x: float)\n.decl p(x: float)\np(sum<x>) :- q(x).\nq(1.5).", "sum of floats"),
    ],
)
def test_what_sql_does_not_say_is_refused_by_name(spark: Any, program: str, what: str) -> None:
    with pytest.raises(EngineError, match=f"{what}.*use the Python checker"):
        Engine(program).verify(spark)


def test_aggregate_or_range_equal_to_a_variable_that_has_a_value_is_a_test(spark: Any) -> None:
    text = "p(X) :- e(X), X = max Z : { e(Z) }. q(X) :- e(X), X = range(0, 2). e(0). e(1). e(5)."
    assert Engine(text).verify(spark)


TIMES = """
.decl at(t: timestamp, d: date, b: boolean)
.decl parts(y: number, m: number, d: number, w: number, h: number, i: number, s: number)
.decl moved(d: date, t: timestamp, n: number, k: number)
.decl told(d: symbol, b: symbol)
.decl first(d: date, t: timestamp)
parts(year(t), month(d), day(t), weekday(d), hour(t), minute(t), second(t)) :- at(t, d, _).
moved(date_add(d, 3), timestamp_add(t, 5, 1h), date_diff(d, date(t)), timestamp_diff(t, to_timestamp(d), 1s)) :-
    at(t, d, true), d < "2027-01-01", t != timestamp("2026-06-01T10:00:00").
told(to_string(d), to_string(b)) :- at(_, d, b), to_number(b) = 1.
first(min d : { at(_, d, _) }, max t : { at(t, _, _) }).
at("1969-12-31T23:59:59.999999", "1969-12-31", true).
at("2026-06-01T10:11:12", "2024-02-29", true).
at("2026-06-01T10:11:12", "1900-03-01", false).
"""


def test_spark_certifies_dates_timestamps_and_booleans(spark: Any) -> None:
    with Engine(TIMES) as db:
        assert len(db["moved"]) == 2
        assert db["parts"].rows() == [
            (1969, 12, 31, 2, 23, 59, 59),
            (2026, 2, 1, 3, 10, 11, 12),
            (2026, 3, 1, 3, 10, 11, 12),
        ]
        python, sql = db.verify(), db.verify(spark)
        assert isinstance(python, Certificate), python
        assert isinstance(sql, Certificate), sql


EVERYDAY = r"""
.decl word(s: symbol)
.decl made(s: symbol, lower: symbol, trimmed: symbol, swapped: symbol, padded: symbol, other: symbol)
.decl tested(s: symbol, starts: number, ends: number, distance: number)
.decl hashed(s: symbol, o: number, m: symbol, a: symbol, b: symbol, c: number)
.decl value(x: float)
.decl rounded(x: float, a: float, r: float, f: float, c: float)
.decl size(n: number, most: number, least: number)
made(s, lower(s), trim(s), replace(s, "a", "bb"), pad_left(s, 4, "xy"), pad_right(s, 3, "-")) :- word(s).
tested(s, starts_with(s, "a"), ends_with(s, "b"), edit_distance(s, "abc")) :- word(s).
hashed(s, ord(s), md5(s), sha1(s), sha256(s), crc32(s)) :- word(s).
rounded(x, abs(x), round(x), floor(x), ceil(x)) :- value(x).
size(abs(n), greatest(n, 2, 1), least(n, 2)) :- n = range(-3, 3).
word(""). word(" aAb\t\n"). word("aab"). word("abcde").
value(2.5). value(-2.5). value(-0.4). value(0.49999999999999994). value(1e300). value(-7.0).
value(to_float("nan")). value(to_float("inf")).
"""


def test_spark_certifies_functions_of_texts_and_rounding(spark: Any) -> None:
    with Engine(EVERYDAY) as db:
        assert (" aAb\t\n", " aab\t\n", "aAb", " bbAb\t\n", " aAb\t\n", " aAb\t\n") in db["made"]
        assert ("aab", 1, 1, 2) in db["tested"]
        python, sql = db.verify(), db.verify(spark)
        assert isinstance(python, Certificate), python
        assert isinstance(sql, Certificate), sql


GROUPS = """
.decl v(g: number, x: number, u: unsigned, s: symbol, f: float, b: boolean)
.decl key(g: number)
.decl middle(g: number, m: float, q: float, r: float, d: float)
.decl texts(g: number, all: symbol, once: symbol)
.decl chosen(g: number, least: symbol, most: number, by: float)
.decl truth(g: number, some: boolean, every: boolean)
.decl counted(g: number, n: number, t: number, m: float, u: float)
.decl body(g: number, m: float, s: symbol, some: boolean, every: boolean, d: number)
.decl whole(m: float)
middle(g, median<x>, quantile<x, 0.3>, median<u>, median<distinct x>) :- v(g, x, u, _, _, _).
texts(g, string_agg<s, "|">, string_agg<distinct s, ", ">) :- v(g, x, _, s, _, _).
chosen(g, argmin<s, x>, argmax<x, s>, argmax<f, f>) :- v(g, x, _, s, f, _).
truth(g, any<b>, all<b>) :- v(g, _, _, _, _, b).
counted(g, count<distinct x>, sum<distinct x>, mean<distinct x>, mean<x>) :- v(g, x, _, _, _, _).
body(g, m, s, some, every, d) :- key(g), m = median x : { v(g, x, _, _, _, _) },
    s = argmax(t, x) : { v(g, x, _, t, _, _) }, some = any b : { v(g, _, _, _, _, b) },
    every = all b : { v(g, 99, _, _, _, b) }, d = sum distinct x : { v(g, x, _, _, _, _) }.
whole(m) :- m = quantile(x, 0.75) : { v(_, x, _, _, _, _) }.
"""


def test_spark_certifies_aggregates_over_whole_groups(spark: Any) -> None:
    rows = [
        (1, 5, 7, "b", 1.5, True),
        (1, 5, 8, "a", -0.5, False),
        (1, -4, 8, "b", 2.0, True),
        (1, 9, 1, "é", 2.0, True),
    ]
    rows += [(2, 3, 3, "z", float("nan"), False), (3, 7, 2**50, "q", 1.0, True), (3, -7, 2, "r", 2.0, True)]
    with Engine(GROUPS) as db:
        with db.epoch() as epoch:
            epoch.insert("v", rows)
            epoch.insert("key", [(g,) for g in range(5)])
        assert db.query("texts(1, X, Y)").rows() == [("a|b|b|é", "a, b, é")]
        python, sql = db.verify(), db.verify(spark)
        assert isinstance(python, Certificate), python
        assert isinstance(sql, Certificate), sql
        start = Subject(db.program, db.state())
        claims = claims_of([damaged for _, damaged in corruptions(Random(3), start, ())][::12])
        assert [bool(v) for v in verify_claims(claims, spark)] == [bool(check_claim(claim, 0)) for claim in claims]
