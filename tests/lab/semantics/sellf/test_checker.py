"""The checker alone: each rule on sequents small enough to read, and what each rule refuses."""

import pytest

from tidelog.errors import DataError
from tidelog.lab.semantics import Bag, IllegalStep
from tidelog.lab.semantics.sellf import (
    Definition,
    FormulaContexts,
    Sequent,
    SequentDerivation,
    Signature,
    Theory,
    check,
    is_proof,
)
from tidelog.lab.semantics.sellf import formula as f
from tidelog.lab.semantics.sellf import rules as r
from tidelog.lab.semantics.sellf.formula import BOTTOM, ONE, TOP, ZERO, AtomFormula, Call, Negation, Test
from tidelog.lab.semantics.sellf.term import ConstantTerm, FunctionTerm, RowTerm, VariableTerm

A, B = AtomFormula("a"), AtomFormula("b")
X, Y = VariableTerm("X"), VariableTerm("Y")
ONE_, TWO = ConstantTerm(1), ConstantTerm(2)
SIGNATURE = Signature.of(
    ["lin", "other", "un", "affine", "low", "hat"],
    [("low", "lin"), ("low", "other"), ("low", "un"), ("low", "affine"), ("hat", "other"), ("hat", "un")],
    weakening=["un", "affine"],
    contraction=["un"],
)
THEORY = Theory(
    SIGNATURE,
    {
        "same": Definition(("X", "Y"), Test("=", X, Y)),
        "negative": Definition((), TOP),
        "open": Definition((), Test("=", X, X)),
        "bound": Definition(("X",), f.exists("Y", Test("=", X, Y))),
    },
)


def focused(formula, *linear, **contexts):
    return Sequent(FormulaContexts({k: Bag(v) for k, v in contexts.items()}), Bag(linear), (), formula)


def unfocused(*todo, linear=(), **contexts):
    return Sequent(FormulaContexts({k: Bag(v) for k, v in contexts.items()}), Bag(linear), todo)


def proved(sequent, *rules):
    return check(THEORY, SequentDerivation(sequent, rules)) == ()


def refusal(sequent, *rules):
    with pytest.raises(IllegalStep) as caught:
        check(THEORY, SequentDerivation(sequent, rules))
    return str(caught.value)


def test_every_connective_has_its_proof():
    assert proved(focused(ONE), r.UNIT_ONE)
    assert proved(unfocused(TOP, A, lin=[B]), r.UNIT_TOP)
    assert proved(focused(Negation(A), A), r.INITIAL)
    assert proved(focused(Negation(A), lin=[A], un=[B], affine=[B]), r.INITIAL)
    assert proved(focused(f.plus(ZERO, ONE)), r.ChooseBranch(1), r.UNIT_ONE)
    assert proved(focused(Test("<", ONE_, TWO)), r.HOLDS)
    assert proved(focused(Test("=", ONE_, TWO, truth=False)), r.HOLDS)
    assert proved(focused(Call("same", (ONE_, ONE_))), r.UNFOLD, r.HOLDS)
    both = unfocused(f.Binary(f.WITH, TOP, BOTTOM), TOP)
    assert proved(both, r.WITH_RULE, r.UNIT_TOP, r.UNIT_BOTTOM, r.UNIT_TOP)


def test_a_tensor_divides_what_is_linear_and_shares_what_contracts():
    goal = focused(f.tensor(Negation(A), f.tensor(Negation(B), Negation(B))), lin=[A, B], un=[B])
    given = r.Split(contexts=FormulaContexts.of([("lin", A)]))
    assert proved(goal, given, r.INITIAL, r.Split(), r.INITIAL, r.INITIAL)
    linear = focused(f.tensor(Negation(A), Negation(B)), A, B)
    assert proved(linear, r.Split(Bag([A])), r.INITIAL, r.INITIAL)
    assert "nothing is left" not in refusal(linear, r.Split(Bag([B])), r.INITIAL)
    assert "(a) is not in the linear context" in refusal(focused(f.tensor(ONE, ONE)), r.Split(Bag([A])))
    assert "(a) is not in lin" in refusal(focused(f.tensor(ONE, ONE)), given)
    shared = r.Split(contexts=FormulaContexts.of([("un", B)]))
    assert "a shared context is divided" in refusal(goal, shared)


def test_a_quest_puts_into_its_context_and_a_decision_takes_out():
    goal = unfocused(f.par(f.quest("lin", Negation(A)), f.quest("lin", A)))
    rules = [r.PAR_RULE, r.QUEST_RULE, r.QUEST_RULE, r.Decide("lin", Negation(A)), r.INITIAL]
    assert proved(goal, *rules)
    again = unfocused(lin=[A], un=[Negation(A)])
    assert proved(again, r.Decide("un", Negation(A)), r.INITIAL)
    (left,) = check(THEORY, SequentDerivation(again, (r.Decide("un", Negation(A)),)))
    assert Negation(A) in left.contexts["un"]
    assert "an atom cannot be focused on" in refusal(again, r.Decide("lin", A))
    assert "(b) is not in lin" in refusal(again, r.Decide("lin", B))


def test_a_decision_keeps_its_formula_where_contexts_contract_and_not_where_they_only_weaken():
    once = unfocused(lin=[A], affine=[Negation(A)])
    (left,) = check(THEORY, SequentDerivation(once, (r.Decide("affine", Negation(A)),)))
    assert not left.contexts["affine"]
    twice = f.tensor(f.bang("low", BOTTOM), ONE)
    again = [r.Decide("affine", twice), r.Split(), r.PROMOTE, r.UNIT_BOTTOM, r.Decide("affine", twice)]
    assert "is not in affine" in refusal(unfocused(affine=[twice]), *again)


def test_what_is_stored_is_decided_on():
    goal = unfocused(Negation(A), A)
    assert proved(goal, r.STORE, r.STORE, r.DecideLinear(Negation(A)), r.INITIAL)
    assert "an atom cannot be focused on" in refusal(goal, r.STORE, r.STORE, r.DecideLinear(A))
    assert "(b) is not in the linear context" in refusal(goal, r.STORE, r.STORE, r.DecideLinear(B))
    assert "a focus has to be chosen" in refusal(goal, r.STORE, r.STORE, r.INITIAL)
    assert "is stored" in refusal(goal, r.UNIT_TOP)


def test_a_bang_asks_what_is_not_above_it_to_be_empty():
    assert proved(focused(f.bang("hat", TOP), other=[A], un=[B]), r.PROMOTE, r.UNIT_TOP)
    assert "!^hat needs lin empty" in refusal(focused(f.bang("hat", TOP), lin=[A]), r.PROMOTE)
    assert "the linear context is not empty under !^low" in refusal(focused(f.bang("low", TOP), A), r.PROMOTE)
    assert "nowhere is not an index" in refusal(focused(f.bang("nowhere", TOP)), r.PROMOTE)
    (above,) = check(THEORY, SequentDerivation(focused(f.bang("hat", TOP), affine=[A], un=[B]), (r.PROMOTE,)))
    assert above.contexts == FormulaContexts({"un": Bag([B])}), "what may be weakened and is not above is gone"


def test_resources_cannot_be_left_over():
    for goal, rule in [
        (focused(ONE, A), r.UNIT_ONE),
        (focused(ONE, lin=[A]), r.UNIT_ONE),
        (focused(Negation(A), A, B), r.INITIAL),
        (focused(Negation(A), lin=[A, A]), r.INITIAL),
        (focused(Test("=", ONE_, ONE_), A), r.HOLDS),
    ]:
        assert "have not been used" in refusal(goal, rule)
    assert "(a) is not present" in refusal(focused(Negation(A), B), r.INITIAL)


def test_phases_are_kept_apart():
    assert "has to be released" in refusal(focused(TOP), r.UNIT_TOP)
    assert proved(focused(TOP), r.RELEASE, r.UNIT_TOP)
    assert "it does not introduce" in refusal(unfocused(BOTTOM), r.UNIT_TOP)
    assert "it does not introduce" in refusal(focused(ONE), r.RELEASE)


def test_quantifiers_need_a_closed_choice_of_names():
    both = unfocused(f.Quantification(f.FORALL, "X", f.Quantification(f.EXISTS, "Y", Test("=", X, Y))))
    rules = [r.Eigen("e"), r.STORE]
    assert check(THEORY, SequentDerivation(both, tuple(rules)))
    taken = unfocused(f.Quantification(f.FORALL, "X", AtomFormula("p", (X,))), AtomFormula("p", (VariableTerm("e"),)))
    assert "e occurs in the conclusion" in refusal(taken, r.Eigen("e"))
    held = unfocused(
        f.Quantification(f.FORALL, "X", TOP),
        lin=[AtomFormula("p", (RowTerm((FunctionTerm("+", (VariableTerm("e"),)),)),))],
    )
    assert "e occurs in the conclusion" in refusal(held, r.Eigen("e"))
    assert "captured" in refusal(both, r.Eigen("Y"))
    assert "not closed" in refusal(focused(Test("=", X, X)), r.HOLDS)
    assert proved(focused(f.exists("X", Test("=", X, ONE_))), r.Witness(ONE_), r.HOLDS)
    assert "the test fails" in refusal(focused(f.exists("X", Test("=", X, ONE_))), r.Witness(TWO), r.HOLDS)
    deep = f.exists("X", f.tensor(ONE, f.bang("low", f.exists("Y", Test("=", X, Y)))))
    assert "captured" in refusal(focused(deep), r.Witness(Y))


def test_definitions_are_unfolded_with_their_arguments():
    assert "has no definition" in refusal(focused(Call("unknown")), r.UNFOLD)
    assert "wrong number of arguments" in refusal(focused(Call("same")), r.UNFOLD)
    assert "is negative" in refusal(focused(Call("negative")), r.UNFOLD)
    assert "has a free variable" in refusal(focused(Call("open")), r.UNFOLD)
    assert "captured" in refusal(focused(Call("bound", (Y,))), r.UNFOLD)


def test_a_rule_that_does_not_apply_is_reported_by_its_number():
    with pytest.raises(IllegalStep) as caught:
        check(THEORY, SequentDerivation(focused(ONE), (r.PROMOTE,)))
    assert caught.value.code == "TL7295"
    assert refusal(focused(f.plus(ONE, ZERO)), r.ChooseBranch(0), r.PROMOTE).startswith("rule 2, PlainRule(name='!'): ")
    assert "nothing is left to prove" in refusal(focused(ONE), r.UNIT_ONE, r.UNIT_ONE)
    assert not is_proof(THEORY, SequentDerivation(focused(ONE), (r.PROMOTE,)))
    assert not is_proof(THEORY, SequentDerivation(focused(ONE), ()))
    assert is_proof(THEORY, SequentDerivation(focused(ONE), (r.UNIT_ONE,)))


@pytest.mark.parametrize(
    ("order", "weakening", "contraction", "why"),
    [
        ([("a", "b")], "a", "", "a allows weakening, but b above it does not"),
        ([("a", "b"), ("b", "c")], "ac", "a", "a allows weakening, but b above it does not"),
        ([("a", "b")], "ab", "a", "a allows contraction, but b above it does not"),
        ([], "", "c", "c allows contraction without weakening"),
        ([("a", "z")], "", "", "z is not one of its indexes"),
    ],
)
def test_signatures_that_break_the_law_are_refused(order, weakening, contraction, why):
    with pytest.raises(DataError, match=why) as caught:
        Signature.of("abc", order, weakening, contraction)
    assert caught.value.code == "TL7195"


def test_the_order_is_closed():
    signature = Signature.of("abcd", [("c", "d"), ("b", "c"), ("a", "b")])
    assert {pair for pair in signature.order if pair[0] == "a"} == {("a", each) for each in "abcd"}
    assert not signature.below("d", "a")


def test_sequents_are_values_and_can_be_read():
    goal = unfocused(f.par(f.quest("lin", A), BOTTOM), linear=[Negation(B)], un=[f.exists("X", Test("=", X, ONE_))])
    assert str(goal) == "⊢ un: {∃X.[X = 1]} : {(b)⊥} ⇑ (?^{lin}(a) ⅋ ⊥)"
    assert str(focused(Call("same", (X, RowTerm((X,)))))) == "⊢  : {} ⇓ same(X,[X])"
    assert str(Test("=", FunctionTerm("+", (X,)), ONE_, truth=False)) == "[not +(X) = 1]"
    assert (str(Call("end")), repr(goal.contexts)) == ("end", str(goal.contexts))
    assert hash(goal) == hash(unfocused(*goal.todo, linear=[Negation(B)], un=list(goal.contexts["un"])))
    assert goal.contexts != "contexts"
