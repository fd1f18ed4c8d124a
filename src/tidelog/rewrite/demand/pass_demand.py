"""How a rule propagates demand: which of its atoms demand what, and through which literals.

Law: an *ask* names an atom of the body, the columns that have values when it is reached (its *pattern*: ``b`` bound,
``f`` free), and the literals that bind these values. Literals are ordered as in a join: comparisons as soon
as they can be computed, then atoms of relations that are evaluated anyway and have a known value, then the atom of a
demanded relation with the most known columns; the order of the text decides between equals. A negated atom is asked for
its one fact. Computed values are used only if they are computed from the body's own facts: values computed from
demanded ones could demand new ones forever although the whole program ends. If a relation is asked with fewer columns
known, asks with more known columns use that pattern, too, so that nothing is demanded twice. The result depends only on
the rule, its pattern and the set of demanded relations.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import TypeVar

from tidelog.program import Atom, Call, Comparison, Const, Literal, Negation, Rule, Term, Var
from tidelog.rewrite.binding import binders, bound_names
from tidelog.rewrite.scope import body_names

BOUND, FREE = "b", "f"


@dataclass(frozen=True, slots=True)
class DemandedAtom:
    """The atom at a place of the body, the pattern in which it is demanded, and the places of its binding literals."""

    place: int
    atom: Atom
    pattern: str
    through: tuple[int, ...]

    @property
    def values(self) -> tuple[Term, ...]:
        """The known arguments of the atom."""
        return known_args(self.atom.args, self.pattern)


T = TypeVar("T")


def known_args(args: tuple[T, ...], pattern: str) -> tuple[T, ...]:
    """The arguments at the bound places of a pattern.

    >>> known_args((Var("X"), Var("Y")), "fb")
    (Var(name='Y'),)
    """
    return tuple(arg for arg, mark in zip(args, pattern, strict=True) if mark == BOUND)


@dataclass(frozen=True, slots=True)
class Askable:
    """How a relation can be asked: never by the columns of aggregated values, and best in one of these patterns."""

    never: Set[int] = frozenset()
    patterns: Set[str] = frozenset()

    def settled(self, pattern: str) -> str:
        """The pattern used for asks that could use this one: of several, the one with the most known columns.

        >>> Askable(patterns={"bff", "fbb"}).settled("bbb"), Askable(patterns={"bff"}).settled("fbb")
        ('fbb', 'fbb')
        """
        weaker = [each for each in self.patterns if is_weaker(each, pattern)]
        return max(weaker, key=lambda each: (each.count(BOUND), each), default=pattern)


def is_weaker(pattern: str, than: str) -> bool:
    """Whether everything known in a pattern is known in another."""
    return all(mark == FREE or other == BOUND for mark, other in zip(pattern, than, strict=True))


def asks(rule: Rule, guard: Atom | None, demanded: Mapping[str, Askable]) -> list[DemandedAtom]:
    """The asks of a rule for demanded relations.

    ``guard`` holds if the rule itself is asked; None if it always is.
    """
    passing = _LiteralOrder(list(rule.body), () if guard is None else (guard,), demanded)
    passing.run()
    return sorted(passing.found, key=lambda ask: ask.place)


@dataclass(slots=True)
class _LiteralOrder:
    """The literals taken so far, in order, as places of the body; ``guard`` precedes all of them."""

    body: list[Literal]
    guard: tuple[Atom, ...]
    demanded: Mapping[str, Askable]
    taken: list[int] = field(default_factory=list)
    found: list[DemandedAtom] = field(default_factory=list)

    def run(self) -> None:
        """Take every literal and record the asks."""
        waiting = [i for i, literal in enumerate(self.body) if isinstance(literal, Atom)]
        while waiting:
            self._take_comparisons()
            place = max(waiting, key=lambda i: (*self._worth(i), -i))
            self._ask(place)
            waiting.remove(place)
            self.taken.append(place)
        self._take_comparisons()
        for place, literal in enumerate(self.body):
            if isinstance(literal, Negation):
                self._ask(place)

    def _bound(self) -> set[str]:
        return bound_names((*self.guard, *self._own()))

    def _take_comparisons(self) -> None:
        """Take every comparison that can be computed: it narrows the demand."""
        grown = True
        while grown:
            grown = False
            for place, literal in enumerate(self.body):
                if not isinstance(literal, Comparison) or place in self.taken:
                    continue
                if self._can_take(literal):
                    self.taken.append(place)
                    grown = True

    def _can_take(self, literal: Comparison) -> bool:
        """Whether all values in a comparison are known, or become known from variables bound by atoms of the body."""
        wanted, bound = set(body_names((literal,))), self._bound()
        if wanted <= bound:
            return True
        return wanted <= bound_names((literal,), bound_names(self._own()) if _computes(literal) else bound)

    def _own(self) -> list[Literal]:
        """The literals taken, without the guard."""
        return [self.body[i] for i in self.taken]

    def _worth(self, place: int) -> tuple[int, int]:
        """The priority of an atom: first those evaluated anyway with a known value, last those with none."""
        atom = self.body[place]
        assert isinstance(atom, Atom)
        known = self._pattern(atom).count(BOUND)
        if atom.predicate not in self.demanded:
            return (3, 0) if known or not atom.args else (1, 0)
        return (2, known) if known else (0, 0)

    def _pattern(self, atom: Atom) -> str:
        bound, never = self._bound(), self.demanded.get(atom.predicate, Askable()).never
        known = (isinstance(arg, Const) or (isinstance(arg, Var) and arg.name in bound) for arg in atom.args)
        return "".join(BOUND if yes and i not in never else FREE for i, yes in enumerate(known))

    def _ask(self, place: int) -> None:
        literal = self.body[place]
        atom = literal.atom if isinstance(literal, Negation) else literal
        assert isinstance(atom, Atom)
        if atom.predicate in self.demanded:
            pattern = self.demanded[atom.predicate].settled(self._pattern(atom))
            self.found.append(DemandedAtom(place, atom, pattern, self._through(known_args(atom.args, pattern))))

    def _through(self, values: tuple[Term, ...]) -> tuple[int, ...]:
        """The places of the literals that bind the values, and of the tests of the variables they bind."""
        wanted = [value.name for value in values if isinstance(value, Var)]
        chosen = binders(wanted, [*self.guard, *self._own()])
        chosen = (*chosen, *(each for literal in chosen if _computes(literal) for each in self._behind(literal)))
        bound = bound_names((*self.guard, *chosen))
        return tuple(sorted(i for i in self.taken if self._is_one_of(i, chosen) or self._tests(i, bound)))

    def _behind(self, equation: Literal) -> tuple[Literal, ...]:
        """The literals that bind the operands of an equation, without the guard."""
        rest = [literal for literal in self._own() if literal is not equation]
        return binders(body_names((equation,)), rest)

    def _is_one_of(self, place: int, chosen: tuple[Literal, ...]) -> bool:
        return any(self.body[place] is literal for literal in chosen)

    def _tests(self, place: int, bound: Set[str]) -> bool:
        literal = self.body[place]
        return isinstance(literal, Comparison) and bound >= set(body_names((literal,)))


def _computes(literal: Literal) -> bool:
    return isinstance(literal, Comparison) and any(isinstance(side, Call) for side in (literal.left, literal.right))
