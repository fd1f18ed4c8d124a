"""A network that loses and repeats messages: wrong without a protocol, right with acknowledgements and numbers."""

import copy

import pytest

from tidelog.errors import EngineError, LimitError
from tidelog.lab.semantics import (
    DERIVATION_SETS,
    Algorithm,
    Fact,
    StuckError,
    as_sets,
    deletion,
    explore_algorithm,
    flatten,
    insertion,
    model_tables,
    prepare,
    run,
)
from tidelog.lab.semantics.executions import AcknowledgedExecution, LossyExecution
from tidelog.lab.semantics.executions.lossy import NUMBER_BYTES
from tidelog.lab.semantics.schedule import Fifo, NewestFirst, Random, RandomLinks, Script
from tidelog.lab.semantics.traffic import on_lossy_links
from tidelog.syntax import parse_program

from .examples import PATH_VECTOR, REACHABLE, THREE_NODES, ring

CHAIN = parse_program("p@1 :- a@0. v@2 :- p@1.")
ONE_LINK = parse_program("p@1 :- a@0.")
TWO_RULES = parse_program("p@1 :- a@0. p@1 :- b@0.")
BURST = [insertion("a", 0), deletion("a", 0)]


def _explored(kind, program, losses, repeats):
    algorithm = kind(losses=losses, repeats=repeats)
    algorithm.load(program)
    algorithm.apply(BURST)
    return explore_algorithm(algorithm, "{}")


def test_without_faults_both_are_right_under_every_schedule():
    assert _explored(LossyExecution, CHAIN, 0, 0).agrees
    assert _explored(AcknowledgedExecution, CHAIN, 0, 0).agrees


def test_one_lost_message_leaves_facts_behind_or_a_deletion_waiting_for_ever():
    assert set(_explored(LossyExecution, CHAIN, 1, 0).ends) == {"{}", "{} stuck", "{v(2)}", "{p(1), v(2)}"}


def test_one_repeated_message_does_so_too():
    assert set(_explored(LossyExecution, CHAIN, 0, 1).ends) == {"{}", "{} stuck", "{v(2)}", "{p(1), v(2)}"}


@pytest.mark.parametrize(("losses", "repeats"), [(1, 0), (0, 1), (1, 1), (2, 0)])
def test_with_acknowledgements_every_schedule_is_right_wherever_faults_happen(losses, repeats):
    found = _explored(AcknowledgedExecution, ONE_LINK, losses, repeats)
    assert found.agrees, str(found)
    assert found.longest is not None


@pytest.mark.long
@pytest.mark.parametrize(("losses", "repeats"), [(1, 0), (0, 1), (1, 1)])
def test_with_acknowledgements_along_a_chain_of_links(losses, repeats):
    assert _explored(AcknowledgedExecution, CHAIN, losses, repeats).agrees


class _Numbered:
    """The schedule that takes the message at a place in the list of those pending."""

    def __init__(self, place):
        self.place = place

    def choose(self, pending):
        return pending[self.place]


def _reachable(algorithm):
    """All states, every pending message followed, also where two look alike."""
    found, todo = {algorithm.canonical()}, [algorithm]
    while todo:
        here = todo.pop()
        for place in range(len(here.pending())):
            there = copy.deepcopy(here)
            there.step(_Numbered(place))
            if there.canonical() not in found:
                found.add(there.canonical())
                todo.append(there)
    return found


@pytest.mark.parametrize(
    ("kind", "losses", "repeats"),
    [(AcknowledgedExecution, 0, 1), (AcknowledgedExecution, 1, 0), (LossyExecution, 0, 1)],
)
def test_exploration_tells_equal_updates_apart_by_the_state_of_their_frames(kind, losses, repeats):
    # +p is sent for a and for b: one may have arrived or be repeated while the other is still under way.
    algorithm = kind(losses=losses, repeats=repeats)
    algorithm.load(TWO_RULES)
    algorithm.apply([insertion("a", 0), insertion("b", 0), deletion("a", 0)])
    found = explore_algorithm(algorithm, "{b(0), p(1)}")
    assert found.states == len(_reachable(algorithm))
    assert found.agrees == (kind is AcknowledgedExecution)


def _scripted(algorithm, *moves):
    algorithm.load(ONE_LINK)
    algorithm.apply(BURST[:1])
    schedule = Script(moves)
    for _ in moves:
        algorithm.step(schedule)
    return [str(message) for message in algorithm.pending()]


def test_a_lost_acknowledgement_has_the_message_sent_again_and_acknowledged_again():
    algorithm = AcknowledgedExecution(losses=1, repeats=0)
    moves = ["+a(0)", "+p(1) data arrives", "+p(1)", "+p(1) ack is lost"]
    assert _scripted(algorithm, *moves) == ["+p(1) data is sent again at 1"]
    assert not algorithm.quiescent()
    output = [str(event) for event in run(algorithm, Fifo())]
    assert output == [f"deliver +p(1) {what} at 1" for what in ("data is sent again", "data arrives", "ack arrives")]
    assert flatten(algorithm.tables()) == {Fact("a", (0,)): 1, Fact("p", (1,)): 1}, "the second copy is not taken"


def test_a_late_copy_of_what_was_acknowledged_still_arrives_and_is_acknowledged():
    algorithm = AcknowledgedExecution(losses=0, repeats=1)
    moves = ["+a(0)", "+p(1) data is repeated", "+p(1) data arrives", "+p(1)", "+p(1) ack arrives"]
    assert _scripted(algorithm, *moves) == ["+p(1) data arrives at 1"]
    assert not algorithm.quiescent()
    output = [str(event) for event in run(algorithm, Fifo())]
    assert output == ["deliver +p(1) data arrives at 1", "deliver +p(1) ack arrives at 1"]
    assert algorithm.messages == 3, "the message and two acknowledgements"


@pytest.mark.parametrize("schedule", [Fifo(), NewestFirst(), Random(1), Random(2)])
@pytest.mark.parametrize(("program", "cost"), [(REACHABLE, ()), (PATH_VECTOR, (1,))], ids=["reachable", "path vector"])
def test_protocols_of_the_papers_survive_many_faults(program, cost, schedule):
    size = 2 if program is REACHABLE else 3
    links = ring(size, *cost)
    algorithm = AcknowledgedExecution(DERIVATION_SETS, losses=30, repeats=30)
    algorithm.load(program, links)
    run(algorithm, schedule, 20_000)
    gone = links[0]
    algorithm.apply([deletion("link", *gone.row)])
    run(algorithm, schedule, 20_000)
    assert as_sets(algorithm.tables()) == as_sets(model_tables(prepare(program), links[1:]))


def test_what_is_sent_again_is_counted():
    quiet, faulty = AcknowledgedExecution(losses=0, repeats=0), AcknowledgedExecution(losses=3, repeats=0)
    for algorithm in (quiet, faulty):
        assert isinstance(algorithm, Algorithm)
        algorithm.load(CHAIN)
        algorithm.apply(BURST[:1])
        run(algorithm, NewestFirst())
    assert faulty.messages > quiet.messages == 4
    assert faulty.bytes > quiet.bytes


def test_acknowledgements_and_numbers_are_counted_in_bytes():
    plain, protected = LossyExecution(losses=0, repeats=0), AcknowledgedExecution(losses=0, repeats=0)
    for algorithm in (plain, protected):
        algorithm.load(ONE_LINK)
        algorithm.apply(BURST[:1])
        run(algorithm, Fifo())
    assert protected.bytes == plain.bytes + 2 * NUMBER_BYTES
    resent = AcknowledgedExecution(losses=1, repeats=0)
    _scripted(resent, "+a(0)", "+p(1) data is lost")
    run(resent, Fifo())
    assert resent.bytes == protected.bytes + plain.bytes + NUMBER_BYTES


def test_a_deletion_whose_insertion_was_lost_is_stuck():
    algorithm = LossyExecution(losses=1, repeats=0)
    algorithm.load(ONE_LINK)
    algorithm.apply(BURST[:1])
    events = run(algorithm, NewestFirst())
    assert "deliver +p(1) data is lost at 1" in [str(event) for event in events]
    algorithm.apply(BURST[1:])
    with pytest.raises(StuckError, match="none of the remaining updates can be picked"):
        run(algorithm, Fifo())


def test_if_everything_is_lost_for_ever_nothing_ends():
    algorithm = AcknowledgedExecution(losses=10**6, repeats=0)
    algorithm.load(THREE_NODES)
    algorithm.apply(BURST[:1])
    with pytest.raises(LimitError, match="psn-acknowledged has not finished after 200 steps"):
        run(algorithm, NewestFirst(), 200)


def _ended_right(name, probability, seed):
    algorithm, schedule = on_lossy_links(name, RandomLinks(seed), probability, seed)
    algorithm.load(PATH_VECTOR, ring(3, 1))
    run(algorithm, schedule)
    algorithm.apply([deletion("link", 0, 1, 1)])
    try:
        run(algorithm, schedule)
    except StuckError:
        return False
    base = [fact for fact in ring(3, 1) if fact.row != (0, 1, 1)]
    return as_sets(algorithm.tables()) == as_sets(model_tables(prepare(PATH_VECTOR), base))


@pytest.mark.parametrize("probability", [0.05, 0.3])
def test_losses_with_a_probability_break_the_plain_algorithm_and_not_the_acknowledged_one(probability):
    assert not all(_ended_right("psn-lossy", probability, seed) for seed in range(5))
    assert all(_ended_right("psn-acknowledged", probability, seed) for seed in range(5))


def test_the_probability_is_the_share_of_the_messages_that_are_lost():
    algorithm, schedule = on_lossy_links("psn-lossy", Fifo(), 0.25, 7)
    algorithm.load(parse_program("p(@Y,X) :- a(@X,Y)."), [Fact("a", (0, n)) for n in range(1, 401)])
    run(algorithm, schedule)
    assert sum(fact.relation == "p" for fact in flatten(algorithm.tables())) == pytest.approx(300, abs=30)


def test_no_loss_is_the_run_without_losses_and_other_algorithms_are_refused():
    assert _ended_right("psn-lossy", 0.0, 1)
    with pytest.raises(EngineError, match=r"`psn` cannot be lost\. Algorithms whose messages can: psn-lossy, psn-ack"):
        on_lossy_links("psn", Fifo(), 0.1)
