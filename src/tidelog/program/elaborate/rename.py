"""Rename the relations, types and constructors of a program, wherever they occur.

Law: renaming is a homomorphism: only names change. Which fields contain names is defined in one table,
by class; every other field is traversed. Positions in the text (spans) do not change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from tidelog.program.types.casts import cast_type
from tidelog.program.values.path import Label, Repeat
from tidelog.program.values.rule import Key, Reference
from tidelog.program.values.schema import (
    Column,
    Constructor,
    Declaration,
    Directive,
    Functor,
    Lifetime,
    Materialize,
    TypeDeclaration,
)
from tidelog.program.values.term import SYMBOL, Atom, Call, Const

RELATION, TYPE, CONSTRUCTOR = "relation", "type", "constructor"
NAMES: dict[type, dict[str, str]] = {
    Atom: {"predicate": RELATION},
    Label: {"relation": RELATION},
    Repeat: {"domain": RELATION},
    Declaration: {"relation": RELATION},
    Directive: {"relation": RELATION},
    Materialize: {"relation": RELATION},
    Lifetime: {"relation": RELATION},
    Key: {"relation": RELATION},
    Reference: {"relation": RELATION, "target": RELATION},
    Column: {"type": TYPE},
    Functor: {"params": TYPE, "result": TYPE},
    TypeDeclaration: {"name": TYPE, "bases": TYPE},
    Constructor: {"name": CONSTRUCTOR},
}

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Renaming:
    """New names by old ones; other names stay."""

    relations: Mapping[str, str]
    types: Mapping[str, str]
    constructors: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, value: Value) -> Value:
        """The value with all names in it replaced.

        >>> from tidelog.program.values.term import Var
        >>> Renaming({"edge": "g.edge"}, {})(Atom("edge", (Var("x"),)))
        Atom(predicate='g.edge', args=(Var(name='x'),), location=None)
        """
        renamed: Value = self._value(value)
        return renamed

    def _value(self, value: Any) -> Any:
        if isinstance(value, tuple):
            parts = tuple(self._value(part) for part in value)
            return value if all(a is b for a, b in zip(parts, value, strict=True)) else parts
        if not is_dataclass(value) or isinstance(value, type):
            return value
        if isinstance(value, Call) and (cast := cast_type(value)) is not None:
            target = Const(self.types.get(cast, cast), SYMBOL, value.args[1].span)
            return replace(value, args=(self._value(value.args[0]), target))
        if isinstance(value, Call) and value.function[0] == "$" and value.function[1:] in self.constructors:
            return replace(value, function=f"${self.constructors[value.function[1:]]}", args=self._value(value.args))
        changed = {}
        for name, role in _fields(type(value)):
            old = getattr(value, name)
            new = self._value(old) if role is None else self._name(old, role)
            if new is not old:
                changed[name] = new
        return replace(value, **changed) if changed else value

    def _name(self, value: Any, role: str) -> Any:
        if isinstance(value, tuple):
            return tuple(self._name(part, role) for part in value)
        names = {RELATION: self.relations, TYPE: self.types, CONSTRUCTOR: self.constructors}[role]
        return names.get(value, value)


@cache
def _fields(kind: type) -> tuple[tuple[str, str | None], ...]:
    """The fields that can hold names, each with the kind of its name, or None for fields that are traversed."""
    roles = {name: role for base in reversed(kind.__mro__) for name, role in NAMES.get(base, {}).items()}
    return tuple((field.name, roles.get(field.name)) for field in fields(kind) if field.compare)
