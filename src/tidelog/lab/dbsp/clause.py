"""Facts and rules as the circuits see them: ground tuples, and Horn clauses over variables and constants.

Law: a clause means the same whatever its variables are called; its normal form numbers them by first occurrence, so
that equal beginnings of bodies are equal values and can be shared (DYRE paper, equation 1).
Constants may be anything hashable. A clause may demand that some ground atoms are *not* there; each of these tests one
fact, since the positive body binds all its variables. ``translate`` makes clauses from programs.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeAlias

from tidelog.lab.dbsp.dbsp_failures import UNBOUND_HEAD, UNBOUND_NEGATION

Atom: TypeAlias = tuple[Hashable, tuple[Hashable, ...]]
"""A ground atom: predicate and constants. In a clause (a *pattern*) the terms may also be variables."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, distinguished from constants by its type."""

    name: str | int


@dataclass(frozen=True, slots=True)
class Not:
    """The predicate of an atom that must not be there."""

    predicate: Hashable


@dataclass(frozen=True, slots=True)
class Clause:
    """``head ← body, not negated``. Every variable of the head and of a negated atom occurs in the body.

    >>> x, y = Variable("x"), Variable("y")
    >>> Clause(("R", (x, y)), (("P", (x, x)),))
    Traceback (most recent call last):
    ...
    tidelog.errors.TidelogError: variable `y` in the head does not occur in the body
    """

    head: Atom
    body: tuple[Atom, ...] = ()
    negated: tuple[Atom, ...] = ()

    def __post_init__(self) -> None:
        bound = set(variables(self.body))
        for variable in variables((self.head,)):
            if variable not in bound:
                raise UNBOUND_HEAD.error(name=variable.name)
        for variable in variables(self.negated):
            if variable not in bound:
                raise UNBOUND_NEGATION.error(name=variable.name)

    @property
    def literals(self) -> tuple[Atom, ...]:
        """The body, then the negated atoms, whose predicates are marked by `Not`."""
        return self.body + tuple((Not(predicate), terms) for predicate, terms in self.negated)


def variables(patterns: tuple[Atom, ...]) -> tuple[Variable, ...]:
    """The variables of some patterns, each once, in order of first occurrence.

    >>> x, y = Variable("x"), Variable("y")
    >>> [v.name for v in variables((("P", (y, "a")), ("Q", (x, y))))]
    ['y', 'x']
    """
    return tuple(dict.fromkeys(term for _, terms in patterns for term in terms if isinstance(term, Variable)))


def normal_form(clause: Clause) -> Clause:
    """The clause with its variables numbered by first occurrence in the body.

    >>> x, y = Variable("x"), Variable("y")
    >>> normal_form(Clause(("R", (x,)), (("P", (y, x)),)))
    Clause(head=('R', (Variable(name=1),)), body=(('P', (Variable(name=0), Variable(name=1))),), negated=())
    """
    numbers: dict[Hashable, Variable] = {v: Variable(n) for n, v in enumerate(variables(clause.body))}
    body, negated = (tuple(_renamed(atom, numbers) for atom in atoms) for atoms in (clause.body, clause.negated))
    return Clause(_renamed(clause.head, numbers), body, negated)


def _renamed(atom: Atom, names: dict[Hashable, Variable]) -> Atom:
    predicate, terms = atom
    return predicate, tuple(names.get(term, term) for term in terms)
