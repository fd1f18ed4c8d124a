"""The naive evaluator on small cases whose answers were worked out by hand."""

import math
from collections import Counter

import pytest

from tidelog.errors import EvaluationError, LimitError
from tidelog.program.check import check_program
from tidelog.program.functions.table import FUNCTIONS, user_function
from tidelog.syntax import parse_program
from tidelog.testing import asserted, evaluate, supports

CHAIN = "edge(1,2). edge(2,3). edge(3,4). "


def model(text, facts=None, **options):
    return evaluate(parse_program(text), facts or {}, **options)


def rows(text, relation="p", facts=None):
    """The rows of one relation, sorted; the program passes the checks first, as in use."""
    return sorted(evaluate(check_program(parse_program(text)).program, facts or {})[relation], key=repr)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # linear, non-linear and mutual recursion
        (CHAIN + "p(X,Y) :- edge(X,Y). p(X,Z) :- edge(X,Y), p(Y,Z).", [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]),
        (CHAIN + "p(X,Y) :- edge(X,Y). p(X,Z) :- p(X,Y), p(Y,Z).", [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]),
        (CHAIN + "p(1). q(Y) :- p(X), edge(X,Y). p(Y) :- q(X), edge(X,Y).", [(1,), (3,)]),
        # constants, repeated variables, wildcards
        ("q(1,1). q(1,2). p(X) :- q(X,X).", [(1,)]),
        ("q(1,1). q(1,2). q(3,2). p(X) :- q(X,2).", [(1,), (3,)]),
        ("q(1,1). q(1,2). q(3,2). p(X) :- q(X,_).", [(1,), (3,)]),
        ("q(1,7). p(k, X) :- q(X,_).", [("k", 1)]),
        # negation, with and without wildcards, over an empty relation
        ("q(1). q(2). r(2,5). p(X) :- q(X), !r(X,_).", [(1,)]),
        ("q(1). q(2). r(2,5). p(X) :- q(X), !r(X,5).", [(1,)]),
        ("q(1). p :- q(1), !r(1). r(2).", [()]),
        ("q(1). r(X) :- q(X), X > 1. p(X) :- q(X), !r(X).", [(1,)]),
        # comparisons and assignments, bound in whichever order works
        ("q(1). q(2). q(3). p(Y) :- Y = X + 1, q(X), Y < 4.", [(2,), (3,)]),
        ("q(1). q(2). p(X,Y) :- q(X), q(Y), X != Y.", [(1, 2), (2, 1)]),
        ("q(a). q(b). q(\"B\"). p(X) :- q(X), X < b.", [("B",), ("a",)]),
        ("p(X) :- X = 3.", [(3,)]),
        ("p(X) :- 3 = X, true.", [(3,)]),
        ("q(1). p(X) :- q(X), false.", []),
        # an expression as an argument: tested once its variables are known
        ("q(1,2). q(2,4). q(3,4). p(X) :- q(X, X+1).", [(1,), (3,)]),
        ("q(1). p(X*10) :- q(X).", [(10,)]),
        ("p(1+2). p(2*3).", [(3,), (6,)]),
        # disjunction
        ("q(1). r(2). s(2). p(X) :- (q(X) ; r(X), s(X)).", [(1,), (2,)]),
        ("q(1). q(2). q(3). p(X) :- q(X), (X = 1 ; X > 2).", [(1,), (3,)]),
        # a branch may wait for variables that the rest of the body binds
        ("q(0). q(5). r(1,0). p(X) :- (s(U) ; r(U,X)), q(X). s(9).", [(0,), (5,)]),
        ("q(0). q(5). r(1,0). p(X) :- (s(U) ; r(U,X)), q(X). s(9) :- q(7).", [(0,)]),
        # negation of a relation without columns, before anything is bound
        ("q(1). r :- q(1). p(X) :- !r, q(X).", []),
        # ranges
        ("p(X) :- X = range(0,3).", [(0,), (1,), (2,)]),
        ("q(2). p(Y) :- q(X), Y = range(X,0).", [(1,), (2,)]),
        ("q(1). q(9). p(X) :- q(X), X = range(0,5).", [(1,)]),
        # strings and lists
        ('q("ab"). p(Y, strlen(Y)) :- q(X), Y = cat(X, "c").', [("abc", 3)]),
        ('q("ab"). q("cd"). p(X) :- q(X), contains("b", X).', [("ab",)]),
        ('q("ab"). q("cd"). p(X) :- q(X), !contains("b", X).', [("cd",)]),
        ("q(1,2). p(L, f_size(L), f_last(L)) :- q(X,Y), L = f_concat(X, f_init(Y, X)).", [((1, 2, 1), 3, 1)]),
        # the path vector program: loops are cut by f_inPath
        (
            "link(1,2). link(2,1). link(2,3)."
            "p(S,D,P) :- link(S,D), P = f_init(S,D)."
            "p(S,D,P) :- link(S,Z), p(Z,D,Q), f_inPath(Q,S) = 0, P = f_concat(S,Q).",
            [(1, 2, (1, 2)), (1, 3, (1, 2, 3)), (2, 1, (2, 1)), (2, 3, (2, 3))],
        ),
    ],
)  # fmt: skip
def test_relation_has_the_rows_worked_out_by_hand(text, expected):
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # body form: the group is what the rest of the rule fixes
        ("n(1). n(2). e(1,5). e(1,6). p(X,C) :- n(X), C = count : { e(X,_) }.", [(1, 2), (2, 0)]),
        ("n(1). n(2). e(1,5). e(1,6). p(X,S) :- n(X), S = sum Y : { e(X,Y) }.", [(1, 11), (2, 0)]),
        ("n(1). n(2). e(1,5). e(1,6). p(X,S) :- n(X), S = min Y : { e(X,Y) }.", [(1, 5)]),
        ("n(1). n(2). e(1,5). e(1,6). p(X,S) :- n(X), S = max Y : { e(X,Y) }.", [(1, 6)]),
        ("n(1). n(2). e(1,5). e(1,6). p(X,S) :- n(X), S = mean Y : { e(X,Y) }.", [(1, 5.5)]),
        # distinct valuations, not distinct values: 5 twice, once for each Z
        ("e(5,1). e(5,2). p(S) :- S = sum Y : { e(Y,Z) }.", [(10,)]),
        ("e(5,1). e(5,2). p(S) :- S = sum Y : { e(Y,_) }.", [(10,)]),
        # ... and one valuation found along two branches counts once
        ("e(5). f(5). p(C) :- C = count : { (e(X) ; f(X)) }.", [(1,)]),
        # the same name in two aggregates is two variables
        ("e(1). e(2). f(7). p(A,B) :- A = count : { e(X) }, B = max X : { f(X) }.", [(2, 7)]),
        # inside an expression, a comparison, a head; an aggregate inside an aggregate
        ("n(1). n(2). e(1,5). p(X) :- n(X), 1 + count : { e(X,_) } > 1.", [(1,)]),
        ("n(1). e(1,5). p(X, count : { e(X,_) }) :- n(X).", [(1, 1)]),
        (
            "n(1). n(2). e(1,5). e(1,6). e(2,9). p(M) :- M = max C : { n(X), C = count : { e(X,_) } }.",
            [(2,)],
        ),
        # head form: groups come from the other arguments, and no solution means no row
        ("e(1,5). e(1,6). e(2,9). p(X, count<*>) :- e(X,_).", [(1, 2), (2, 1)]),
        ("e(1,5). e(1,6). e(2,9). p(X, sum<Y>) :- e(X,Y).", [(1, 11), (2, 9)]),
        ("e(1,5). e(1,6). e(2,9). p(min<Y>, max<Y>) :- e(_,Y).", [(5, 9)]),
        ("e(1,5). p(X, mean<Y>) :- e(X,Y), Y > 9.", []),
        ("e(1,5). p(sum<Y>) :- e(_,Y), Y > 9.", []),
        # min and max are shared between the rules of a relation, count is not
        ("a(1,5). b(1,3). b(2,4). p(X, min<C>) :- a(X,C). p(X, min<C>) :- b(X,C).", [(1, 3), (2, 4)]),
        ("a(1,5). b(1,3). b(1,4). p(X, count<*>) :- a(X,_). p(X, count<*>) :- b(X,_).", [(1, 1), (1, 2)]),
    ],
)  # fmt: skip
def test_aggregate_has_the_value_worked_out_by_hand(text, expected):
    assert rows(text) == expected


def test_float_sum_and_mean_are_exact_in_any_order():
    values = [1e16, 1.0, -1e16, 0.1, 1e308, 1e308, -1e308, -1e308]
    for order in (values, values[::-1], sorted(values)):
        facts = {"e": [(i, value) for i, value in enumerate(order)]}
        found = model("p(sum<Y>, mean<Y>) :- e(_,Y).", facts)["p"]
        assert found == {(1.1, 0.1375)}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([math.inf, 1.0], math.inf),
        ([math.inf, -math.inf], math.nan),
        ([math.nan, 1.0], math.nan),
        ([1.7e308, 1.7e308], math.inf),
    ],
)
def test_float_sum_beyond_the_finite_is_what_ieee_says(values, expected):
    ((found,),) = model("p(sum<Y>) :- e(_,Y).", {"e": list(enumerate(values))})["p"]
    assert found == expected or (math.isnan(found) and math.isnan(expected))


def test_sum_of_nothing_takes_the_type_of_its_neighbour():
    text = (
        ".decl e(x: float) .decl p(x: float) .decl q(x: float) p(y) :- y = 1.5 + sum x : { e(x) }. q(sum x : { e(x) })."
    )
    assert rows(text) == [(1.5,)]


SHORTEST = "d(X, min<C>) :- s(X), C = 0. d(Y, min<C>) :- d(X,D), e(X,Y,W), C = D + W. "


def test_shortest_path_takes_the_best_of_each_round():
    facts = "s(1). e(1,2,9). e(1,3,1). e(3,2,2). e(2,4,1). e(4,1,0)."
    assert rows(SHORTEST + facts, "d") == [(1, 0), (2, 3), (3, 1), (4, 4)]


def test_widest_path_ends_in_spite_of_cycles():
    text = "w(X, max<C>) :- s(X,C). w(Y, max<C>) :- w(X,D), e(X,Y,W), C = min(D,W). s(1,9)."
    assert rows(text + "e(1,2,3). e(2,1,8). e(2,3,5). e(1,3,2).", "w") == [(1, 9), (2, 3), (3, 3)]


def test_negative_cycle_runs_into_the_limit():
    with pytest.raises(LimitError, match="of d"):
        model(SHORTEST + "s(1). e(1,2,1). e(2,1,-2).", limit=50)


def test_endless_counting_runs_into_the_limit():
    with pytest.raises(LimitError):
        model("p(0). p(Y) :- p(X), Y = X + 1.", limit=50)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", [(1, 2), (2, 3)]),
        ("^a", [(2, 1), (3, 2)]),
        ("(a/b)", [(2, 4)]),
        ("(a|b)", [(1, 2), (2, 3), (3, 4)]),
        ("a+", [(1, 2), (1, 3), (2, 3)]),
        ("a*", [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]),
        ("a?", [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3)]),
        ("a{2,2}", [(1, 3)]),
        ("a{2,5}", [(1, 3)]),
        ("(a & a+)", [(1, 2), (2, 3)]),
        ("(a/b?)", [(1, 2), (2, 3), (2, 4)]),
    ],
)
def test_path_expression_joins_the_pairs_of_its_definition(path, expected):
    text = f"a(1,2). a(2,3). b(3,4). p(X,Y) :- {path}(X,Y)."
    assert sorted(evaluate(parse_program(text))["p"]) == expected


def test_closure_of_a_cycle_reaches_everything():
    assert len(model("a(1,2). a(2,3). a(3,1). p(X,Y) :- a+(X,Y).")["p"]) == 9


def test_types_of_declared_columns_shape_values():
    text = """.type weight = float
        .decl e(x: unsigned, w: weight)  .decl p(x: unsigned, w: float)
        e(1, 2). p(x - 1, w / 4) :- e(x, w)."""
    assert rows(text) == [(0, 0.5)]
    with pytest.raises(EvaluationError, match="overflow"):
        rows(text + " e(0, 1).")


def test_error_names_the_rule_and_the_values():
    with pytest.raises(EvaluationError, match=r"division by zero: 7 / 0 \(in rule half\)"):
        model("half: p(Y) :- q(X), Y = 7 / X. q(0).")


def test_user_function_is_called():
    functions = FUNCTIONS.with_function(user_function("twice", ("number",), "number")(lambda x: 2 * x))
    program = parse_program("q(4). p(Y) :- q(X), Y = twice(X).")
    assert evaluate(program, functions=functions)["p"] == {(8,)}


def test_given_facts_join_those_of_the_text():
    found = model("q(1). p(X) :- q(X).", {"q": [(2,)], "other": [(3,)]})
    assert found == {"q": {(1,), (2,)}, "p": {(1,), (2,)}, "other": {(3,)}}
    assert asserted(parse_program("q(1). q(1+1). p(X) :- q(X).")) == {"q": {(1,), (2,)}}


def test_supports_count_rules_and_ground_bodies():
    text = "e(1,2). e(1,3). p(1). a: p(X) :- e(X,_). b: p(X) :- e(X,Y). c: p(X) :- p(X). d: p(Y) :- e(_,Y), Y > 2."
    # p(1): asserted, two facts each through a and b, once through itself; p(3): d, then c.
    expected = {("e", (1, 2)): 1, ("e", (1, 3)): 1, ("p", (1,)): 6, ("p", (3,)): 2}
    assert supports(parse_program(text)) == Counter(expected)


def test_self_join_is_one_support_for_each_pair():
    found = supports(parse_program("e(1,1). e(1,2). p(X) :- e(X,Y), e(X,Z)."))
    assert found["p", (1,)] == 4


def test_supports_refuse_aggregates():
    with pytest.raises(EvaluationError, match="plain rules"):
        supports(parse_program("p(count<*>) :- q(_)."))
