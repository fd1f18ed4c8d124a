"""The instructions do what their formulas say: each is tried alone, on contexts small enough to read."""

import pytest

from tidelog.lab.semantics.linear.contexts import Contexts, Index
from tidelog.lab.semantics.linear.formula import (
    END,
    TOP,
    Choose,
    Guard,
    Load,
    Loop,
    Unload,
    WhenEmpty,
    copy,
    move,
    take,
)
from tidelog.lab.semantics.linear.interpreter import DerivationState, outcomes

A, B, SPARE = Index("a"), Index("b"), Index("spare")
RULES = Index("rules", unbounded=True)
ONE, TWO = (1,), (2,)


def ends(formula, contexts, **options):
    return {outcome.contexts for outcome in outcomes(formula, contexts, **options)}


def test_load_adds_one_occurrence() -> None:
    assert ends(Load(ONE, A, END), Contexts.of({A: [ONE]})) == {Contexts.of({A: [ONE, ONE]})}


def test_unload_tries_every_element() -> None:
    found = ends(Unload(A, lambda e: Load(e, B, END)), Contexts.of({A: [ONE, TWO]}))
    assert found == {Contexts.of({A: [TWO], B: [ONE]}), Contexts.of({A: [ONE], B: [TWO]})}


def test_take_of_an_absent_element_has_no_derivation() -> None:
    assert not outcomes(take(A, TWO, END), Contexts.of({A: [ONE]}))


def test_unload_of_an_unbounded_context_leaves_it() -> None:
    contexts = Contexts.of({RULES: [ONE]})
    assert ends(take(RULES, ONE, END), contexts) == {contexts}


def test_loop_over_an_unbounded_context_is_refused() -> None:
    with pytest.raises(ValueError, match="never becomes empty"):
        Loop(RULES, lambda e, rest: rest, END)


def test_loop_ends_only_when_its_context_is_empty() -> None:
    refilled = Loop(A, lambda e, rest: Load(e, B, rest), take(A, ONE, END))
    assert not outcomes(refilled, Contexts.of({A: [ONE, TWO]}))


@pytest.mark.parametrize("every_order", [False, True])
def test_move_carries_every_occurrence(every_order: bool) -> None:
    start = Contexts.of({A: [ONE, ONE, TWO], B: [TWO]})
    assert ends(move(A, B, END), start, every_order=every_order) == {Contexts.of({B: [ONE, ONE, TWO, TWO]})}


@pytest.mark.parametrize("every_order", [False, True])
def test_copy_keeps_the_source(every_order: bool) -> None:
    start = Contexts.of({A: [ONE, ONE, TWO]})
    copied = Contexts.of({A: [ONE, ONE, TWO], B: [ONE, ONE, TWO]})
    assert ends(copy(A, B, SPARE, END), start, every_order=every_order) == {copied}


def test_choice_offers_every_branch_and_guards_close_them() -> None:
    branches = Choose((Guard(True, Load(ONE, A, END)), Guard(False, Load(TWO, A, END)), Load(TWO, B, END)))
    assert ends(branches, Contexts()) == {Contexts.of({A: [ONE]}), Contexts.of({B: [TWO]})}


def test_bang_needs_its_contexts_empty() -> None:
    formula = WhenEmpty(frozenset({A}), TOP)
    assert outcomes(formula, Contexts.of({B: [ONE]})) == {DerivationState(Contexts.of({B: [ONE]}), proved=True)}
    assert not outcomes(formula, Contexts.of({A: [ONE]}))


def test_contexts_are_values() -> None:
    contexts = Contexts.of({A: [ONE], B: [TWO]})
    emptied = contexts.unload(A, ONE)
    assert emptied == Contexts.of({B: [TWO]})
    assert hash(emptied) == hash(Contexts.of({B: [TWO]}))
    assert contexts == Contexts.of({B: [TWO], A: [ONE]})
    assert contexts != "contexts"
    assert repr(contexts) == "Contexts(a: (1,); b: (2,))"
