"""Lemmas 1 and 10 to 13 of PPDP 2011: ends, permuting, merging, and pairs of complementary conflicting updates.

Each is tested on its own example, and at all moments of executions of programs drawn by seed, over every pair or cut of
the updates that wait there, base and derived, with variables, without recursion and with S and H. The number of cases
in which a lemma has anything to say is asserted, so that no run passes for want of cases.
"""

from collections import Counter
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import LimitError
from tidelog.lab.semantics import (
    DERIVATION_SETS,
    TREES,
    Bag,
    Configuration,
    Fact,
    IllegalStep,
    PipelinedExecution,
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
    run,
)
from tidelog.lab.semantics.annotation import DerivationNote, Tree, tree_of
from tidelog.lab.semantics.fact import order
from tidelog.lab.semantics.schedule import Random
from tidelog.lab.semantics.theory import (
    complement,
    conflicting,
    differ_in_pairs,
    numbered,
    state_of,
    transient,
    without_pairs,
)
from tidelog.syntax import parse_program

from ..examples import BINARY_FACTS, HOPS, UNARY_FACTS, binary_programs, changes_of, propositions
from .moments import NAMES, moments

QUICK = settings(max_examples=20, deadline=None)
JOIN = parse_program("p :- r1, r2.")
PAIR = parse_program("p :- r, q. v :- p.")
KINDS = pytest.mark.parametrize(("recursive", "seeds"), [(False, 40), (True, 30)], ids=["trees", "S and H"])


def _after(semantics, configuration, *updates):
    """The configuration after one iteration per update, or None when one of them cannot be picked."""
    try:
        for update in updates:
            configuration, _ = complete_iteration(semantics, configuration, [update])
    except IllegalStep:
        return None
    return configuration


def _waiting(moment, most=6):
    return sorted(moment.configuration.waiting(), key=order)[:most]


def _extra(one, other):
    return Counter(one.waiting().counts()) - Counter(other.waiting().counts())


def _pairs_of(extra, moment):
    """Whether what is extra are pairs, and conflicting ones as far as the paper's definition goes."""
    assert all(extra[complement(update)] == copies for update, copies in extra.items())
    assert all(transient(update, moment.burst) for update in extra)
    assert not moment.net or all(conflicting(update, moment.burst) for update in extra)
    return bool(extra)


# Lemma 1


@settings(max_examples=10, deadline=None)
@given(propositions(), changes_of(UNARY_FACTS))
def test_lemma_1_without_recursion_every_pipelined_execution_ends(program, data):
    semantics = Semantics(prepare(program))
    inserted = [Update(1, fact) for fact in data[0][:3]]
    found = explore_schedules(semantics, Configuration().sent(semantics.network, inserted))
    assert found.cycle is None
    assert found.longest is not None


@QUICK
@given(binary_programs(), changes_of(BINARY_FACTS), st.integers(0, 99))
def test_lemma_1_what_an_update_derives_stands_higher_in_the_dependency_graph(program, data, seed):
    algorithm = PipelinedExecution(record=True)
    algorithm.load(program, data[0])
    algorithm.apply(data[1])
    run(algorithm, Random(seed))
    height = {name: number for number, name in enumerate(["e0", "e1", "d0", "d1"])}
    for step in algorithm.trace().steps:
        assert all(height[sent.fact.relation] > height[step.update.fact.relation] for sent in step.sent)


# Lemmas 10 and 11


def test_lemma_10_on_the_links_of_the_text():
    semantics = Semantics(prepare(HOPS))
    links = Counter(Fact("link", tuple(pair)) for pair in ["ab", "ad", "dc", "bc", "ch", "fg"])
    first, second = insertion("link", "a", "f"), insertion("link", "d", "f")
    state = holding(semantics, links).sent(semantics.network, [first, second])
    assert _after(semantics, state, first, second) == _after(semantics, state, second, first)


@KINDS
def test_lemma_10_updates_of_the_same_kind_permute(recursive, seeds):
    cases = derived = 0
    for seed in range(seeds):
        for moment in moments(seed, recursive=recursive):
            for first, second in combinations(_waiting(moment), 2):
                if first.sign != second.sign:
                    continue
                one = _after(moment.semantics, moment.configuration, first, second)
                other = _after(moment.semantics, moment.configuration, second, first)
                assert (one is None) == (other is None), "neither order is possible without the other"
                assert one == other
                cases += one is not None
                derived += one is not None and tree_of(first).height > 0 < tree_of(second).height
    assert cases >= 100
    assert derived >= 40


def test_lemma_11_on_the_join_of_the_text():
    semantics = Semantics(prepare(JOIN))
    insert, delete = insertion("r1"), deletion("r2")
    state = holding(semantics, {Fact("r2"): 1}).sent(semantics.network, [insert, delete])
    insert_first = _after(semantics, state, insert, delete)
    delete_first = _after(semantics, state, delete, insert)
    assert repr(insert_first.waiting()) == "{+p, -p}"
    assert repr(delete_first.waiting()) == "{}"
    assert insert_first.old == delete_first.old


@KINDS
def test_lemma_11_updates_of_different_kinds_permute_up_to_complementary_conflicting_pairs(recursive, seeds):
    cases = derived = extras = conflicts = 0
    for seed in range(4 * seeds):
        for moment in moments(seed, recursive=recursive):
            updates = _waiting(moment, 8)
            for insert, delete in ((u, v) for u in updates for v in updates if u.sign > 0 > v.sign):
                if insert.occurrence == delete.occurrence:
                    continue
                one = _after(moment.semantics, moment.configuration, insert, delete)
                other = _after(moment.semantics, moment.configuration, delete, insert)
                assert (one is None) == (other is None), "neither order is possible without the other"
                if one is None:
                    continue
                assert one.old == other.old
                assert not _extra(other, one)
                found = _pairs_of(_extra(one, other), moment)
                extras += found
                conflicts += found and moment.net
                cases += 1
                derived += tree_of(insert).height > 0 or tree_of(delete).height > 0
    assert cases >= 400
    assert derived >= 200
    assert extras >= 50
    assert conflicts >= 15, "pairs of which the paper's definition has to hold"


def test_lemma_11_with_another_fact_taken_literally_fails_when_one_copy_comes_and_goes():
    # p rests on a alone, which is inserted and deleted: its pair is complementary, but there is no other fact.
    semantics = Semantics(prepare(parse_program("r1 :- a. r2 :- a. p :- r1, r2.")), TREES)
    _, burst = numbered([], [insertion("a"), deletion("a")])
    configuration = Configuration().sent(semantics.network, burst)
    for text in ("+a", "+r2", "-a"):
        configuration = _after(semantics, configuration, _named(configuration, text))
    insert, delete = _named(configuration, "+r1"), _named(configuration, "-r2")
    extra = _extra(_after(semantics, configuration, insert, delete), _after(semantics, configuration, delete, insert))
    assert sorted(str(u.fact) for u in extra) == ["p", "p"]
    assert not any(conflicting(update, burst) for update in extra)
    assert all(transient(update, burst) for update in extra)


def _named(configuration, text):
    return next(u for u in configuration.waiting() if str(Update(u.sign, u.fact)) == text)


# Lemma 12


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


@KINDS
def test_lemma_12_iterations_merge_and_split_at_every_cut_in_every_order(recursive, seeds):
    cases = differences = 0
    for seed in range(seeds // 2):
        for moment in moments(seed, recursive=recursive, most=4):
            updates = _waiting(moment, 4)
            for size in (2, 3):
                for order_of_picks in permutations(updates, size):
                    merged = _iteration(moment, moment.configuration, order_of_picks)
                    for cut in range(1, size):
                        split = _split(moment, order_of_picks, cut)
                        assert (merged is None) == (split is None), "in one order both are possible or neither"
                        if merged is None:
                            continue
                        assert merged.old == split.old
                        differences += _pairs_of(_extra(merged, split), moment) + _pairs_of(
                            _extra(split, merged), moment
                        )
                        cases += 1
    assert cases >= 300
    assert differences >= 10


def _iteration(moment, configuration, updates):
    try:
        return complete_iteration(moment.semantics, configuration, updates)[0]
    except IllegalStep:
        return None


def _split(moment, updates, cut):
    first = _iteration(moment, moment.configuration, updates[:cut])
    return None if first is None else _iteration(moment, first, updates[cut:])


def test_lemma_12_as_printed_is_false_without_a_side_condition():
    semantics = Semantics(prepare(parse_program("p :- x.")))
    update, others = insertion("x"), [deletion("x")]
    both = Configuration().sent(semantics.network, [update, *others])
    merged, _ = complete_iteration(semantics, both, [update, *others])
    assert merged.old == Configuration().old
    with pytest.raises(IllegalStep, match="cannot pick -x: the fact is not present"):
        complete_iteration(semantics, both, others)


def test_lemma_12_the_side_condition_explains_every_merged_iteration_without_a_split():
    unsplit = 0
    for seed in range(20):
        for moment in moments(seed, most=4):
            updates = _waiting(moment, 4)
            for update in updates:
                for others in combinations([u for u in updates if u != update], 2):
                    ordered = sorted([update, *others], key=lambda u: -u.sign)
                    merged = _iteration(moment, moment.configuration, ordered)
                    split = _split(moment, [*sorted(others, key=lambda u: -u.sign), update], 2)
                    if merged is not None and split is None:
                        unsplit += 1
                        assert update.sign > 0
                        assert complement(update) in others
    assert unsplit >= 3


# Lemma 13


def test_lemma_13_on_the_example_of_the_text():
    semantics = Semantics(prepare(PAIR))
    state = holding(semantics, {Fact("r"): 1})
    pair = state.sent(semantics.network, [insertion("p"), deletion("p")])
    assert explore_schedules(semantics, pair, "{r}").agrees


@KINDS
def test_lemma_13_no_pair_of_complementary_updates_changes_the_end(recursive, seeds):
    cases = derives = 0
    for seed in range(seeds // 2):
        for moment in moments(seed, recursive=recursive, most=3):
            plain = _ended(moment, (), seed)
            for fact in PAIRED:
                pair = [Update(sign, fact, DerivationNote((), Tree("pair", fact, ()))) for sign in (1, -1)]
                trace = _ended(moment, pair, seed + 1)
                assert check(trace) == check(plain)
                cases += 1
                derives += any(step.sent for step in trace.steps if tree_of(step.update) == tree_of(pair[0]))
    assert cases >= 300
    assert derives >= 100, "the pair derives something"


PAIRED = [Fact(name, (x, y)) for name in NAMES for x in (1, 2) for y in (1, 2)]


def _ended(moment, pair, seed):
    semantics = moment.semantics
    return pipelined_trace(semantics, moment.configuration.sent(semantics.network, pair), Random(seed))


def test_lemma_13_a_pair_that_goes_round_a_cycle_for_ever_needs_s_and_h():
    # The lemma rests on termination: without the sets the same pair breeds pairs.
    program, pair = parse_program("p :- a. q :- p. p :- q."), [insertion("p"), deletion("p")]
    with_sets = Semantics(prepare(program), DERIVATION_SETS)
    assert explore_schedules(with_sets, Configuration().sent(with_sets.network, pair), "{}").agrees
    without = Semantics(prepare(program))
    with pytest.raises(LimitError):
        pipelined_trace(without, Configuration().sent(without.network, pair), Random(1), 200)


def test_pairs_cancel_and_conflicts_are_read_off_derivations():
    semantics = Semantics(prepare(PAIR), TREES)
    insertions, burst = numbered([Fact("q")], [insertion("r"), deletion("q")])
    state = state_of(semantics.network, insertions)
    waiting = Configuration(state, state).sent(semantics.network, burst)
    merged, _ = complete_iteration(semantics, waiting, burst)
    sent = list(merged.waiting())
    assert {tree_of(update).height for update in sent} == {1}
    assert all(conflicting(update, burst) for update in sent)
    assert all(transient(update, burst) for update in sent)
    for part in (burst[:1], burst[1:], []):
        assert not any(conflicting(update, part) or transient(update, part) for update in sent)
    assert complement(sent[0]) in sent
    assert len(without_pairs(sent)) == 0


def test_copies_of_a_base_fact_are_distinguished():
    program = parse_program("s :- q. s :- u.")
    insertions, changes = numbered([Fact("q"), Fact("q"), Fact("u")], [deletion("q"), insertion("q")])
    assert [str(tree_of(update)) for update in (*insertions, *changes)] == ["q¹", "q²", "u¹", "q¹", "q³"]
    state = state_of(prepare(program), insertions)
    assert {str(o) for _, o, _ in state.occurrences()} == {"q q¹", "q q²", "s s[q¹]", "s s[q²]", "s s[u¹]", "u u¹"}
    assert all(count == 1 for _, _, count in state.occurrences())


def test_the_update_multiset_of_section_2_3():
    semantics = Semantics(prepare(parse_program("p(X) :- q(X).")))
    held = holding(semantics, Counter([Fact("q", (x,)) for x in "aabc"]))
    burst = [insertion("q", "d"), deletion("q", "a"), deletion("q", "a")]
    configuration, _ = complete_iteration(semantics, held.sent(semantics.network, burst), burst)
    assert repr(configuration.old) == "{q(b), q(c), q(d)}"
    assert configuration.waiting() == Bag([insertion("p", "d"), deletion("p", "a"), deletion("p", "a")])
