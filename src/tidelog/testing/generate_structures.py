"""Random records and variants for generated programs, and literals that build and open them.

Law: structures built by rules are at most two levels deep, regardless of what they read, so recursion ends: the parts
of a new value are numbers, texts, and structures that an additional pattern limits to one level. Terms already carry
their types, as the checks would assign them (`program.structure`); printed and read again, they are the same text.
"""

from __future__ import annotations

from random import Random

from tidelog.program import Call, Column, Const, Term, TypeDeclaration, Value, Variant
from tidelog.program.values.schema import Constructor
from tidelog.program.values.structure import MAKE, NIL, Structure
from tidelog.program.values.term import FLOAT, NUMBER, SYMBOL

CELL, TREE, ITEM = "Cell", "Tree", "Item"
FIELDS: dict[str, dict[str, tuple[tuple[str, str], ...]]] = {
    CELL: {"": (("head", NUMBER), ("tail", CELL))},
    TREE: {"Leaf": (("v", NUMBER),), "Node": (("l", TREE), ("r", TREE)), "Empty": ()},
    ITEM: {"": (("w", FLOAT), ("s", SYMBOL), ("t", TREE))},
}
STRUCTURES = tuple(FIELDS)
_WEIGHTS = (0.0, 0.5, 1.5)
_TEXTS = ("", "a", "b, c", "nil")


def declarations() -> tuple[TypeDeclaration, ...]:
    """The types that generated programs declare."""
    return tuple(
        TypeDeclaration(
            name,
            (),
            False,
            constructors=tuple(
                Constructor(made, tuple(Column(*field) for field in fields)) for made, fields in constructors.items()
            ),
        )
        for name, constructors in FIELDS.items()
    )


def make(type_: str, constructor: str, *parts: Term) -> Call:
    """The term that builds a structure, or matches it."""
    types = tuple(field for _, field in FIELDS[type_][constructor])
    return Call(Structure(MAKE, constructor, type_, types).constructor_name, parts)


def random_structure(rng: Random, type_: str, depth: int = 2) -> Value:
    """A value; the deeper, the rarer."""
    if type_ == CELL:
        return None if not depth or rng.random() < 0.3 else (rng.randrange(3), random_structure(rng, CELL, depth - 1))
    if type_ == ITEM:
        if rng.random() < 0.15:
            return None
        return (rng.choice(_WEIGHTS), rng.choice(_TEXTS), random_structure(rng, TREE, min(depth, 1)))
    if depth and rng.random() < 0.4:
        return Variant("Node", *(random_structure(rng, TREE, depth - 1) for _ in range(2)))
    return Variant("Leaf", rng.randrange(3)) if rng.random() < 0.7 else Variant("Empty")


def structure_term(value: Value, type_: str) -> Term:
    """The term that denotes a value."""
    if type_ not in FIELDS:
        return Const(value, type_)
    if value is None:
        return NIL
    constructor, parts = (value.constructor, value.parts) if isinstance(value, Variant) else ("", value)
    assert isinstance(parts, tuple)
    fields = FIELDS[type_][constructor]
    return make(type_, constructor, *(structure_term(p, t) for p, (_, t) in zip(parts, fields, strict=True)))
