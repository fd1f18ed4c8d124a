"""The cyclic programs of PPDP 2011, section 5, with the sets S and H at every step (Figures 4 and 5)."""

from tidelog.lab.semantics import (
    DERIVATION_SETS,
    ExtendedExecution,
    Fact,
    Semantics,
    check,
    deletion,
    explore_schedules,
    prepare,
    run,
    start,
    synchronous_trace,
)
from tidelog.lab.semantics.derivation_sets import sets_of
from tidelog.lab.semantics.explore import shown
from tidelog.lab.semantics.schedule import NewestFirst, Random, Script

from ..examples import FIGURE_4, REACHABLE, THREE_NODES, ring


def _inserted(program, *facts):
    semantics = Semantics(prepare(program), DERIVATION_SETS)
    return semantics, synchronous_trace(semantics, start(semantics, facts))


def _fired(trace):
    """Each update as recorded when it fires, with what it sends."""
    return [
        (str(step.update), sorted(str(update) for update in step.sent))
        for step in trace.steps
        if step.command == "fire"
    ]


def test_a_p_q_on_three_nodes_with_the_sets_of_the_text_at_every_step():
    _, trace = _inserted(THREE_NODES, Fact("a", (0,)))
    assert _fired(trace) == [
        ("+a(0) {} {}", ["+p(1) {a(0)} {}"]),
        ("+p(1) {a(0)} {}", ["+q(2) {a(0),p(1)} {}"]),
        ("+q(2) {a(0),p(1)} {}", ["+p(1) {a(0),p(1),q(2)} {}"]),
        ("+p(1) {a(0),p(1),q(2)} {p(1)}", ["+q(2) {a(0),p(1),q(2)} {p(1)}"]),
        ("+q(2) {a(0),p(1),q(2)} {p(1),q(2)}", []),
    ]


def test_a_p_q_leave_nothing_behind_when_a_goes():
    semantics, trace = _inserted(THREE_NODES, Fact("a", (0,)))
    gone = check(trace).sent(semantics.network, [deletion("a", 0)])
    assert explore_schedules(semantics, gone, "{}").agrees


BRANCHES = [
    ("+s {} {}", ["+p {s} {}"]),
    ("+p {s} {}", ["+q {p,s} {}"]),
    ("+q {p,s} {}", ["+r {p,q,s} {}"]),
    ("+r {p,q,s} {}", ["+p {p,q,r,s} {}", "+q {p,q,r,s} {}"]),
]
BRANCH_1 = [
    ("+p {p,q,r,s} {p}", ["+q {p,q,r,s} {p}"]),
    ("+q {p,q,r,s} {p,q}", ["+r {p,q,r,s} {p,q}"]),
    ("+r {p,q,r,s} {p,q,r}", []),
]
BRANCH_2 = [
    ("+q {p,q,r,s} {q}", ["+r {p,q,r,s} {q}"]),
    ("+r {p,q,r,s} {q,r}", ["+p {p,q,r,s} {q,r}"]),
    ("+p {p,q,r,s} {p,q,r}", []),
]


def test_p_q_r_s_with_the_sets_of_figure_5_at_every_step():
    _, trace = _inserted(FIGURE_4, Fact("s"))
    fired = _fired(trace)
    assert fired[:4] == BRANCHES
    assert sorted(fired[4:]) == sorted(BRANCH_1 + BRANCH_2)


def test_p_q_r_s_branch_by_branch():
    extended = ExtendedExecution(record=True)
    extended.load(FIGURE_4, [Fact("s")])
    order = ["+s", "+p {s} {}", "+q {p,s} {}", "+r {p,q,s} {}"]
    order += ["+p {p,q,r,s} {}", "+q {p,q,r,s} {p}", "+r {p,q,r,s} {p,q}"]
    order += ["+q {p,q,r,s} {}", "+r {p,q,r,s} {q}", "+p {p,q,r,s} {q,r}"]
    run(extended, Script(order))
    assert _fired(extended.trace()) == BRANCHES + BRANCH_1 + BRANCH_2


def test_p_q_r_have_infinite_count_and_s_has_not():
    _, trace = _inserted(FIGURE_4, Fact("s"))
    infinite = {o.fact for _, o, _ in check(trace).old.occurrences() if o.fact in sets_of(o)[1]}
    assert infinite == {Fact("p"), Fact("q"), Fact("r")}


def test_p_q_r_s_end_alike_under_every_schedule():
    semantics = Semantics(prepare(FIGURE_4), DERIVATION_SETS)
    found = explore_schedules(semantics, start(semantics, [Fact("s")]))
    assert found.agrees
    assert found.expected == "{p, p, p, q, q, q, r, r, r, s}"


def test_rings_grow_fast_under_the_extended_algorithm():
    updates = []
    for size in (2, 3):
        extended = ExtendedExecution()
        extended.load(REACHABLE, ring(size))
        run(extended, NewestFirst())
        updates.append(extended.updates)
    assert updates[1] > 10 * updates[0]


def test_a_ring_of_three_survives_the_loss_of_a_link():
    extended = ExtendedExecution()
    extended.load(REACHABLE, ring(3))
    run(extended, Random(1))
    extended.apply([deletion("link", 0, 1), deletion("link", 1, 0)])
    run(extended, Random(2))
    assert "reachable(0,1)" in shown(extended)
    assert extended.bytes > 0
