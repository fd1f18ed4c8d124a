"""Infinite schedules: a cycle among states is found, reported with the path to it, and is not an agreement."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.lab.semantics import Fact, Original, deletion, explore, explore_algorithm, insertion, run
from tidelog.lab.semantics.cycles import find_cycle, longest_path
from tidelog.lab.semantics.schedule import Fifo
from tidelog.syntax import parse_program

SELF_SUPPORT = parse_program("p@1 :- a@1. p@1 :- p@1, b@1. b@1 :- c@2.")


def test_an_infinite_schedule_is_reported_where_all_finite_ones_agree():
    original = Original()
    original.load(SELF_SUPPORT, [Fact("c", (2,))])
    run(original, Fifo())
    original.apply([insertion("a", 1), deletion("a", 1), deletion("c", 2)])
    found = explore_algorithm(original, "{}")
    assert (found.states, set(found.ends), found.counterexample) == (19, {"{}"}, None)
    assert not found.agrees
    assert found.longest is None
    assert found.cycle is not None
    assert found.cycle.around == ("+p(1) at 1", "-p(1) at 1")
    assert found.cycle.starved == ("-c(2) at 2",)
    assert str(found) == (
        "19 states: +a(1) at 1 ; -a(1) at 1 ; then +p(1) at 1 ; -p(1) at 1 repeats forever, starving -c(2) at 2"
    )


def test_wrong_ends_and_cycles_are_reported_together():
    graph = {0: [("a", 1), ("b", 2)], 1: [("c", 1)], 2: []}
    found = explore(0, lambda n: graph[n], str, "3")
    assert str(found) == "3 states: b does not end in 3, and a ; then c repeats forever"


def test_a_cycle_at_the_start_needs_no_way_to_it():
    found = explore(0, lambda n: [("go", 1 - n)], str, "")
    assert str(found) == "2 states: go ; go repeats forever"


def test_states_between_two_cycles_lie_on_none():
    graph = {0: [("a", 1)], 1: [("b", 2)], 2: [("c", 1), ("d", 3)], 3: [("e", 4)], 4: [("f", 4)]}
    assert str(find_cycle(graph, 0)) == "a ; then b ; c repeats forever"
    graph = {0: [("a", 1)], 1: [("b", 2)], 2: [("c", 2)]}
    assert str(find_cycle(graph, 0)) == "a ; b ; then c repeats forever"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), max_size=3), min_size=6, max_size=6))
def test_a_cycle_is_found_exactly_where_a_path_longer_than_the_graph_is(moves):
    graph = {n: [(str(m), m) for m in set(moves[n])] for n in range(6)}
    found = explore(0, lambda n: graph[n], str, "")
    level = {0}
    for _ in range(6):
        level = {m for n in level for _, m in graph[n]}
    assert (found.cycle is not None) == bool(level)
    if found.cycle is None:
        assert found.longest == longest_path({n: graph[n] for n in graph if _reached(graph, n)}, 0)
    else:
        state = 0
        for label in (*found.cycle.way, *found.cycle.around):
            assert label in dict(graph[state])
            state = int(label)
        turn = int(found.cycle.way[-1]) if found.cycle.way else 0
        assert state == turn


def _reached(graph, state):
    seen, todo = {0}, [0]
    while todo:
        for _, following in graph[todo.pop()]:
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return state in seen
