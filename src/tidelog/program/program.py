"""A program: everything one text says, as one frozen value.

Law: printing a program and reading the text again gives an equal program (``syntax``, property-tested).
"""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.program.rule import Fact, Rule
from tidelog.program.schema import Declaration, Directive, Functor, Materialize, Pragma, TypeDeclaration

SOUFFLE, PROLOG = "souffle", "prolog"


@dataclass(frozen=True, slots=True)
class Program:
    """Rules and facts in the order of the text, with the declarations that surround them.

    ``convention`` says how identifiers were read (D7): ``souffle`` or ``prolog``.
    """

    rules: tuple[Rule, ...] = ()
    facts: tuple[Fact, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    types: tuple[TypeDeclaration, ...] = ()
    directives: tuple[Directive, ...] = ()
    keys: tuple[Materialize, ...] = ()
    convention: str = PROLOG
    pragmas: tuple[Pragma, ...] = ()
    functors: tuple[Functor, ...] = ()
