"""Facts with infinitely many derivations: on given data, judged by the height of derivations, and from rules alone."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.lab.semantics import Fact, Occurrence, endless_derivations, least_model, prepare
from tidelog.lab.semantics.delta import join
from tidelog.lab.semantics.finiteness import dependencies
from tidelog.lab.semantics.state import State
from tidelog.program.check import check_program
from tidelog.program.checks.termination import circular_strata
from tidelog.syntax import parse_program

from .examples import (
    BEST_PATH,
    BINARY_FACTS,
    FIGURE_4,
    HOPS,
    LOOP,
    PATH_VECTOR,
    REACHABLE,
    THREE_NODES,
    UNARY_FACTS,
    binary_programs,
    propositions,
    ring,
)

MANY = settings(max_examples=100, deadline=None)


def endless_by_height(network, base):
    """The facts with a derivation tree higher than there are facts, on a path of which some fact occurs twice.

    The judge: heights of trees by the definition, up to that bound. Finitely many trees have a greatest height.
    """
    model = least_model(network, base)
    state = State.of(network, map(Occurrence, model))
    instances = [
        instance
        for rule in network.rules
        for node in state.nodes()
        for instance in join(rule, [state.table(node, atom.predicate) for atom in rule.atoms])
    ]
    most = len(model) + 1
    heights = {fact: {0} if fact in base else set() for fact in model}
    for _ in range(most):
        for instance in instances:
            bodies = product(*(heights[each.fact] for each in instance.body))
            heights[instance.head] |= {min(most, 1 + max(body)) for body in bodies}
    return {fact for fact in model if most in heights[fact]}


@MANY
@given(st.data())
def test_facts_with_infinitely_many_derivations_are_those_with_derivations_of_any_height(data):
    make, facts = data.draw(st.sampled_from([(propositions, UNARY_FACTS), (binary_programs, BINARY_FACTS)]))
    network = prepare(data.draw(make(recursive=True)))
    base = data.draw(st.lists(facts, max_size=3, unique=True))
    endless = endless_derivations(network, base)
    assert (set(endless.facts) if endless else set()) == endless_by_height(network, base)
    if endless is not None:
        needs = dependencies(network, least_model(network, base))
        following = (*endless.cycle[1:], endless.cycle[0])
        assert all(read in needs[fact] for fact, read in zip(endless.cycle, following, strict=True))


@pytest.mark.parametrize(
    ("program", "base", "cycle"),
    [
        (LOOP, [Fact("a", (1,))], "p(1) <- p(1)"),
        (THREE_NODES, [Fact("a", (0,))], "p(1) <- q(2) <- p(1)"),
        (FIGURE_4, [Fact("s")], "q <- r <- q"),
        (REACHABLE, ring(2), "aux(0,1,0) <- reachable(1,0) <- aux(1,0,0) <- reachable(0,0) <- aux(0,1,0)"),
        (PATH_VECTOR, ring(4, 1), None),
        (BEST_PATH, ring(4, 1), None),
        (HOPS, ring(3), None),
        (REACHABLE, [Fact("link", (0, 1)), Fact("link", (1, 2))], None),
    ],
)
def test_endless_derivations_of_the_papers_programs(program, base, cycle):
    endless = endless_derivations(prepare(program), base)
    assert (endless and str(endless)) == cycle


@pytest.mark.parametrize(
    ("text", "circular"),
    [
        ("p(X) :- e(X). q(X) :- p(X).", False),
        ("p(X) :- e(X). p(X) :- q(X). q(X) :- p(X).", True),
        ("n(0). n(Y) :- n(X), X < 9, Y = X + 1.", False),
        ("n(0.0). n(Y) :- n(X), X < 9.0, Y = X + 1.0.", True),  # X + 1.0 may be X
        ("n(0,0). n(X+1,Y) :- n(X,Y), X < 9. n(X,Y+1) :- n(X,Y), Y < 9.", False),
        ("n(0,0). n(X+1,0) :- n(X,_), X < 9. n(X,Y+1) :- n(X,Y), Y < 9.", False),
        ("n(0,0). n(X+1,Y) :- n(X,Y), X < 9. n(X,Y) :- n(Y,X).", True),
        ("p(0). q(X) :- p(X). p(X+1) :- q(X), X < 9.", False),
        ("p(0). q(X) :- p(X). p(X+1) :- q(X), X < 9. q(X) :- q(X).", True),
        ("d(X,min<0>) :- s(X). d(Y,min<C>) :- d(X,A), e(X,Y,B), B > 0, C = A + B.", False),
        ("d(X,min<0>) :- s(X). d(Y,min<C>) :- d(X,A), e(X,Y,B), B >= 0, C = A + B.", True),
        ("p(X,Y) :- e(X,Y). p(X,Y) :- p+(X,Y).", True),
    ],
)
def test_strata_that_may_be_circular(text, circular):
    checked = check_program(parse_program(text))
    assert bool(circular_strata(checked.strata, checked.schema)) == circular


def test_path_vector_has_finitely_many_derivations_on_any_data():
    checked = check_program(PATH_VECTOR)
    assert not circular_strata(checked.strata, checked.schema)


@MANY
@given(st.data())
def test_programs_whose_strata_are_not_circular_have_finitely_many_derivations(data):
    """A sample of steps between relations of two columns: some rise, some keep, some swap."""
    steps = ["X, Y", "Y, X", "X + 1, Y", "X, Y + 1", "X - 1, Y", "X + 1, Y - 1", "X, X", "X + Y, Y"]
    names = ["p", "q"]
    rules = ["p(X, Y) :- e(X, Y)."]
    for _ in range(data.draw(st.integers(1, 3))):
        head, body = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
        step = data.draw(st.sampled_from(steps))
        rules.append(f"{head}({step}) :- {body}(X, Y), X < 3, Y < 3, X > -3, Y > -3.")
    program = parse_program("\n".join([*rules, "q(X, Y) :- f(X, Y)."]))
    checked = check_program(program)
    pairs = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
    base = [Fact("e", row) for row in data.draw(st.lists(pairs, max_size=3, unique=True))]
    if not circular_strata(checked.strata, checked.schema):
        assert endless_derivations(prepare(program), base) is None
