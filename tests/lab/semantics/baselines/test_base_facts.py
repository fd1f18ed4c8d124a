"""Base-fact annotations with eager discarding: right for bursts of one kind over facts of one copy, else wrong or
endless, also in order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import LimitError
from tidelog.lab.semantics.algorithm import as_sets, flatten, run
from tidelog.lab.semantics.baselines import BaseFacts, NumberedBaseFacts
from tidelog.lab.semantics.derivation_sets import ExtendedExecution
from tidelog.lab.semantics.explore import explore_algorithm
from tidelog.lab.semantics.fact import Fact, deletion, insertion
from tidelog.lab.semantics.schedule import Random, schedule_by_name
from tidelog.syntax import parse_program

from .networks import REACHABLE, THREE_NODES, all_schedules, expected, settle

CONFLICT = [deletion("a", 0), insertion("a", 0)]
NODES = "abcd"
ONE_LINK = parse_program("p(@1) :- a(@0).")


def test_eager_discarding_is_unsound_under_reordering() -> None:
    found = all_schedules(BaseFacts(), THREE_NODES, CONFLICT, "{}")
    assert found.ends["{a(0), p(1), q(2)}"][0].startswith("-a(0)")
    assert not found.agrees


def test_reordering_can_leave_a_cycle_that_rests_on_nothing() -> None:
    found = all_schedules(BaseFacts(), THREE_NODES, CONFLICT, "{}")
    assert set(found.ends) == {"{}", "{a(0), p(1), q(2)}", "{p(1), q(2)}"}


def test_derivation_sets_are_right_where_eager_discarding_is_not() -> None:
    assert all_schedules(ExtendedExecution(), THREE_NODES, CONFLICT, "{}").agrees


def test_cycle_ends_with_every_fact_resting_on_its_base_fact() -> None:
    algorithm = settle(BaseFacts(), THREE_NODES, [insertion("a", 0)])
    assert flatten(algorithm.tables()) == {Fact("a", (0,)): 1, Fact("p", (1,)): 1, Fact("q", (2,)): 1}


def test_in_order_the_cycle_is_deleted_with_its_base_fact() -> None:
    algorithm = settle(BaseFacts(), THREE_NODES, [insertion("a", 0)], [deletion("a", 0)])
    assert algorithm.quiescent()
    assert not as_sets(algorithm.tables())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([(x, y) for x in NODES for y in NODES]), unique=True, max_size=7), st.data())
def test_in_order_bursts_of_one_kind_over_facts_of_one_copy_give_the_least_model(
    links: list[tuple[str, str]], data: st.DataObject
) -> None:
    build = [insertion("link", *link) for link in links]
    gone = data.draw(st.sets(st.sampled_from(links)) if links else st.just(set()))
    failure = [deletion("link", *link) for link in sorted(gone)]
    algorithm = settle(BaseFacts(), REACHABLE, build, failure)
    assert as_sets(algorithm.tables()) == expected(REACHABLE, build, failure)


def _chase(algorithm: BaseFacts) -> BaseFacts:
    algorithm.load(THREE_NODES)
    algorithm.apply([insertion("a", 0), deletion("a", 0)])
    return algorithm


@pytest.mark.parametrize("schedule", ["fifo", "links"])
def test_in_order_an_insertion_and_a_deletion_chase_each_other_for_ever(schedule: str) -> None:
    algorithm = _chase(BaseFacts())
    with pytest.raises(LimitError, match="base-facts has not finished after 1,000 steps"):
        run(algorithm, schedule_by_name(schedule, 1), 1000)


def test_the_chase_repeats_every_four_deliveries() -> None:
    algorithm, pending = _chase(BaseFacts()), []
    for _ in range(14):
        pending.append([str(message) for message in algorithm.pending()])
        algorithm.step(schedule_by_name("fifo"))
    assert pending[4:8] == pending[8:12]
    assert pending[4] == ["+q(2) {a(0)} at 2", "-q(2) {a(0)} at 2"]
    assert pending[6] == ["+p(1) {a(0)} at 1", "-p(1) {a(0)} at 1"]


def test_channels_in_order_leave_no_wrong_end_and_an_infinite_schedule_that_starves_nobody() -> None:
    found = explore_algorithm(_chase(BaseFacts()), "{}", links=True)
    assert set(found.ends) == {"{}"}
    assert found.cycle is not None
    moves = [("+q(2)", 2), ("-q(2)", 2), ("+p(1)", 1), ("-p(1)", 1)]
    assert found.cycle.around == tuple(f"{update} {{a(0)}} at {node}" for update, node in moves)
    assert found.cycle.starved == ()


def test_bursts_of_one_kind_need_no_order() -> None:
    algorithm = BaseFacts()
    algorithm.load(THREE_NODES)
    algorithm.apply([insertion("a", 0)])
    assert explore_algorithm(algorithm, "{a(0), p(1), q(2)}").agrees
    run(algorithm, Random(1))
    algorithm.apply([deletion("a", 0)])
    assert explore_algorithm(algorithm, "{}").agrees


@pytest.mark.parametrize(("kind", "end"), [(BaseFacts, "{}"), (NumberedBaseFacts, "{a(0), p(1)}")])
def test_of_two_copies_of_a_base_fact_the_deletion_of_one_takes_both_unless_they_are_numbered(
    kind: type[BaseFacts], end: str
) -> None:
    algorithm = kind()
    algorithm.load(ONE_LINK, [Fact("a", (0,)), Fact("a", (0,))])
    run(algorithm, Random(1))
    algorithm.apply([deletion("a", 0)])
    found = explore_algorithm(algorithm, "{a(0), p(1)}")
    assert set(found.ends) == {end}, "one copy is left, and with it p"


def test_numbered_base_facts_and_remembered_deletions_are_right_under_every_schedule() -> None:
    found = explore_algorithm(_chase(NumberedBaseFacts()), "{}")
    assert found.agrees
    assert found.longest == 8
    assert all_schedules(NumberedBaseFacts(), THREE_NODES, CONFLICT, "{}").agrees
    again = [insertion("a", 0), deletion("a", 0), insertion("a", 0)]
    assert all_schedules(NumberedBaseFacts(), THREE_NODES, again, "{a(0), p(1), q(2)}").agrees


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([(x, y) for x in NODES[:3] for y in NODES[:3]]), max_size=5), st.data())
def test_numbered_base_facts_keep_the_least_model_in_mixed_bursts_and_any_order(
    links: list[tuple[str, str]], data: st.DataObject
) -> None:
    first = [insertion("link", *link) for link in links]
    gone = data.draw(st.lists(st.sampled_from(links), max_size=len(links)) if links else st.just([]))
    burst = [deletion("link", *link) for link in gone if gone.count(link) <= links.count(link)]
    back = [insertion("link", *link) for link in gone[:1]]
    algorithm = NumberedBaseFacts()
    algorithm.load(REACHABLE)
    schedule = Random(data.draw(st.integers(0, 99)))
    for changes in (first[:2], first[2:] + burst + back):
        algorithm.apply(changes)
    run(algorithm, schedule)
    assert as_sets(algorithm.tables()) == expected(REACHABLE, first, burst, back)
