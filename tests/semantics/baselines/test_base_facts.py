"""Base-fact annotations with eager discarding: right while messages keep their order, wrong when they do not."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.semantics.algorithm import as_sets, flatten
from tidelog.semantics.baselines import BaseFacts
from tidelog.semantics.derivation_sets import Extended
from tidelog.semantics.fact import Fact, deletion, insertion

from .networks import REACHABLE, THREE_NODES, all_schedules, expected, settle

CONFLICT = [deletion("a", 0), insertion("a", 0)]
NODES = "abcd"


def test_eager_discarding_is_unsound_under_reordering() -> None:
    found = all_schedules(BaseFacts(), THREE_NODES, CONFLICT, "{}")
    assert found.ends["{a(0), p(1), q(2)}"][0].startswith("-a(0)")
    assert not found.agrees


def test_reordering_can_leave_a_cycle_that_rests_on_nothing() -> None:
    found = all_schedules(BaseFacts(), THREE_NODES, CONFLICT, "{}")
    assert set(found.ends) == {"{}", "{a(0), p(1), q(2)}", "{p(1), q(2)}"}


def test_derivation_sets_are_right_where_eager_discarding_is_not() -> None:
    assert all_schedules(Extended(), THREE_NODES, CONFLICT, "{}").agrees


def test_cycle_ends_with_every_fact_resting_on_its_base_fact() -> None:
    algorithm = settle(BaseFacts(), THREE_NODES, [insertion("a", 0)])
    assert flatten(algorithm.tables()) == {Fact("a", (0,)): 1, Fact("p", (1,)): 1, Fact("q", (2,)): 1}


def test_in_order_the_cycle_is_deleted_with_its_base_fact() -> None:
    algorithm = settle(BaseFacts(), THREE_NODES, [insertion("a", 0)], [deletion("a", 0)])
    assert algorithm.quiescent()
    assert not as_sets(algorithm.tables())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([(x, y) for x in NODES for y in NODES]), unique=True, max_size=7), st.data())
def test_in_order_every_burst_gives_the_least_model(links: list[tuple[str, str]], data: st.DataObject) -> None:
    build = [insertion("link", *link) for link in links]
    gone = data.draw(st.sets(st.sampled_from(links)) if links else st.just(set()))
    failure = [deletion("link", *link) for link in sorted(gone)]
    algorithm = settle(BaseFacts(), REACHABLE, build, failure)
    assert as_sets(algorithm.tables()) == expected(REACHABLE, build, failure)
