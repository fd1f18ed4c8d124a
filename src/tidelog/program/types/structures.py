"""The record types and constructors of a program, and the values that its brackets and constructors build.

Law: a constructor belongs to one algebraic type, which its name determines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tidelog.errors import Diagnostic
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.types.unify import NIL
from tidelog.program.values.schema import TypeDeclaration
from tidelog.program.values.shape import Shape, make_shapes, structure_name
from tidelog.program.values.structure import MAKE, Structure
from tidelog.program.values.term import ANY_TYPE, NUMBER, RECORD, Call


class TypedConstructor(NamedTuple):
    """A constructor, or the bracket of a record type: its type, and the names and types of its fields."""

    constructor: str
    type: str
    fields: tuple[tuple[str, str], ...]

    @property
    def shown(self) -> str:
        """Its name in messages."""
        return f"${self.constructor}" if self.constructor else self.type.lstrip("'")

    def name(self, count: int) -> str:
        """The function that a term with this number of parts is elaborated to."""
        fits = count == len(self.fields)
        parts = tuple(type_ for _, type_ in self.fields) if fits else (ANY_TYPE,) * count
        return Structure(MAKE, self.constructor, self.type, parts).constructor_name


class Bracket(NamedTuple):
    """``[a, b]`` whose type is not settled: the places of its parts, and its own."""

    call: Call
    parts: tuple[int, ...]
    place: int
    clause: int


@dataclass(slots=True)
class Structures:
    """The record types and constructors of a program, and the results for its terms.

    ``names`` holds the function that each term is elaborated to, by the number of its clause and its identity: clauses
    that come from one text share terms. ``clause`` is the current one.
    """

    records: dict[str, TypedConstructor] = field(default_factory=dict)
    constructors: dict[str, TypedConstructor] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    clause: int = -1
    brackets: list[Bracket] = field(default_factory=list)

    @property
    def any(self) -> bool:
        """Whether the program declares any."""
        return bool(self.shapes)

    def shape(self, type_: str | None) -> str | None:
        """A type as columns have it: a shape for a structure, anything else unchanged."""
        return type_ if type_ is None else RECORD if type_ == NIL else self.shapes.get(type_, type_)


def structures_of(names: TypeNames) -> Structures:
    """The structures that type names declare."""
    declared = list(names.structures)
    found = Structures(shapes=make_shapes(declared, names.bases))
    for declaration in declared:
        for made in _constructors(declaration, names):
            known = found.constructors.get(made.constructor)
            if known is not None:
                found.findings.append(
                    diagnose("TL423", declaration.span, name=made.constructor, first=known.type, second=made.type)
                )
            elif made.constructor:
                found.constructors[made.constructor] = made
            else:
                found.records[made.type] = made
        found.findings.extend(_repeated(declaration))
    return found


def _constructors(declaration: TypeDeclaration, names: TypeNames) -> Iterator[TypedConstructor]:
    for constructor in declaration.constructors:
        fields = tuple((field.name, names.base(field.type) or NUMBER) for field in constructor.fields)
        yield TypedConstructor(constructor.name, structure_name(declaration.name), fields)


def _repeated(declaration: TypeDeclaration) -> Iterator[Diagnostic]:
    for constructor in declaration.constructors:
        names = [field.name for field in constructor.fields]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            where = f"${constructor.name}" if constructor.name else declaration.name
            yield diagnose("TL424", declaration.span, name=name, type=where)
