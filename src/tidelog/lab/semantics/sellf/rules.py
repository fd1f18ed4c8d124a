"""Proof objects: which rule is applied at each sequent of a focused proof, with what the rule leaves open.

Law: a derivation is the list of its rules in preorder: each rule belongs to the first sequent that is still to be
proved, and its premises take that sequent's place, the left one first. So derivations are put one above the other by
putting lists one after the other. A rule says only what its conclusion does not decide: the focus, the branch of ⊕, the
witness of ∃, the eigenvariable of ∀, and what ⊗ passes to its left premise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.sellf.formula import Formula
from tidelog.lab.semantics.sellf.sequent import FormulaContexts, Sequent
from tidelog.lab.semantics.sellf.term import Term


@dataclass(frozen=True, slots=True)
class PlainRule:
    """A rule that needs to say nothing but its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Decide:
    """Dₗ: focus on a formula of a context."""

    index: str
    formula: Formula


@dataclass(frozen=True, slots=True)
class DecideLinear:
    """D₁: focus on a formula of the linear context."""

    formula: Formula


@dataclass(frozen=True, slots=True)
class Split:
    """⊗: what the left premise gets of Γ and of the contexts without contraction."""

    linear: Bag[Formula] = field(default_factory=Bag)
    contexts: FormulaContexts = field(default_factory=FormulaContexts)


@dataclass(frozen=True, slots=True)
class ChooseBranch:
    """⊕: the branch, 0 for the left one."""

    branch: int


@dataclass(frozen=True, slots=True)
class Witness:
    """∃: the term."""

    term: Term


@dataclass(frozen=True, slots=True)
class Eigen:
    """∀: the name of the eigenvariable."""

    name: str


Rule: TypeAlias = PlainRule | Decide | DecideLinear | Split | ChooseBranch | Witness | Eigen

RELEASE, STORE, INITIAL, UNFOLD, HOLDS = map(PlainRule, ("release", "store", "initial", "unfold", "holds"))
UNIT_ONE, UNIT_BOTTOM, UNIT_TOP = map(PlainRule, ("1", "⊥", "⊤"))
PAR_RULE, WITH_RULE, PROMOTE, QUEST_RULE = map(PlainRule, ("⅋", "&", "!", "?"))


@dataclass(frozen=True)
class SequentDerivation:
    """An end sequent and the rules above it."""

    end: Sequent
    rules: tuple[Rule, ...]
