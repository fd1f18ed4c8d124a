"""Programs made ready to run: where facts live, what is refused and why, and how bodies are evaluated."""

import copy

import pytest

from tidelog.errors import DataError, EvaluationError, ProgramError
from tidelog.lab.semantics import Fact, PipelinedExecution, least_model, prepare, run
from tidelog.lab.semantics.network import components
from tidelog.lab.semantics.schedule import Fifo
from tidelog.lab.semantics.semantics_catalogue import ENTRIES
from tidelog.syntax import parse_program

from .examples import FIGURE_4, HOPS, REACHABLE


def model(text, *facts):
    return sorted(map(str, least_model(prepare(parse_program(text)), facts)))


def test_the_location_column_decides_the_node():
    network = prepare(REACHABLE)
    assert network.node_of(Fact("link", ("a", "b"))) == "a"
    assert network.node_of(Fact("aux", ("a", "b", "c"))) == "a"
    assert prepare(HOPS).node_of(Fact("link", ("a", "b"))) == ""


def test_a_fact_that_does_not_fit_is_refused():
    network = prepare(REACHABLE)
    with pytest.raises(DataError, match=r"unknown relation `lnk`\. Known relations: aux, colink, link, reachable"):
        network.node_of(Fact("lnk", ("a",)))
    with pytest.raises(DataError, match=r"link\(a\) has 1 column, but relation `link` has 2"):
        network.node_of(Fact("link", ("a",)))
    with pytest.raises(DataError, match="cannot be the name of a node"):
        network.node_of(Fact("link", (("a",), "b")))


def _run(program, fact):
    algorithm = PipelinedExecution()
    algorithm.load(program, [fact])
    run(algorithm, Fifo())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_every_diagnostic_has_a_program_that_produces_it(entry):
    program = parse_program(entry.example)
    body = program.rules[0].body[0]
    with pytest.raises(ProgramError) as caught:
        _run(program, Fact(body.predicate, (1,) * len(body.args)))
    assert [d.code for d in caught.value.diagnostics] == [entry.code]
    assert "{" not in caught.value.diagnostics[0].message
    assert caught.value.diagnostics[0].note


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p(X) :- (q(X) ; r(X)).", "a disjunction in rule `r1`"),
        ("p(X) :- q(X).  few: :- q(X), X > 9.", "a constraint in rule `few`"),
        ("p(X) :- q+(X,Y).", "a pathatom in rule `r1`"),
        ("p(X) :- q(X), X = count : { q(Y) }.", "an aggregate in rule `r1`"),
        ("p(@X) :- q(X).", "relation `q` is written without `@` and 1 columns, but other relations have locations"),
        ("p(@X) :- q(@_), r(@_).", "more than one location"),
        ("p(@X) :- q(@1,X), r(@2).", "reads more than one location: @1, @2"),
        ("p(min<X>, max<Y>) :- q(X,Y).", "aggregate `min, max`"),
    ],
)
def test_what_cannot_run_is_refused_with_its_reason(text, message):
    with pytest.raises(ProgramError, match="TL90") as caught:
        prepare(parse_program(text))
    assert message in str(caught.value)


def test_a_comparison_that_never_gets_its_values_is_refused():
    with pytest.raises(ProgramError, match="a comparison has no value"):
        model("p(X) :- q(X), Y < X.", Fact("q", (1,)))


def test_a_program_may_run_centrally_although_its_rules_are_not_local():
    program = parse_program("p(@X,Y) :- q(@X,Z), r(@Z,Y).")
    network = prepare(program, central=True)
    assert network.node_of(Fact("q", (1, 2))) == ""
    assert Fact("p", (1, 3)) in least_model(network, [Fact("q", (1, 2)), Fact("r", (2, 3))])


def test_recursion_is_read_off_the_dependencies():
    assert prepare(FIGURE_4).recursive
    assert prepare(parse_program("p :- p.")).recursive
    assert not prepare(HOPS).recursive
    assert prepare(HOPS).strata() == [["link"], ["hop"], ["tri_hop"]]
    assert components({"a": ["b"], "b": ["a"], "c": ["a"]}) == [["a", "b"], ["c"]]


def test_a_network_never_changes_so_copies_share_it():
    network = prepare(HOPS)
    assert copy.deepcopy(network) is network


def test_bodies_bind_compare_and_compute():
    facts = [Fact("q", (1, 2)), Fact("q", (3, 3))]
    assert model("p(X+Y) :- q(X,Y), X != Y.", *facts) == ["p(3)", "q(1,2)", "q(3,3)"]
    assert model("p(Z) :- Z = X*2, q(X,_), true.", *facts)[:2] == ["p(2)", "p(6)"]
    assert model("p(Z) :- q(X,_), X*2 = Z.", *facts)[:2] == ["p(2)", "p(6)"]
    assert model("p(X) :- q(X,X).", *facts)[0] == "p(3)"
    assert model("p(X) :- q(X,2).", *facts)[0] == "p(1)"
    assert model("p(X) :- q(X,X+1).", *facts)[0] == "p(1)"
    assert model("p(X) :- q(X,_), false.", *facts) == ["q(1,2)", "q(3,3)"]
    assert model("p(X) :- q(Y,Y), X = range(0,Y).", *facts)[:3] == ["p(0)", "p(1)", "p(2)"]
    assert model('p(X) :- q(X,_), X < 2, "a" < "b", 1.5 < 2.5.', *facts)[0] == "p(1)"


def test_a_function_without_a_fitting_overload_is_an_evaluation_error():
    with pytest.raises(EvaluationError, match=r"function `f_size` does not accept \(number\)"):
        model("p(Y) :- q(X), Y = f_size(X).", Fact("q", (1,)))


def test_rules_without_atoms_hold_from_the_start():
    assert model("r1: p(1). p(X) :- X = 2.") == ["p(1)", "p(2)"]


def test_a_choice_has_one_row_per_group():
    facts = [Fact("q", ("a", 3)), Fact("q", ("a", 1)), Fact("q", ("b", 2))]
    assert [f for f in model("p(X,min<Y>) :- q(X,Y).", *facts) if f.startswith("p")] == ["p(a,1)", "p(b,2)"]
    assert [f for f in model("p(max<Y>,X) :- q(X,Y).", *facts) if f.startswith("p")] == ["p(2,b)", "p(3,a)"]


def test_rules_with_the_same_chosen_head_share_their_candidates():
    program = parse_program("p(min<X>) :- q(X). p(min<X>) :- r(X).")
    facts = [Fact("q", (3,)), Fact("r", (2,))]
    assert Fact("p", (3,)) not in least_model(prepare(program), facts)
