"""Occurrences in a rule: variables, and predicates with the way in which the head depends on them.

Law: the variables of a rule are those of its head and of its body outside aggregated bodies; a variable of an
aggregated body that is also a variable of the rule (or of an enclosing aggregated body) is that same variable, any
other is local to the aggregate. A dependency is *strict* if the head may lose facts when the predicate gains some:
through negation and aggregates. min and max are not strict: they are legal inside recursion.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from tidelog.program import (
    Aggregate,
    Alternative,
    Atom,
    Call,
    Comparison,
    Conjunction,
    Disjunction,
    Inverse,
    Label,
    Literal,
    Negation,
    Path,
    PathAtom,
    Repeat,
    Rule,
    Sequence,
    Term,
    Var,
)
from tidelog.program.values.term import AGGREGATES, PAIRED_AGGREGATES, WRAPPING_SUM

STRICT_AGGREGATES = tuple({*AGGREGATES, *PAIRED_AGGREGATES, WRAPPING_SUM} - {"min", "max"})


def terms_of(literal: Literal) -> tuple[Term, ...]:
    """The terms in a literal, including those in a disjunction's branches."""
    match literal:
        case Atom(args=args) | Negation(atom=Atom(args=args)):
            return args
        case Comparison(left=left, right=right):
            return (left, right)
        case PathAtom(source=source, target=target):
            return (source, target)
        case Disjunction(branches=branches):
            return tuple(term for branch in branches for part in branch for term in terms_of(part))
        case _:
            return ()


def parts(term: Term) -> Iterator[Term]:
    """The term and the terms inside it, except those inside an aggregate."""
    yield term
    if isinstance(term, Call):
        for arg in term.args:
            yield from parts(arg)


def names(terms: Iterable[Term]) -> frozenset[str]:
    """The variables of terms, outside aggregates."""
    return frozenset(part.name for term in terms for part in parts(term) if isinstance(part, Var))


def names_of_body(body: Iterable[Literal]) -> frozenset[str]:
    """The variables of a body, outside aggregates."""
    return names(term for literal in body for term in terms_of(literal))


def names_inside(aggregate: Aggregate) -> frozenset[str]:
    """Every variable that an aggregate mentions, at any depth."""
    terms = [*_value(aggregate), *(term for literal in aggregate.body or () for term in terms_of(literal))]
    return names(terms).union(*(names_inside(inner) for inner in aggregates(terms)))


def aggregates(terms: Iterable[Term]) -> Iterator[Aggregate]:
    """The aggregates of terms, except those inside other aggregates."""
    return (part for term in terms for part in parts(term) if isinstance(part, Aggregate))


def _value(aggregate: Aggregate) -> tuple[Term, ...]:
    return () if aggregate.value is None else (aggregate.value,)


def head_aggregates(rule: Rule) -> dict[int, Aggregate]:
    """The positions of the head with an aggregate over the rule's own body."""
    return {i: arg for i, arg in enumerate(rule.head.args) if isinstance(arg, Aggregate) and arg.body is None}


def dependencies(rule: Rule, strict_aggregates: Collection[str] = STRICT_AGGREGATES) -> Iterator[tuple[str, bool]]:
    """The predicates that a rule reads, each with whether the dependency is strict."""
    strict = any(aggregate.kind in strict_aggregates for aggregate in head_aggregates(rule).values())
    yield from _reads(rule.body, strict, strict_aggregates)
    yield from _reads_inside(rule.head.args, strict, strict_aggregates)


def body_literals(rule: Rule) -> Iterator[Literal]:
    """Every literal of a rule's body, including those in branches of disjunctions and in aggregated bodies."""
    waiting = list(rule.body) + [literal for a in aggregates(rule.head.args) for literal in a.body or ()]
    while waiting:
        literal = waiting.pop()
        yield literal
        if isinstance(literal, Disjunction):
            waiting += [inner for branch in literal.branches for inner in branch]
        else:
            waiting += [inner for a in aggregates(terms_of(literal)) for inner in a.body or ()]


def _reads(body: Iterable[Literal], strict: bool, kinds: Collection[str]) -> Iterator[tuple[str, bool]]:
    for literal in body:
        match literal:
            case Atom(predicate=predicate):
                yield predicate, strict
            case Negation(atom=Atom(predicate=predicate)):
                yield predicate, True
            case PathAtom(path=path, negated=negated):
                yield from ((relation, strict or negated) for relation in relations_of(path))
            case Disjunction(branches=branches):
                yield from (read for branch in branches for read in _reads(branch, strict, kinds))
        if not isinstance(literal, Disjunction):
            yield from _reads_inside(terms_of(literal), strict, kinds)


def _reads_inside(terms: Iterable[Term], strict: bool, kinds: Collection[str]) -> Iterator[tuple[str, bool]]:
    for aggregate in aggregates(terms):
        inner = strict or aggregate.kind in kinds
        yield from _reads(aggregate.body or (), inner, kinds)
        yield from _reads_inside(_value(aggregate), inner, kinds)


def relations_of(path: Path) -> Iterator[str]:
    """The relations that a path expression names: those of its steps, and the domains of its empty walks."""
    match path:
        case Label(relation=relation):
            yield relation
        case Inverse(path=inner):
            yield from relations_of(inner)
        case Repeat(path=inner, domain=domain):
            yield from relations_of(inner)
            yield from () if domain is None else (domain,)
        case Sequence(parts=inners) | Alternative(parts=inners) | Conjunction(parts=inners):
            yield from (relation for inner in inners for relation in relations_of(inner))
