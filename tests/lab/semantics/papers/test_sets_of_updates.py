"""Algorithm 1 of LAM 2010: the only algorithm of that paper over sets, to the letter and with its slip in print."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import DataError, EngineError
from tidelog.lab.semantics import (
    Fact,
    Original,
    SetSemiNaive,
    StuckError,
    SynchronousSets,
    deletion,
    explore_algorithm,
    flatten,
    insertion,
    multiset_state,
    prepare,
    run,
)
from tidelog.lab.semantics.explore import shown
from tidelog.lab.semantics.schedule import Fifo, NewestFirst, Random
from tidelog.syntax import parse_program

from ..examples import BEST_PATH, BINARY_FACTS, FOUR_NODES, binary_programs, changes_of

TWO_WAYS = parse_program("s :- q. s :- u. v :- s.")
JOIN = parse_program("p :- r1, r2.")


def _maintained(algorithm, program, facts, changes):
    algorithm.load(program, facts)
    run(algorithm, Fifo())
    algorithm.apply(changes)
    run(algorithm, Fifo())
    return shown(algorithm)


def test_two_deletions_of_one_fact_are_one_and_the_algorithm_ends_empty_where_sn_sets_is_stuck():
    both, gone = [Fact("q"), Fact("u")], [deletion("q"), deletion("u")]
    assert _maintained(SetSemiNaive(), TWO_WAYS, both, gone) == "{}"
    with pytest.raises(StuckError, match="could not pick every update"):
        _maintained(SynchronousSets(), TWO_WAYS, both, gone)


def test_a_fact_with_two_derivations_goes_with_the_first_as_the_text_says():
    both = [Fact("q"), Fact("u")]
    assert _maintained(SetSemiNaive(), TWO_WAYS, both, [deletion("q")]) == "{u}"


def test_a_deletion_wins_over_an_insertion_of_the_same_iteration():
    assert _maintained(SetSemiNaive(), TWO_WAYS, [], [insertion("q"), deletion("q")]) == "{}"


def test_to_the_letter_the_first_iteration_misses_a_join_of_two_insertions():
    assert _maintained(SetSemiNaive(), JOIN, [Fact("r1"), Fact("r2")], []) == "{p, r1, r2}"
    assert _maintained(SetSemiNaive(as_printed=True), JOIN, [Fact("r1"), Fact("r2")], []) == "{r1, r2}"


def test_the_run_that_the_original_algorithm_gets_wrong():
    burst = [insertion("r", 2), deletion("q", 3), deletion("u", 4)]
    assert _maintained(SetSemiNaive(), FOUR_NODES, [], burst) == "{r(2)}"
    original = Original()
    original.load(FOUR_NODES)
    run(original, Fifo())
    original.apply(burst)
    assert not explore_algorithm(original, "{r(2)}").agrees


@settings(max_examples=30, deadline=None)
@given(binary_programs(), changes_of(BINARY_FACTS), st.integers(0, 99))
def test_with_one_derivation_per_fact_it_ends_with_the_state_from_scratch(program, data, seed):
    base, changes = list(dict.fromkeys(data[0])), data[1]
    present, kept = set(base), []
    for update in changes:
        if (update.sign > 0) != (update.fact in present):
            kept.append(update)
            present ^= {update.fact}
    kept = [u for u in kept if sum(other.fact == u.fact for other in kept) == 1]
    network = prepare(program)
    everything = multiset_state(network, dict.fromkeys({*base, *(u.fact for u in kept)}, 1))
    if max(everything.values(), default=1) > 1:
        return
    algorithm = SetSemiNaive()
    algorithm.load(program, base)
    run(algorithm, Random(seed))
    algorithm.apply(kept)
    run(algorithm, Random(seed))
    after = set(base).union(u.fact for u in kept if u.sign > 0) - {u.fact for u in kept if u.sign < 0}
    assert flatten(algorithm.tables()) == multiset_state(network, dict.fromkeys(after, 1))


@pytest.mark.parametrize("schedule", [Fifo(), NewestFirst(), Random(3)])
def test_the_order_of_firing_changes_nothing_and_messages_are_counted(schedule):
    algorithm = SetSemiNaive()
    algorithm.load(FOUR_NODES)
    run(algorithm, schedule)
    assert shown(algorithm) == "{q(3), s(2), t(2), u(4)}"
    assert (algorithm.messages, algorithm.updates) == (2, 4)
    assert algorithm.bytes > 0
    assert hash(algorithm.canonical())


def test_what_it_does_not_run_is_refused():
    with pytest.raises(EngineError, match=r"sn-lam.*cost") as refused:
        SetSemiNaive().load(BEST_PATH)
    assert refused.value.code == "TL7402"
    algorithm = SetSemiNaive()
    algorithm.load(JOIN)
    with pytest.raises(DataError, match="r1"):
        algorithm.apply([deletion("r1")])
