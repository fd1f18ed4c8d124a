"""Atoms and the other literals of a rule body.

Law: a body is a conjunction of literals; its meaning does not depend on their order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.errors import Span
from tidelog.program.values.path import Path
from tidelog.program.values.term import Term

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate applied to terms. ``location`` is the position of the argument that carries ``@``, if any.

    ``p@1`` is ``p(@1)``: an atom with one argument at location 0.
    """

    predicate: str
    args: tuple[Term, ...]
    location: int | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """``!atom``: no fact matches the atom."""

    atom: Atom
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left op right``. ``=`` also binds: a variable with a term, and (with ``range``) with each of several values.

    ``:=`` of NDlog is read as ``=``. Tests such as ``contains(a, b)`` and ``match(p, s)`` are comparisons of a call
    with the number 1: ``contains(a, b) = 1``.
    """

    op: str
    left: Term
    right: Term
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Boolean:
    """``true`` or ``false`` as a literal."""

    value: bool
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """``(body ; body ; ...)``."""

    branches: tuple[tuple[Literal, ...], ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PathAtom:
    """A path expression between two terms: ``follows+(X, Y)``; ``negated``, no such path: ``!follows+(X, Y)``."""

    path: Path
    source: Term
    target: Term
    negated: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


Literal: TypeAlias = Atom | Negation | Comparison | Boolean | Disjunction | PathAtom
