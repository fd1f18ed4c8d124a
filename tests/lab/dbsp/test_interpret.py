"""Programs on a circuit: translation, diagnostics, labels, set semantics, and the law against the naive evaluator."""

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import DataError, EngineError, ProgramError, Source, Span
from tidelog.lab.dbsp import ChainedCircuit, DatalogCircuit, IncrementalCircuit, IndexedCircuit, run_circuit
from tidelog.lab.dbsp.dbsp_catalogue import ENTRIES
from tidelog.lab.dbsp.translate import Arities, Constants, check, rule_to_clause
from tidelog.program import (
    Aggregate,
    Atom,
    Boolean,
    Call,
    Comparison,
    Const,
    Disjunction,
    Fact,
    Label,
    PathAtom,
    Program,
    Rule,
    Var,
    Wildcard,
)
from tidelog.syntax import parse_changes, parse_program
from tidelog.testing import PLAIN, State, evaluate, random_changes, random_program

X, Y, Z = Var("X"), Var("Y"), Var("Z")
ONE, A = Const(1, "number"), Const("a", "symbol")
EDGE = Rule(Atom("reach", (X, Y)), (Atom("edge", (X, Y)),))
STEP = Rule(Atom("reach", (X, Z)), (Atom("edge", (X, Y)), Atom("reach", (Y, Z))))


def q(*terms):
    return Atom("q", terms)


def codes(*rules, facts=()):
    with pytest.raises(ProgramError) as caught:
        check(Program(rules, tuple(facts)))
    return [diagnostic.code for diagnostic in caught.value.diagnostics]


def test_every_literal_but_an_atom_is_refused_by_name():
    others = {
        "a comparison": Comparison("<", X, ONE),
        "a truth value": Boolean(True),
        "a disjunction": Disjunction(((q(X),), (q(X),))),
        "a path": PathAtom(Label("edge"), X, Y),
    }
    for name, literal in others.items():
        with pytest.raises(ProgramError, match=f"TL801: {name} in rule `r7`"):
            check(Program((Rule(Atom("p", (X,)), (q(X), literal), "r7"),)))


def test_a_constraint_is_refused_by_name():
    with pytest.raises(ProgramError, match="TL801: a constraint in rule `few`"):
        check(parse_program("p(X) :- q(X).  few: :- q(X)."))


def test_terms_that_compute_are_refused():
    plus = Call("+", (X, ONE))
    assert codes(Rule(Atom("p", (plus,)), (q(X),))) == ["TL802"]
    assert codes(Rule(Atom("p", (Aggregate("count", None, (q(X),)),)), (q(X),))) == ["TL802"]
    assert codes(Rule(Atom("p", (X,)), (q(X), Atom("s", (Call("list", (X,)),))))) == ["TL802"]
    assert codes(facts=[Fact(Atom("p", (Call("+", (ONE, ONE)),))), Fact(Atom("p", (X,)))]) == ["TL802", "TL802"]


def test_heads_must_be_grounded_by_the_body():
    assert codes(Rule(Atom("p", (X, Y)), (q(X),))) == ["TL803"]
    assert codes(Rule(Atom("p", (Wildcard(),)), (q(X),))) == ["TL803"]


def test_a_relation_has_one_number_of_columns():
    assert codes(Rule(Atom("p", (X,)), (q(X, X), q(X)))) == ["TL804"]


def test_all_findings_are_reported_at_once_where_they_stand():
    text = Source("a.dl", "p(X, Y) :- q(X), Y < X.")
    comparison = Comparison("<", Y, X, Span(text, 17, 22))
    rule = Rule(Atom("p", (X, Y)), (q(X), comparison), span=Span(text, 0, 23))
    with pytest.raises(ProgramError) as caught:
        check(Program((rule,)))
    found = caught.value.diagnostics
    assert [d.code for d in found] == ["TL801", "TL803"]
    assert found[0].span.text == "Y < X"
    assert all(d.note and d.hint for d in found)
    assert "`p`" in found[0].message, "a rule without a label is called by its head"


def test_every_code_of_the_circuits_has_an_example_that_produces_it():
    for entry in ENTRIES:
        with pytest.raises(ProgramError) as caught:
            check(parse_program(entry.example))
        assert [d.code for d in caught.value.diagnostics] == [entry.code]


def test_constants_keep_types_apart_and_nan_together():
    constants = Constants()
    values = [1, 1.0, "1", (1,), (1.0,), ((1,),), float("nan"), 2]
    assert len({constants.number(v) for v in values}) == len(values)
    assert constants.number(math.nan) == constants.number(float("nan"))
    assert constants.number(-0.0) == constants.number(0.0)
    assert str(constants.value(constants.number(-0.0))) == "0.0"
    assert constants.number(True) == constants.number(1)
    assert [constants.value(constants.number(v)) for v in values[:6]] == values[:6]
    with pytest.raises(DataError, match="None is not a supported value"):
        constants.number(None)
    with pytest.raises(DataError, match="None is not a supported value"):
        constants.number(("a", None))


def test_each_wildcard_is_a_variable_of_its_own():
    clause = rule_to_clause(Rule(Atom("p", (X,)), (q(X, Wildcard(), Wildcard()), q(Wildcard(), X, A))), Constants())
    wild = [t for _, terms in clause.body for t in terms if t != clause.head[1][0] and not isinstance(t, int)]
    assert len(set(wild)) == 3


def test_arities_on_trial_do_not_touch_the_original():
    arities = Arities()
    trial = arities.copy()
    assert trial.fits("p", 2)
    assert arities.fits("p", 3)


def test_run_circuit_loads_and_changes():
    program = Program((EDGE, STEP), (Fact(Atom("edge", (ONE, Const(2, "number")))),))
    changes = parse_changes("+edge(2,3). commit. -edge(1,2). commit. - r1.")
    db, outcomes = run_circuit(program, {"edge": [(5, 6)]}, changes)
    assert outcomes[0].inserted["reach"] == {(1, 2), (5, 6)}
    assert outcomes[1].inserted == {"edge": {(2, 3)}, "reach": {(2, 3), (1, 3)}}
    assert outcomes[2].deleted == {"edge": {(1, 2)}, "reach": {(1, 2), (1, 3)}}
    assert db.model() == {"edge": {(5, 6), (2, 3)}}


def test_base_facts_are_sets_and_signs_of_one_change_are_summed():
    db = DatalogCircuit(Program((EDGE,)), {"edge": [(1, 2), (1, 2)]})
    both = {"insert": {"edge": [(1, 2), (3, 4)]}, "delete": {"edge": [(1, 2), (3, 4), (3, 4)]}}
    assert db.epoch(**both).inserted == db.epoch(**both).deleted == {}
    assert db.epoch(delete={"edge": [(1, 2)]}).deleted["reach"] == {(1, 2)}
    assert db.epoch(delete={"edge": [(1, 2)]}).deleted == {}


def test_rules_have_labels_that_are_never_reused():
    db = DatalogCircuit(Program((EDGE, Rule(STEP.head, STEP.body, "r2"))), {"edge": [(1, 2), (2, 3)]})
    assert list(db.rules) == ["r1", "r2"]
    assert db.epoch(remove=("r2",), add=(STEP,)).deleted == {}
    assert list(db.rules) == ["r1", "r3"]
    named = Rule(Atom("near", (X,)), (Atom("reach", (ONE, X)),), "near")
    assert db.epoch(add=(named,)).inserted["near"] == {(2,), (3,)}
    with pytest.raises(EngineError, match="two rules have the label `near`"):
        db.epoch(add=(named,))
    with pytest.raises(EngineError, match=r"unknown rule `r2`\. Known rules: r1, r3, near"):
        db.epoch(remove=("r2",))
    assert db.epoch(remove=("near",), add=(named,)).inserted == {}


def test_an_unknown_label_in_an_empty_circuit():
    with pytest.raises(EngineError, match="Known rules: none"):
        DatalogCircuit().epoch(remove=("r1",))


def test_a_refused_change_leaves_no_trace():
    db = DatalogCircuit(Program((EDGE,)), {"edge": [(1, 2)]})
    before, rules = db.model(), dict(db.rules)
    wide = Rule(Atom("wide", (X,)), (Atom("other", (X,)), Comparison("<", X, ONE)))
    with pytest.raises(ProgramError):
        db.epoch(insert={"edge": [(8, 9)]}, add=(wide,))
    with pytest.raises(DataError, match="`edge` has 2 columns"):
        db.epoch(insert={"edge": [(8, 9), (1, 2, 3)]}, remove=("r1",))
    assert (db.model(), db.rules) == (before, rules)
    assert db.epoch(insert={"other": [(1, 2)]}).inserted == {"other": {(1, 2)}}


def test_a_change_script_runs_epoch_by_epoch():
    script = "+edge(1,2). + reach(X,Y) :- edge(Y,X). commit. - r1. +edge(a,[1]). commit."
    db, outcomes = run_circuit(Program((EDGE,)), changes=parse_changes(script))
    assert outcomes[1].inserted["reach"] == {(1, 2), (2, 1)}
    assert db.model()["reach"] == {(2, 1), ((1,), "a")}
    with pytest.raises(ProgramError, match="TL802: the function `\\+`"):
        db.run(parse_changes("+edge(1, 1+1).")[0])


def test_bodiless_rules_and_rules_over_base_relations():
    db = DatalogCircuit(Program((Rule(Atom("p", (A,)), ()), Rule(Atom("q", (X,)), (Atom("p", (X,)),)))))
    assert db.model() == {"p": {("a",)}, "q": {("a",)}}
    assert db.epoch(remove=("r1",), insert={"q": [("b",)]}).inserted == {"q": {("b",)}}
    assert db.model() == {"q": {("b",)}}


NAMES = ("edge", "reach", "node")
TERMS = st.one_of(st.sampled_from([X, Y, Z]), st.sampled_from([X, Y, Z]), st.just(Wildcard()), st.just(ONE))
ROWS = st.fixed_dictionaries({"edge": st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=4)})


@st.composite
def positive_rules(draw):
    def atom(terms):
        name = draw(st.sampled_from(NAMES))
        return Atom(name, tuple(draw(terms) for _ in range(1 if name == "node" else 2)))

    body = tuple(atom(TERMS) for _ in range(draw(st.integers(1, 3))))
    bound = sorted({t.name for a in body for t in a.args if isinstance(t, Var)})
    return Rule(atom(st.sampled_from([*map(Var, bound), ONE])), body)


@pytest.mark.parametrize("make", [IncrementalCircuit, IndexedCircuit, ChainedCircuit])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_program_on_the_circuit_has_the_model_of_the_naive_evaluator(make, data):
    rules = data.draw(st.lists(positive_rules(), max_size=3))
    base = set(data.draw(ROWS)["edge"])
    db = DatalogCircuit(Program(tuple(rules)), {"edge": base}, make)
    for _ in range(3):
        expected = evaluate(Program(tuple(db.rules.values())), {"edge": base})
        assert db.model() == {relation: rows for relation, rows in expected.items() if rows}
        flipped = set(data.draw(ROWS)["edge"])
        gone = tuple(data.draw(st.sets(st.sampled_from(sorted(db.rules)), max_size=1))) if db.rules else ()
        come = tuple(data.draw(st.lists(positive_rules(), max_size=1)))
        db.epoch({"edge": flipped - base}, {"edge": flipped & base}, come, gone)
        base ^= flipped


POSITIVE = PLAIN - {
    *("comparisons", "arithmetic", "ranges", "negation", "negated_wildcards", "disjunction", "head_expressions"),
    *("symbols", "lists", "floats", "unsigned"),
}


@pytest.mark.parametrize("seed", range(30))
def test_random_positive_programs_and_epochs_have_the_model_of_the_naive_evaluator(seed):
    rng = Random(seed)
    program = random_program(rng, POSITIVE)
    db, state = DatalogCircuit(program), State.start(program)
    for changes in random_changes(rng, program, 4, POSITIVE):
        inserted, deleted = grouped(changes.inserts), grouped(changes.deletes)
        db.epoch(inserted, deleted, changes.add_rules, changes.remove_labels)
        state = state.after(changes)
        assert db.model() == {relation: rows for relation, rows in state.model().items() if rows}


def grouped(facts):
    return {relation: [row for name, row in facts if name == relation] for relation in {name for name, _ in facts}}
