"""Rules in the form that both checkers read: alternatives of flat conjunctions.

Law: an expression in an atom is a new variable with an equation, a disjunction is a choice between conjunctions, and
each ``_`` of a positive atom is a separate variable; none of this changes the solutions of a body. Variables made
here for expressions start with ``#`` and are no part of a valuation; those made for ``_`` start with ``_ `` and are.
This is intentionally independent of `rewrite`: a mistake there must not be repeated here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.program import (
    Aggregate,
    Atom,
    Boolean,
    Call,
    Comparison,
    Const,
    Disjunction,
    Literal,
    Negation,
    Path,
    PathAtom,
    Rule,
    Term,
    Var,
    Wildcard,
    subterms,
)
from tidelog.program.values.structure import structure_made
from tidelog.program.values.term import NUMBER

Argument: TypeAlias = Var | Const


@dataclass(frozen=True, slots=True)
class Scan:
    """A positive atom; its source is a relation or a path expression."""

    source: str | Path
    args: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Absent:
    """A negated atom or path atom; None stands for ``_``."""

    source: str | Path
    args: tuple[Argument | None, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of scalar terms; an equation with a variable that has no value yet assigns it one."""

    op: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class RangeBinding:
    """``variable = range(...)``."""

    variable: str
    values: Call


@dataclass(frozen=True, slots=True)
class Fold:
    """``variable = kind value : { body }``; ``outer`` are the variables that come from around the aggregate."""

    variable: str
    aggregate: Aggregate
    body: Choices
    outer: tuple[str, ...]


Item: TypeAlias = Scan | Absent | Test | RangeBinding | Fold
Conjunction: TypeAlias = tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """Conjunctions of which any may hold, and the variables whose values distinguish valuations."""

    alternatives: tuple[Conjunction, ...]
    counted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule in this form: scalar terms in the head, head aggregates with scalar values."""

    rule: Rule
    head: tuple[Term, ...]
    body: Choices

    @property
    def folded(self) -> dict[int, Aggregate]:
        """The positions of aggregates in the head."""
        return {i: arg for i, arg in enumerate(self.head) if isinstance(arg, Aggregate)}


def to_clause(rule: Rule) -> Clause:
    """The rule in normal form.

    >>> from tidelog.syntax import parse_rule
    >>> clause = to_clause(parse_rule("p(X) :- (q(X, _) ; r(X + 1, X)), !s(X, _)."))
    >>> [len(conjunction) for conjunction in clause.body.alternatives], clause.body.counted
    ([2, 3], ('X',))
    """
    flat = _Flat(frozenset(names((*rule.head.args, *_terms(rule.body)))))
    head: list[Item | _Choice] = []
    args = tuple(flat.head_argument(arg, head) for arg in rule.head.args)
    return Clause(rule, args, _choices([*flat.body(rule.body), *head]))


def names(terms: Iterable[Term]) -> Iterator[str]:
    """The variables of terms, outside aggregates with separate bodies."""
    for term in terms:
        match term:
            case Var(name=name):
                yield name
            case Call(args=args):
                yield from names(args)
            case Aggregate(value=value, body=None) if value is not None:
                yield from names((value,))


def item_names(item: Item) -> set[str]:
    """The variables that an item reads or binds."""
    match item:
        case Scan(args=args):
            return set(names(args))
        case Absent(args=maybe):
            return set(names(arg for arg in maybe if arg is not None))
        case Test(left=left, right=right):
            return set(names((left, right)))
        case RangeBinding(variable=variable, values=values):
            return {variable, *names((values,))}
        case Fold(variable=variable, outer=outer):
            return {variable, *outer}


@dataclass(frozen=True, slots=True)
class _Choice:
    branches: tuple[tuple[Item | _Choice, ...], ...]


GIVEN = "#="  # begins the variables whose values come from a range or an aggregate, and from nowhere else


@dataclass(slots=True)
class _Flat:
    """The flattening of one scope: its variables, and numbers for new ones."""

    scope: frozenset[str]
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def body(self, body: Iterable[Literal]) -> list[Item | _Choice]:
        items: list[Item | _Choice] = []
        for literal in body:
            self.literal(literal, items)
        return items

    def literal(self, literal: Literal, into: list[Item | _Choice]) -> None:
        match literal:
            case Atom(predicate=predicate, args=args):
                into.append(Scan(predicate, tuple(self.matched(arg, into) for arg in args)))
            case PathAtom(path=path, source=source, target=target, negated=False):
                into.append(Scan(path, (self.argument(source, into), self.argument(target, into))))
            case PathAtom(path=path, source=source, target=target):
                into.append(Absent(path, self.tested((source, target), into)))
            case Negation(atom=Atom(predicate=predicate, args=args)):
                into.append(Absent(predicate, self.tested(args, into)))
            case Comparison(op="=", left=left, right=right) if structure_made(left) or structure_made(right):
                self.equation(left, right, into)
            case Comparison(op=op, left=left, right=right):
                into.append(Test(op, self.scalar(left, into), self.scalar(right, into)))
            case Disjunction(branches=branches):
                into.append(_Choice(tuple(tuple(self.body(branch)) for branch in branches)))
            case Boolean(value=False):
                into.append(_Choice(()))

    def argument(self, term: Term, into: list[Item | _Choice]) -> Argument:
        """The term as an argument of an atom: anything computed becomes a variable with an equation."""
        if isinstance(term, Var | Const):
            return term
        if isinstance(term, Wildcard):
            return Var(f"_ {next(self.numbers)}")
        variable = Var(f"#{next(self.numbers)}")
        into.append(Test("=", variable, self.scalar(term, into)))
        return variable

    def matched(self, term: Term, into: list[Item | _Choice]) -> Argument:
        """The term as an argument of a positive atom: a structure is opened."""
        if structure_made(term) is None:
            return self.argument(term, into)
        return self.opened(term, into)

    def equation(self, left: Term, right: Term, into: list[Item | _Choice]) -> None:
        """An equation with a structure: a value that both sides describe, each as far as possible."""
        value = self.opened(left, into) if structure_made(left) else self.argument(left, into)
        other = self.opened(right, into) if structure_made(right) else self.argument(right, into)
        into.append(Test("=", value, other))

    def opened(self, term: Term, into: list[Item | _Choice]) -> Var:
        """A variable for a structure: it has the constructor and the parts, and it is built from them if all are known.

        One with ``_`` inside is part of a valuation, as the ``_`` would be.
        """
        structure = structure_made(term)
        assert structure is not None
        assert isinstance(term, Call)
        known = not any(isinstance(part, Wildcard) for part in subterms(term))
        value = Var(f"{'#' if known else '_ '}{next(self.numbers)}")
        into.append(Test("=", Call(structure.test, (value,)), Const(1, NUMBER)))
        for place, part in enumerate(term.args):
            if not isinstance(part, Wildcard):
                read = Call(structure.read(place), (value,))
                into.append(Test("=", self.matched(part, into), read))
        if known:
            into.append(Test("=", value, self.scalar(term, into)))
        return value

    def tested(self, args: Sequence[Term], into: list[Item | _Choice]) -> tuple[Argument | None, ...]:
        """The arguments of a negated atom."""
        return tuple(None if isinstance(arg, Wildcard) else self.argument(arg, into) for arg in args)

    def scalar(self, term: Term, into: list[Item | _Choice]) -> Term:
        """The term with each range and each aggregate in it replaced by a variable."""
        if isinstance(term, Call):
            inside = Call(term.function, tuple(self.scalar(arg, into) for arg in term.args))
            if term.function != "range":
                return inside
            variable = f"{GIVEN}{next(self.numbers)}"
            into.append(RangeBinding(variable, inside))
            return Var(variable)
        return self.fold(term, into) if isinstance(term, Aggregate) else term

    def fold(self, aggregate: Aggregate, into: list[Item | _Choice]) -> Var:
        body = aggregate.body or ()
        own = frozenset(names([*_terms(body), *(() if aggregate.value is None else (aggregate.value,))]))
        outer = tuple(sorted(_names_inside(aggregate) & self.scope))
        inner = _Flat(self.scope | own, self.numbers)
        items = inner.body(body)
        over = inner.over_scalars(aggregate, items)
        variable = f"{GIVEN}{next(self.numbers)}"
        into.append(Fold(variable, over, _choices(items), outer))
        return Var(variable)

    def head_argument(self, term: Term, into: list[Item | _Choice]) -> Term:
        if not isinstance(term, Aggregate) or term.body is not None:
            return self.scalar(term, into)
        return self.over_scalars(term, into)

    def over_scalars(self, aggregate: Aggregate, into: list[Item | _Choice]) -> Aggregate:
        """The aggregate of the contributions of all valuations; a count needs none."""
        return aggregate.measuring([self.scalar(term, into) for term in aggregate.measured])


def _choices(items: Sequence[Item | _Choice]) -> Choices:
    alternatives = tuple(tuple(conjunction) for conjunction in _expand(items))
    shared = [set().union(*map(item_names, conjunction)) for conjunction in alternatives]
    counted = set.intersection(*shared) if shared else set()
    return Choices(alternatives, tuple(sorted(name for name in counted if not name.startswith("#"))))


def _expand(items: Sequence[Item | _Choice]) -> Iterator[list[Item]]:
    """Every choice of branches."""
    parts = (
        [list(branch) for b in item.branches for branch in _expand(b)] if isinstance(item, _Choice) else [[item]]
        for item in items
    )
    for chosen in itertools.product(*parts):
        yield [item for part in chosen for item in part]


def _terms(body: Iterable[Literal]) -> Iterator[Term]:
    for literal in body:
        match literal:
            case Atom(args=args) | Negation(atom=Atom(args=args)):
                yield from args
            case Comparison(left=left, right=right):
                yield from (left, right)
            case PathAtom(source=source, target=target):
                yield from (source, target)
            case Disjunction(branches=branches):
                for branch in branches:
                    yield from _terms(branch)


def _names_inside(aggregate: Aggregate) -> set[str]:
    """Every variable that an aggregate mentions, at any depth."""
    terms = [*_terms(aggregate.body or ()), *(() if aggregate.value is None else (aggregate.value,))]
    found = set(names(terms))
    for term in terms:
        for inner in _aggregates(term):
            found |= _names_inside(inner)
    return found


def _aggregates(term: Term) -> Iterator[Aggregate]:
    if isinstance(term, Aggregate):
        yield term
    elif isinstance(term, Call):
        for arg in term.args:
            yield from _aggregates(arg)
