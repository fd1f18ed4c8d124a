"""Commands and their preconditions, traces, the checker, and traces as JSON."""

import copy
import json
from dataclasses import replace

import pytest

from tidelog.errors import DataError, LimitError
from tidelog.lab.semantics import (
    DERIVATION_SETS,
    TREES,
    BatchedExecution,
    Configuration,
    ExtendedExecution,
    Fact,
    IllegalStep,
    PipelinedExecution,
    PipelinedSets,
    RunTrace,
    Semantics,
    StuckError,
    SynchronousExecution,
    TraceStep,
    Update,
    check,
    check_precondition,
    commit,
    complete_iteration,
    deletion,
    fire,
    holding,
    insertion,
    is_pipelined,
    is_synchronous,
    iterations,
    pick,
    pipelined_trace,
    prepare,
    replay,
    run,
    start,
    synchronous_trace,
    trace_from_json,
    trace_to_json,
)
from tidelog.lab.semantics.configuration import signed
from tidelog.lab.semantics.schedule import Fifo, Random
from tidelog.lab.semantics.trace import CHANGE
from tidelog.syntax import parse_program

from .examples import BEST_PATH, FIGURE_4, LOOP, TWICE, TWO_DERIVATIONS, ring

PROGRAM = parse_program("p(X) :- q(X).")
SEMANTICS = Semantics(prepare(PROGRAM))
INSERT, DELETE = insertion("q", 1), deletion("q", 1)


def waiting(*updates):
    return Configuration().sent(SEMANTICS.network, updates)


def test_an_update_has_to_wait_in_its_bag_to_be_picked():
    with pytest.raises(IllegalStep, match=r"cannot pick \+q\(1\): it is not in the bag"):
        pick(SEMANTICS, Configuration(), INSERT)
    with pytest.raises(IllegalStep, match="it is not in the bag"):
        pick(SEMANTICS, waiting(DELETE), INSERT)


def test_a_deletion_is_picked_only_if_its_fact_is_present():
    both = waiting(INSERT, DELETE)
    with pytest.raises(IllegalStep, match=r"cannot pick -q\(1\): the fact is not present"):
        pick(SEMANTICS, both, DELETE)
    assert pick(SEMANTICS, pick(SEMANTICS, both, INSERT), DELETE).new == both.new


def test_commands_follow_each_other():
    picked = pick(SEMANTICS, waiting(INSERT), INSERT)
    with pytest.raises(IllegalStep, match=r"cannot fire .*: it has not been picked"):
        fire(SEMANTICS, waiting(INSERT), INSERT)
    with pytest.raises(IllegalStep, match=r"cannot commit .*: it has not been fired"):
        commit(SEMANTICS, picked, INSERT)
    fired, sent = fire(SEMANTICS, picked, INSERT)
    assert sent == [insertion("p", 1)]
    assert commit(SEMANTICS, fired, INSERT).old.facts() == {Fact("q", (1,)): 1}


def test_insertions_of_an_iteration_are_committed_before_the_deletions_of_the_same_fact():
    # Without this precondition the commits of one iteration would not commute: K \\ {p} of an absent p changes nothing.
    configuration = waiting(INSERT, DELETE)
    for update in (INSERT, DELETE):
        configuration = pick(SEMANTICS, configuration, update)
    for update in (INSERT, DELETE):
        configuration, _ = fire(SEMANTICS, configuration, update)
    with pytest.raises(IllegalStep, match="must be committed first") as refused:
        commit(SEMANTICS, configuration, DELETE)
    assert refused.value.code == "TL7205"


def test_the_precondition_of_correctness_is_checked():
    base = check_precondition({Fact("q"): 1}, [insertion("r"), deletion("q"), deletion("r")])
    assert base == {}
    with pytest.raises(DataError, match="neither base facts nor inserted by the same changes: q, r"):
        check_precondition({}, [deletion("r"), deletion("q")])
    algorithm = PipelinedExecution()
    algorithm.load(PROGRAM, [Fact("q", (1,))])
    with pytest.raises(DataError, match=r"q\(2\)"):
        algorithm.apply([deletion("q", 2)])
    assert algorithm.base == {Fact("q", (1,)): 1}


def test_a_trace_prints_every_command_and_both_ends():
    text = str(pipelined_trace(SEMANTICS, waiting(INSERT), Fifo()))
    assert text.splitlines() == [
        "start  K={}  U={+q(1)}  P={}  E={}",
        "    1  pick   +q(1)",
        "    2  fire   +q(1)  sends +p(1)",
        "    3  commit +q(1)",
        "    4  pick   +p(1)",
        "    5  fire   +p(1)",
        "    6  commit +p(1)",
        "end    K={p(1), q(1)}  U={}  P={}  E={}",
    ]
    assert str(pick(SEMANTICS, waiting(INSERT), INSERT)) == "K={}  Kν={q(1)}  U={}  P={+q(1)}  E={}"


def test_the_checker_names_the_first_step_that_is_not_legal():
    trace = pipelined_trace(SEMANTICS, waiting(INSERT), Fifo())
    steps = list(trace.steps)
    with pytest.raises(IllegalStep, match="step 2: cannot commit") as refused:
        check(replace(trace, steps=[steps[0], steps[2]]))
    assert refused.value.code == "TL7204"
    with pytest.raises(IllegalStep, match=r"step 2: \+q\(1\) sends {\+p\(1\)}, but the trace contains {}") as refused:
        check(replace(trace, steps=[steps[0], replace(steps[1], sent=())]))
    assert refused.value.code == "TL7208"
    with pytest.raises(
        IllegalStep, match=r"step 1: unknown command `jump`\. Known commands: pick, fire, commit, change"
    ) as refused:
        check(replace(trace, steps=[replace(steps[0], command="jump")]))
    assert refused.value.code == "TL7206"


def test_the_checker_refuses_changes_that_break_the_precondition():
    with pytest.raises(IllegalStep, match=r"step 1: cannot delete facts .*: q\(1\)") as refused:
        check(RunTrace(SEMANTICS, Configuration(), [TraceStep(CHANGE, DELETE)]))
    assert refused.value.code == "TL7207"
    with pytest.raises(IllegalStep, match=r"start: cannot delete facts .*: q\(1\)") as refused:
        check(RunTrace(SEMANTICS, waiting(DELETE), []))
    assert refused.value.code == "TL7207"
    assert check(RunTrace(SEMANTICS, waiting(INSERT), [TraceStep(CHANGE, DELETE)])).waiting().count(DELETE) == 1


def test_a_trace_that_is_not_made_of_complete_iterations_is_refused():
    trace = pipelined_trace(SEMANTICS, waiting(INSERT), Fifo())
    with pytest.raises(IllegalStep, match="step 4 does not start a complete iteration") as refused:
        iterations(replace(trace, steps=trace.steps[:5]))
    assert refused.value.code == "TL7209"
    with pytest.raises(IllegalStep, match="step 1 does not start a complete iteration"):
        iterations(replace(trace, steps=trace.steps[1:]))
    assert not is_pipelined(replace(trace, steps=trace.steps[:3]))
    assert not is_synchronous(replace(trace, steps=trace.steps[:3]))


def test_a_batched_execution_takes_iterations_of_several_sizes():
    algorithm = BatchedExecution(most=3, seed=1, record=True)
    algorithm.load(PROGRAM, [Fact("q", (i,)) for i in range(6)])
    events = run(algorithm, Random(1))
    sizes = {len(part) for part in iterations(algorithm.trace())}
    assert len(sizes) > 1
    assert check(algorithm.trace()) == algorithm.configuration
    assert any(event.message is None and ", " in event.note for event in events)


def test_a_trace_survives_changes_in_the_middle_of_a_run():
    algorithm = SynchronousExecution(record=True)
    algorithm.load(PROGRAM, [Fact("q", (1,))])
    run(algorithm, Fifo())
    algorithm.apply([DELETE, insertion("q", 2)])
    run(algorithm, Fifo())
    trace = algorithm.trace()
    assert check(trace) == algorithm.configuration
    assert is_synchronous(trace)
    assert [step.command for step in trace.steps[:2]] == ["change", "pick"]


@pytest.mark.parametrize(
    ("program", "annotation", "facts"),
    [
        (FIGURE_4, DERIVATION_SETS, [Fact("s")]),
        (TWICE, TREES, [Fact("t", (1,))]),
        (TWO_DERIVATIONS, None, [Fact("q"), Fact("u")]),
    ],
)
def test_saving_and_reading_a_trace_gives_an_equal_one(program, annotation, facts):
    semantics = Semantics(prepare(program)) if annotation is None else Semantics(prepare(program), annotation)
    settled = check(synchronous_trace(semantics, start(semantics, facts)))
    changed = settled.sent(semantics.network, [Update(-1, facts[0])])
    trace = synchronous_trace(semantics, changed)
    read = trace_from_json(trace_to_json(trace))
    assert read.steps == trace.steps
    assert read.start == trace.start
    assert list(replay(read)) == list(replay(trace))


def test_a_trace_with_lists_and_choices_survives_json():
    algorithm = PipelinedExecution(record=True)
    algorithm.load(BEST_PATH, ring(3, 1))
    run(algorithm, Random(2))
    trace = trace_from_json(trace_to_json(algorithm.trace()))
    assert check(trace).old.tables() == algorithm.tables()


def test_an_iteration_under_way_survives_json():
    picked = pick(SEMANTICS, waiting(INSERT), INSERT)
    fired, _ = fire(SEMANTICS, picked, INSERT)
    for configuration in (picked, fired):
        trace = RunTrace(SEMANTICS, configuration)
        assert trace_from_json(trace_to_json(trace)).start == configuration


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "KeyError: 'format'"),
        ('{"format": "other"}', "the format is 'other'"),
        ("[", "not a saved trace"),
        ("3", "not a saved trace: TypeError"),
    ],
)
def test_a_text_that_is_not_a_trace_is_a_data_error(text, message):
    with pytest.raises(DataError, match="not a saved trace") as caught:
        trace_from_json(text)
    assert message in str(caught.value)


def test_a_step_without_a_fact_is_a_data_error():
    document = json.loads(trace_to_json(pipelined_trace(SEMANTICS, waiting(INSERT), Fifo())))
    document["steps"][0][1][1] = 3
    with pytest.raises(DataError, match="3 is not a fact") as refused:
        trace_from_json(json.dumps(document))
    assert refused.value.code == "TL7212"


def test_executions_that_do_not_end_say_so():
    semantics = Semantics(prepare(LOOP))
    configuration = start(semantics, [Fact("a", (1,))])
    with pytest.raises(LimitError, match="pipelined execution has not finished after 20") as late:
        pipelined_trace(semantics, configuration, Fifo(), 20)
    assert late.value.code == "TL7302"
    with pytest.raises(LimitError, match="synchronous execution has not finished after 20") as late:
        synchronous_trace(semantics, configuration, 20)
    assert late.value.code == "TL7303"


def test_executions_that_are_stuck_say_so():
    semantics = Semantics(prepare(TWO_DERIVATIONS), sets=True)
    state = holding(semantics, {Fact("s"): 1, Fact("q"): 1, Fact("u"): 1})
    stuck = state.sent(semantics.network, [deletion("q"), deletion("u")])
    with pytest.raises(StuckError, match=r"none of the remaining updates can be picked: {-s}") as output:
        pipelined_trace(semantics, stuck, Fifo())
    assert output.value.code == "TL7306"
    with pytest.raises(StuckError, match="cannot pick -s") as output:
        synchronous_trace(semantics, stuck)
    assert output.value.code == "TL7308"


def test_set_semantics_keeps_one_copy():
    algorithm = PipelinedSets()
    algorithm.load(TWO_DERIVATIONS, [Fact("q"), Fact("u")])
    run(algorithm, Fifo())
    assert algorithm.tables()[""]["s"] == {(): 1}


def test_a_choice_follows_several_updates_of_one_iteration():
    semantics = Semantics(prepare(parse_program("p(min<X>) :- q(X).")))
    burst = Configuration().sent(semantics.network, [insertion("q", i) for i in (3, 1, 2)])
    done = check(synchronous_trace(semantics, burst))
    assert {str(f) for f in done.old.facts() if f.relation == "p"} == {"p(1)"}
    changes = [deletion("q", 1), insertion("q", 0), deletion("q", 0)]
    done = check(synchronous_trace(semantics, done.sent(semantics.network, changes)))
    assert {str(f) for f in done.old.facts() if f.relation == "p"} == {"p(2)"}


def test_a_choice_in_a_cycle_stops_at_its_infinite_count():
    algorithm = ExtendedExecution()
    algorithm.load(parse_program("p(min<X>) :- q(X). q(X) :- p(X)."), [Fact("q", (1,))])
    run(algorithm, Fifo())
    algorithm.apply([deletion("q", 1)])
    run(algorithm, Fifo())
    assert algorithm.tables() == {}


def test_a_configuration_is_a_value():
    one, _ = complete_iteration(SEMANTICS, waiting(INSERT), [INSERT])
    other, _ = complete_iteration(SEMANTICS, waiting(INSERT), [INSERT])
    assert one == other
    assert hash(one) == hash(other)
    assert copy.deepcopy(one) is one
    assert signed([INSERT, INSERT, DELETE]) == {Fact("q", (1,)): 1}
