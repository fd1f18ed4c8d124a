"""Types of the terms of one core rule, from the types of columns.

Law: the program has passed the type check, so that a variable has one type wherever it occurs. A type that is not
determined yet (no data has arrived) is None; such a rule has no supports, and it is planned again when the type is
known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tidelog.program import Atom, Call, Comparison, Const, Negation, Rule, Term, Var
from tidelog.program.functions.table import Function, resolve

Schema = Mapping[str, Sequence[str | None]]
Functions = Mapping[str, tuple[Function, ...]]


def variable_types(rule: Rule, schema: Schema, functions: Functions) -> dict[str, str | None]:
    """The type of every variable of a rule."""
    types: dict[str, str | None] = {}
    for atom in _atoms(rule):
        for arg, type_ in zip(atom.args, schema.get(atom.predicate, ()), strict=False):
            if isinstance(arg, Var) and types.get(arg.name) is None:
                types[arg.name] = type_
    comparisons = [x for x in rule.body if isinstance(x, Comparison)]
    while (
        any(_spread(comparison, types, functions) for comparison in comparisons)
        or any(_require(term, types, functions) for term in _scalars(rule))
        or any(_order(comparison, types) for comparison in comparisons)
    ):
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


def _scalars(rule: Rule) -> Iterator[Term]:
    """All terms of a rule that are compared, used in computations or passed to its head, from the outermost inwards."""
    waiting = [term for x in rule.body if isinstance(x, Comparison) for term in (x.left, x.right)]
    waiting += [arg for atom in _atoms(rule) for arg in atom.args]
    while waiting:
        term = waiting.pop()
        yield term
        if isinstance(term, Call):
            waiting.extend(term.args)


def _require(term: Term, types: dict[str, str | None], functions: Functions) -> bool:
    """A variable bound to a function's result of any type has the type that another function requires of it."""
    if not isinstance(term, Call) or not any(isinstance(a, Var) and types.get(a.name) is None for a in term.args):
        return False
    function = resolve(term.function, [term_type(a, types, functions) or "any" for a in term.args], functions)
    if function is None:
        return False
    asked = dict(zip(term.args, function.params, strict=False))
    found = {a.name: t for a, t in asked.items() if isinstance(a, Var) and types.get(a.name) is None and t != "any"}
    types.update(found)
    return bool(found)


def _order(comparison: Comparison, types: dict[str, str | None]) -> bool:
    """Assign the type number to an ordered term of unknown type."""
    if comparison.op in ("=", "!="):
        return False
    names = [x.name for x in (comparison.left, comparison.right) if isinstance(x, Var) and types.get(x.name) is None]
    types.update((name, "number") for name in names)
    return bool(names)


def _atoms(rule: Rule) -> list[Atom]:
    atoms = [x for x in rule.body if isinstance(x, Atom)] + [x.atom for x in rule.body if isinstance(x, Negation)]
    return [*atoms, rule.head]


def _spread(comparison: Comparison, types: dict[str, str | None], functions: Functions) -> bool:
    """Propagate a known type from one side of a comparison to a variable on the other; returns whether that was new."""
    for here, there in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
        if isinstance(here, Var) and types.get(here.name) is None:
            known = term_type(there, types, functions)
            if known is not None:
                types[here.name] = known
                return True
    return False
