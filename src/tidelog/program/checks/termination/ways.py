"""One way through a rule: a conjunction without alternatives, with its statements about each variable.

Law: a way only lists what is written: where a variable is read, what it is equal to, what it does not exceed, which
list it is not an element of. The other modules, such as `ranks`, draw the conclusions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.program.checks.value_use import ALTERNATIVES, alternatives
from tidelog.program.functions.table import Function
from tidelog.program.types.assign import Schema, variable_types
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import path_atoms
from tidelog.program.values.structure import is_loose, structure_made
from tidelog.program.values.term import Aggregate, Atom, Call, Comparison, Const, Literal, PathAtom, Term, Var

Position: TypeAlias = tuple[str, int]
MEMBER = ("f_member", "f_inPath")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place where a variable is read: positions in the stratum (none: a lower stratum), and depth in a pattern."""

    positions: tuple[Position, ...]
    depth: int = 0


@dataclass(slots=True)
class Way:
    """A rule with one choice of its alternatives.

    ``at_most`` are pairs of terms of which the first is never above the second, with 1 if it is strictly below.
    ``absent`` are pairs of a list and a value that is not an element of it.
    """

    rule: Rule
    atoms: list[Atom]
    types: Mapping[str, str | None]
    read: dict[str, list[Occurrence]] = field(default_factory=dict)
    equal: dict[str, list[Term]] = field(default_factory=dict)
    part_of: dict[str, list[tuple[Term, int]]] = field(default_factory=dict)
    at_most: list[tuple[Term, Term, int]] = field(default_factory=list)
    absent: list[tuple[Term, Term]] = field(default_factory=list)
    computed: dict[Term, list[Occurrence]] = field(default_factory=dict)  # applications that atoms require

    @property
    def head(self) -> list[Term]:
        """The terms of the head; for an aggregate over the rule's own body, its value."""
        return [_value(arg) for arg in self.rule.head.args]

    def see(self, body: Sequence[Literal], inside: Set[str]) -> None:
        """Collect the statements of the literals of a conjunction."""
        for literal in body:
            if isinstance(literal, Atom):
                self._see_atom(literal, inside)
            elif isinstance(literal, PathAtom) and not literal.negated:
                self._see_path(literal, inside)
            elif isinstance(literal, Comparison):
                self._see_comparison(literal)

    def _see_atom(self, atom: Atom, inside: Set[str]) -> None:
        if atom.predicate in inside:
            self.atoms.append(atom)
        for column, arg in enumerate(atom.args):
            positions = ((atom.predicate, column),) if atom.predicate in inside else ()
            for part, depth in _pattern_parts(arg, 0):
                if isinstance(part, Var):
                    self.read.setdefault(part.name, []).append(Occurrence(positions, depth))
                else:
                    self.computed.setdefault(part, []).append(Occurrence(positions, depth))

    def _see_path(self, literal: PathAtom, inside: Set[str]) -> None:
        walked = [atom for atom in path_atoms(literal) if atom.predicate in inside]
        positions = tuple((atom.predicate, i) for atom in walked for i in (0, len(atom.args) - 1))
        self.atoms += walked
        for end in (literal.source, literal.target):
            if isinstance(end, Var):
                self.read.setdefault(end.name, []).append(Occurrence(positions))

    def _see_comparison(self, literal: Comparison) -> None:
        left, right = literal.left, literal.right
        if literal.op == "=":
            self._see_equal(left, right)
            self._see_equal(right, left)
            self.at_most += [(left, right, 0), (right, left, 0)]
        elif literal.op in ("<", "<="):
            self.at_most.append((left, right, int(literal.op == "<")))
        elif literal.op in (">", ">="):
            self.at_most.append((right, left, int(literal.op == ">")))
        for call, value in ((left, right), (right, left)):
            if isinstance(call, Call) and call.function in MEMBER and _says_no(literal.op, value):
                self.absent.append((call.args[0], call.args[1]))

    def _see_equal(self, side: Term, other: Term) -> None:
        if isinstance(side, Var):
            self.equal.setdefault(side.name, []).append(other)
        elif is_pattern(side):
            for part, depth in _pattern_parts(side, 0):
                if isinstance(part, Var):
                    self.part_of.setdefault(part.name, []).append((other, depth))

    def resolve(self, term: Term, deep: int = 10) -> Term:
        """The term with variables that no atom reads replaced by the terms they are equal to."""
        if deep and isinstance(term, Var) and term.name not in self.read and term.name in self.equal:
            return self.resolve(self.equal[term.name][0], deep - 1)
        if isinstance(term, Call):
            return Call(term.function, tuple(self.resolve(arg, deep) for arg in term.args), term.span)
        return term

    def meanings(self, term: Term) -> list[Term]:
        """All terms that the term is stated to be equal to."""
        others = self.equal.get(term.name, ()) if isinstance(term, Var) else ()
        return [self.resolve(term), *map(self.resolve, others)]

    def positions(self, name: str) -> Iterator[tuple[Position, ...]]:
        """Where the variable is read whole, inside the stratum."""
        return (found.positions for found in self.read.get(name, ()) if found.positions and not found.depth)


def ways_of(
    rule: Rule, inside: Set[str], schema: Schema, functions: Mapping[str, tuple[Function, ...]]
) -> Iterator[Way]:
    """The ways through a rule; for a rule with too many alternatives, a single way that ignores them."""
    bodies = list(itertools.islice(alternatives(rule.body), ALTERNATIVES + 1))
    if len(bodies) > ALTERNATIVES:
        bodies = [list(rule.body)]
    types = variable_types(rule, schema, functions)
    for body in bodies:
        way = Way(rule, [], types)
        way.see(body, inside)
        yield way


def inner_way(way: Way, aggregate: Aggregate) -> Way:
    """The way as the body of an aggregate sees it; the relations it reads are complete, as in any lower stratum."""
    inner = Way(way.rule, way.atoms, way.types)
    for name in ("read", "equal", "part_of", "computed"):
        setattr(inner, name, {key: list(found) for key, found in getattr(way, name).items()})
    inner.at_most, inner.absent = list(way.at_most), list(way.absent)
    inner.see(aggregate.body or (), frozenset())
    return inner


def is_pattern(term: Term) -> bool:
    """Whether a term matches a record or a variant and binds its parts."""
    return structure_made(term) is not None or (isinstance(term, Call) and is_loose(term.function))


def is_inside(way: Way, part: Term, whole: Term) -> bool:
    """Whether the first term is a proper part of the second, a structure."""
    if isinstance(whole, Call) and is_pattern(whole):
        return any(arg == part or is_inside(way, part, arg) for arg in whole.args)
    return isinstance(part, Var) and any(found == whole for found, _ in way.part_of.get(part.name, ()))


def _pattern_parts(term: Term, depth: int) -> Iterator[tuple[Var | Call, int]]:
    """The variables and applications inside a pattern, each with its depth there."""
    if isinstance(term, Call) and is_pattern(term):
        for arg in term.args:
            yield from _pattern_parts(arg, depth + 1)
    elif isinstance(term, Var | Call):
        yield term, depth


def _value(arg: Term) -> Term:
    if isinstance(arg, Aggregate) and arg.body is None and arg.value is not None:
        return arg.value
    return arg


def _says_no(op: str, value: Term) -> bool:
    """Whether a test compared in this way with this constant has failed."""
    if not isinstance(value, Const):
        return False
    return (op == "=" and value.value == 0) or (op == "!=" and value.value == 1)
