"""Overlog programs as values: tables, rules, facts, terms.

An atom has a `place`, the term after `@`, apart from its columns: in NDlog the place is also a column, in SeNDlog
(`p(X)@D`, `At S:`) it need not be.

Law: a program is a frozen value; whether a relation is a table or an event depends on the declarations and facts
alone, never on the course of a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.errors import Span
from tidelog.lab.network.ring import Id

Value: TypeAlias = "str | int | float | bool | Id | tuple[Value, ...] | frozenset[Value] | None"
Row: TypeAlias = tuple[Value, ...]

PERIODIC = "periodic"
BROADCAST = "Broadcast"
COUNT, COUNT_DISTINCT, LIST, MIN, MAX, SUM, AVERAGE = "count", "countdistinct", "list", "min", "max", "sum", "avg"
AGGREGATES = (COUNT, COUNT_DISTINCT, LIST, MIN, MAX, SUM, AVERAGE)


@dataclass(frozen=True, slots=True)
class ProgramVariable:
    """A name that begins with a capital letter."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Anything:
    """`_`: matches every value."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is written in the program."""

    value: Value


@dataclass(frozen=True, slots=True)
class Apply:
    """A function or operator and its arguments; `in(]` and its kin take a value and two bounds."""

    function: str
    args: tuple[Term, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`a_MIN<C>` in a head; `value` is None for `a_COUNT<*>`."""

    kind: str
    value: Term | None


Term: TypeAlias = ProgramVariable | Anything | Constant | Apply | Aggregate


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation with its columns and its place. `sayer` is the principal of `X says p(...)`."""

    relation: str
    args: tuple[Term, ...]
    place: Term
    sayer: Term | None = None
    encrypted: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Deletion:
    """`delete p(...)` in a body: a row of `p` was deleted or has expired."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Absence:
    """`notin p(...)`: no row matches. Variables that nothing else binds match every value."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Assignment:
    """`X := term`."""

    variable: ProgramVariable
    value: Term


@dataclass(frozen=True, slots=True)
class Condition:
    """A term that has to be true."""

    test: Term


Literal: TypeAlias = Atom | Deletion | Absence | Assignment | Condition


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. With `deletes` it removes the rows of its head."""

    label: str
    head: Atom
    body: tuple[Literal, ...]
    deletes: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableDeclaration:
    """`materialize(relation, lifetime, size, keys(...))`; keys count from 0 here, None is `infinity`."""

    relation: str
    lifetime: float | None = None
    size: int | None = None
    keys: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramFact:
    """A fact of a text. Its place may be a variable: then it holds at every node, with the node for the variable."""

    atom: Atom
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that a text says. `watch` statements have no meaning here and are not kept."""

    rules: tuple[Rule, ...] = ()
    tables: tuple[TableDeclaration, ...] = ()
    facts: tuple[ProgramFact, ...] = ()

    def __add__(self, other: Program) -> Program:
        return Program(self.rules + other.rules, self.tables + other.tables, self.facts + other.facts)


def variables(term: Term) -> Iterator[ProgramVariable]:
    """The variables of a term, from left to right.

    >>> [v.name for v in variables(Apply("+", (ProgramVariable("X"), Apply("f", (ProgramVariable("Y"), Constant(1))))))]
    ['X', 'Y']
    """
    if isinstance(term, ProgramVariable):
        yield term
    elif isinstance(term, Apply):
        for arg in term.args:
            yield from variables(arg)
    elif isinstance(term, Aggregate) and term.value is not None:
        yield from variables(term.value)


def atom_variables(atom: Atom) -> Iterator[ProgramVariable]:
    """The variables of an atom: place, columns, sayer."""
    for term in (atom.place, *atom.args, *(() if atom.sayer is None else (atom.sayer,))):
        yield from variables(term)
