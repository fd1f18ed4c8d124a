"""Random values, constants and the vocabulary of relations for random programs.

Law: every value a random program can reach lies in a small finite domain, so that programs end and joins find matches:
numbers in -9 .. 9, texts of at most two letters, lists of at most three numbers, floats with few digits.
The first letter of a relation's name determines its permitted uses (`Relation.kind`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tidelog.program import Atom, Call, Const, Declaration, Negation, Program, Term, Value
from tidelog.program.functions.calendar import DAY, HOUR
from tidelog.program.values.schema import Column
from tidelog.program.values.term import BOOLEAN, DATE, FLOAT, LIST, NUMBER, SYMBOL, TIMESTAMP, UNSIGNED
from tidelog.testing.generate_structures import STRUCTURES, random_structure, structure_term
from tidelog.testing.occurrences import body_literals
from tidelog.testing.values import Row

SMALLEST, GREATEST, TEXT_LENGTH, LIST_LENGTH = -9, 9, 2, 3
NODES = range(4)
TIMES = (DATE, TIMESTAMP, BOOLEAN)
_DAYS = (-1, 0, 1, 20605)
_MOMENTS = (-1, 0, HOUR, DAY, 20605 * DAY + 123_456)
_TEXTS = ("", "a", "b", "ab", "ba")
_FLOATS = (0.0, 0.1, 0.2, 0.5, 1.5, -2.25)
KINDS = {"b": "base", "d": "derived", "a": "aggregated", "m": "minimised"}


@dataclass(frozen=True, slots=True)
class Relation:
    """A name with the types of its columns."""

    name: str
    types: tuple[str, ...]

    @property
    def kind(self) -> str:
        """base: facts only; derived: rules and facts; aggregated: one rule with an aggregate in its head; minimised:
        min or max inside recursion, with rules of fixed shapes that no other rule may join."""
        return KINDS[self.name[0]]

    def declaration(self) -> Declaration:
        return Declaration(self.name, tuple(Column(f"c{i}", type_) for i, type_ in enumerate(self.types)))


def vocabulary(program: Program) -> list[Relation]:
    """The relations of a generated program: as declared, or with numbers only, as their atoms show."""
    if program.declarations:
        return [Relation(d.relation, tuple(column.type for column in d.columns)) for d in program.declarations]
    arities = {fact.atom.predicate: len(fact.atom.args) for fact in program.facts}
    for rule in program.rules:
        arities[rule.head.predicate] = len(rule.head.args)
        for literal in body_literals(rule):
            if isinstance(literal, Atom | Negation):
                atom = literal if isinstance(literal, Atom) else literal.atom
                arities[atom.predicate] = len(atom.args)
    return [Relation(name, (NUMBER,) * arity) for name, arity in arities.items()]


def random_value(rng: Random, type_: str) -> Value:
    match type_:
        case "number" | "unsigned":
            return rng.choice(NODES)
        case "float":
            return rng.choice(_FLOATS)
        case "symbol":
            return rng.choice(_TEXTS)
        case name if name in STRUCTURES:
            return random_structure(rng, name)
        case name if name in TIMES:
            return random_time(rng, name)
        case _:
            return tuple(rng.choice(NODES) for _ in range(rng.randint(0, LIST_LENGTH - 1)))


def random_time(rng: Random, type_: str) -> Value:
    """A value of one of the three types."""
    return rng.choice({DATE: _DAYS, TIMESTAMP: _MOMENTS, BOOLEAN: (0, 1)}[type_])


def random_row(rng: Random, types: Sequence[str]) -> Row:
    return tuple(random_value(rng, type_) for type_ in types)


def random_constant(rng: Random, type_: str) -> Term:
    return constant(random_value(rng, type_), type_)


def constant(value: Value, type_: str) -> Term:
    """The term that denotes a value."""
    if type_ in STRUCTURES:
        return structure_term(value, type_)
    if isinstance(value, tuple):
        return Call(LIST, tuple(constant(element, NUMBER) for element in value))
    return Const(value, type_)


def random_types(rng: Random, types: Sequence[str], most: int = 3) -> tuple[str, ...]:
    """The columns of a new relation: mostly one or two."""
    arity = rng.choice([1, 2, 2, 2, 1, most])
    return tuple(rng.choice(types) for _ in range(arity))


TYPES_BY_FEATURE = {"symbols": SYMBOL, "lists": LIST, "floats": FLOAT, "unsigned": UNSIGNED}
