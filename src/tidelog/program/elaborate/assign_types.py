"""Literals get the type of their column.

Law: types are inferred over all rules to evaluate (`types.assign`), and over those of inline relations, which are
checked even if no rule reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.elaborate.features import Feature
from tidelog.program.types.assign import infer_types
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import atoms


def assign_types(elaboration: Elaboration) -> Elaboration:
    """The pass: the program with its literals typed, and the types of all columns.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> typed = assign_types(Elaboration(parse_program(".decl p(x: float) p(X) :- q(X), X > 1.")))
    >>> print(print_rule(typed.program.rules[0]), dict(typed.typing.schema))
    p(X) :- q(X), X > 1.0. {'p': ('float',), 'q': ('float',)}
    """
    program = elaboration.program
    names_types = program.types or program.declarations or Feature.CASTS in elaboration.features
    type_names = TypeNames(program.types) if names_types else elaboration.type_names
    columns = {**_columns(program.rules), **elaboration.names.arity}
    whole = replace(program, rules=(*program.rules, *elaboration.inline))
    typing = infer_types(whole, columns, type_names, elaboration.functions, elaboration.bound)
    typed = replace(typing.program, rules=typing.program.rules[: len(program.rules)])
    return replace(elaboration.then(typed, typing.findings), typing=typing, type_names=type_names)


def _columns(rules: Iterable[Rule]) -> dict[str, int]:
    """The numbers of columns of the relations in the rules, including those added by passes."""
    return {atom.predicate: len(atom.args) for rule in rules for atom in (rule.head, *atoms(rule.body))}
