"""Declarations: relations and their columns, type names, directives, keys.

Law: a declaration only restricts what a program may contain; it never changes the meaning of its rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tidelog.errors import Span
from tidelog.program.values.term import Term

OWN_TYPES = ("list", "boolean", "date", "timestamp")  # a program may use these names for its own types
BASE_TYPES = ("number", "unsigned", "float", "symbol", "list", "boolean", "date", "timestamp")
QUALIFIERS = ("eqrel", "inline", "magic", "no_magic", "overridable")


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and the name of its type (a base type or one made by ``.type``).

    ``default`` is the value for facts that are older than the column.
    """

    name: str
    type: str
    default: Term | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """``.decl relation(name: type, ...)``; ``qualifiers`` are the meaningful words after it (`QUALIFIERS`).

    ``domains`` are the keys after `choice-domain`, each by its columns, counted from 0.
    """

    relation: str
    columns: tuple[Column, ...]
    span: Span | None = field(default=None, compare=False, repr=False)
    qualifiers: tuple[str, ...] = ()
    domains: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Constructor:
    """A constructor of an algebraic type with its fields; that of a record type has no name."""

    name: str
    fields: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """``.type name = other`` (alias), ``.type name <: other`` (subtype), ``.type name = a | b`` (union).

    With ``constructors`` it is a record type ``.type name = [x: number]`` or an algebraic one,
    ``.type name = A {x: number} | B {}``, and has no bases.
    """

    name: str
    bases: tuple[str, ...]
    subtype: bool
    span: Span | None = field(default=None, compare=False, repr=False)
    constructors: tuple[Constructor, ...] = ()


@dataclass(frozen=True, slots=True)
class Directive:
    """``.input``, ``.output`` or ``.printsize`` of one relation, with its parameters in the order written."""

    kind: str
    relation: str
    params: tuple[tuple[str, str], ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Materialize:
    """``materialize(relation, lifetime, size, keys(1,2))``. Keys count columns from 1. ``infinity`` is None."""

    relation: str
    lifetime: int | None
    size: int | None
    keys: tuple[int, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Lifetime:
    """``.lifetime relation 30m by column``: how long its facts live, from their insertion or a column's time on."""

    relation: str
    microseconds: int
    column: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Functor:
    """``.functor f(number, symbol): number``: a function that is provided from outside, with the names of its types."""

    name: str
    params: tuple[str, ...]
    result: str
    span: Span | None = field(default=None, compare=False, repr=False)


def numbered_columns(count: int) -> tuple[str, ...]:
    """The default names of columns.

    >>> numbered_columns(3)
    ('c1', 'c2', 'c3')
    """
    return tuple(f"c{number}" for number in range(1, count + 1))
