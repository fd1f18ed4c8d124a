"""Constraints: clauses without a head, whose body must never hold; keys and references among them.

Law (D27): a constraint is a rule with a hidden head, which holds one fact for every violation: the values of the
variables that its body binds. It is maintained like any other rule, so its cost follows the change; an epoch after
which it holds a fact is refused, or causes a warning. `elaborate.hide_heads` adds that head.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.program.values.rule import Constraint, Key, Reference, Rule
from tidelog.program.values.term import Atom, Literal

HIDDEN = "__refused_"  # begins the names of the hidden heads
UNNAMED = "__refused"
NO_HEAD = Atom(UNNAMED, ())


def constraint_rule(body: Iterable[Literal], label: str | None, constraint: Constraint) -> Rule:
    """A clause without a head, as a rule.

    >>> constraint_rule([Atom("p", ())], "none", Constraint()).head.predicate
    '__refused'
    """
    return Rule(NO_HEAD, tuple(body), label, constraint=constraint)


def is_hidden(name: str) -> bool:
    """Whether a relation holds the violations of a constraint."""
    return name.startswith(HIDDEN)


def sugar_label(says: Key | Reference) -> str:
    """The default name of a key or reference.

    >>> sugar_label(Key("employee", ("id",))), sugar_label(Reference("member", ("group",), "group", ("name",)))
    ('key employee(id)', 'reference member(group) -> group(name)')
    """
    first = f"{says.relation}({', '.join(says.columns)})"
    if isinstance(says, Key):
        return f"key {first}"
    return f"reference {first} -> {says.target}({', '.join(says.target_columns)})"
