"""Aggregates of whole groups: values computed by hand, the exactness of variances, DuckDB as judge, change and undo.

The law (`tests/law`) compares them with the naive evaluator on random programs; here are the values themselves.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from random import Random

import pytest

from tidelog import ConstraintError, Engine, ProgramError
from tidelog.program.functions.whole_groups import of_group, root
from tidelog.syntax import parse_program
from tidelog.testing import evaluate
from tidelog.testing.folds import FOLDS

SALE = ".decl sale(shop: symbol, item: symbol, price: number, paid: boolean)"
FACTS = """
sale("a", "tea", 3, true).
sale("a", "jam", 3, true).
sale("a", "rum", 9, false).
sale("a", "gin", 20, true).
sale("b", "tea", 4, true).
"""


SALES = SALE + FACTS
TYPES = {bool: "boolean", int: "number", float: "float", str: "symbol", tuple: "list"}


def rows(program: str, view: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in Engine(program)[view])


@pytest.mark.parametrize(
    ("aggregate", "a", "b"),
    [
        ("count<distinct p>", 3, 1),
        ("count<p>", 4, 1),
        ("sum<distinct p>", 32, 4),
        ("any<f>", True, True),
        ("all<f>", False, True),
        ("median<p>", 6.0, 4.0),  # an even number: the mean of 3 and 9
        ("quantile<p, 0.25>", 3.0, 4.0),
        ("quantile<p, 0.9>", 16.7, 4.0),  # place 2.7: 0.3 of 9 and 0.7 of 20
        ("quantile<p, 0>", 3.0, 4.0),
        ("quantile<p, 1>", 20.0, 4.0),
        ("var_pop<p>", 48.1875, 0.0),  # mean 8.75; (5.75^2 + 5.75^2 + 0.25^2 + 11.25^2) / 4
        ("variance<p>", 64.25, None),
        ("stddev<p>", math.sqrt(64.25), None),
        ("stddev_pop<p>", math.sqrt(48.1875), 0.0),
        ("collect<p>", (3, 3, 9, 20), (4,)),
        ("collect<distinct p>", (3, 9, 20), (4,)),
        ('string_agg<i, ", ">', "gin, jam, rum, tea", "tea"),
        ("argmin<i, p>", "jam", "tea"),  # of two items at 3 the least
        ("argmax<i, p>", "gin", "tea"),
    ],
)
def test_values_computed_by_hand_in_heads_and_bodies(aggregate, a, b):
    kind, inside = aggregate[:-1].split("<")
    body = f"{kind}({inside}) : {{ sale(s, i, p, f) }}"
    expected = [(shop, value) for shop, value in (("a", a), ("b", b)) if value is not None]
    declared = f"{SALES} .decl v(s: symbol, x: {TYPES[type(a)]})"
    assert rows(f"{declared} v(s, {aggregate}) :- sale(s, i, p, f).", "v") == expected
    assert rows(f"{declared} v(s, x) :- sale(s, _, _, _), x = {body}.", "v") == expected
    if "," not in inside:
        unbracketed = f"{kind} {inside} : sale(s, i, p, f)"
        assert rows(f"{declared} v(s, x) :- sale(s, _, _, _), x = {unbracketed}.", "v") == expected
    variables = {"s": "S", "i": "I", "p": "P", "f": "F"}
    head = re.sub(r"\b[ipf]\b(?=[,>])", lambda found: variables[found[0]], aggregate)
    prolog = f"{FACTS} v(S, {head}) :- sale(S, I, P, F)."
    assert rows(prolog, "v") == expected


def test_nothing_is_no_count_false_for_any_and_true_for_all():
    program = f"""{SALES}
        .decl shop(s: symbol)
        .decl v(s: symbol, n: number, x: boolean, y: boolean)
        .decl m(s: symbol, x: float)
        shop("a"). shop("c").
        v(s, n, x, y) :- shop(s), n = count distinct p : {{ sale(s, _, p, _) }},
            x = any f : {{ sale(s, _, _, f) }}, y = all f : {{ sale(s, _, _, f) }}.
        m(s, x) :- shop(s), x = median p : {{ sale(s, _, p, _) }}.
    """
    assert rows(program, "v") == [("a", 3, True, False), ("c", 0, False, True)]
    assert rows(program, "m") == [("a", 6.0)]


def test_variances_are_exact_and_rounded_once():
    far = [1e15 + x for x in (0.0, 0.25, 0.5)]
    assert of_group("variance", [far]) == 0.0625
    tenths = [Fraction(x) for x in (0.1, 0.2, 0.4)]
    mean = sum(tenths) / 3
    assert of_group("var_pop", [[0.1, 0.2, 0.4]]) == float(sum((x - mean) ** 2 for x in tenths) / 3)
    assert of_group("variance", [[2**63 - 1, -(2**63)]]) == float(Fraction((2**64 - 1) ** 2, 2))
    assert math.isnan(of_group("variance", [[1.0, math.inf]]))  # type: ignore[arg-type]  # a float
    assert of_group("variance", [[1e308, -1e308]]) == math.inf
    assert of_group("stddev", [[5e-324, 0.0]]) == 5e-324
    assert root(Fraction(2) ** -2000) == 2.0**-1000


def test_quantiles_beside_infinities_and_nan():
    assert of_group("median", [[1.0, math.inf]]) == math.inf
    assert of_group("median", [[math.inf, math.inf]]) == math.inf
    assert of_group("quantile", [[-math.inf, 1.0, 2.0]], 0.5) == 1.0
    assert math.isnan(of_group("median", [[-math.inf, math.inf]]))  # type: ignore[arg-type]  # a float
    assert math.isnan(of_group("median", [[1.0, math.nan]]))  # type: ignore[arg-type]  # a float
    assert of_group("quantile", [[1.0, 2.0, math.nan]], 0.5) == 2.0


@pytest.mark.parametrize("kind", ["median", "variance", "stddev", "var_pop", "stddev_pop", "quantile"])
def test_the_judge_agrees_on_floats_of_all_sizes(kind):
    rng = Random(kind)
    for _ in range(300):
        size = rng.choice([0, 3, 60, 300, 1023])
        values = [
            rng.choice([-1, 1]) * rng.random() * 2.0 ** rng.randint(-size, size) for _ in range(rng.randint(1, 7))
        ]
        share = rng.choice([0.0, 0.1, 0.3, 0.75, 1.0])
        found = of_group(kind, [values], share)
        expected = FOLDS[kind]([(value, share) for value in values] if kind == "quantile" else values)
        assert found == expected


def test_duckdb_agrees_on_quantiles_and_variances():
    duckdb = pytest.importorskip("duckdb")
    rng = Random(3)
    data = [(rng.randint(0, 30), i, rng.uniform(-100, 100)) for i in range(2000)]
    db = Engine("""
        .decl d(g: number, i: number, x: float)
        .decl v(g: number, m: float, q: float, v: float, s: float, n: number, i: number)
        v(g, median<x>, quantile<x, 0.9>, variance<x>, stddev_pop<x>, count<distinct x>, argmax<i, x>) :- d(g, i, x).
    """)
    with db.epoch() as epoch:
        epoch.insert("d", data)
    con = duckdb.connect()
    con.execute("create table d(g int, i int, x double)")
    con.executemany("insert into d values (?, ?, ?)", data)
    query = """select g, median(x), quantile_cont(x, 0.9), var_samp(x), stddev_pop(x), count(distinct x), arg_max(i, x)
               from d group by g order by g"""
    expected = con.execute(query).fetchall()
    found = sorted(tuple(row) for row in db["v"])
    assert len(found) == 31
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-12)


PROGRAM = """
.decl d(g: number, i: number, x: number)
.decl big(g: number)
.decl v(g: number, m: float, l: list, i: number, s: float)
.decl w(g: number, m: float)
.decl t(m: float)
v(g, median<x>, collect<distinct x>, argmin<i, x>, variance<x>) :- d(g, i, x).
w(g, m) :- big(g), m = quantile(x, 0.75) : { d(g, _, x) }.
t(median<x>) :- d(_, _, x).
"""


@pytest.mark.parametrize("options", [{}, {"partitions": 3}, {"threads": 3}])
def test_groups_follow_changes_and_are_undone_with_the_epoch(options):
    db, rng, state = Engine(PROGRAM, **options), Random(5), set()
    for number in range(30):
        new = {(rng.randint(0, 4), rng.randint(0, 30), rng.randint(0, 9)) for _ in range(rng.choice([1, 2, 2000]))}
        old = set(rng.sample(sorted(state), k=rng.randint(0, len(state))))
        before = {view: sorted(db[view]) for view in ("v", "w", "t")}
        with db.epoch() as epoch:
            epoch.insert("d", sorted(new - state))
            epoch.delete("d", sorted(old - new))
            epoch.insert("big", [(0,), (3,)])
            if number % 3 == 0:
                db.preview(epoch)
                assert {view: sorted(db[view]) for view in before} == before
        state = (state | new) - (old - new)
        facts = {"d": state, "big": {(0,), (3,)}}
        expected = evaluate(parse_program(PROGRAM), facts)
        for view in before:
            assert set(map(tuple, db[view])) == set(expected.get(view, ()))
    assert db.verify()
    db.close()


def test_a_refused_epoch_leaves_the_groups_as_they_were(tmp_path):
    db = Engine(PROGRAM + " :- d(_, _, x), x > 100.", path=tmp_path / "s")
    with db.epoch() as epoch:
        epoch.insert("d", [(1, 1, 5), (1, 2, 7)])
    before = sorted(db["v"])
    with pytest.raises(ConstraintError), db.epoch() as epoch:
        epoch.insert("d", [(1, 3, 500)])
    assert sorted(db["v"]) == before == [(1, 6.0, (5, 7), 1, 2.0)]
    with db.epoch() as epoch:
        epoch.delete("d", [(1, 1, 5)])
    db.close()
    again = Engine(path=tmp_path / "s")
    assert sorted(again["t"]) == [(7.0,)]
    assert sorted(again["v"]) == []  # one value has no variance
    again.revert(3)
    assert sorted(again["v"]) == before
    again.close()


def test_a_change_computes_only_the_groups_that_it_touches(monkeypatch):
    from tidelog.partition.code import gather

    db, computed = Engine("v(G, median<X>) :- d(G, X)."), []
    with db.epoch() as epoch:
        epoch.insert("d", [(group, x) for group in range(2000) for x in range(3)])
    true = gather.of_group
    monkeypatch.setattr(gather, "of_group", lambda *args: computed.append(args) or true(*args))
    with db.epoch() as epoch:
        epoch.insert("d", [(7, 100)])
        epoch.delete("d", [(9, 1)])
    assert len(computed) == 4  # two groups, before and after
    assert epoch.changes["v"].inserted == [(7, 1.5)]


def test_why_and_explain_show_the_group():
    db = Engine(f"""{SALES}
        .decl v(s: symbol, x: float)
        .decl w(s: symbol, x: boolean)
        v(s, median<p>) :- sale(s, _, p, _).
        w(s, x) :- sale(s, _, _, _), x = all f : sale(s, _, _, f).
    """)
    proof = str(db.why('v("a", 6.0)'))
    assert "median<p> = 6.0, over 4 rows" in proof
    assert 'sale("a", "rum", 9, false)' in proof
    assert 'sale("a", "rum", 9, false)' in str(db.why('w("a", false)'))
    assert "fold the median of its group" in str(db.explain())
    assert "is not true" in str(db.why_not('v("a", 7.0)'))


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("v(quantile<p, 95>) :- sale(_, _, p, _).", "TL137"),
        ("v(quantile<p, p>) :- sale(_, _, p, _).", "TL137"),
        ("v(string_agg<i, 3>) :- sale(_, i, _, _).", "TL137"),
        ("v(argmin<p>) :- sale(_, _, p, _).", "TL136"),
        ("v(median<p, p>) :- sale(_, _, p, _).", "TL136"),
        ("v(median<i>) :- sale(_, i, _, _).", "TL403"),
        ("v(any<p>) :- sale(_, _, p, _).", "TL403"),
        ('v(string_agg<p, "">) :- sale(_, _, p, _).', "TL403"),
        ("v(collect<f>) :- sale(_, _, _, f).", "TL403"),
        ("v(s) :- sale(s, _, p, _), median(p) > 3.0.", "TL207"),
        ("w(s, collect<p>) :- sale(s, _, p, _), !w(s, _).", "TL501"),
        ("w(s, x) :- sale(s, _, _, _), x = collect l : { w(s, l), !w(_, l) }.", "TL501"),
    ],
)
def test_mistakes_are_reported(rule, code):
    with pytest.raises(ProgramError) as caught:
        Engine(f"{SALES} .decl v(s: symbol) .decl w(s: symbol, x: list) {rule}")
    assert code in {finding.code for finding in caught.value.diagnostics}


def test_the_words_are_still_names():
    program = """
        .decl p(all: number, any: number)
        .decl collect(x: number)
        .decl v(x: number)
        p(3, 1).
        collect(2).
        v(all - any) :- p(all, any), any < all, collect(all - any).
    """
    assert rows(program, "v") == [(2,)]
    assert rows("v(all, median) :- q(X, distinct). q(1, distinct).", "v") == [("all", "median")]
