"""The scopes of a rule and of the aggregates inside it, to which its variables belong.

Law: the variables of a rule form one scope. The body of an aggregate opens an inner scope; a variable of that body
that also occurs in an enclosing scope is the enclosing one (so it forms the group), every other one is local (D12).
This module only finds occurrences; `safety` determines which of them are bound, `types` their types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tidelog.program.values.path import Label, domains, labels
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import (
    NUMBER,
    SYMBOL,
    Aggregate,
    Atom,
    Call,
    Comparison,
    Const,
    Disjunction,
    Literal,
    Negation,
    PathAtom,
    Term,
    Var,
    Wildcard,
)


def term_variables(term: Term, into: list[Var]) -> None:
    """Append the variables of the term's own scope; the bodies and values of inner aggregates are not entered."""
    if isinstance(term, Var):
        into.append(term)
    elif isinstance(term, Call):
        for arg in term.args:
            term_variables(arg, into)
    elif isinstance(term, Aggregate) and term.body is None and term.value is not None:
        term_variables(term.value, into)


def literal_variables(literal: Literal, into: list[Var]) -> None:
    """Append the variables of the literal's own scope, in the order of the text.

    >>> found = []
    >>> literal_variables(Atom("p", (Var("X"), Call("+", (Var("Y"), Var("X"))))), found)
    >>> [variable.name for variable in found]
    ['X', 'Y', 'X']
    """
    for term in literal_terms(literal):
        term_variables(term, into)
    if isinstance(literal, Disjunction):
        for branch in literal.branches:
            for inner in branch:
                literal_variables(inner, into)


def literal_terms(literal: Literal) -> tuple[Term, ...]:
    """The terms directly in the literal; a disjunction has none."""
    if isinstance(literal, Atom):
        return literal.args
    if isinstance(literal, Comparison):
        return (literal.left, literal.right)
    if isinstance(literal, Negation):
        return literal.atom.args
    if isinstance(literal, PathAtom):
        return (literal.source, literal.target)
    return ()


def scope_names(literals: Iterable[Literal], terms: Iterable[Term] = ()) -> set[str]:
    """The names of the variables that occur in one scope: in these literals and terms, outside inner aggregates."""
    found: list[Var] = []
    for term in terms:
        term_variables(term, found)
    for literal in literals:
        literal_variables(literal, found)
    return {variable.name for variable in found}


def every_name(literals: Iterable[Literal]) -> set[str]:
    """The names of all variables of literals, including those of aggregates at any depth."""
    found: set[str] = set()
    for literal in all_literals(literals):
        for term in literal_terms(literal):
            found |= scope_names((), (term,))
            for aggregate in body_aggregates(term):
                found |= aggregate_names(aggregate)
    return found


def rule_names(rule: Rule) -> set[str]:
    """The names of the rule's own scope: its head and its body outside aggregates."""
    return scope_names(rule.body, rule.head.args)


def aggregate_names(aggregate: Aggregate) -> set[str]:
    """The names that occur in the scope of an aggregate: in its value and directly in its body."""
    return scope_names(aggregate.body or (), () if aggregate.value is None else (aggregate.value,))


def body_aggregates(term: Term) -> Iterator[Aggregate]:
    """The outermost aggregates with a separate body inside the term."""
    if isinstance(term, Aggregate):
        if term.body is not None:
            yield term
        elif term.value is not None:
            yield from body_aggregates(term.value)
    elif isinstance(term, Call):
        for arg in term.args:
            yield from body_aggregates(arg)


def flat_literals(literals: Iterable[Literal]) -> Iterator[Literal]:
    """The literals, with the branches of disjunctions opened; aggregates are not entered."""
    for literal in literals:
        if isinstance(literal, Disjunction):
            for branch in literal.branches:
                yield from flat_literals(branch)
        else:
            yield literal


def all_literals(literals: Iterable[Literal]) -> Iterator[Literal]:
    """The literals, with disjunctions opened and the bodies of aggregates entered at any depth."""
    for literal in flat_literals(literals):
        yield literal
        for term in literal_terms(literal):
            if isinstance(term, Call | Aggregate):
                yield from _literals_inside(term)


def _literals_inside(term: Term) -> Iterator[Literal]:
    for aggregate in body_aggregates(term):
        if aggregate.value is not None:
            yield from _literals_inside(aggregate.value)
        yield from all_literals(aggregate.body or ())


def rule_literals(rule: Rule) -> Iterator[Literal]:
    """Every literal of the rule but its head: `all_literals` of the body and of aggregates in the head."""
    yield from all_literals(rule.body)
    for term in rule.head.args:
        if isinstance(term, Call | Aggregate):
            yield from _literals_inside(term)


def atoms(literals: Iterable[Literal]) -> Iterator[Atom]:
    """The atoms among the literals, negated ones and those that paths walk along (`path_atoms`) included."""
    for literal in literals:
        if isinstance(literal, Atom):
            yield literal
        elif isinstance(literal, Negation):
            yield literal.atom
        elif isinstance(literal, PathAtom):
            yield from path_atoms(literal)


def path_atoms(literal: PathAtom) -> Iterator[Atom]:
    """The relations that a path names, each as an atom with ``_`` for its ends: ``a(_, _)``, ``triple(_, "p", _)``."""
    for label in labels(literal.path):
        value = () if label.value is None else (label_value(label),)
        yield Atom(label.relation, (Wildcard(), *value, Wildcard()), span=label.span)
    for repeat in domains(literal.path):
        assert repeat.domain is not None
        yield Atom(repeat.domain, (Wildcard(),), span=repeat.span)


def label_value(label: Label) -> Const:
    """The constant in the middle column of the triples that a label walks along."""
    assert label.value is not None
    return Const(label.value, SYMBOL if isinstance(label.value, str) else NUMBER, label.span)


def calls(term: Term) -> Iterator[Call]:
    """The function applications inside the term, outermost first; the bodies of aggregates are not entered."""
    if isinstance(term, Call):
        yield term
        for arg in term.args:
            yield from calls(arg)
    elif isinstance(term, Aggregate) and term.value is not None:
        yield from calls(term.value)
