"""Random records and variants for generated programs, and literals that make and open them.

Law: what rules make is at most two levels deep, whatever they read, so that recursion ends: the parts of a new value
are numbers, texts, and structures that a pattern beside them holds to one level. Terms carry their types already, as
the checks would give them (`program.structure`); printed and read again they are the same text.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tidelog.program import Aggregate, Atom, Call, Column, Const, Term, TypeDeclaration, Value, Var, Variant, Wildcard
from tidelog.program.values.schema import Constructor
from tidelog.program.values.structure import MAKE, NIL, Structure
from tidelog.program.values.term import FLOAT, NUMBER, SYMBOL

if TYPE_CHECKING:
    from tidelog.testing.generate_rules import Body

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
    """The term that makes a structure, or matches it."""
    types = tuple(field for _, field in FIELDS[type_][constructor])
    return Call(Structure(MAKE, constructor, type_, types).made, parts)


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


def pattern(body: Body, type_: str, depth: int = 2) -> Term:
    """A pattern of the type, whose variables become bound."""
    constructor = body.rng.choice(sorted(FIELDS[type_]))
    return make(type_, constructor, *(_part(body, field, depth) for _, field in FIELDS[type_][constructor]))


def _part(body: Body, type_: str, depth: int) -> Term:
    if body.rng.random() < 0.2:
        return Wildcard()
    if type_ in FIELDS and depth and body.rng.random() < 0.4:
        return pattern(body, type_, depth - 1)
    if type_ == CELL and body.rng.random() < 0.2:
        return NIL
    names = body.bound[type_]
    return Var(body.rng.choice(names)) if names and body.rng.random() < 0.3 else body.bind(type_)


def add_structure(body: Body) -> None:
    """A literal that opens a structure, makes one, compares two, or counts what matches a pattern."""
    type_ = body.rng.choice([t for t in STRUCTURES if body.bound[t]] or [CELL])
    match body.rng.randrange(6):
        case 0 | 1 if body.bound[type_]:
            whole = body.some(type_)
            sides = (whole, pattern(body, type_))
            body.compare("=", *(sides if body.rng.random() < 0.5 else sides[::-1]))
        case 2:
            _make_shallow(body)
        case 3 if body.bound[type_]:
            body.compare(body.rng.choice(["=", "!="]), body.some(type_), body.some(type_))
        case 4:
            left, right = make(TREE, "Leaf", body.some(NUMBER)), make(TREE, "Leaf", body.bind(NUMBER))
            other: Term = make(TREE, "Empty") if body.rng.random() < 0.5 else Wildcard()
            body.compare("=", make(TREE, "Node", left, make(TREE, "Empty")), make(TREE, "Node", right, other))
        case _:
            _count_matching(body)


def _make_shallow(body: Body) -> None:
    """A new structure of parts that are held to one level."""
    if body.bound[CELL]:
        other, whole = body.some(CELL), body.bind(CELL)
        tail = make(CELL, "", body.some(NUMBER), NIL) if body.rng.random() < 0.3 else NIL
        body.compare("=", whole, make(CELL, "", body.some(NUMBER), tail))
        body.compare("!=", whole, other)  # which also determines its type
        return
    left = make(TREE, "Leaf", body.some(NUMBER))
    right = body.rng.choice([make(TREE, "Empty"), make(TREE, "Leaf", body.some(NUMBER))])
    body.compare("=", body.bind(TREE), make(TREE, "Node", left, right))


def _count_matching(body: Body) -> None:
    """How many facts of a relation match a pattern, and how many different ones are in it."""
    fitting = [r for r in body.negatable if set(r.types) & set(STRUCTURES)]
    if not fitting or "body_aggregates" not in body.features:
        return
    relation = body.rng.choice(fitting)
    inner = [_inner(body, type_) for type_ in relation.types]
    body.compare("=", body.bind(NUMBER), Aggregate("count", None, (Atom(relation.name, tuple(inner)),)))


def _inner(body: Body, type_: str) -> Term:
    if type_ == CELL:
        return make(CELL, "", Var(body.fresh()), Wildcard() if body.rng.random() < 0.5 else NIL)
    if type_ == TREE:
        return make(TREE, "Leaf", body.some(NUMBER) if body.rng.random() < 0.5 else Wildcard())
    return Wildcard() if body.rng.random() < 0.5 else body.some(type_)
