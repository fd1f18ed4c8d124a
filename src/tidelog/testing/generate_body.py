"""The body of a random rule under construction.

Law: a variable is used only after a positive atom, an assignment or a range has bound it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tidelog.program import Comparison, Literal, Term, Var, Wildcard
from tidelog.program.values.structure import NIL
from tidelog.testing.generate_structures import CELL, FIELDS, STRUCTURES, make
from tidelog.testing.generate_values import Relation, random_constant


@dataclass
class Body:
    """A body under construction: its literals, and the variables bound so far, by type."""

    rng: Random
    features: frozenset[str]
    readable: Sequence[Relation]
    negatable: Sequence[Relation]
    literals: list[Literal] = field(default_factory=list)
    bound: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    used: int = 0

    def chance(self, feature: str, probability: float) -> bool:
        return feature in self.features and self.rng.random() < probability

    def fresh(self) -> str:
        """A name that the rule does not use yet, capitalised so that it is a variable in both conventions."""
        self.used += 1
        return "XYZUVW"[self.used - 1] if self.used <= 6 else f"V{self.used}"

    def bind(self, type_: str) -> Var:
        name = self.fresh()
        self.bound[type_].append(name)
        return Var(name)

    def some(self, type_: str) -> Term:
        """A bound variable of the type, or a constant if there is none."""
        names = self.bound[type_]
        return Var(self.rng.choice(names)) if names else random_constant(self.rng, type_)

    def argument(self, type_: str) -> Term:
        """An argument of a positive atom."""
        if self.chance("wildcards", 0.12):
            return Wildcard()
        if self.chance("constants", 0.1):
            return random_constant(self.rng, type_)
        if type_ in STRUCTURES and self.rng.random() < 0.4:
            return self.pattern(type_)
        names = self.bound[type_]
        return Var(self.rng.choice(names)) if names and self.rng.random() < 0.5 else self.bind(type_)

    def test_argument(self, type_: str, wildcard: str) -> Term:
        """An argument that binds nothing; ``wildcard`` names the feature that lets it be ``_``."""
        return Wildcard() if self.chance(wildcard, 0.3) else self.some(type_)

    def add(self, *literals: Literal) -> None:
        self.literals.extend(literals)

    def compare(self, op: str, left: Term, right: Term) -> None:
        self.add(Comparison(op, left, right))

    def pattern(self, type_: str, depth: int = 2) -> Term:
        """A pattern of the type, which binds its variables."""
        constructor = self.rng.choice(sorted(FIELDS[type_]))
        return make(type_, constructor, *(self._part(field, depth) for _, field in FIELDS[type_][constructor]))

    def _part(self, type_: str, depth: int) -> Term:
        if self.rng.random() < 0.2:
            return Wildcard()
        if type_ in FIELDS and depth and self.rng.random() < 0.4:
            return self.pattern(type_, depth - 1)
        if type_ == CELL and self.rng.random() < 0.2:
            return NIL
        names = self.bound[type_]
        return Var(self.rng.choice(names)) if names and self.rng.random() < 0.3 else self.bind(type_)
