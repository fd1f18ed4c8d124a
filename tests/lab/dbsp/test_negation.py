"""Negation on circuits: levels, rules that move relations between them, and the law against the naive evaluator."""

from random import Random

import pytest

from tests.lab.dbsp.test_interpret import POSITIVE, grouped
from tidelog.errors import ProgramError, TidelogError
from tidelog.lab.dbsp import (
    ChainedCircuit,
    Clause,
    DatalogCircuit,
    IncrementalCircuit,
    IndexedCircuit,
    StratifiedCircuit,
    Variable,
    ZSet,
)
from tidelog.lab.dbsp.stratified_circuit import levels_of
from tidelog.syntax import parse_program, parse_rules
from tidelog.testing import State, random_changes, random_program

KINDS = [IncrementalCircuit, IndexedCircuit, ChainedCircuit]
NEGATIVE = POSITIVE | {"negation", "negated_wildcards"}
X, Y = Variable("x"), Variable("y")
REACH = """
reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z).
apart(X, Y) :- node(X), node(Y), !reach(X, Y).
lonely(X) :- node(X), !edge(X, _), !edge(_, X).
"""


@pytest.mark.parametrize("make", KINDS)
def test_what_is_not_reachable_follows_the_edges(make):
    facts = {"node": [(1,), (2,), (3,)], "edge": [(1, 2)]}
    db = DatalogCircuit(parse_program(REACH), facts, make)
    assert db.model()["lonely"] == {(3,)}
    assert (1, 2) not in db.model()["apart"]
    out = db.epoch(insert={"edge": [(2, 3)]})
    assert out.deleted == {"apart": {(2, 3), (1, 3)}, "lonely": {(3,)}}
    assert db.epoch(delete={"edge": [(2, 3)]}).inserted == {"apart": {(2, 3), (1, 3)}, "lonely": {(3,)}}


def test_negation_inside_a_loop_of_its_own_level_is_reported_in_the_words_of_the_language():
    db = DatalogCircuit(parse_program("win(X) :- move(X, Y), lost(Y)."), {"move": [(1, 2)], "lost": [(2,)]})
    with pytest.raises(ProgramError, match="win"):
        db.epoch(add=parse_rules("lost(X) :- node(X), !win(X)."))
    assert db.model()["win"] == {(1,)}


def test_clauses_that_negate_themselves_have_no_levels():
    with pytest.raises(TidelogError, match="`p` depends on its own negation"):
        StratifiedCircuit().step(ZSet.of(Clause(("p", (X,)), (("q", (X,)),), (("p", (X,)),))), ZSet())


def test_a_negated_atom_is_bound_by_positive_ones():
    with pytest.raises(TidelogError, match="variable `y` in a negated atom"):
        Clause(("p", (X,)), (("q", (X,)),), (("r", (Y,)),))


def test_levels_count_negations_on_the_way_down():
    rules = ["a(X) :- e(X).", "b(X) :- e(X), !a(X).", "c(X) :- b(X), !b(X), !a(X).", "d(X) :- e(X), c(X)."]
    program = parse_program(" ".join(rules))
    from tidelog.lab.dbsp.translate import Constants, rule_to_clause

    assert levels_of(rule_to_clause(rule, Constants()) for rule in program.rules) == {"b": 1, "c": 2, "d": 2}


@pytest.mark.parametrize("make", KINDS)
def test_a_rule_moves_relations_to_another_level_and_back(make):
    text = "far(X) :- node(X), !near(X).  near(X) :- seen(X).  shown(X) :- far(X)."
    db = DatalogCircuit(parse_program(text), {"node": [(1,), (2,)], "seen": [(1,)], "blind": [(1,)]}, make)
    assert db.model()["shown"] == {(2,)}
    out = db.epoch(add=parse_rules("up: near(X) :- node(X), !blind(X)."), insert={"seen": [(3,)]})
    assert out.deleted == {"far": {(2,)}, "shown": {(2,)}}
    assert out.inserted == {"seen": {(3,)}, "near": {(2,), (3,)}}
    back = db.epoch(remove=("up",), delete={"seen": [(1,)]}, insert={"far": [(9,)]})
    assert back.deleted == {"seen": {(1,)}, "near": {(1,), (2,)}}
    assert back.inserted == {"far": {(1,), (2,), (9,)}, "shown": {(1,), (2,), (9,)}}


def test_circular_support_above_a_negation_dies():
    text = "p(X) :- e(X), !off(X).  p(X) :- q(X).  q(X) :- p(X)."
    db = DatalogCircuit(parse_program(text), {"e": [(1,)]})
    assert db.model()["q"] == {(1,)}
    assert db.epoch(insert={"off": [(1,)]}).deleted == {"p": {(1,)}, "q": {(1,)}}


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_with_negation_have_the_model_of_the_naive_evaluator(seed):
    rng = Random(1000 + seed)
    program = random_program(rng, NEGATIVE)
    db, state = DatalogCircuit(program, make=KINDS[seed % 3]), State.start(program)
    for changes in random_changes(rng, program, 5, NEGATIVE):
        db.epoch(grouped(changes.inserts), grouped(changes.deletes), changes.add_rules, changes.remove_labels)
        state = state.after(changes)
        assert db.model() == {relation: rows for relation, rows in state.model().items() if rows}
