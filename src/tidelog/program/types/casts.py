"""Type casts: ``as(x, T)`` says that a value belongs to a type of the same base.

Law: a cast changes no value; without casts a rule means the same. Casts are checked by `subtypes`; a cast between types
of different base is refused, because the same bits mean another value there (TL409).
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import calls, literal_terms, rule_literals
from tidelog.program.values.substitute import changed_inside
from tidelog.program.values.term import Call, Const, Term

CAST = "(as)"  # no function has this name


def cast_type(term: Term) -> str | None:
    """The type that a term is cast to, None if it is not a cast.

    >>> from tidelog.program.values.term import Var
    >>> cast_type(Call(CAST, (Var("x"), Const("City", "symbol"))))
    'City'
    """
    if isinstance(term, Call) and term.function == CAST and len(term.args) == 2:
        name = term.args[1]
        return name.value if isinstance(name, Const) and isinstance(name.value, str) else None
    return None


def without_cast(term: Term) -> Term:
    """The term without the casts in it."""
    if isinstance(term, Call) and cast_type(term) is not None:
        return without_cast(term.args[0])
    return changed_inside(term, without_cast)


def has_casts(rule: Rule) -> bool:
    """Whether a term of the rule is cast."""
    return next(casts(rule), None) is not None


def casts(rule: Rule) -> Iterator[Call]:
    """The casts of a rule."""
    terms = (*rule.head.args, *(term for literal in rule_literals(rule) for term in literal_terms(literal)))
    return (call for term in terms for call in calls(term) if cast_type(call) is not None)
