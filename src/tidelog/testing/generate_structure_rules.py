"""Literals about structures in random rules.

Law: structures built by rules are at most two levels deep, regardless of what they read, so recursion ends.
"""

from __future__ import annotations

from tidelog.program import Aggregate, Atom, Term, Var, Wildcard
from tidelog.program.values.structure import NIL
from tidelog.program.values.term import NUMBER
from tidelog.testing.generate_body import Body
from tidelog.testing.generate_structures import CELL, STRUCTURES, TREE, make


def add_structure(body: Body) -> None:
    """Add a literal that opens a structure, builds one, compares two, or counts the matches of a pattern."""
    type_ = body.rng.choice([t for t in STRUCTURES if body.bound[t]] or [CELL])
    match body.rng.randrange(6):
        case 0 | 1 if body.bound[type_]:
            whole = body.some(type_)
            sides = (whole, body.pattern(type_))
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
    """A new structure of parts that are limited to one level."""
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
