"""Operators inside a loop against their definition: differentiate twice, apply, integrate twice."""

from hypothesis import given
from hypothesis import strategies as st

from tidelog.lab.dbsp import (
    ZSETS,
    NestedDelay,
    NestedDistinct,
    NestedJoin,
    Trace,
    ZSet,
    differentiate,
    distinct,
    index,
    indexed_join,
    integrate,
    lift,
    lift2,
    project,
    streams,
)
from tidelog.lab.dbsp.nested import added, without_zeros
from tidelog.lab.dbsp.trace import amend, next_change, weight_at

from .strategies import LAW, first, nested_stream, nested_values

INNER, SIZE = streams(ZSETS), 4


def states(s):
    return integrate(lift(integrate, INNER)(s))


def changes(s):
    return [x.prefix(SIZE) for x in lift(differentiate, INNER)(differentiate(s)).prefix(SIZE)]


def at(rows, outer, inner):
    return dict(rows[outer][inner].items()) if outer < len(rows) and inner < len(rows[outer]) else {}


@LAW
@given(nested_values, nested_values)
def test_nested_join_is_the_twice_incremental_join(left_rows, right_rows):
    def scalar(a, b):
        return project(indexed_join(index(a, first), index(b, first)), lambda pair: (pair[0][1], pair[1][1]))

    expected = changes(lift2(lift2(scalar, ZSETS), INNER)(*map(states, map(nested_stream, (left_rows, right_rows)))))
    left: Trace = Trace()
    join = NestedJoin(left, lambda key, a, b: (a, b))
    for outer in range(SIZE):
        for inner in range(SIZE):
            delta = at(left_rows, outer, inner)
            left.update(inner, delta)
            assert ZSet(join.step(inner, delta, at(right_rows, outer, inner))) == expected[outer][inner]
        assert join.next_time() is None


@LAW
@given(nested_values)
def test_nested_distinct_is_the_twice_incremental_distinct(rows):
    expected = changes(lift(lift(distinct, ZSETS), INNER)(states(nested_stream(rows))))
    operator = NestedDistinct()
    for outer in range(SIZE):
        for inner in range(SIZE):
            assert ZSet(operator.step(inner, at(rows, outer, inner))) == expected[outer][inner]
        assert operator.next_time() is None


@LAW
@given(nested_values)
def test_output_of_nested_distinct_is_the_sum_of_its_changes(rows):
    operator, total = NestedDistinct(), {}
    for outer in range(SIZE):
        for inner in range(SIZE):
            for element, weight in operator.step(inner, at(rows, outer, inner)).items():
                total[element, inner] = total.get((element, inner), 0) + weight
    kept = {(e, t): w for e in operator.output.elements() for t, w in operator.output.history(*e)}
    assert kept == without_zeros(total)


def test_a_join_that_does_not_match_after_all_gives_nothing():
    left: Trace = Trace()
    join = NestedJoin(left, lambda key, a, b: None)
    left.update(0, {("k", 1): 1})
    assert join.step(0, {("k", 1): 1}, {("k", 2): 1}) == {}
    assert join.step(0, {("k", 1): 1}, {}) == {}


def test_a_change_passes_empty_rounds_until_it_meets_an_old_late_element():
    left: Trace = Trace()
    join = NestedJoin(left, lambda key, a, b: (a, b))
    join.step(7, {}, {("k", "late"): 1})
    left.update(0, {("k", "new"): 1})
    assert join.step(0, {("k", "new"): 1}, {}) == {}
    assert join.next_time() == 7
    assert join.step(7, {}, {}) == {("new", "late"): 1}


def test_delay_moves_to_the_next_inner_time():
    delay: NestedDelay = NestedDelay()
    delay.put(0, {})
    assert delay.next_time() is None
    delay.put(4, {"a": 1})
    assert (delay.next_time(), delay.step(4), delay.step(5)) == (5, {}, {"a": 1})


@LAW
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), max_size=6))
def test_a_history_is_the_sum_of_its_changes(moves):
    history = ()
    for time, weight in moves:
        history = amend(history, time, weight)
    for now in range(4):
        assert weight_at(history, now) == sum(w for t, w in moves if t <= now)
    times = [t for t, _ in history]
    assert times == sorted(times)
    assert next_change(history, -1) == (times[0] if times else None)


def test_a_trace_forgets_what_cancels():
    trace: Trace = Trace()
    trace.update(0, {("k", 1): 1, ("k", 2): 1})
    assert len(trace) == 2
    trace.update(0, {("k", 1): -1})
    assert list(trace.elements()) == [("k", 2)]
    trace.update(0, {("k", 2): -1})
    assert trace.groups == {}


def test_sums_of_changes_drop_zeros():
    assert added({}, {"a": 1}) == {"a": 1}
    assert added({"a": 1}, {}) == {"a": 1}
    assert added({"a": 1}, {"a": -1}) == {}
