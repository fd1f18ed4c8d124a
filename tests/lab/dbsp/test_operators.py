"""How operators differentiate: linear, bilinear, neither; on streams and on streams of streams."""

import pytest
from hypothesis import given

from tidelog.lab.dbsp import (
    ZSETS,
    ZSet,
    cross,
    differentiate,
    distinct,
    distinct_change,
    incremental,
    incremental2,
    incremental_bilinear,
    incremental_distinct,
    index,
    indexed_join,
    integrate,
    join,
    lift,
    lift2,
    project,
    scale,
    select,
    streams,
    to_diff,
)

from .strategies import HORIZON, LAW, first, nested_stream, nested_values, sets, zset_streams, zsets

INNER = streams(ZSETS)
LINEAR = {
    "project": lambda z: project(z, first),
    "select": lambda z: select(z, lambda pair: pair[0] != pair[1]),
    "scale": lambda z: scale(z, 3),
}


def meet(x, y):
    return x[1] == y[0]


def by_index(a, b):
    return indexed_join(index(a, lambda x: x[1]), index(b, first))


BILINEAR = {"cross": cross, "join": lambda a, b: join(a, b, meet), "indexed_join": by_index}


@pytest.mark.parametrize("name", LINEAR)
@LAW
@given(a=zsets, b=zsets)
def test_linear_operators_commute_with_addition(name, a, b):
    f = LINEAR[name]
    assert f(a + b) == f(a) + f(b)


@pytest.mark.parametrize("name", LINEAR)
@LAW
@given(s=zset_streams)
def test_a_lifted_linear_operator_is_its_own_incremental_form(name, s):
    operator = lift(LINEAR[name], ZSETS)
    assert incremental(operator)(s).prefix(HORIZON) == operator(s).prefix(HORIZON)


@pytest.mark.parametrize("name", LINEAR)
@LAW
@given(rows=nested_values)
def test_a_linear_operator_is_its_own_incremental_form_on_streams_of_streams(name, rows):
    operator = lift(lift(LINEAR[name], ZSETS), INNER)
    s = nested_stream(rows)
    twice = lift(differentiate, INNER)(differentiate(operator(integrate(lift(integrate, INNER)(s)))))
    assert [x.prefix(3) for x in twice.prefix(3)] == [x.prefix(3) for x in operator(s).prefix(3)]


@pytest.mark.parametrize("name", BILINEAR)
@LAW
@given(a=zsets, b=zsets, c=zsets)
def test_bilinear_operators_are_linear_in_each_argument(name, a, b, c):
    f = BILINEAR[name]
    assert f(a + b, c) == f(a, c) + f(b, c)
    assert f(a, b + c) == f(a, b) + f(a, c)


@pytest.mark.parametrize("name", BILINEAR)
@LAW
@given(a=zset_streams, b=zset_streams)
def test_bilinear_incremental_form_is_three_products(name, a, b):
    f = BILINEAR[name]
    assert incremental_bilinear(f, a, b).prefix(HORIZON) == incremental2(lift2(f, ZSETS))(a, b).prefix(HORIZON)


@LAW
@given(zsets, zsets)
def test_the_indexed_join_is_the_join(a, b):
    assert by_index(a, b) == join(a, b, meet)


@LAW
@given(zsets)
def test_distinct_is_idempotent_and_gives_sets(z):
    assert distinct(distinct(z)) == distinct(z)
    assert distinct(z).is_set()


@LAW
@given(sets, sets)
def test_distinct_may_be_postponed_past_a_join_and_a_projection(a, b):
    doubled = a + a + b
    assert distinct(project(distinct(doubled), first)) == distinct(project(doubled, first))
    assert distinct(join(distinct(doubled), b, meet)) == distinct(join(doubled, b, meet))


@LAW
@given(zset_streams)
def test_incremental_distinct_is_the_incremental_form_of_distinct(s):
    assert incremental_distinct(s).prefix(HORIZON) == incremental(lift(distinct, ZSETS))(s).prefix(HORIZON)


@LAW
@given(zsets, zsets)
def test_distinct_change_is_the_difference_of_two_distincts(old, change):
    assert distinct_change(old, change) == distinct(old + change) - distinct(old)


@LAW
@given(zsets)
def test_incremental_distinct_gives_nothing_for_nothing(old):
    assert distinct_change(old, ZSet()) == ZSet()


@LAW
@given(zsets)
def test_to_diff_keeps_signs_only(z):
    assert set(to_diff(z)) == set(z)
    assert all(weight in (1, -1) and weight * z[element] > 0 for element, weight in to_diff(z).items())
