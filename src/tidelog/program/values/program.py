"""A program: the content of a text as one frozen value; and components, programs with a name and parameters.

Law: printing a program and reading the text again yields an equal program (``syntax``, property-tested). An
instance of a component means the component's text with the instance's name before the names that the text declares,
and the types given for its parameters (`expand_components`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tidelog.errors import Span
from tidelog.program.values.rule import Fact, Rule
from tidelog.program.values.schema import Declaration, Directive, Functor, Lifetime, Materialize, TypeDeclaration

SOUFFLE, PROLOG = "souffle", "prolog"


@dataclass(frozen=True, slots=True)
class Program:
    """Rules and facts in the order of the text, with the surrounding declarations.

    ``convention`` says how identifiers were read (D7): ``souffle`` or ``prolog``. ``components`` are there to make
    instances of; a program that was read has no ``instances`` any more: their meaning is in the other parts, under
    names with periods (``graph.edge``). ``pragmas`` are the options that the text sets, with their values.
    ``prefixes`` are names with the IRIs that they abbreviate in texts about the program (`syntax.prefixes`).
    ``unread`` are the names that clauses and directives declare or derive which could not be read: what is said about
    those follows from that mistake.
    """

    rules: tuple[Rule, ...] = ()
    facts: tuple[Fact, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    types: tuple[TypeDeclaration, ...] = ()
    directives: tuple[Directive, ...] = ()
    keys: tuple[Materialize, ...] = ()
    components: tuple[Component, ...] = ()
    instances: tuple[Instance, ...] = ()
    pragmas: tuple[tuple[str, str], ...] = ()
    convention: str = PROLOG
    functors: tuple[Functor, ...] = ()
    lifetimes: tuple[Lifetime, ...] = ()
    prefixes: tuple[tuple[str, str], ...] = ()
    unread: frozenset[str] = field(default=frozenset(), compare=False, repr=False)


SEPARATOR = "."


@dataclass(frozen=True, slots=True)
class ComponentType:
    """``Name<T, U>``: which component, and the names of the types (or components) given for its parameters."""

    name: str
    args: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Instance:
    """``.init name = Component<T>``."""

    name: str
    type: ComponentType
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Component:
    """``.comp Name<T> : Base<T> { content }``; ``overrides`` are the relations of its bases that it redefines."""

    name: str
    params: tuple[str, ...] = ()
    bases: tuple[ComponentType, ...] = ()
    content: Program = field(default_factory=Program)
    overrides: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


def belongs_to(name: str, instance: str) -> bool:
    """Whether an instance made the relation, type or rule of this name.

    >>> belongs_to("main.graph.edge", "main"), belongs_to("mainline.edge", "main")
    (True, False)
    """
    return name.startswith(instance + SEPARATOR)
