"""Heights with synchronisation: right under every schedule, at the price of a wave per base deletion."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import DataError, EngineError, LimitError
from tidelog.lab.semantics.algorithm import Algorithm, as_sets, run
from tidelog.lab.semantics.baselines import BaseFacts, Heights, UncheckedBaseline, UnsynchronisedHeights
from tidelog.lab.semantics.fact import deletion, insertion
from tidelog.lab.semantics.schedule import Fifo
from tidelog.syntax import parse_program

from .networks import REACHABLE, THREE_NODES, all_schedules, expected, settle

NODES = "abcd"
RING = [insertion("link", a, b) for a, b in ("ab", "bc", "ca")]


def test_every_schedule_of_the_three_node_cycle_is_right() -> None:
    assert all_schedules(Heights(), THREE_NODES, [insertion("a", 0)], "{a(0), p(1), q(2)}").agrees
    assert all_schedules(Heights(), THREE_NODES, [deletion("a", 0), insertion("a", 0)], "{}").agrees


def test_deleting_a_ring_leaves_nothing_behind() -> None:
    failure = [deletion("link", "a", "b"), deletion("link", "b", "c"), deletion("link", "c", "a")]
    assert not as_sets(settle(Heights(), REACHABLE, RING, failure).tables())


def test_fact_with_a_higher_support_is_inserted_again_after_the_wave() -> None:
    detour = [insertion("link", a, b) for a, b in ("ab", "ac", "cb")]
    algorithm = settle(Heights(), REACHABLE, detour)
    algorithm.apply([deletion("link", "a", "b")])
    notes = [event.note for event in run(algorithm, Fifo()) if event.kind == "barrier"]
    assert notes == ["wave for -link(a,b)", "wave ended"]
    assert as_sets(algorithm.tables()) == expected(REACHABLE, detour, [deletion("link", "a", "b")])


def test_every_deletion_that_crosses_a_link_is_acknowledged() -> None:
    algorithm = settle(Heights(), REACHABLE, RING)
    algorithm.apply([deletion("link", "a", "b")])
    events = run(algorithm, Fifo())
    crossing = [m for event in events for m in event.sent if not m.local]
    acknowledged = [m for m in crossing if m.update.note == "ack"]
    deletions = [m for m in crossing if m.update.sign < 0 and m.update.note != "ack"]
    assert len(acknowledged) == len(deletions) > 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([(x, y) for x in NODES for y in NODES]), unique=True, max_size=8),
    st.data(),
    st.integers(0, 1000),
)
def test_any_schedule_gives_the_least_model(links: list[tuple[str, str]], data: st.DataObject, seed: int) -> None:
    build = [insertion("link", *link) for link in links]
    gone = data.draw(st.sets(st.sampled_from(links)) if links else st.just(set()))
    failure = [deletion("link", *link) for link in sorted(gone)]
    back = [insertion("link", *link) for link in sorted(gone)[:1]]
    algorithm = settle(Heights(), REACHABLE, build, failure, back, seed=seed)
    assert as_sets(algorithm.tables()) == expected(REACHABLE, build, failure, back)


def test_selections_are_refused_by_name() -> None:
    program = parse_program("best(@X,a_MIN<C>) :- cost(@X,C).")
    with pytest.raises(EngineError, match="min and max, which these relations use: best") as refused:
        Heights().load(program)
    assert refused.value.code == "TL7402"


@pytest.mark.parametrize("kind", [UncheckedBaseline, BaseFacts, Heights])
def test_deletion_without_its_fact_is_refused(kind: type) -> None:
    algorithm = kind()
    algorithm.load(THREE_NODES)
    with pytest.raises(DataError, match=r"a\(0\)"):
        algorithm.apply([deletion("a", 0)])


@pytest.mark.parametrize("kind", [BaseFacts, Heights])
def test_messages_and_bytes_are_counted(kind: type) -> None:
    algorithm = settle(kind(), THREE_NODES, [insertion("a", 0)])
    assert isinstance(algorithm, Algorithm)
    assert algorithm.updates > algorithm.messages == 3
    assert algorithm.bytes > algorithm.messages


def test_without_waves_heights_count_to_infinity_around_a_cycle() -> None:
    algorithm = settle(UnsynchronisedHeights(), THREE_NODES, [insertion("a", 0)])
    assert as_sets(algorithm.tables()) == expected(THREE_NODES, [insertion("a", 0)])
    algorithm.apply([deletion("a", 0)])
    heights = []
    with pytest.raises(LimitError, match="heights-alone has not finished after 300 steps"):
        run(algorithm, _Heights(heights), 300)
    assert heights[-1] > 50, "supports climb and nobody can tell that they rest on each other"
    assert not as_sets(settle(Heights(), THREE_NODES, [insertion("a", 0)], [deletion("a", 0)]).tables())


class _Heights:
    """First in, first out; keeps the heights that come by."""

    def __init__(self, seen: list[object]) -> None:
        self.seen = seen

    def choose(self, pending):
        self.seen.append(pending[0].update.note)
        return pending[0]


def test_without_waves_heights_are_right_where_nothing_is_circular() -> None:
    detour = [insertion("link", a, b) for a, b in ("ab", "ac", "cb")]
    algorithm = settle(UnsynchronisedHeights(), REACHABLE, detour, [deletion("link", "a", "b")])
    assert as_sets(algorithm.tables()) == expected(REACHABLE, detour, [deletion("link", "a", "b")])
    assert algorithm.quiescent()
