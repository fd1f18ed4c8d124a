"""The commands as formulas: what focused search finds is what the transition system does, and nothing else.

The search tries every focus and every element at every loop; so a command that could begin inside another one, a loop
that could stop early, or a query that could be answered too early would be found.
"""

import pytest

from tidelog.errors import DataError, EngineError, ProgramError
from tidelog.lab.semantics import Configuration, Fact, Semantics, check, holding, insertion, prepare
from tidelog.lab.semantics.fact import Update, deletion
from tidelog.lab.semantics.linear import transition_moves
from tidelog.lab.semantics.sellf import (
    BASIC_COMMANDS,
    SequentDerivation,
    configuration_of,
    executions,
    executions_of,
    sequent_of,
    theory_of,
    trace_of,
)
from tidelog.lab.semantics.sellf import check as open_premises
from tidelog.lab.semantics.sellf import instructions as i
from tidelog.lab.semantics.sellf.formula import ONE, ZERO, Negation, bang, exists, plus, tensor
from tidelog.lab.semantics.sellf.formula import AtomFormula as LogicAtom
from tidelog.lab.semantics.sellf.sequent import FormulaContexts, Sequent
from tidelog.lab.semantics.sellf.term import ConstantTerm, FunctionTerm, RowTerm, VariableTerm, value_of
from tidelog.program import Atom, Call, Comparison, Const, Program, Rule, Var
from tidelog.syntax import parse_program

PROGRAMS = {
    "twice": ("p(X) :- t(X), t(X).", [Fact("t", (1,))], [insertion("t", 1), deletion("t", 1)]),
    "join": ("p(X,Z) :- e(X,Y), e(Y,Z), X != Z.", [Fact("e", (1, 2))], [insertion("e", 2, 3)]),
    "functions": (
        "p(Y+1,Y) :- e(X,_,1), X < 5, Y = X+X. e(9,9,9).",
        [],
        [insertion("e", 2, 7, 1), insertion("e", 6, 7, 1)],
    ),
    "constants": ('p("a",X) :- q(X,X), 1 < 2, true.', [Fact("q", (1, 1))], [insertion("q", 1, 2), deletion("q", 1, 1)]),
    "located": ("p@1 :- s@2, t@2. s@2 :- q@3.", [Fact("t", (2,))], [insertion("q", 3)]),
    "circle": ("p :- q. q :- p.", [], [insertion("p"), deletion("p"), deletion("q")]),
    "never": ("p :- q, false.", [], [insertion("q")]),
}


def started(name):
    text, facts, updates = PROGRAMS[name]
    semantics = Semantics(prepare(parse_program(text)))
    return semantics, holding(semantics, dict.fromkeys(facts, 1)).sent(semantics.network, updates)


def reached(semantics, configuration, depth):
    level, seen = {configuration}, {configuration}
    for _ in range(depth):
        level = {after for at in level for _, after in transition_moves(semantics, at)} - seen
        seen |= level
    return seen


@pytest.mark.parametrize("name", PROGRAMS)
def test_focused_derivations_are_the_commands_of_the_transition_system(name):
    semantics, start = started(name)
    theory = theory_of(semantics.network)
    for configuration in reached(semantics, start, depth=5):
        sequent = sequent_of(semantics, configuration)
        moves = set()
        for found in executions(theory, sequent):
            derivation = SequentDerivation(sequent, found.rules)
            assert open_premises(theory, derivation) == (found.premise,), "the checker agrees with the search"
            (execution,) = executions_of(theory, derivation)
            command = "commit" if execution.command == "update" else execution.command
            moves.add((command, configuration_of(semantics, found.premise)))
        assert moves == transition_moves(semantics, configuration), str(configuration)


@pytest.mark.parametrize("name", ["twice", "constants"])
def test_every_focused_derivation_is_a_legal_trace(name):
    semantics, start = started(name)
    theory = theory_of(semantics.network)
    configuration = start
    for _ in range(4):
        sequent = sequent_of(semantics, configuration)
        found = list(executions(theory, sequent))
        ends = [check(trace_of(semantics, SequentDerivation(sequent, each.rules))) for each in found]
        assert ends == [configuration_of(semantics, each.premise) for each in found]
        configuration = ends[0]


def test_a_command_cannot_begin_inside_another():
    """The bang of -∞ asks that the linear context be empty, where a command that is under way stands."""
    semantics, start = started("twice")
    theory = theory_of(semantics.network)
    under_way = Sequent(sequent_of(semantics, start).contexts).unfocused(theory.definitions["pick"].body)
    commands = {each.rules[1].formula for each in executions(theory, under_way)}
    assert commands == {theory.definitions["pick"].body}


def test_the_basic_commands_stand_under_the_bang_of_the_least_index():
    semantics, start = started("twice")
    contexts = sequent_of(semantics, start).contexts
    assert set(contexts[i.INFINITY]) == {bang(i.MINUS_INFINITY, each.body) for each in BASIC_COMMANDS.values()}
    signature = theory_of(semantics.network).signature
    assert all(signature.below(i.MINUS_INFINITY, index) for index in signature.indexes)
    assert all(signature.below(index, i.INFINITY) for index in signature.indexes)
    assert signature.contraction == {i.INFINITY, i.RULES}
    for index in map(i.table, semantics.network.arity):
        assert {at for at in contexts if not signature.below(i.hat(index), at)} <= {index}
    assert {index for index in contexts if not signature.below(i.TEST, index)} <= i.PENDING


def test_a_hat_below_another_hat_would_make_loops_endable_anywhere():
    signature = theory_of(started("twice")[0].network).signature
    closed = type(signature).of(
        signature.indexes,
        [*signature.order, (i.hat("table t"), i.hat("table p"))],
        signature.weakening,
        signature.contraction,
    )
    assert closed.below(i.hat("table t"), "table t"), "by way of the other hat"
    assert not signature.below(i.hat("table t"), "table t")


def test_sequents_and_configurations_translate_into_each_other():
    semantics, start = started("join")
    for configuration in reached(semantics, start, depth=6):
        assert configuration_of(semantics, sequent_of(semantics, configuration)) == configuration


def test_updates_with_notes_are_refused():
    semantics, _ = started("twice")
    noted = Configuration().sent(semantics.network, [Update(1, Fact("t", (1,)), ("note",))])
    with pytest.raises(DataError, match="has an annotation") as caught:
        sequent_of(semantics, noted)
    assert caught.value.code == "TL7196"


def test_generators_are_refused():
    with pytest.raises(EngineError, match="`range` generates several values") as caught:
        theory_of(prepare(parse_program("p(X) :- q(Y), X = range(0,Y).")))
    assert caught.value.code == "TL7495"


def test_aggregates_are_refused():
    with pytest.raises(EngineError, match="does not support aggregates"):
        theory_of(prepare(parse_program("p(X,min<C>) :- q(X,C).")))


@pytest.mark.parametrize(
    ("head", "guards", "what"),
    [
        (Atom("p", (Var("Z"),)), (), "variable Z"),
        (Atom("p", (Var("X"),)), (Comparison("<", Var("Z"), Const(1, "number")),), "a comparison"),
    ],
)
def test_variables_without_a_value_are_refused(head, guards, what):
    rule = Rule(head, (Atom("q", (Var("X"),)), *guards))
    with pytest.raises(ProgramError, match=what):
        theory_of(prepare(Program((rule,))))


def test_the_open_side_of_an_equation_may_stand_on_the_right():
    x, y = Var("X"), Var("Y")
    rule = Rule(Atom("p", (y,)), (Atom("q", (x,)), Comparison("=", Call("+", (x, x)), y)))
    semantics = Semantics(prepare(Program((rule,))))
    start = Configuration(picked=Configuration().picked.plus(insertion("q", 2)))
    (found,) = executions(theory_of(semantics.network), sequent_of(semantics, start))
    assert list(configuration_of(semantics, found.premise).waiting()) == [insertion("p", 4)]


def test_the_search_says_what_is_outside_its_fragment():
    theory = theory_of(started("twice")[0].network)
    for formula in (tensor(ONE, ONE), ONE, plus(ZERO, ONE)):
        with pytest.raises(AssertionError, match="outside the fragment"):
            list(executions(theory, Sequent(FormulaContexts(), focus=formula)))
    with pytest.raises(AssertionError, match="outside the fragment"):
        list(executions(theory, Sequent(FormulaContexts(), todo=(exists("X", ONE).__class__("∀", "X", ONE),))))


def test_a_witness_that_nothing_decides_may_be_anything():
    theory = theory_of(started("twice")[0].network)
    row = RowTerm((VariableTerm("X"), VariableTerm("X")))
    goal = exists(["X", "W"], tensor(Negation(LogicAtom("upd", (row,))), i.END))
    contexts = FormulaContexts.of([("upd", LogicAtom("upd", (ConstantTerm(pair),))) for pair in ((1, 2), (3, 3), 5)])
    (found,) = executions(theory, Sequent(contexts, focus=goal))
    assert [rule.term for rule in found.rules if hasattr(rule, "term")] == [ConstantTerm(3), ConstantTerm(0)]
    assert open_premises(theory, SequentDerivation(Sequent(contexts, focus=goal), found.rules)) == (found.premise,)


def test_terms_have_values():
    assert value_of(RowTerm((ConstantTerm(1), FunctionTerm("+", (ConstantTerm(1), ConstantTerm(1)))))) == (1, 2)
    with pytest.raises(KeyError):
        value_of(VariableTerm("X"))
