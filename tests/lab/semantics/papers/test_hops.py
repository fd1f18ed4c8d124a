"""The link, hop and tri_hop example of PPDP 2011, sections 3.2 and 4.2, with its multisets and its updates."""

import itertools
from collections import Counter

from tidelog.lab.semantics import (
    Fact,
    Semantics,
    check,
    commit,
    complete_iteration,
    deletion,
    fire,
    holding,
    insertion,
    multiset_state,
    pick,
    prepare,
    synchronous_trace,
)
from tidelog.lab.semantics.executions import run_all

from ..examples import HOPS

LINKS = ["ab", "ad", "dc", "bc", "ch", "fg"]
BURST = [insertion("link", "d", "f"), insertion("link", "a", "f"), deletion("link", "a", "b")]
FIRST_ITERATION = ["+hop(a,f)", "+hop(a,g)", "+hop(d,g)", "-hop(a,c)"]
SEMANTICS = Semantics(prepare(HOPS))


def _facts(relation, *pairs):
    return [Fact(relation, tuple(pair)) for pair in pairs]


def _state():
    return Counter(_facts("link", *LINKS) + _facts("hop", "ac", "ac", "dh", "bh") + _facts("tri_hop", "ah", "ah"))


def _start():
    return holding(SEMANTICS, _state()).sent(SEMANTICS.network, BURST)


def test_the_multisets_of_the_text_are_the_state_from_scratch():
    assert multiset_state(SEMANTICS.network, Counter(_facts("link", *LINKS))) == _state()


def test_one_pipelined_iteration_command_by_command():
    update = insertion("link", "a", "f")
    picked = pick(SEMANTICS, _start(), update)
    assert picked.new.facts() - picked.old.facts() == Counter(_facts("link", "af"))
    assert repr(picked.picked) == "{+link(a,f)}"
    fired, sent = fire(SEMANTICS, picked, update)
    assert [str(u) for u in sent] == ["+hop(a,g)"]
    assert repr(fired.fired) == "{+link(a,f)}"
    done = commit(SEMANTICS, fired, update)
    assert done.settled
    assert done.old == done.new
    assert repr(done.waiting()) == "{+hop(a,g), +link(d,f), -link(a,b)}"


def test_the_first_synchronous_iteration_sends_the_updates_of_the_text():
    # The text lists five updates, -hop(a,h) among them; hop(a,h) is in no multiset of the example (a reaches h in three
    # steps), and the delta rules do not derive its deletion. The other four are these.
    after, steps = run_all(SEMANTICS, _start())
    assert repr(after.waiting()) == "{" + ", ".join(FIRST_ITERATION) + "}"
    assert [step.command for step in steps] == ["pick"] * 3 + ["fire"] * 3 + ["commit"] * 3


def test_the_three_updates_one_by_one_in_any_order_send_the_same():
    for order in itertools.permutations(BURST):
        configuration = _start()
        for update in order:
            configuration, _ = complete_iteration(SEMANTICS, configuration, [update])
        assert repr(configuration.waiting()) == "{" + ", ".join(FIRST_ITERATION) + "}"


def test_the_synchronous_execution_ends_in_the_state_from_scratch():
    links = [*LINKS[1:], "df", "af"]
    assert check(synchronous_trace(SEMANTICS, _start())).old.facts() == multiset_state(
        SEMANTICS.network, Counter(_facts("link", *links))
    )
