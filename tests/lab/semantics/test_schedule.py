"""Schedules choose among what is pending, by seed; all of them lead the corrected algorithm to the same tables."""

import copy

import pytest

from tidelog.errors import EngineError, LimitError
from tidelog.lab.semantics import (
    SCHEDULES,
    Algorithm,
    BatchedExecution,
    DRed,
    ExtendedExecution,
    ExtendedSynchronous,
    Fact,
    Message,
    Original,
    PipelinedExecution,
    PipelinedSets,
    RankedAlgorithm,
    Schedule,
    SetSemiNaive,
    SynchronousExecution,
    SynchronousSets,
    Update,
    as_sets,
    deletion,
    explore,
    insertion,
    model_tables,
    prepare,
    run,
    schedule_by_name,
)
from tidelog.lab.semantics.explore import explore_algorithm
from tidelog.lab.semantics.schedule import (
    DeletionsFirst,
    Fifo,
    InsertionsFirst,
    Lexical,
    LinkDelays,
    NewestFirst,
    Random,
    RandomLinks,
    Script,
    Starve,
)
from tidelog.lab.semantics.scratch import multiset_state
from tidelog.syntax import parse_program

from .examples import BEST_PATH, LOOP, PATH_VECTOR, TWO_DERIVATIONS, ring

PENDING = [
    Message(1, "a", "b", insertion("p", "b")),
    Message(2, "a", "b", deletion("p", "b")),
    Message(3, "b", "a", insertion("p", "a")),
]


@pytest.mark.parametrize(
    ("schedule", "number"),
    [
        (Fifo(), 1),
        (NewestFirst(), 3),
        (DeletionsFirst(), 2),
        (InsertionsFirst(), 1),
        (Starve("b"), 3),
        (Lexical(), 2),
        (LinkDelays(delays={("a", "b"): 9, ("b", "a"): 0}), 3),
        (Script(["+p(a) at a"]), 3),
        (Script([]), 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_choice_of_each_schedule(schedule, number):
    assert isinstance(schedule, Schedule)
    assert schedule.choose(PENDING).number == number


def test_the_same_seed_gives_the_same_choices():
    for make in (Random, RandomLinks, lambda seed: LinkDelays(seed, 20, 20)):
        one, other = make(7), make(7)
        assert [one.choose(PENDING) for _ in range(20)] == [other.choose(PENDING) for _ in range(20)]


def test_random_links_keep_the_order_of_each_link():
    schedule = RandomLinks(1)
    assert {schedule.choose(PENDING).number for _ in range(30)} == {1, 3}


def test_a_script_that_asks_for_what_is_not_there_is_an_error():
    with pytest.raises(EngineError, match=r"not pending: \+r\. Pending messages: \+p\(b\) at b"):
        Script(["+r"]).choose(PENDING)


def test_schedules_have_names():
    assert schedule_by_name("starve:2") == Starve(2)
    assert schedule_by_name("delay:5", 3) == LinkDelays(3, 5)
    assert schedule_by_name("reorder") == LinkDelays(0, 10, 10)
    with pytest.raises(EngineError, match=r"unknown schedule `slow`\. Known schedules: fifo, random"):
        schedule_by_name("slow")
    with pytest.raises(EngineError, match="invalid delay `x`: expected a number of messages"):
        schedule_by_name("delay:x")


ALGORITHMS = [
    PipelinedExecution,
    SynchronousExecution,
    BatchedExecution,
    ExtendedExecution,
    ExtendedSynchronous,
    RankedAlgorithm,
    DRed,
]


@pytest.mark.parametrize("make", [*ALGORITHMS, Original, PipelinedSets, SynchronousSets, SetSemiNaive])
def test_every_algorithm_has_the_common_interface(make):
    assert isinstance(make(), Algorithm)


CASES = [*((name, BEST_PATH) for name in SCHEDULES), ("newest", PATH_VECTOR), ("random", PATH_VECTOR)]


@pytest.mark.parametrize(("name", "program"), CASES, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CASES)])
@pytest.mark.parametrize("make", ALGORITHMS)
def test_a_link_fails_and_recovers_under_every_schedule(make, name, program):
    schedule = schedule_by_name(name + (":1" if name == "starve" else ""), 3)
    links = ring(3, 1)
    algorithm = make()
    algorithm.load(program, links)
    run(algorithm, schedule)
    broken = [fact for fact in links if set(fact.row[:2]) == {0, 1}]
    for sign, facts in ((-1, [f for f in links if f not in broken]), (1, links)):
        algorithm.apply([Update(sign, fact) for fact in broken])
        run(algorithm, schedule)
        assert as_sets(algorithm.tables()) == as_sets(model_tables(prepare(program), facts))
    assert algorithm.messages > 0
    assert algorithm.bytes > algorithm.messages
    assert algorithm.updates > algorithm.messages


def test_the_original_algorithm_runs_choices_on_the_tables_as_they_are():
    original = Original(fifo=False)
    original.load(BEST_PATH, ring(3, 1))
    hash(original.canonical())
    run(original, Fifo())
    assert as_sets(original.tables()) == as_sets(model_tables(prepare(BEST_PATH), ring(3, 1)))


@pytest.mark.parametrize("make", [RankedAlgorithm, DRed])
def test_changes_applied_during_an_epoch_wait_for_the_next_one(make):
    algorithm = make()
    algorithm.load(parse_program("p@1 :- a@1. q@2 :- p@1. p@1 :- q@2."), [Fact("a", (1,))])
    for _ in range(4):
        algorithm.step(Fifo())
    assert not algorithm.quiescent()
    algorithm.apply([deletion("a", 1)])
    run(algorithm, Fifo())
    assert as_sets(algorithm.tables()) == {}


def test_an_algorithm_in_a_stuck_state_is_an_end_of_the_exploration():
    algorithm = PipelinedSets()
    algorithm.load(TWO_DERIVATIONS, [Fact("q"), Fact("u")])
    run(algorithm, Fifo())
    algorithm.apply([deletion("q"), deletion("u")])
    found = explore_algorithm(algorithm, "{}")
    assert set(found.ends) == {"{} stuck"}


def test_a_deletion_of_an_absent_fact_changes_nothing_in_the_original_algorithm():
    original = Original()
    original.load(parse_program("p :- q. p :- r."), [Fact("q"), Fact("r")])
    original.apply([deletion("q"), deletion("r")])
    before = copy.deepcopy(original)
    run(original, Fifo())
    assert original.quiescent()
    assert not before.quiescent()
    assert original.tables() == {}


def test_an_exploration_that_outgrows_its_limit_says_so():
    with pytest.raises(LimitError, match="more than 10 states"):
        explore(0, lambda n: [("next", n + 1)], str, "", limit=10)


def test_the_state_of_a_cyclic_program_is_infinite():
    with pytest.raises(LimitError, match="evaluation from scratch has not finished after 30 rounds") as late:
        multiset_state(prepare(LOOP), {Fact("a", (1,)): 1}, 30)
    assert late.value.code == "TL7304"
