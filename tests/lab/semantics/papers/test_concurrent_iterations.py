"""Theorem 2 of PPDP 2011: iterations at different nodes of a localised program may run at the same time."""

import itertools

from hypothesis import given, settings

from tidelog.lab.semantics import (
    Fact,
    Semantics,
    check,
    complete_iteration,
    deletion,
    holding,
    insertion,
    prepare,
    start,
    synchronous_trace,
)
from tidelog.lab.semantics.commands import choices
from tidelog.lab.semantics.trace import perform
from tidelog.syntax import parse_program

from ..examples import BINARY_FACTS, binary_programs, changes_of

EXAMPLE = parse_program("p(@Y) :- s(@X,Y). s(@Y,X) :- q(@X), v(@X,Y).")
COMMANDS = ("pick", "fire", "commit")


def interleavings(nodes=2):
    """All ways to run sequences of three commands at once: which of them moves next."""
    if nodes == 2:
        for turns in itertools.combinations(range(6), 3):
            yield [0 if position in turns else 1 for position in range(6)]
        return
    for last in itertools.combinations(range(9), 3):
        for turns in interleavings():
            others = iter(turns)
            yield [2 if position in last else next(others) for position in range(9)]


def run_interleaved(semantics, configuration, updates, turns):
    done = [0] * len(updates)
    for who in turns:
        configuration, _ = perform(semantics, configuration, COMMANDS[done[who]], updates[who])
        done[who] += 1
    return configuration


def test_theorem_2_on_the_two_nodes_of_the_text():
    semantics = Semantics(prepare(EXAMPLE))
    facts = {Fact("q", ("n1",)): 1, Fact("v", ("n1", "n2")): 1}
    insert, delete = insertion("s", "n2", "n1"), deletion("q", "n1")
    state = holding(semantics, facts).sent(semantics.network, [insert, delete])
    one, _ = complete_iteration(semantics, state, [delete])
    in_sequence, _ = complete_iteration(semantics, one, [insert])
    assert repr(in_sequence.waiting()) == "{+p(n1), -s(n2,n1)}"
    for turns in interleavings():
        assert run_interleaved(semantics, state, (delete, insert), turns) == in_sequence


@settings(max_examples=25, deadline=None)
@given(binary_programs(), changes_of(BINARY_FACTS))
def test_theorem_2_on_random_localised_programs(program, data):
    base, changes = data
    semantics = Semantics(prepare(program))
    state = check(synchronous_trace(semantics, start(semantics, base))).sent(semantics.network, changes)
    open_updates = list(choices(semantics, state))
    for (here, first), (there, second) in itertools.combinations(open_updates, 2):
        if here == there:
            continue
        one, _ = complete_iteration(semantics, state, [first])
        in_sequence, _ = complete_iteration(semantics, one, [second])
        for turns in interleavings():
            assert run_interleaved(semantics, state, (first, second), turns) == in_sequence


def test_theorem_2_needs_different_nodes():
    # On one node an iteration sees the other's tables half changed, and sends a pair that the sequence does not.
    semantics = Semantics(prepare(parse_program("p :- r, q.")))
    delete, insert = deletion("q"), insertion("r")
    state = holding(semantics, {Fact("q"): 1}).sent(semantics.network, [delete, insert])
    one, _ = complete_iteration(semantics, state, [delete])
    in_sequence, _ = complete_iteration(semantics, one, [insert])
    assert repr(in_sequence.waiting()) == "{}"
    together = run_interleaved(semantics, state, (delete, insert), [0, 1, 0, 1, 0, 1])
    assert repr(together.waiting()) == "{+p, -p}"


def test_theorem_2_with_three_nodes_in_every_interleaving():
    program = parse_program("p(@Y) :- s(@X,Y). s(@Y,X) :- q(@X), v(@X,Y). w(@Y,X) :- s(@X,Y), t(@X).")
    semantics = Semantics(prepare(program))
    facts = {Fact("q", (1,)): 1, Fact("v", (1, 2)): 1, Fact("s", (3, 1)): 1, Fact("t", (2,)): 1}
    updates = (deletion("q", 1), insertion("s", 2, 1), insertion("t", 3))
    state = holding(semantics, facts).sent(semantics.network, updates)
    in_sequence = state
    for update in updates:
        in_sequence, _ = complete_iteration(semantics, in_sequence, [update])
    assert repr(in_sequence.waiting()) == "{+p(1), +w(1,2), +w(1,3), -s(2,1)}"
    ends = [run_interleaved(semantics, state, updates, turns) for turns in interleavings(3)]
    assert len(ends) == 1680
    assert all(end == in_sequence for end in ends)
