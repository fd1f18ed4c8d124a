"""A program: everything one text says, as one frozen value.

Law: printing a program and reading the text again gives an equal program (``syntax``, property-tested).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tidelog.program.values.rule import Fact, Rule
from tidelog.program.values.schema import Declaration, Directive, Functor, Lifetime, Materialize, TypeDeclaration

if TYPE_CHECKING:
    from tidelog.program.values.component import Component, Instance

SOUFFLE, PROLOG = "souffle", "prolog"


@dataclass(frozen=True, slots=True)
class Program:
    """Rules and facts in the order of the text, with the declarations that surround them.

    ``convention`` says how identifiers were read (D7): ``souffle`` or ``prolog``. ``components`` are there to make
    instances of; what reading gives has no ``instances`` any more: what they mean stands in the other parts, under
    names with periods (``graph.edge``). ``pragmas`` are the options that the text sets, with their values.
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
    unread: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
