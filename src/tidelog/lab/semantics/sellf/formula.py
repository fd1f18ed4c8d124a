"""Formulas of linear logic with subexponentials, in negation normal form.

    A  A⊥   1  ⊥  ⊤  0   F⊗G  F⅋G  F⊕G  F&G   ∃x.F  ∀x.F   !ˡF  ?ˡF   [s op t]   name(t)

The last two are not of the paper's list but of its figures: a test is a function relation such as (U = INS), and a call
names a formula by a definition (load ≜ ...); definitions may call themselves, which is how `loop` continues.

Law: a formula is *positive* or *negative* by its outermost connective; negated atoms, tests and calls are positive,
atoms are negative. The polarity decides in which phase of a focused proof a formula is introduced, and nothing else.
Formulas are values; substitution never captures a variable, since what is put in is checked to bring none (`captures`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tidelog.lab.semantics.sellf.term import Substitution, Term, free, replaced


@dataclass(frozen=True, slots=True)
class AtomFormula:
    """An atomic formula."""

    name: str
    args: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.name, *map(str, self.args)))})"


@dataclass(frozen=True, slots=True)
class Negation:
    """The negation of an atom."""

    atom: AtomFormula

    def __str__(self) -> str:
        return f"{self.atom}⊥"


@dataclass(frozen=True, slots=True)
class Test:
    """A function relation on closed terms: it is 1 if its comparison has the given truth value, else 0."""

    __test__ = False  # no test case

    op: str
    left: Term
    right: Term
    truth: bool = True

    def __str__(self) -> str:
        return f"[{'' if self.truth else 'not '}{self.left} {self.op} {self.right}]"


@dataclass(frozen=True, slots=True)
class Call:
    """The formula that a definition yields for these arguments."""

    name: str
    args: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({','.join(map(str, self.args))})" if self.args else self.name


@dataclass(frozen=True, slots=True)
class Unit:
    """One of the four units: 1, ⊥, ⊤ and 0."""

    sign: str

    def __str__(self) -> str:
        return self.sign


@dataclass(frozen=True, slots=True)
class Binary:
    """One of the four binary connectives: ⊗, ⅋, ⊕ and &."""

    sign: str
    left: Formula
    right: Formula

    def __str__(self) -> str:
        return f"({self.left} {self.sign} {self.right})"


@dataclass(frozen=True, slots=True)
class Quantification:
    """∃ or ∀."""

    sign: str
    variable: str
    body: Formula

    def __str__(self) -> str:
        return f"{self.sign}{self.variable}.{self.body}"


@dataclass(frozen=True, slots=True)
class Exponential:
    """! or ? with the index of a subexponential."""

    sign: str
    index: str
    body: Formula

    def __str__(self) -> str:
        return f"{self.sign}^{{{self.index}}}{self.body}"


Formula: TypeAlias = AtomFormula | Negation | Test | Call | Unit | Binary | Quantification | Exponential

TENSOR, PAR, PLUS, WITH = "⊗", "⅋", "⊕", "&"
EXISTS, FORALL, BANG, QUEST = "∃", "∀", "!", "?"
ONE, BOTTOM, TOP, ZERO = Unit("1"), Unit("⊥"), Unit("⊤"), Unit("0")
_POSITIVE = {TENSOR, PLUS, EXISTS, BANG, "1", "0"}


def is_positive(formula: Formula) -> bool:
    """Whether focus stays on the formula."""
    if isinstance(formula, Negation | Test | Call):
        return True
    return not isinstance(formula, AtomFormula) and formula.sign in _POSITIVE


def tensor(left: Formula, right: Formula) -> Formula:
    """F ⊗ G."""
    return Binary(TENSOR, left, right)


def par(left: Formula, right: Formula) -> Formula:
    """F ⅋ G."""
    return Binary(PAR, left, right)


def plus(*branches: Formula) -> Formula:
    """F ⊕ (G ⊕ ...); 0 if there is no branch."""
    *front, last = branches or (ZERO,)
    for branch in reversed(front):
        last = Binary(PLUS, branch, last)
    return last


def exists(variables: Iterable[str], body: Formula) -> Formula:
    """∃x. ∃y. ... F; a text names one variable per letter."""
    for variable in reversed(list(variables)):
        body = Quantification(EXISTS, variable, body)
    return body


def bang(index: str, body: Formula) -> Formula:
    """!ˡ F."""
    return Exponential(BANG, index, body)


def quest(index: str, body: Formula) -> Formula:
    """?ˡ F."""
    return Exponential(QUEST, index, body)


def instance(formula: Formula, by: Substitution) -> Formula:
    """The formula with free variables replaced."""
    match formula:
        case AtomFormula(name, args):
            return AtomFormula(name, tuple(replaced(arg, by) for arg in args))
        case Call(name, args):
            return Call(name, tuple(replaced(arg, by) for arg in args))
        case Negation(AtomFormula(name, args)):
            return Negation(AtomFormula(name, tuple(replaced(arg, by) for arg in args)))
        case Test(op, left, right, truth):
            return Test(op, replaced(left, by), replaced(right, by), truth)
        case Binary(sign, left_side, right_side):
            return Binary(sign, instance(left_side, by), instance(right_side, by))
        case Quantification(sign, variable, body):
            return Quantification(sign, variable, instance(body, {n: t for n, t in by.items() if n != variable}))
        case Exponential(sign, index, body):
            return Exponential(sign, index, instance(body, by))
        case Unit():
            return formula


def free_variables(formula: Formula) -> frozenset[str]:
    """The variables that no quantifier of the formula binds."""
    match formula:
        case AtomFormula(_, args) | Call(_, args) | Negation(AtomFormula(_, args)):
            return frozenset(name for arg in args for name in free(arg))
        case Test(_, left, right):
            return frozenset((*free(left), *free(right)))
        case Binary(_, left_side, right_side):
            return free_variables(left_side) | free_variables(right_side)
        case Quantification(_, variable, body):
            return free_variables(body) - {variable}
        case Exponential(_, _, body):
            return free_variables(body)
        case Unit():
            return frozenset()


def captures(formula: Formula, term: Term) -> bool:
    """Whether a quantifier in the formula would bind a variable of the term."""
    names = frozenset(free(term))
    return bool(names) and not names.isdisjoint(_bound(formula))


def _bound(formula: Formula) -> Iterator[str]:
    match formula:
        case Binary(_, left, right):
            yield from _bound(left)
            yield from _bound(right)
        case Quantification(_, variable, body):
            yield variable
            yield from _bound(body)
        case Exponential(_, _, body):
            yield from _bound(body)
