"""Declarations: relations and their columns, type names, directives, keys.

Law: a declaration only narrows what a program may say; it never changes what its rules mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tidelog.errors import Span

BASE_TYPES = ("number", "unsigned", "float", "symbol", "list", "boolean", "date", "timestamp")


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and the name of its type (a base type or one made by ``.type``)."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """``.decl relation(name: type, ...)``."""

    relation: str
    columns: tuple[Column, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """``.type name = other`` (alias), ``.type name <: other`` (subtype), ``.type name = a | b`` (union)."""

    name: str
    bases: tuple[str, ...]
    subtype: bool
    span: Span | None = field(default=None, compare=False, repr=False)


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
