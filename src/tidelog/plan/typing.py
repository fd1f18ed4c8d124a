"""Types of the terms of one core rule, from the types of columns.

Law: the program has passed the type check, so that a variable has one type wherever it stands. A type that nothing
determines yet (no data has come) is None; such a rule has no supports, and it is planned again when the type is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidelog.program import Atom, Call, Comparison, Const, Negation, Rule, Term, Var
from tidelog.program.functions import Function, resolve

Schema = Mapping[str, Sequence[str | None]]
Functions = Mapping[str, tuple[Function, ...]]


def variable_types(rule: Rule, schema: Schema, functions: Functions) -> dict[str, str | None]:
    """The type of every variable of a rule."""
    types: dict[str, str | None] = {}
    for atom in _atoms(rule):
        for arg, type_ in zip(atom.args, schema.get(atom.predicate, ()), strict=False):
            if isinstance(arg, Var) and types.get(arg.name) is None:
                types[arg.name] = type_
    equations = [x for x in rule.body if isinstance(x, Comparison) and x.op == "="]
    while any(_spread(e, types, functions) for e in equations):
        pass
    return types


def term_type(term: Term, types: Mapping[str, str | None], functions: Functions) -> str | None:
    """The type of a scalar term; None while it is not determined."""
    if isinstance(term, Const):
        return term.type
    if isinstance(term, Var):
        return types.get(term.name)
    if isinstance(term, Call):
        args = [term_type(a, types, functions) or "any" for a in term.args]
        function = resolve(term.function, args, functions)
        return None if function is None or function.result == "any" else function.result
    return None


def _atoms(rule: Rule) -> list[Atom]:
    atoms = [x for x in rule.body if isinstance(x, Atom)] + [x.atom for x in rule.body if isinstance(x, Negation)]
    return [*atoms, rule.head]


def _spread(equation: Comparison, types: dict[str, str | None], functions: Functions) -> bool:
    """Carry a known type from one side of an equation to a variable on the other; whether that told something new."""
    for here, there in ((equation.left, equation.right), (equation.right, equation.left)):
        if isinstance(here, Var) and types.get(here.name) is None:
            known = term_type(there, types, functions)
            if known is not None:
                types[here.name] = known
                return True
    return False
