"""Lemmas 10 to 13 of PPDP 2011: permuting, merging, and pairs of complementary conflicting updates.

Each is tested on its own example and on random programs, over every pair of updates that may be picked.
"""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.semantics import (
    TREES,
    Configuration,
    Fact,
    Semantics,
    Update,
    check,
    complete_iteration,
    deletion,
    explore_schedules,
    holding,
    insertion,
    pipelined_trace,
    prepare,
)
from tidelog.semantics.annotation import tree_of
from tidelog.semantics.commands import choices
from tidelog.semantics.executions import run_all
from tidelog.semantics.schedule import Random
from tidelog.semantics.theory import annotated_state, complement, conflicting, differ_in_pairs, without_pairs
from tidelog.syntax import parse_program

from ..examples import BINARY_FACTS, HOPS, binary_programs, changes_of

QUICK = settings(max_examples=20, deadline=None)
JOIN = parse_program("p :- r1, r2.")
PAIR = parse_program("p :- r, q. v :- p.")


def _after(semantics, configuration, *updates):
    """The configuration after one iteration per update, or None when one of them cannot be picked."""
    for update in updates:
        if update not in {u for _, u in choices(semantics, configuration)}:
            return None
        configuration, _ = complete_iteration(semantics, configuration, [update])
    return configuration


def _with_changes(program, data, annotation=TREES):
    base, changes = data
    semantics = Semantics(prepare(program), annotation)
    state = annotated_state(semantics.network, base)
    return semantics, Configuration(state, state).sent(semantics.network, changes)


def _moments(semantics, configuration, count=3):
    """The configuration and what it becomes after one and two synchronous iterations."""
    for _ in range(count):
        yield configuration
        configuration, _ = run_all(semantics, configuration)


def _pairs(semantics, configuration):
    for first in configuration.waiting().distinct():
        for second in configuration.waiting().distinct():
            one, other = (
                _after(semantics, configuration, first, second),
                _after(semantics, configuration, second, first),
            )
            if one is not None and other is not None:
                yield first, second, one, other


def test_lemma_10_on_the_links_of_the_text():
    semantics = Semantics(prepare(HOPS))
    links = Counter(Fact("link", tuple(pair)) for pair in ["ab", "ad", "dc", "bc", "ch", "fg"])
    first, second = insertion("link", "a", "f"), insertion("link", "d", "f")
    state = holding(semantics, links).sent(semantics.network, [first, second])
    assert _after(semantics, state, first, second) == _after(semantics, state, second, first)


@QUICK
@given(binary_programs(), changes_of(BINARY_FACTS))
def test_lemma_10_updates_of_the_same_kind_permute(program, data):
    semantics, configuration = _with_changes(program, data)
    for moment in _moments(semantics, configuration):
        for first, second, one, other in _pairs(semantics, moment):
            if first.sign == second.sign:
                assert one == other


def test_lemma_11_on_the_join_of_the_text():
    semantics = Semantics(prepare(JOIN))
    insert, delete = insertion("r1"), deletion("r2")
    state = holding(semantics, {Fact("r2"): 1}).sent(semantics.network, [insert, delete])
    insert_first = _after(semantics, state, insert, delete)
    delete_first = _after(semantics, state, delete, insert)
    assert repr(insert_first.waiting()) == "{+p, -p}"
    assert repr(delete_first.waiting()) == "{}"
    assert insert_first.old == delete_first.old


@QUICK
@given(binary_programs(), changes_of(BINARY_FACTS))
def test_lemma_11_updates_of_different_kinds_permute_up_to_complementary_conflicting_pairs(program, data):
    semantics, configuration = _with_changes(program, data)
    inserted = [u.fact for u in data[1] if u.sign > 0]
    deleted = [u.fact for u in data[1] if u.sign < 0]
    for first, second, one, other in _pairs(semantics, configuration):
        if first.sign > second.sign and first.fact != second.fact:
            assert one.old == other.old
            extra = Counter(one.waiting().counts()) - Counter(other.waiting().counts())
            assert not Counter(other.waiting().counts()) - Counter(one.waiting().counts())
            assert all(extra[complement(update)] == copies for update, copies in extra.items())
            assert all(conflicting(update, inserted, deleted) for update in extra)


def test_lemma_12_on_the_example_of_the_text():
    semantics = Semantics(prepare(PAIR))
    insert, delete = insertion("r"), deletion("q")
    state = holding(semantics, {Fact("q"): 1}).sent(semantics.network, [insert, delete])
    merged, _ = complete_iteration(semantics, state, [insert, delete])
    apart = _after(semantics, state, delete, insert)
    assert repr(merged.waiting()) == "{+p, -p}"
    assert repr(apart.waiting()) == "{}"
    assert merged.old == apart.old
    assert differ_in_pairs(merged.waiting(), apart.waiting())


@QUICK
@given(binary_programs(), changes_of(BINARY_FACTS))
def test_lemma_12_an_iteration_splits_into_smaller_ones_up_to_pairs(program, data):
    semantics, configuration = _with_changes(program, data)
    for moment in _moments(semantics, configuration):
        every = sorted(moment.waiting(), key=lambda update: -update.sign)
        merged, _ = complete_iteration(semantics, moment, every)
        for size in range(len(every)):
            first, _ = complete_iteration(semantics, moment, every[:size])
            split, _ = complete_iteration(semantics, first, every[size:])
            assert split.old == merged.old
            assert differ_in_pairs(split.waiting(), merged.waiting())


def test_lemma_13_on_the_example_of_the_text():
    semantics = Semantics(prepare(PAIR))
    state = holding(semantics, {Fact("r"): 1})
    pair = state.sent(semantics.network, [insertion("p"), deletion("p")])
    assert explore_schedules(semantics, pair, "{r}").agrees


@QUICK
@given(binary_programs(), changes_of(BINARY_FACTS), st.integers(0, 99))
def test_lemma_13_a_pair_of_complementary_updates_does_not_change_the_end(program, data, seed):
    semantics, configuration = _with_changes(program, data)
    pair = [Update(1, Fact("d0", (1, 2))), Update(-1, Fact("d0", (1, 2)))]
    plain = pipelined_trace(semantics, configuration, Random(seed))
    with_pair = pipelined_trace(semantics, configuration.sent(semantics.network, pair), Random(seed + 1))
    assert check(plain) == check(with_pair)


def test_pairs_cancel_and_conflicts_are_read_off_derivations():
    semantics = Semantics(prepare(PAIR), TREES)
    state = annotated_state(semantics.network, [Fact("q")])
    burst = Configuration(state, state).sent(semantics.network, [insertion("r"), deletion("q")])
    merged, _ = complete_iteration(semantics, burst, [insertion("r"), deletion("q")])
    sent = list(merged.waiting())
    assert {tree_of(update).height for update in sent} == {1}
    assert all(conflicting(update, [Fact("r")], [Fact("q")]) for update in sent)
    assert not conflicting(sent[0], [Fact("r")], [Fact("x")])
    assert complement(sent[0]) in sent
    assert len(without_pairs(sent)) == 0
