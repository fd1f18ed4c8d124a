"""The three circuits: the central law on random changes, and the cases that distinguish them.

The law tests notice any state that differs from the least model after some step, whatever the batching; they cannot
notice cost. The named tests below do that for the cases that matter.
"""

import pytest
from hypothesis import given, settings

from tidelog.lab.dbsp import ChainedCircuit, IncrementalCircuit, IndexedCircuit, Kit, NaiveCircuit, ZSet
from tidelog.lab.dbsp.kit import summed
from tidelog.lab.dbsp.rewriting import least_model

from .notation import facts, rule, rules
from .strategies import histories

INCREMENTAL = [IncrementalCircuit, IndexedCircuit, ChainedCircuit]
ALL = [NaiveCircuit, *INCREMENTAL]
NOTHING = ZSet()
CLOSURE = rules("T(x,y) <- E(x,y)", "T(x,z) <- E(x,y), T(y,z)")


def of(circuit, predicate):
    return {args for name, args in circuit.state() if name == predicate}


@pytest.mark.parametrize("make", INCREMENTAL)
@settings(max_examples=40, deadline=None)
@given(history=histories())
def test_state_is_the_least_model_after_every_change_of_rules_and_facts(make, history):
    circuit, known_rules, known_facts, before = make(), NOTHING, NOTHING, NOTHING
    for changed_rules, changed_facts in history:
        known_rules, known_facts = known_rules + changed_rules, known_facts + changed_facts
        model = least_model(known_rules, known_facts)
        assert circuit.step(changed_rules, changed_facts) == model - before
        assert circuit.state() == model
        before = model


@settings(max_examples=20, deadline=None)
@given(histories(signed=False))
def test_naive_circuit_gives_the_least_model_while_things_only_come(history):
    circuit, known_rules, known_facts = NaiveCircuit(), NOTHING, NOTHING
    for changed_rules, changed_facts in history:
        known_rules, known_facts = known_rules + changed_rules, known_facts + changed_facts
        circuit.step(changed_rules, changed_facts)
        assert circuit.state() == least_model(known_rules, known_facts)


@settings(max_examples=20, deadline=None)
@given(histories())
def test_product_of_the_indexed_circuit_is_a_set_without_distinct(history):
    indexed, plain = IndexedCircuit(), IncrementalCircuit()
    for change in history:
        indexed.step(*change)
        plain.step(*change)
        assert {w for r in indexed._rewrites.elements() for _, w in indexed._rewrites.history(*r)} == {1}
        values = {(len(r[1]), r[1]) for r in indexed.rewrites()}
        assert values == {(len(r[1]), r[1]) for r in plain.rewrites()}


@settings(max_examples=20, deadline=None)
@given(histories())
def test_one_batch_gives_what_many_give(history):
    many, one = IndexedCircuit(), IndexedCircuit()
    for change in history:
        many.step(*change)
    one.step(sum((r for r, _ in history), NOTHING), sum((f for _, f in history), NOTHING))
    assert one.state() == many.state()


@settings(max_examples=15, deadline=None)
@given(histories())
def test_taking_everything_back_leaves_nothing_behind(history):
    circuit = IndexedCircuit()
    for change in history:
        circuit.step(*change)
    for changed_rules, changed_facts in history:
        circuit.step(-changed_rules, -changed_facts)
    assert circuit.state() == NOTHING
    assert len(circuit._candidates) == len(circuit._index.right) == 0
    assert list(circuit.rewrites()) == [(0, ())]


def test_figure_1_feeds_its_facts_back_so_circular_support_survives_a_deletion():
    circle = rules("P(x) <- B(x)", "Q(x) <- P(x)", "P(x) <- Q(x)")
    left = {}
    for make in ALL:
        circuit = make()
        circuit.step(circle, facts("B(1)"))
        assert of(circuit, "Q") == {(1,)}
        circuit.step(NOTHING, -facts("B(1)"))
        left[make] = circuit.state()
    assert left[NaiveCircuit] == facts("P(1)", "Q(1)"), "each of the two is the other's only support"
    assert left[IncrementalCircuit] == left[IndexedCircuit] == NOTHING


def test_figure_1_may_swing_for_ever_when_a_batch_takes_and_gives_at_once():
    circuit = NaiveCircuit()
    circuit.step(rules("P(x) <- A(x)"), facts("A(1)"))
    swap = rules("P(x) <- Q(x)", "Q(x) <- P(x)") - rules("P(x) <- A(x)")
    shown = [circuit.tick(swap, NOTHING), *(circuit.tick(NOTHING, NOTHING) for _ in range(4))]
    assert shown[0] == shown[2] == shown[4] != shown[1] == shown[3]
    settled = NaiveCircuit()
    settled.step(rules("P(x) <- A(x)"), facts("A(1)"))
    settled.step(swap, NOTHING)
    assert settled.state() == facts("A(1)")


def test_cycle_that_loses_its_entry_vanishes():
    for make in INCREMENTAL:
        circuit = make()
        reach = rules("R(x) <- S(x)", "R(y) <- R(x), E(x,y)")
        circuit.step(reach, facts("S(0)", "E(0,1)", "E(1,2)", "E(2,1)"))
        assert of(circuit, "R") == {(0,), (1,), (2,)}
        circuit.step(NOTHING, -facts("E(0,1)"))
        assert of(circuit, "R") == {(0,)}


@pytest.mark.parametrize("make", ALL)
def test_mutual_recursion(make):
    circuit = make()
    circuit.step(
        rules("Even(0) <-", "Odd(y) <- Even(x), S(x,y)", "Even(y) <- Odd(x), S(x,y)"), facts("S(0,1)", "S(1,2)")
    )
    assert of(circuit, "Even") == {(0,), (2,)}
    circuit.step(NOTHING, facts("S(2,3)") - facts("S(0,1)"))
    assert (of(circuit, "Even"), of(circuit, "Odd")) == ({(0,)}, set())


@pytest.mark.parametrize("make", ALL)
def test_non_linear_recursion(make):
    circuit = make()
    circuit.step(rules("T(x,y) <- E(x,y)", "T(x,z) <- T(x,y), T(y,z)"), facts("E(0,1)", "E(1,2)", "E(2,3)"))
    assert len(of(circuit, "T")) == 6
    circuit.step(NOTHING, -facts("E(1,2)"))
    assert of(circuit, "T") == {(0, 1), (2, 3)}


@pytest.mark.parametrize("make", ALL)
def test_rules_come_and_go_at_run_time(make):
    circuit = make()
    circuit.step(NOTHING, facts("E(0,1)", "E(1,2)"))
    assert len(circuit.step(CLOSURE, NOTHING)) == 3
    assert circuit.step(-rules("T(x,z) <- E(x,y), T(y,z)"), NOTHING) == -facts("T(0,2)")
    assert circuit.step(rules("T(x,z) <- T(x,y), E(y,z)"), NOTHING) == facts("T(0,2)")
    assert circuit.step(-rules("T(x,y) <- E(x,y)"), NOTHING) == -facts("T(0,1)", "T(1,2)", "T(0,2)")


@pytest.mark.parametrize("make", ALL)
def test_base_fact_that_is_also_derived_stays_until_both_supports_go(make):
    circuit = make()
    circuit.step(rules("P(x) <- Q(x)"), facts("P(1)", "Q(1)"))
    assert circuit.step(NOTHING, -facts("P(1)")) == NOTHING
    assert circuit.step(NOTHING, -facts("Q(1)")) == -facts("P(1)", "Q(1)")


@pytest.mark.parametrize("make", INCREMENTAL)
def test_rules_that_begin_alike_share_rewrites_and_one_may_go(make):
    circuit = make()
    circuit.step(rules("A(x) <- P(x,y), Q(y)", "B(x,y) <- P(x,y)", "C(y) <- P(x,y), Q(y)"), facts("P(1,2)", "Q(2)"))
    assert len(circuit.rewrites()) == 3, "the empty rewrite, one for P, one for P and Q"
    assert circuit.step(-rules("A(x) <- P(x,y), Q(y)"), NOTHING) == -facts("A(1)")
    assert len(circuit.rewrites()) == 3
    circuit.step(-rules("C(y) <- P(x,y), Q(y)"), NOTHING)
    assert len(circuit.rewrites()) == 2


@pytest.mark.parametrize("make", ALL)
def test_the_same_rule_twice_is_one_support_more_and_no_fact_more(make):
    circuit = make()
    again = rules("P(x) <- Q(x)") + rules("P(x) <- Q(x)")
    assert circuit.step(again, facts("Q(1)")) == facts("P(1)", "Q(1)")
    assert circuit.step(-rules("P(x) <- Q(x)"), NOTHING) == NOTHING
    assert circuit.step(-rules("P(x) <- Q(x)"), NOTHING) == -facts("P(1)")


def test_summed_provenance_confuses_permuted_bodies_and_prefixes_do_not():
    permuted = rules("R(x,y) <- P(x,y), Q(x,y)", "S(x,y) <- Q(x,y), P(x,y)")
    only_one = facts("Q(1,2)", "P(3,4)")
    ambiguous = IncrementalCircuit(Kit(identify=summed))
    ambiguous.step(permuted, only_one)
    assert ambiguous.state() != least_model(permuted, only_one), "one of the atoms was met twice, the other never"
    for make in INCREMENTAL:
        circuit = make()
        circuit.step(permuted, only_one)
        assert circuit.state() == only_one
        circuit.step(NOTHING, facts("P(1,2)"))
        assert of(circuit, "R") == of(circuit, "S") == {(1, 2)}


@pytest.mark.parametrize("make", INCREMENTAL)
def test_an_epoch_goes_on_past_empty_rounds(make):
    """A new fact meets a fact of round 8 first: a loop that stops at the first empty round misses it."""
    circuit = make()
    chain = facts(*(f"E({n},{n + 1})" for n in range(8)))
    circuit.step(rules("T(x) <- S(x)", "T(y) <- T(x), E(x,y)", "Late(x) <- Mark(x), T(x)"), chain + facts("S(0)"))
    assert circuit.step(NOTHING, facts("Mark(8)")) == facts("Mark(8)", "Late(8)")
    assert circuit.step(NOTHING, -facts("Mark(8)")) == -facts("Mark(8)", "Late(8)")
    assert circuit.rounds < 8, "rounds in which nothing can happen are skipped"


@pytest.mark.parametrize("make", ALL)
def test_repeated_variables_constants_and_unlike_columns(make):
    circuit = make()
    program = rules("Loop(x) <- E(x,x)", "Out(y) <- E(0,y)", "Pair(x,y) <- E(x,y), E(y,x)", "Unary(x) <- E(x)")
    wide = rules("Same(x,y) <- F(x,y,x)", "Back(y,x) <- F(x,y,x), F(y,x,y)")
    circuit.step(
        program + wide, facts("E(0,0)", "E(0,1)", "E(1,0)", "E(7)", "F(1,2,1)", "F(3,4,5)", "F(2,1,2)", "F(6,7,6)")
    )
    assert of(circuit, "Same") == {(1, 2), (2, 1), (6, 7)}
    assert of(circuit, "Back") == {(1, 2), (2, 1)}
    assert of(circuit, "Loop") == {(0,)}
    assert of(circuit, "Out") == {(0,), (1,)}
    assert of(circuit, "Pair") == {(0, 0), (0, 1), (1, 0)}
    assert of(circuit, "Unary") == {(7,)}


@pytest.mark.parametrize("make", ALL)
def test_a_fresh_circuit_is_empty(make):
    assert make().state() == NOTHING


class CountingKit(Kit):
    """Counts the pairs that product looks at."""

    met = 0

    def extend(self, key, candidate, args):
        self.met += 1
        return super().extend(key, candidate, args)


def test_a_change_meets_only_what_it_touches_on_the_indexed_circuit():
    kit = CountingKit()
    circuit = IndexedCircuit(kit)
    circuit.step(CLOSURE, facts(*(f"E({3 * n},{3 * n + 1})" for n in range(500))))
    kit.met = 0
    circuit.step(NOTHING, facts("E(1,2)"))
    assert kit.met <= 6


def test_index_follows_a_rule_that_needs_another_column():
    circuit = IndexedCircuit()
    circuit.step(NOTHING, facts("E(0,1)", "E(2,1)", "E(2,3)"))
    backwards = rule("Into(x) <- E(x,1)")
    assert circuit.step(ZSet.of(backwards), NOTHING) == facts("Into(0)", "Into(2)")
    assert [circuit.kit.orders[n].mask for _, n in circuit.kit.join_orders(backwards)] == [(1,)]
    assert len(circuit._index.right) == 1
    circuit.step(-ZSet.of(backwards), NOTHING)
    assert len(circuit._index.right) == 0, "the index goes with the last rule that needs it"
