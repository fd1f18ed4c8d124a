"""What algorithms that work in epochs are made of: asserted and visible facts, and for ranked support clock, supports
and strata."""

import copy

import pytest

from tidelog.errors import DataError
from tidelog.lab.semantics import Fact, Update, deletion, insertion, prepare
from tidelog.lab.semantics.asserted import AssertedFacts
from tidelog.lab.semantics.fact import DELETE, INSERT
from tidelog.lab.semantics.ranked import GROUND, Rank, Support
from tidelog.lab.semantics.ranked.clock import Clock
from tidelog.lab.semantics.ranked.strata import Strata
from tidelog.lab.semantics.ranked.supports import Supports
from tidelog.lab.semantics.visible import VisibleFacts
from tidelog.syntax import parse_program

P, Q, R = Fact("p"), Fact("q"), Fact("r")


def test_an_epoch_takes_in_the_sum_of_its_signs():
    asserted = AssertedFacts(prepare(parse_program("p :- q. p :- r.")))
    asserted.apply([insertion("q"), insertion("q"), deletion("q"), insertion("r"), deletion("r"), deletion("p")])
    assert asserted.due()
    assert asserted.take_changes() == [insertion("q")]
    assert set(asserted) == {Q}
    assert not asserted.due()
    asserted.apply([insertion("q"), insertion("r")])
    assert asserted.take_changes() == [insertion("r")]
    asserted.apply([deletion("q"), deletion("q")])
    assert asserted.take_changes() == [deletion("q")]
    assert Q not in asserted
    assert R in asserted


def test_a_change_that_does_not_fit_the_program_does_not_wait():
    asserted = AssertedFacts(prepare(parse_program("p :- q.")))
    with pytest.raises(DataError, match="unknown relation `s`"):
        asserted.apply([insertion("s")])
    assert not asserted.due()


def test_rules_without_body_are_due_once():
    asserted = AssertedFacts(prepare(parse_program("r1: p. r2: p. q :- p.")))
    assert asserted.due()
    assert asserted.take_axioms() == {P: 2}
    assert not asserted.due()
    assert asserted.take_axioms() == {}


def test_facts_and_changes_that_wait_decide_the_future():
    asserted = AssertedFacts(prepare(parse_program("r1: p. q :- p.")))
    seen = {asserted.canonical()}
    asserted.take_axioms()
    seen.add(asserted.canonical())
    asserted.apply([insertion("q")])
    seen.add(asserted.canonical())
    asserted.take_changes()
    seen.add(asserted.canonical())
    assert len(seen) == 4


@pytest.mark.parametrize("sign", [DELETE, INSERT])
def test_a_fact_that_matches_two_atoms_takes_part_in_each_derivation_once(sign):
    visible = VisibleFacts(prepare(parse_program("s(X,Y) :- t(X), t(Y).")))
    for x in (1, 2):
        visible.show(Fact("t", (x,)))
    heads = [instance.head.row for instance in visible.derivations(sign, Fact("t", (2,)))]
    assert sorted(heads) == [(1, 2), (2, 1), (2, 2)]
    visible.hide(Fact("t", (2,)))
    assert [visible.holds(Fact("t", (x,))) for x in (1, 2)] == [True, False]


def test_candidates_of_choices_are_found_among_the_visible_facts():
    network = prepare(parse_program("m(min<X>) :- t(X)."))
    visible = VisibleFacts(network)
    candidate = Fact(network.choices[0].candidates, (3,))
    visible.show(Fact("t", (3,)))
    visible.show(candidate)
    assert visible.candidates() == [candidate]


def test_a_clock_has_the_greatest_depth_and_clock_its_node_has_seen():
    clock = Clock()
    clock.see(1, Rank(4, 2))
    clock.see(1, Rank(2, 6))
    assert clock[1] == Rank(4, 6)
    assert (clock.rank_above(1, 0), clock.rank_above(1, clock[1].depth)) == (Rank(1, 7), Rank(5, 8))
    assert clock.rank_above(2, 0) == Rank(1, 1)
    assert clock[1] == Rank(5, 8)


def _supports():
    supports = Supports()
    for depth, fact in ((3, P), (1, Q), (2, R)):
        assert supports.gain(fact, GROUND)
        supports[fact].enter(Rank(depth, 1))
    return supports


def test_suspended_facts_with_supports_come_back_in_the_order_of_ranks():
    supports = _supports()
    for fact in (P, Q):
        assert not supports.gain(fact, Rank(7, 1))
    assert [supports.lose(fact, GROUND) for fact in (P, Q, R)] == [True, True, True]
    assert supports[P] == Support(rank=Rank(3, 1), all=1, low=0, present=False)
    assert supports.release() == [Q, P]
    assert R not in supports
    assert supports.release() == []


def test_a_support_of_higher_rank_does_not_hold_and_its_loss_does_not_suspend():
    supports = _supports()
    supports.gain(Q, Rank(7, 1))
    assert not supports.lose(Q, Rank(7, 1))
    assert supports.lose(Q, GROUND)


def test_a_copy_of_supports_goes_its_own_way():
    supports = _supports()
    supports.lose(P, GROUND)
    twin = copy.deepcopy(supports)
    assert type(twin) is Supports
    assert twin.canonical() == supports.canonical()
    twin.release()
    assert twin.canonical() != supports.canonical()
    assert P in supports


def test_an_epoch_visits_the_strata_that_its_changes_concern():
    strata = Strata(prepare(parse_program("p :- q. s :- p. u :- t. v :- q, u.")))
    strata.begin([Update(INSERT, Q, GROUND)])
    assert strata.advance()
    assert strata.names == ["q"]
    assert strata.changes(INSERT) == [Update(INSERT, Q, GROUND)]
    assert strata.changes(DELETE) == []
    strata.note(Q, visible=False)
    strata.finish(lambda fact: True)
    assert strata.added == [Q]
    assert strata.advance()
    assert strata.names == ["p"]
    strata.finish(lambda fact: True)
    assert strata.advance()
    assert strata.names == ["v"]
    assert not strata.advance()


def test_what_is_suspended_and_revived_is_no_change():
    strata = Strata(prepare(parse_program("p :- q. q :- r.")))
    strata.begin([Update(DELETE, R, GROUND)])
    strata.advance()
    for fact in (Q, R):
        strata.note(fact, visible=True)
    strata.note(Q, visible=False)
    strata.finish(lambda fact: fact == Q)
    assert (strata.removed, strata.added) == ([R], [])
