"""Lemmas 1 to 3 of LAM 2010L as statements about proof objects; 2 and 3 are false as printed.

Each proof is built as a derivation and accepted by the checker. What these tests cannot notice: a difference that needs
a larger program.
"""

from itertools import combinations, permutations

import pytest

from tests.lab.semantics.sellf.test_proofs import CASES, started
from tidelog.lab.semantics import (
    Fact,
    IllegalStep,
    RunTrace,
    check,
    complete_iteration,
    deletion,
    insertion,
    pipelined_trace,
)
from tidelog.lab.semantics.schedule import Fifo
from tidelog.lab.semantics.sellf import derivation_of, is_proof, theory_of
from tidelog.syntax import parse_program

X, NOT_X = insertion("x"), deletion("x")


def proved(semantics, start, *batches):
    """The facts with proofs that begin with iterations over these batches and go on one update at a time."""
    configuration, steps = start, []
    for batch in batches:
        insertions_first = sorted(batch, key=lambda update: -update.sign)  # a batch is a multiset: any order will do
        configuration, more = complete_iteration(semantics, configuration, insertions_first)
        steps += more
    steps += pipelined_trace(semantics, configuration, Fifo()).steps
    trace = RunTrace(semantics, start, tuple(steps))
    facts = set(check(trace).old.facts())
    theory = theory_of(semantics.network)
    assert all(is_proof(theory, derivation_of(trace, fact)) for fact in facts)
    return facts


def proved_if_possible(semantics, start, *batches):
    """The same, None if there is no such proof."""
    try:
        return proved(semantics, start, *batches)
    except IllegalStep:
        return None


def takes_back(deleting, inserting, configuration):
    """Whether an update deletes the only copy of a fact, which the other one inserts."""
    opposite = deleting.sign < 0 < inserting.sign and deleting.fact == inserting.fact
    return opposite and deleting.fact not in configuration.old.facts()


@pytest.mark.parametrize("name", CASES)
def test_lemma_1_complementary_updates_change_no_proof(name):
    program, base, changes = CASES[name]
    for fact in {change.fact for change in changes}:
        more = [*changes, insertion(fact.relation, *fact.row), deletion(fact.relation, *fact.row)]
        assert proved(*started(program, base, more)) == proved(*started(program, base, changes))


@pytest.mark.parametrize("name", CASES)
def test_lemma_2_iterations_permute_unless_the_second_takes_the_first_back(name):
    semantics, start = started(*CASES[name])
    swapped = 0
    for first, second in permutations(CASES[name][2], 2):
        facts = proved_if_possible(semantics, start, [first], [second])
        if facts is None or takes_back(second, first, start):
            continue
        assert proved(semantics, start, [second], [first]) == facts
        swapped += 1
    assert swapped or name == "twice"


@pytest.mark.parametrize("name", CASES)
def test_lemma_3_iterations_merge_and_split_unless_the_split_takes_back_what_is_not_there(name):
    semantics, start = started(*CASES[name])
    changes = CASES[name][2]
    for size in range(1, len(changes)):
        for batch in combinations(changes, size):
            for update in changes:
                if update in batch:
                    continue
                merged = proved_if_possible(semantics, start, [*batch, update])
                apart = proved_if_possible(semantics, start, batch, [update])
                if apart is not None:
                    assert merged == apart
                elif merged is not None:
                    assert any(takes_back(each, update, start) for each in batch)


def test_lemma_2_is_false_as_printed():
    semantics, start = started(parse_program("p :- x."), [], [X, NOT_X])
    assert proved(semantics, start, [X], [NOT_X]) == set()
    with pytest.raises(IllegalStep, match="cannot pick -x"):
        proved(semantics, start, [NOT_X], [X])


def test_lemma_3_is_false_as_printed():
    semantics, start = started(parse_program("p :- x."), [], [X, NOT_X])
    assert proved(semantics, start, [NOT_X, X]) == set()
    with pytest.raises(IllegalStep, match="cannot pick -x"):
        proved(semantics, start, [NOT_X], [X])
    assert Fact("p") not in proved(semantics, start, [X], [NOT_X])
