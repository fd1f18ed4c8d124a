"""DRed: the least model after every epoch, and the traffic that re-derivation costs."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import LimitError
from tidelog.lab.semantics import (
    DRed,
    ExtendedExecution,
    Fact,
    PipelinedExecution,
    RankedAlgorithm,
    Update,
    deletion,
    explore_algorithm,
    flatten,
    insertion,
    least_model,
    prepare,
    run,
)
from tidelog.lab.semantics.explore import shown
from tidelog.lab.semantics.schedule import DeletionsFirst, Fifo, NewestFirst, Random
from tidelog.lab.semantics.traffic import Recorder
from tidelog.syntax import parse_program

from .examples import BEST_PATH, BINARY_FACTS, REACHABLE, UNARY_FACTS, binary_programs, changes_of, propositions, ring

NEIGHBOURS = parse_program(
    "c(@Z,S) :- link(@S,Z). reachable(@S,D) :- link(@S,D). reachable(@S,D) :- c(@Z,S), reachable(@Z,D)."
)
"""Reachability without an auxiliary relation: a node sends its neighbours what it reaches."""
QUICK = settings(max_examples=20, deadline=None)
FIGURE_1 = [Fact("link", tuple(pair)) for pair in ["ab", "ad", "dc", "bc", "ch", "fg"]]


def settle(algorithm, *changes, schedule=None):
    algorithm.apply(changes)
    before = algorithm.messages
    run(algorithm, schedule or Fifo())
    return algorithm.messages - before


def _present(base, changes):
    total = Counter()
    for update in changes:
        total[update.fact] += update.sign
    return {f for f in set(base) | set(total) if total[f] > 0 or (total[f] == 0 and f in base)}


def _check(program, data, seed):
    base, changes = data
    algorithm = DRed()
    algorithm.load(program, base)
    settle(algorithm, schedule=Random(seed))
    settle(algorithm, *changes, schedule=Random(seed + 1))
    assert set(flatten(algorithm.tables())) == least_model(prepare(program), _present(base, changes))


@QUICK
@given(propositions(recursive=True), changes_of(UNARY_FACTS), st.integers(0, 99))
def test_the_least_model_is_kept_on_random_propositions(program, data, seed):
    _check(program, data, seed)


@QUICK
@given(binary_programs(recursive=True), changes_of(BINARY_FACTS), st.integers(0, 99))
def test_the_least_model_is_kept_on_random_binary_programs(program, data, seed):
    _check(program, data, seed)


def _gone_and_back(algorithm, facts, change, program=REACHABLE):
    """The reachable facts that leave a table during an epoch, those that come back, and what is sent for these."""
    algorithm.load(program, facts)
    recorder = Recorder(algorithm, Fifo())
    recorder.play([[change]])
    gone, back, sent = set(), set(), set()
    for step in (step for step in recorder.steps if step.epoch == 1):
        for change_of_row in (c for c in step.changes if c.relation == "reachable"):
            (back if change_of_row.count else gone).add(change_of_row.row)
        sent |= {(m.source, m.update.fact.row[0], m.update.fact.row[-1]) for m in step.event.sent if not m.local}
    return gone, back & gone, sent


def test_facts_that_never_change_are_deleted_and_sent_again():
    # PPDP 2011, section 6, on Figure 1 as section 3.2 lists it: a reaches c and h through d as well, and yet they are
    # deleted, and what d knows is sent to a again.
    gone, back, sent = _gone_and_back(DRed(), FIGURE_1, deletion("link", "a", "b"), NEIGHBOURS)
    assert gone == {("a", "b"), ("a", "c"), ("a", "h")}
    assert back == {("a", "c"), ("a", "h")}
    assert {("d", "a", "c"), ("d", "a", "h")} <= sent
    assert _gone_and_back(RankedAlgorithm(), FIGURE_1, deletion("link", "a", "b"), NEIGHBOURS)[1] == set()
    counted = _gone_and_back(PipelinedExecution(), FIGURE_1, deletion("link", "a", "b"), NEIGHBOURS)
    assert (counted[0], counted[1]) == ({("a", "b")}, set())


def test_with_the_papers_own_localisation_the_facts_are_deleted_but_not_sent_again():
    # The auxiliary relation of r2-1 and r2-2 keeps at a what d has sent, so a derives c and h again on its own.
    gone, back, sent = _gone_and_back(DRed(), FIGURE_1, deletion("link", "a", "b"))
    assert gone == {("a", "b"), ("a", "c"), ("a", "h")}
    assert back == {("a", "c"), ("a", "h")}
    assert not any(source == "d" for source, _, _ in sent)


def test_section_6_calls_reachable_a_b_re_derivable_and_in_figure_1_it_is_not():
    left = [fact for fact in FIGURE_1 if fact.row != ("a", "b")]
    model = least_model(prepare(REACHABLE), left)
    assert Fact("reachable", ("a", "b")) not in model
    assert {Fact("reachable", ("a", "c")), Fact("reachable", ("a", "h"))} <= model
    with_db = least_model(prepare(REACHABLE), [*left, Fact("link", ("d", "b"))])
    assert Fact("reachable", ("a", "b")) in with_db, "the text has a link from d to b in mind"


def test_the_extended_algorithm_sends_less_than_dred_on_acyclic_data_and_more_on_a_ring():
    for facts, link, extended_is_cheaper in ((FIGURE_1, ("a", "b"), True), (ring(3), (0, 1), False)):
        costs = {}
        for algorithm in (DRed(), ExtendedExecution(), RankedAlgorithm()):
            algorithm.load(REACHABLE, facts)
            settle(algorithm)
            before = algorithm.bytes
            messages = settle(
                algorithm, *(deletion("link", *pair) for pair in (link, link[::-1]) if Fact("link", pair) in facts)
            )
            costs[algorithm.name] = (messages, algorithm.bytes - before)
        assert (costs["psn-extended"] < costs["dred"]) == extended_is_cheaper, costs
        assert costs["ranked"] <= costs["dred"]
    assert costs["dred"][0] == 52
    assert costs["psn-extended"][0] == 398


def test_algorithm_1_sends_less_than_dred_on_acyclic_data_and_does_not_end_on_a_ring():
    costs = []
    for algorithm in (PipelinedExecution(), DRed()):
        algorithm.load(REACHABLE, FIGURE_1)
        settle(algorithm)
        costs.append(settle(algorithm, deletion("link", "a", "b")))
    assert costs[0] < costs[1]
    around = PipelinedExecution()
    around.load(REACHABLE, ring(3))
    with pytest.raises(LimitError, match="psn has not finished after 2,000 steps"):
        run(around, Fifo(), 2000)


def test_re_derivation_costs_more_messages_than_ranked_support():
    costs = []
    for algorithm in (DRed(), RankedAlgorithm()):
        algorithm.load(REACHABLE, ring(5))
        settle(algorithm)
        costs.append(settle(algorithm, deletion("link", 0, 1), deletion("link", 1, 0)))
    assert costs[0] > costs[1]


def test_a_head_that_does_not_tell_where_its_body_is_asks_every_node():
    program = parse_program("p(@1) :- q(@X,Y). p(@1) :- r(@1).")
    algorithm = DRed()
    algorithm.load(program, [Fact("q", (2, 0)), Fact("q", (3, 0)), Fact("r", (4,))])
    settle(algorithm)
    settle(algorithm, deletion("q", 2, 0))
    assert shown(algorithm) == "{p(1), q(3,0), r(4)}"


def test_a_rule_whose_head_does_not_fit_is_not_asked():
    program = parse_program("p(1) :- q. p(2) :- q.")
    algorithm = DRed()
    algorithm.load(program, [Fact("q"), Fact("p", (1,))])
    settle(algorithm)
    settle(algorithm, deletion("q"))
    assert shown(algorithm) == "{p(1)}"
    settle(algorithm, deletion("p", 1), deletion("p", 7))
    assert shown(algorithm) == "{}"


def test_every_order_of_messages_gives_the_same_facts():
    program = parse_program("p@1 :- a@1. q@2 :- p@1. p@1 :- q@2. q@2 :- b@2.")
    algorithm = DRed()
    algorithm.load(program, [Fact("a", (1,)), Fact("b", (2,))])
    settle(algorithm)
    algorithm.apply([deletion("a", 1)])
    found = explore_algorithm(algorithm, "{b(2), p(1), q(2)}")
    assert found.agrees, str(found)


@pytest.mark.parametrize("schedule", [Fifo(), NewestFirst(), DeletionsFirst(), Random(5)])
def test_choices_improve_and_worsen(schedule):
    links = ring(4, 1)
    algorithm = DRed()
    algorithm.load(BEST_PATH, links)
    settle(algorithm, schedule=schedule)
    broken = [Update(-1, f) for f in links if set(f.row[:2]) == {0, 1}]
    for changes, facts in (
        (broken, [f for f in links if set(f.row[:2]) != {0, 1}]),
        ([Update(1, u.fact) for u in broken], links),
    ):
        settle(algorithm, *changes, schedule=schedule)
        model = least_model(algorithm.network, facts)
        assert {o.fact for _, o, _ in algorithm.visible.state.occurrences()} == model


def test_rules_without_body_stay():
    algorithm = DRed()
    algorithm.load(parse_program("r1: p(1). q(X) :- p(X)."))
    settle(algorithm, insertion("p", 2))
    settle(algorithm, deletion("p", 2))
    assert shown(algorithm) == "{p(1), q(1)}"


def test_what_rules_without_body_derive_cannot_be_retracted():
    algorithm = DRed()
    algorithm.load(parse_program("p(X) :- X = 1. q(X) :- p(X)."))
    for changes in ([deletion("p", 1)], [insertion("p", 1)], [deletion("p", 1)]):
        settle(algorithm)
        settle(algorithm, *changes)
        assert shown(algorithm) == "{p(1), q(1)}"
