"""The proof of Theorem 14 as a program: pipelined executions become synchronous ones and back, every step checked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import EngineError, LimitError
from tidelog.lab.semantics import (
    DERIVATION_SETS,
    Bag,
    BatchedExecution,
    ExtendedExecution,
    Fact,
    IllegalStep,
    PipelinedExecution,
    RunTrace,
    Semantics,
    SynchronousExecution,
    check,
    complete_iteration,
    deletion,
    explore_schedules,
    holding,
    insertion,
    is_pipelined,
    is_synchronous,
    pipelined_trace,
    prepare,
    run,
    start,
    synchronous_trace,
)
from tidelog.lab.semantics.annotation import DerivationNote, Tree
from tidelog.lab.semantics.commands import choices
from tidelog.lab.semantics.schedule import DeletionsFirst, Fifo, NewestFirst, Random, Script
from tidelog.lab.semantics.theory import transient
from tidelog.lab.semantics.trace import CHANGE
from tidelog.lab.semantics.transform import Run, Transformation, labelled, last_burst, to_pipelined, to_semi_naive
from tidelog.lab.semantics.transform.run import _pairs, _worked_off
from tidelog.syntax import parse_program

from ..examples import (
    BEST_PATH,
    BINARY_FACTS,
    FIGURE_4,
    FOUR_NODES,
    THREE_NODES,
    TWO_DERIVATIONS,
    UNARY_FACTS,
    binary_programs,
    changes_of,
    propositions,
)

BURST = [insertion("r", 2), deletion("q", 3), deletion("u", 4)]
JOIN = parse_program("p :- r1, r2. v :- p.")


def _recorded(algorithm, program, facts, changes, schedule):
    algorithm.load(program, facts)
    run(algorithm, schedule)
    algorithm.apply(changes)
    run(algorithm, schedule)
    return algorithm.trace()


def _checked(turned: Transformation) -> Transformation:
    """Every execution of it is legal, and all begin and end alike; pairs rest on what came and on what went."""
    burst = list(turned.run.start.waiting())
    ends = {check(move.run.trace) for move in turned.moves}
    assert len(ends) == 1
    assert {move.run.start for move in turned.moves} == {turned.before.start}
    assert all(transient(pair, burst) for move in turned.moves for pair in (*move.came, *move.went))
    assert all(not (m.came or m.went) for m in turned.moves if m.lemma == "Lemma 10")
    return turned


def test_figure_3_of_lam_2010_becomes_synchronous_by_merging_alone():
    order = ["+r(2)", "-q(3)", "-u(4)", "-s(2)", "-t(2)", "+p(1)", "-p(1)"]
    pipelined = PipelinedExecution(record=True)
    pipelined.load(FOUR_NODES)
    run(pipelined, Fifo())
    pipelined.apply(BURST)
    run(pipelined, Script(order))
    turned = _checked(to_semi_naive(pipelined.trace()))
    assert is_synchronous(turned.after)
    assert str(turned).splitlines() == [
        "    1  Lemma 12: -q(3) into {+r(2)}",
        "    2  Lemma 12: -u(4) into {+r(2), -q(3)}",
        "    3  Lemma 12: -t(2) into {-s(2)}",
        "    4  Lemma 12: +p(1) into {-s(2), -t(2)}",
    ]


def test_permuting_a_deletion_before_an_insertion_leaves_out_a_pair_and_what_it_derives():
    trace = _recorded(
        PipelinedExecution(record=True), JOIN, [Fact("r2")], [insertion("r1"), deletion("r2")], Script([])
    )
    turned = _checked(to_semi_naive(trace))
    assert is_synchronous(turned.after)


def test_all_lemmas_are_used_on_one_execution():
    program = parse_program("p :- r1, r2. v :- p, r3. w :- p, v.")
    facts, burst = [Fact("r2"), Fact("r3")], [insertion("r1"), deletion("r2"), deletion("r3"), insertion("r3")]
    used = set()
    for schedule in (NewestFirst(), DeletionsFirst(), Random(4), Random(5)):
        trace = _recorded(PipelinedExecution(record=True), program, facts, burst, schedule)
        turned = _checked(to_semi_naive(trace))
        assert is_synchronous(turned.after)
        used |= set(turned.counts())
    assert used == {"Lemma 10", "Lemma 11", "Lemma 12", "Lemma 13"}


def test_back_to_single_updates_pairs_are_worked_off():
    program = parse_program("p :- q, r. v :- p.")
    semantics_trace = _recorded(
        SynchronousExecution(record=True), program, [Fact("q")], [insertion("r"), deletion("q")], Fifo()
    )
    turned = _checked(to_pipelined(semantics_trace))
    assert is_pipelined(turned.after)
    assert str(turned) == ("    1  Lemma 12, backwards and Lemma 13: -q out of {+r, -q}; works off ±p")


@settings(max_examples=15, deadline=None)
@given(binary_programs(), changes_of(BINARY_FACTS), st.integers(0, 99))
def test_any_pipelined_execution_becomes_synchronous_and_comes_back(program, data, seed):
    base, changes = data
    trace = _recorded(PipelinedExecution(record=True), program, base, changes, Random(seed))
    burst = last_burst(labelled(trace))
    turned = _checked(to_semi_naive(burst))
    assert is_pipelined(turned.before)
    assert is_synchronous(turned.after)
    assert check(turned.after).old.facts() == check(trace).old.facts()
    back = _checked(to_pipelined(turned.after))
    assert is_synchronous(back.before)
    assert is_pipelined(back.after)
    assert check(back.after) == check(turned.before)


@settings(max_examples=15, deadline=None)
@given(propositions(recursive=True), changes_of(UNARY_FACTS), st.integers(0, 99))
def test_with_derivation_sets_recursive_programs_too(program, data, seed):
    base, changes = data[0][:2], [update for update in data[1] if update.sign > 0 or update.fact in data[0][:2]]
    kept = [u for i, u in enumerate(changes) if u.sign > 0 or u.fact not in {v.fact for v in changes[:i]}]
    trace = _recorded(ExtendedExecution(record=True), program, base, kept, Random(seed))
    burst = last_burst(labelled(trace))
    if len(burst.steps) <= 3 * 10:  # more are many ways around many cycles
        turned = _checked(to_semi_naive(burst))
        assert is_synchronous(turned.after)


@pytest.mark.parametrize("program", [THREE_NODES, FIGURE_4], ids=["a-p-q", "figure 4"])
def test_the_cyclic_programs_of_the_paper_are_turned(program):
    name, row = ("a", (0,)) if program is THREE_NODES else ("s", ())
    trace = _recorded(ExtendedExecution(record=True), program, [Fact(name, row)], [deletion(name, *row)], Random(2))
    turned = _checked(to_semi_naive(trace))
    assert is_synchronous(turned.after)
    assert turned.run.semantics.annotation.inner is DERIVATION_SETS


def test_iterations_of_any_size_are_split_first_as_the_discussion_after_corollary_15_says():
    trace = _recorded(BatchedExecution(record=True, seed=3), FOUR_NODES, [], BURST, Random(1))
    turned = _checked(to_semi_naive(trace))
    assert turned.counts()["Lemma 12, backwards"] > 0
    assert is_synchronous(turned.after)


def test_changes_that_come_while_others_are_under_way_come_at_the_start():
    pipelined = PipelinedExecution(record=True)
    pipelined.load(FOUR_NODES)
    pipelined.step(Fifo())
    pipelined.apply(BURST)
    run(pipelined, Random(7))
    turned = _checked(to_semi_naive(pipelined.trace()))
    assert is_synchronous(turned.after)
    assert all(step.command != CHANGE for step in turned.after.steps)


def test_a_deletion_picked_on_another_copys_account_waits_for_its_own():
    # s is there because of q; u is transient. Without labels the deletion of s that u's going sends may take the copy
    # of q while u's own copy is still under way.
    pipelined = PipelinedExecution(record=True)
    pipelined.load(TWO_DERIVATIONS, [Fact("q")])
    run(pipelined, Fifo())
    pipelined.apply([insertion("u"), deletion("u")])
    run(pipelined, Script(["+u", "-u", "-s", "+s"]))
    trace = pipelined.trace()
    known = labelled(trace)
    picks = [str(step.update.fact) + "+-"[step.update.sign < 0] for step in known.steps if step.command == "pick"]
    assert picks[-4:] == ["u+", "u-", "s+", "s-"]
    assert check(known).old.facts() == check(trace).old.facts()
    assert is_synchronous(_checked(to_semi_naive(last_burst(known))).after)


def test_a_deletion_that_waited_comes_as_soon_as_its_own_copy_has_come_and_not_at_the_end():
    pipelined = PipelinedExecution(record=True)
    pipelined.load(parse_program("s :- q. s :- u. v :- s."), [Fact("q")])
    run(pipelined, Fifo())
    pipelined.apply([insertion("u"), deletion("u")])
    run(pipelined, Script(["+u", "-u", "-s", "+s", "-v", "+v"]))
    picks = [step.update for step in labelled(pipelined.trace()).steps if step.command == "pick"]
    output = ["+-"[update.sign < 0] + str(update.fact) for update in picks]
    assert output[-6:] == ["+u", "-u", "+s", "-s", "+v", "-v"]


def test_a_deletion_picked_before_its_insertion_inside_an_iteration_comes_after_it():
    semantics = Semantics(prepare(TWO_DERIVATIONS))
    pipelined = SynchronousExecution(record=True)
    pipelined.load(TWO_DERIVATIONS, [Fact("q")])
    run(pipelined, Fifo())
    pipelined.apply([insertion("u"), deletion("u")])
    run(pipelined, DeletionsFirst())
    turned = _checked(to_pipelined(pipelined.trace()))
    assert is_pipelined(turned.after)
    assert (
        check(turned.after).old.facts()
        == check(synchronous_trace(semantics, start(semantics, [Fact("q")]))).old.facts()
    )


def test_traces_that_cannot_be_turned_are_refused_by_name():
    semantics = Semantics(prepare(JOIN))
    held = holding(semantics, {Fact("r2"): 1}).sent(semantics.network, [insertion("r1")])
    with pytest.raises(IllegalStep, match="derivations are unknown") as refused:
        to_semi_naive(pipelined_trace(semantics, held, Fifo()))
    assert refused.value.code == "TL7290"
    begun = start(semantics, [Fact("r1")])
    with pytest.raises(IllegalStep, match="updates are still pending") as refused:
        to_semi_naive(RunTrace(semantics, begun))
    assert refused.value.code == "TL7291"
    with pytest.raises(IllegalStep, match="updates are still pending"):
        to_pipelined(RunTrace(labelled(pipelined_trace(semantics, begun, Fifo())).semantics, begun))
    algorithm = PipelinedExecution(record=True)
    algorithm.load(BEST_PATH)
    with pytest.raises(EngineError, match="to_semi_naive"):
        to_semi_naive(algorithm.trace())


def test_an_exchange_that_is_not_one_of_the_lemmas_is_refused():
    semantics = Semantics(prepare(JOIN))
    known = to_pipelined(pipelined_trace(semantics, start(semantics, [Fact("r1"), Fact("r2")]), Fifo())).run
    first = known.iterations[0]
    with pytest.raises(IllegalStep, match="other tables") as refused:
        known.replaced(0, 2, [first], 0)
    assert refused.value.code == "TL7292"
    with pytest.raises(IllegalStep, match=r"other updates: \{\+p\}"):
        _pairs(Bag([insertion("p")]), Bag())


def test_an_execution_that_ends_elsewhere_is_refused(monkeypatch):
    semantics = Semantics(prepare(JOIN))
    turned = to_pipelined(pipelined_trace(semantics, start(semantics, [Fact("r1")]), Fifo()))
    longer = to_pipelined(pipelined_trace(semantics, start(semantics, [Fact("r1"), Fact("r2")]), Fifo())).run
    monkeypatch.setattr(Run, "replaced", lambda *_: (longer, (), ()))
    with pytest.raises(IllegalStep, match="Lemma 10, nothing: the execution ends in another configuration") as refused:
        turned.replace("Lemma 10", "nothing", 0, 1, [])
    assert refused.value.code == "TL7293"


def test_transformations_that_do_not_end_say_so():
    trace = _recorded(PipelinedExecution(record=True), FOUR_NODES, [], BURST, Random(1))
    with pytest.raises(LimitError, match="not finished after 1 move") as late:
        to_semi_naive(trace, limit=1)
    assert late.value.code == "TL7390"
    semantics = Semantics(prepare(parse_program("p :- a. p :- p.")))
    known = labelled(pipelined_trace(semantics, start(semantics), Fifo()))
    both = labelled(
        pipelined_trace(Semantics(prepare(parse_program("p :- never. p :- q. q :- never."))), start(semantics), Fifo())
    )
    assert known.steps == both.steps
    breeding = Run(known.semantics, known.start, ())
    with pytest.raises(LimitError, match="more than 150 pairs") as late:
        _breed(breeding)
    assert late.value.code == "TL7391"


def _breed(run_of):
    pair = [insertion("p"), deletion("p")]
    _worked_off(run_of.semantics, run_of.start.sent(run_of.semantics.network, pair), (pair[0],))


def test_every_schedule_of_a_small_burst_can_be_turned():
    pipelined = PipelinedExecution(record=True)
    pipelined.load(FOUR_NODES)
    run(pipelined, Fifo())
    loaded = labelled(pipelined.trace())
    semantics = loaded.semantics
    settled = check(loaded)
    burst = settled.sent(semantics.network, [u._replace(note=_leaf(u)) for u in BURST])
    assert explore_schedules(semantics, burst, expected="{r(2)}").agrees
    schedules = list(_schedules(semantics, burst))
    assert len(schedules) == 140
    for steps in schedules:
        turned = _checked(to_semi_naive(RunTrace(semantics, burst, steps)))
        assert is_synchronous(turned.after)


def _schedules(semantics, configuration):
    """All pipelined executions to their ends."""
    if configuration.final:
        yield ()
    for _, update in choices(semantics, configuration):
        after, steps = complete_iteration(semantics, configuration, [update])
        yield from ((*steps, *rest) for rest in _schedules(semantics, after))


def _leaf(update):
    return DerivationNote((), Tree("1", update.fact, ()))
