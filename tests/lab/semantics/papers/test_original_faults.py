"""The three faults of the original pipelined algorithm, the limit of set semantics, and the same inputs done right.

LAM 2010, section 3.1 and Figures 1 and 3; PPDP 2011, section 6 and Figure 6.
"""

import copy
from collections import Counter

import pytest

from tidelog.errors import LimitError
from tidelog.lab.semantics import (
    DERIVATION_SETS,
    ExtendedExecution,
    Fact,
    Original,
    PipelinedExecution,
    PipelinedSets,
    Semantics,
    StuckError,
    SynchronousSets,
    check,
    deletion,
    explore_algorithm,
    explore_schedules,
    flatten,
    insertion,
    pipelined_trace,
    prepare,
    replay,
    run,
    start,
)
from tidelog.lab.semantics.explore import shown
from tidelog.lab.semantics.schedule import DeletionsFirst, Fifo, Script

from ..examples import FOUR_NODES, LOOP, TWICE, TWO_DERIVATIONS, settled

BURST = [insertion("r", 2), deletion("q", 3), deletion("u", 4)]


def _original_before_the_burst():
    original = Original()
    original.load(FOUR_NODES)
    run(original, Fifo())
    assert shown(original) == "{q(3), s(2), t(2), u(4)}"
    original.apply(BURST)
    return original


def test_unsound_run_the_original_algorithm_keeps_a_fact_without_support():
    original = _original_before_the_burst()
    assert shown(original) == "{r(2), s(2), t(2)} stuck"
    events = run(original, Script(["+r(2)", "-q(3)", "-u(4)"]))
    assert [str(event) for event in events[:3]] == [
        "deliver +r(2) at 2 sends +p(1) at 1",
        "deliver -q(3) at 3 sends -s(2) at 2",
        "deliver -u(4) at 4 sends -t(2) at 2",
    ]
    assert all(not event.sent for event in events[3:])
    assert shown(original) == "{p(1), r(2)}"


def test_unsound_run_exploration_finds_a_shortest_wrong_schedule():
    found = explore_algorithm(_original_before_the_burst(), "{r(2)}")
    assert not found.agrees
    assert found.counterexample is not None
    assert found.counterexample[0] == "+r(2) at 2"
    assert len(found.counterexample) == 6
    assert str(found).endswith("does not end in {r(2)}")


def test_unsound_run_is_right_under_every_schedule_of_the_corrected_algorithm():
    semantics = Semantics(prepare(FOUR_NODES))
    burst = settled(semantics).sent(semantics.network, BURST)
    found = explore_schedules(semantics, burst)
    assert found.agrees
    assert found.expected == "{r(2)}"
    assert str(found) == f"{found.states} states: every schedule ends in {{r(2)}}"


def test_unsound_run_corrected_as_in_figure_3_of_text_000():
    semantics = Semantics(prepare(FOUR_NODES))
    burst = settled(semantics).sent(semantics.network, BURST)
    order = ["+r(2)", "-q(3)", "-u(4)", "-s(2)", "-t(2)", "+p(1)", "-p(1)"]
    trace = pipelined_trace(semantics, burst, Script(order))
    seen = [(sorted(map(str, c.old.facts())), repr(c.waiting())) for c in list(replay(trace))[::3]]
    assert seen == [
        (["q(3)", "s(2)", "t(2)", "u(4)"], "{+r(2), -q(3), -u(4)}"),
        (["q(3)", "r(2)", "s(2)", "t(2)", "u(4)"], "{+p(1), -q(3), -u(4)}"),
        (["r(2)", "s(2)", "t(2)", "u(4)"], "{+p(1), -s(2), -u(4)}"),
        (["r(2)", "s(2)", "t(2)"], "{+p(1), -s(2), -t(2)}"),
        (["r(2)", "t(2)"], "{+p(1), -p(1), -t(2)}"),
        (["r(2)"], "{+p(1), -p(1)}"),
        (["p(1)", "r(2)"], "{-p(1)}"),
        (["r(2)"], "{}"),
    ]


def test_double_derivation_the_original_algorithm_counts_one_derivation_twice():
    original = Original()
    original.load(TWICE, [Fact("t", (1,))])
    events = run(original, Fifo())
    assert str(events[0]) == "deliver +t(1) at 1 sends +p(1) at 1, +p(1) at 1"
    assert flatten(original.tables()) == Counter({Fact("t", (1,)): 1, Fact("p", (1,)): 2})


def test_double_derivation_is_single_under_every_schedule_of_the_corrected_algorithm():
    semantics = Semantics(prepare(TWICE))
    found = explore_schedules(semantics, start(semantics, [Fact("t", (1,))]), "{p(1), t(1)}")
    assert found.agrees
    twice = start(semantics, [Fact("t", (1,)), Fact("t", (1,))])
    assert explore_schedules(semantics, twice, "{p(1), p(1), p(1), p(1), t(1), t(1)}").agrees


def test_divergence_the_original_algorithm_chases_insertions_with_deletions():
    original = Original()
    original.load(LOOP, [Fact("a", (1,))])
    original.apply([deletion("a", 1)])
    with pytest.raises(LimitError, match="psn-original has not finished after 500 steps; pending updates: 1"):
        run(original, Fifo(), 500)


def test_timestamps_leave_the_unsound_run_and_the_divergence_as_they_are():
    original = Original(timestamps=True)
    original.load(FOUR_NODES)
    run(original, Fifo())
    original.apply(BURST)
    found = explore_algorithm(copy.deepcopy(original), "{r(2)}")
    assert "{p(1), r(2)}" in found.ends
    run(original, Script(["+r(2)", "-q(3)", "-u(4)"]))
    assert shown(original) == "{p(1), r(2)}"
    original.load(LOOP, [Fact("a", (1,))])
    original.apply([deletion("a", 1)])
    with pytest.raises(LimitError, match="not finished after 300 steps"):
        run(original, Fifo(), 300)


def test_timestamps_turn_the_double_derivation_into_one_that_is_never_taken_back():
    original = Original(timestamps=True)
    original.load(TWICE, [Fact("t", (1,))])
    run(original, Fifo())
    assert flatten(original.tables()) == Counter({Fact("t", (1,)): 1, Fact("p", (1,)): 1})
    original.apply([deletion("t", 1)])
    run(original, Fifo())
    assert shown(original) == "{p(1)}"


def test_divergence_also_under_the_corrected_algorithm_without_derivation_sets():
    pipelined = PipelinedExecution()
    pipelined.load(LOOP, [Fact("a", (1,))])
    with pytest.raises(LimitError, match="psn has not finished"):
        run(pipelined, Fifo(), 100)


def test_divergence_ends_empty_under_every_schedule_of_the_extended_algorithm():
    semantics = Semantics(prepare(LOOP), DERIVATION_SETS)
    queue = start(semantics).sent(semantics.network, [insertion("a", 1), deletion("a", 1)])
    found = explore_schedules(semantics, queue, "{}")
    assert found.agrees
    extended = ExtendedExecution()
    extended.load(LOOP, [Fact("a", (1,))])
    extended.apply([deletion("a", 1)])
    run(extended, DeletionsFirst())
    assert shown(extended) == "{}"


def test_two_derivations_set_semantics_loses_a_fact_that_has_another_derivation():
    for algorithm in (PipelinedSets(), SynchronousSets()):
        algorithm.load(TWO_DERIVATIONS, [Fact("q"), Fact("u")])
        run(algorithm, Fifo())
        algorithm.apply([deletion("q")])
        run(algorithm, Fifo())
        assert shown(algorithm) == "{u}", algorithm.name


def test_two_derivations_set_semantics_gets_stuck_on_the_second_deletion():
    algorithm = PipelinedSets()
    algorithm.load(TWO_DERIVATIONS, [Fact("q"), Fact("u")])
    run(algorithm, Fifo())
    algorithm.apply([deletion("q"), deletion("u")])
    with pytest.raises(StuckError, match="none of the remaining updates can be picked: -s"):
        run(algorithm, Fifo())
    synchronous = SynchronousSets()
    synchronous.load(TWO_DERIVATIONS, [Fact("q"), Fact("u")])
    run(synchronous, Fifo())
    synchronous.apply([deletion("q"), deletion("u")])
    with pytest.raises(StuckError, match="could not pick every update") as output:
        run(synchronous, Fifo())
    assert output.value.code == "TL7307"


def test_two_derivations_are_right_under_every_schedule_with_multisets():
    semantics = Semantics(prepare(TWO_DERIVATIONS))
    both = settled(semantics, Fact("q"), Fact("u"))
    assert str(both.old) == "{q, s, s, u}"
    for changes, end in (([deletion("q")], "{s, u}"), ([deletion("q"), deletion("u")], "{}")):
        assert explore_schedules(semantics, both.sent(semantics.network, changes), end).agrees


def test_two_derivations_exploration_shows_the_shortest_wrong_schedule_of_set_semantics():
    semantics = Semantics(prepare(TWO_DERIVATIONS), sets=True)
    both = settled(semantics, Fact("q"), Fact("u"))
    found = explore_schedules(semantics, both.sent(semantics.network, [deletion("q")]), "{s, u}")
    assert found.counterexample == ("-q", "-s")
    found = explore_schedules(semantics, both.sent(semantics.network, [deletion("q"), deletion("u")]), "{}")
    assert set(found.ends) == {"{} stuck -s"}


def test_one_derivation_per_fact_is_all_that_set_semantics_needs():
    semantics = Semantics(prepare(FOUR_NODES), sets=True)
    burst = settled(semantics).sent(semantics.network, BURST)
    assert explore_schedules(semantics, burst, "{r(2)}").agrees
    assert check(pipelined_trace(semantics, burst, Fifo())).final
