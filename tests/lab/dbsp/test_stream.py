"""Streams: lifting, delay, integration, differentiation, nesting, feedback."""

import pytest
from hypothesis import given

from tidelog.errors import TidelogError
from tidelog.lab.dbsp import (
    INTEGERS,
    ZSETS,
    Source,
    Stream,
    add,
    delay,
    differentiate,
    distinct,
    eliminate,
    feedback,
    fixed_point,
    incremental,
    incremental2,
    integrate,
    introduce,
    lift,
    lift2,
    project,
    streams,
)

from .strategies import HORIZON, LAW, first, integers, nested_stream, nested_values, zset_streams, zsets


def same(left, right):
    return left.prefix(HORIZON) == right.prefix(HORIZON)


@LAW
@given(zset_streams)
def test_integration_and_differentiation_are_inverse(s):
    assert same(differentiate(integrate(s)), s)
    assert same(integrate(differentiate(s)), s)


@LAW
@given(zset_streams, zset_streams)
def test_delay_integration_and_differentiation_are_linear(a, b):
    for operator in (delay, integrate, differentiate):
        assert same(operator(add(a, b)), add(operator(a), operator(b)))


@LAW
@given(zset_streams)
def test_linear_time_invariant_operators_are_their_own_incremental_form(s):
    for operator in (delay, integrate, differentiate):
        assert same(incremental(operator)(s), operator(s))


@LAW
@given(zset_streams)
def test_chain_rule_incremental_forms_compose(s):
    inner, outer = lift(lambda z: project(z, first), ZSETS), lift(distinct, ZSETS)
    assert same(incremental(lambda x: outer(inner(x)))(s), incremental(outer)(incremental(inner)(s)))


@LAW
@given(zset_streams)
def test_a_lifted_operator_that_keeps_zero_commutes_with_delay(s):
    assert same(lift(distinct, ZSETS)(delay(s)), delay(lift(distinct, ZSETS)(s)))


@LAW
@given(integers)
def test_elimination_undoes_introduction(n):
    assert eliminate(introduce(INTEGERS, n)) == n


@LAW
@given(zsets, zsets)
def test_introduction_is_linear(a, b):
    assert same(introduce(ZSETS, a + b), add(introduce(ZSETS, a), introduce(ZSETS, b)))


@LAW
@given(nested_values)
def test_inner_and_outer_integration_commute(rows):
    s, inner = nested_stream(rows), streams(ZSETS)
    one, other = integrate(lift(integrate, inner)(s)), lift(integrate, inner)(integrate(s))
    assert [x.prefix(4) for x in one.prefix(4)] == [x.prefix(4) for x in other.prefix(4)]


@LAW
@given(zset_streams)
def test_a_sum_fed_back_through_a_delay_is_integration(s):
    assert same(feedback(ZSETS, lambda earlier: add(s, earlier)), integrate(s))


def test_feedback_runs_to_its_fixed_point():
    countdown = feedback(INTEGERS, lambda s: Stream(INTEGERS, lambda t: max(s[t] - 1, 0) if t else 3))
    assert fixed_point(countdown) == 4
    assert countdown.prefix(6) == [3, 2, 1, 0, 0, 0]


def test_feedback_without_a_delay_is_refused():
    loop = Stream(INTEGERS, lambda t: loop[t] + 1)
    with pytest.raises(TidelogError, match="has no delay"):
        loop[0]


def test_a_source_has_no_value_before_it_is_sent():
    source = Source(INTEGERS)
    source.send(1)
    with pytest.raises(TidelogError, match="no value at time 1"):
        integrate(source)[1]
    source.send(2)
    assert integrate(source).prefix(2) == [1, 3]


def test_lifting_a_causal_function_of_two_streams():
    a, b = Stream.of(INTEGERS, [1, 2]), Stream.of(INTEGERS, [3, 4])
    times = lift2(lambda x, y: x * y, INTEGERS)
    assert times(a, b).prefix(3) == [3, 8, 0]
    assert incremental2(times)(a, b).prefix(3) == [3, 18, 0]


def test_a_first_zero_is_not_the_end_of_a_stream():
    gap = Stream.of(INTEGERS, [1, 0, 5])
    assert eliminate(gap) == 1
    assert eliminate(gap, least=2) == 6
