"""Theorem 9, Theorem 14 and Theorem 16 on random programs and random changes.

What these tests can notice: a final state that depends on order or batching, or differs from evaluation from scratch.
What they cannot: faults that need more than two nodes or more than a handful of facts.
"""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import LimitError
from tidelog.lab.semantics import (
    DERIVATION_SETS,
    TREES,
    BatchedExecution,
    Configuration,
    ExtendedExecution,
    ExtendedSynchronous,
    Fact,
    PipelinedExecution,
    Semantics,
    SynchronousExecution,
    Update,
    check,
    deletion,
    explore_schedules,
    flatten,
    insertion,
    is_pipelined,
    is_synchronous,
    least_model,
    multiset_state,
    pipelined_trace,
    prepare,
    replay,
    run,
    start,
    synchronous_trace,
)
from tidelog.lab.semantics.annotation import tree_of
from tidelog.lab.semantics.derivation_sets import sets_of
from tidelog.lab.semantics.executions import run_all
from tidelog.lab.semantics.schedule import Random
from tidelog.lab.semantics.theory import (
    annotated_state,
    by_height,
    conflicting,
    difference,
    numbered,
    state_of,
    transient,
    without_pairs,
)
from tidelog.syntax import parse_program

from ..examples import (
    BINARY_FACTS,
    FIGURE_4,
    THREE_NODES,
    TWO_DERIVATIONS,
    UNARY_FACTS,
    binary_programs,
    changes_of,
    propositions,
)
from .moments import drawn_program, drawn_propositions

QUICK = settings(max_examples=20, deadline=None)


def _after(base, changes):
    total = Counter(base)
    for update in changes:
        total[update.fact] += update.sign
    return +total


@QUICK
@given(binary_programs(), changes_of(BINARY_FACTS), st.integers(0, 99))
def test_theorem_14_pipelined_synchronous_and_any_batching_end_in_the_state_from_scratch(program, data, seed):
    base, changes = data
    expected = multiset_state(prepare(program), _after(base, changes))
    for algorithm in (SynchronousExecution(), PipelinedExecution(), BatchedExecution(seed=seed, most=3)):
        algorithm.load(program, base)
        run(algorithm, Random(seed))
        algorithm.apply(changes)
        run(algorithm, Random(seed + 1))
        assert flatten(algorithm.tables()) == expected, algorithm.name


@QUICK
@given(propositions(), changes_of(UNARY_FACTS), st.integers(0, 99))
def test_theorem_14_changes_may_arrive_while_earlier_ones_are_under_way(program, data, seed):
    base, changes = data
    algorithm = PipelinedExecution(record=True)
    algorithm.load(program, base)
    algorithm.apply(changes)
    run(algorithm, Random(seed))
    assert flatten(algorithm.tables()) == multiset_state(prepare(program), _after(base, changes))
    assert is_pipelined(algorithm.trace())


@settings(max_examples=8, deadline=None)
@given(propositions(), changes_of(UNARY_FACTS))
def test_theorem_14_every_schedule_of_a_small_program_ends_where_the_synchronous_one_does(program, data):
    base, changes = data
    semantics = Semantics(prepare(program))
    settled = check(synchronous_trace(semantics, start(semantics, base[:2])))
    allowed = [u for u in changes if u.sign > 0 or u.fact in base[:2]][:3]
    seen = Counter(base[:2])
    kept = []
    for update in allowed:
        seen[update.fact] += update.sign
        if seen[update.fact] >= 0:
            kept.append(update)
    found = explore_schedules(semantics, settled.sent(semantics.network, kept))
    assert found.agrees, str(found)


def test_theorem_14_needs_no_recursion_pipelined_execution_around_a_cycle_does_not_end():
    algorithm = PipelinedExecution()
    algorithm.load(FIGURE_4, [Fact("s")])
    with pytest.raises(LimitError, match="psn has not finished after 200 steps"):
        run(algorithm, Random(1), 200)


@QUICK
@given(binary_programs(), changes_of(BINARY_FACTS))
def test_theorem_9_synchronous_updates_are_the_difference_plus_conflicting_pairs(program, data):
    semantics, before, after, changes = _annotated(program, data)
    trace = synchronous_trace(semantics, Configuration(before, before).sent(semantics.network, changes))
    assert is_synchronous(trace)
    processed = [step.update for step in trace.steps if step.command == "pick"]
    assert without_pairs(processed) == without_pairs(difference(before, after))
    assert check(trace).old == after


@QUICK
@given(binary_programs(), changes_of(BINARY_FACTS))
def test_theorem_9_an_update_of_height_i_is_processed_by_iteration_i(program, data):
    semantics, before, after, changes = _annotated(program, data)
    rounds = list(_rounds(semantics, Configuration(before, before).sent(semantics.network, changes)))
    for height, updates in by_height(difference(before, after)).items():
        processed = without_pairs(update for part in rounds[: height + 1] for update in part)
        assert all(processed.count(update) >= n for update, n in updates.counts().items())


def _rounds(semantics, configuration):
    """U[0], U[1], ...: what waits at the beginning of each synchronous iteration."""
    while not configuration.final:
        yield list(configuration.waiting())
        configuration, _ = run_all(semantics, configuration)


@QUICK
@given(binary_programs(), changes_of(BINARY_FACTS))
def test_theorem_9_what_cancels_is_conflicting(program, data):
    semantics, before, _, changes = _annotated(program, data)
    come_and_go = {u.note for u in changes if u.sign > 0} & {u.note for u in changes if u.sign < 0}
    trace = synchronous_trace(semantics, Configuration(before, before).sent(semantics.network, changes))
    processed = [step.update for step in trace.steps if step.command == "pick"]
    kept = without_pairs(processed)
    for update in set(processed):
        assert processed.count(update) == 1, "an occurrence comes once and goes once"
        if not kept.count(update) and tree_of(update).height:
            assert transient(update, changes), update
            assert conflicting(update, changes) or come_and_go, update


def _annotated(program, data):
    """The states before and after as the proofs see them, and the changes with the numbers of their copies."""
    semantics = Semantics(prepare(program), TREES)
    insertions, changes = numbered(*data)
    gone = {update.note for update in changes if update.sign < 0}
    left = [update for update in (*insertions, *changes) if update.sign > 0 and update.note not in gone]
    return semantics, state_of(semantics.network, insertions), state_of(semantics.network, left), changes


def test_theorem_9_on_the_example_of_the_text():
    program = parse_program("p :- s, t, r. s :- q. s :- u. t :- u.")
    network = prepare(program)
    before = annotated_state(network, [Fact("q"), Fact("u")])
    after = annotated_state(network, [Fact("q")])
    heights = by_height(difference(before, after))
    assert {h: sorted(str(Update(u.sign, u.fact)) for u in updates) for h, updates in heights.items()} == {
        0: ["-u"],
        1: ["-s", "-t"],
    }


@QUICK
@given(propositions(recursive=True), changes_of(UNARY_FACTS), st.integers(0, 99))
def test_theorem_16_the_extended_algorithm_ends_with_the_least_model(program, data, seed):
    base, changes = data
    for algorithm in (ExtendedExecution(), ExtendedSynchronous()):
        algorithm.load(program, base)
        run(algorithm, Random(seed))
        algorithm.apply(changes)
        run(algorithm, Random(seed + 1))
        model = least_model(prepare(program), _after(base, changes))
        assert set(flatten(algorithm.tables())) == model, algorithm.name


@QUICK
@given(propositions(recursive=True), st.lists(UNARY_FACTS, max_size=3), st.integers(0, 99))
def test_theorem_16_every_occurrence_leaves_with_its_base_facts(program, base, seed):
    algorithm = ExtendedExecution()
    algorithm.load(program, base)
    run(algorithm, Random(seed))
    algorithm.apply([Update(-1, fact) for fact in base])
    run(algorithm, Random(seed))
    assert flatten(algorithm.tables()) == Counter()


@pytest.mark.parametrize(
    ("drawn", "columns", "seeds"),
    [(drawn_propositions, 1, 200), (lambda rng: drawn_program(rng, recursive=True), 2, 80)],
    ids=["propositions", "with variables"],
)
def test_theorem_16_all_executions_are_finite_and_corollary_17_the_algorithm_always_ends(drawn, columns, seeds):
    branching = circular = too_large = 0
    for seed in range(seeds):
        rng = random.Random(seed)
        semantics = Semantics(prepare(parse_program(drawn(rng))), DERIVATION_SETS)
        gone, kept, come = (
            Fact(rng.choice(["e0", "e1"]), tuple(rng.choice([1, 2]) for _ in range(columns))) for _ in range(3)
        )
        settled = check(synchronous_trace(semantics, start(semantics, [gone, kept])))
        burst = [Update(-1, gone), Update(1, come)]
        try:
            found = explore_schedules(semantics, settled.sent(semantics.network, burst), limit=1500)
        except LimitError:
            too_large += 1
            continue
        assert found.cycle is None
        assert found.longest is not None
        assert found.agrees, str(found)
        branching += found.states > 9
        circular += any(sets_of(occurrence)[1] for _, occurrence, _ in settled.old.occurrences())
    assert branching >= 40, "more than the orders of four updates"
    assert circular >= 8, "some fact has infinite count"
    assert too_large <= 2, "all schedules of all others have been followed"


@QUICK
@given(propositions(recursive=True), st.lists(UNARY_FACTS, min_size=1, max_size=3), st.integers(0, 99))
def test_theorem_16_the_bound_a_fact_comes_at_most_twice_on_a_chain_of_updates(program, base, seed):
    semantics = Semantics(prepare(program), DERIVATION_SETS)
    trace = pipelined_trace(semantics, start(semantics, base), Random(seed))
    causes = {}
    for step in trace.steps:
        if step.command == "fire":
            causes.setdefault(step.update, set()).update(step.sent)

    def follow(update, chain):
        recorded = semantics.annotation.picked(update)
        chain = [*chain, update.fact]
        assert max(Counter(chain).values()) <= 2
        for sent in causes.get(recorded, ()):
            follow(sent, chain)

    for fact in base:
        follow(Update(1, fact), [])


def test_theorem_16_every_schedule_of_the_extended_algorithm_ends_alike():
    semantics = Semantics(prepare(FIGURE_4), DERIVATION_SETS)
    found = explore_schedules(semantics, start(semantics, [Fact("s")]))
    assert found.agrees
    assert found.cycle is None
    assert found.longest == 10


def test_theorem_16_every_schedule_of_an_insertion_and_a_deletion_ends_empty():
    semantics = Semantics(prepare(THREE_NODES), DERIVATION_SETS)
    both = start(semantics).sent(semantics.network, [insertion("a", 0), deletion("a", 0)])
    found = explore_schedules(semantics, both, "{}")
    assert found.agrees
    assert found.cycle is None


RECURSIONS = {
    "linear": "r(@X,Y) :- e(@X,Y). c(@Y,X) :- e(@X,Y). r(@S,D) :- c(@Z,S), r(@Z,D).",
    "not linear": "r(@1,X,Y) :- e(@1,X,Y). r(@1,X,Z) :- r(@1,X,Y), r(@1,Y,Z).",
    "mutual": "o(@Y,X) :- e(@X,Y). v(@Y,X) :- o(@X,Z), e(@X,Y). o(@Y,X) :- v(@X,Z), e(@X,Y).",
}


@pytest.mark.parametrize(
    ("name", "links", "gone", "come", "least"),
    [
        ("linear", [(1, 2), (2, 1)], [(1, 2)], [], 50),
        ("linear", [(1, 2)], [(1, 2)], [(2, 3)], 30),
        ("linear", [(1, 2), (2, 1)], [(1, 2)], [(2, 3)], 1000),
        ("mutual", [(1, 2)], [(1, 2)], [(2, 1)], 200),
    ],
    ids=["cycle of two broken", "chain of three moved", "cycle broken, third node joined", "mutual, cycle closed"],
)
def test_theorem_16_every_schedule_of_recursion_with_variables_ends_alike(name, links, gone, come, least):
    semantics = Semantics(prepare(parse_program(RECURSIONS[name])), DERIVATION_SETS)
    settled = check(synchronous_trace(semantics, start(semantics, [Fact("e", link) for link in links])))
    burst = [*(deletion("e", *link) for link in gone), *(insertion("e", *link) for link in come)]
    found = explore_schedules(semantics, settled.sent(semantics.network, burst))
    assert found.agrees, str(found)
    assert found.states >= least
    left = [Fact("e", link) for link in (*links, *come) if link not in gone]
    end = check(synchronous_trace(semantics, settled.sent(semantics.network, burst)))
    assert set(end.old.facts()) == least_model(semantics.network, left)


@pytest.mark.parametrize("name", RECURSIONS)
def test_corollary_18_with_variables_pipelined_and_synchronous_agree_on_annotated_states(name):
    program, cases = parse_program(RECURSIONS[name]), 0
    for seed in range(12):
        rng = random.Random(seed)
        pairs = [(x, y) for x in (1, 2, 3) for y in (1, 2, 3) if x < y or (x > y and name != "not linear")]
        facts = [Fact("e", (1, *pair) if name == "not linear" else pair) for pair in rng.sample(pairs, 3)]
        gone, come = facts[:1], facts[2:]
        ends = []
        for algorithm in (ExtendedExecution(), ExtendedSynchronous()):
            algorithm.load(program, facts[:2])
            run(algorithm, Random(seed), 3_000)
            algorithm.apply([*(Update(-1, fact) for fact in gone), *(Update(1, fact) for fact in come)])
            run(algorithm, Random(seed + 1), 3_000)
            ends.append(algorithm.configuration.old)
        assert ends[0] == ends[1], "facts with their sets S and H"
        assert set(ends[0].facts()) == least_model(prepare(program), [f for f in facts if f not in gone])
        cases += any(sets_of(occurrence)[1] for _, occurrence, _ in ends[0].occurrences())
    assert cases >= 1 or name == "not linear", "some fact has infinite count; not linear only where nothing is circular"


def test_traces_of_executions_are_what_they_claim_to_be():
    semantics = Semantics(prepare(TWO_DERIVATIONS))
    configuration = start(semantics, [Fact("q"), Fact("u")])
    pipelined = pipelined_trace(semantics, configuration, Random(3))
    synchronous = synchronous_trace(semantics, configuration)
    assert is_pipelined(pipelined)
    assert not is_synchronous(pipelined)
    assert is_synchronous(synchronous)
    assert not is_pipelined(synchronous)
    assert len(list(replay(pipelined))) == len(pipelined.steps) + 1
