"""The core rule language: the part of the language that remains after the pipeline.

Law: a core rule is one of two forms, and every later layer (plan, kernel, delta rules) handles only these.

C1. *Plain rule.* The head's arguments are variables, constants or scalar applications. The body's literals are
    - atoms over variables, constants and ``_``;
    - negations of atoms over variables and constants;
    - comparisons of scalar terms; and ``V = range(a, b)`` with scalar arguments, the only place of a ``range``.
C2. *Aggregate rule.* One argument of the head is an aggregate without body, the others are distinct variables: the
    group, and the columns that decide between equal values. The body is one positive atom over distinct variables,
    among which are all those of the head.

A scalar term is a variable, a constant, or an application of a function other than ``range`` to scalar terms.
Safety and stratification are not part of the form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tidelog.program import Aggregate, Atom, Call, Comparison, Const, Literal, Negation, Rule, Term, Var, Wildcard


def is_core(rule: Rule) -> bool:
    """Whether a rule is of one of the two forms.

    >>> from tidelog.program import Boolean
    >>> is_core(Rule(Atom("p", (Var("X"),)), (Atom("q", (Var("X"), Wildcard())),)))
    True
    >>> is_core(Rule(Atom("p", ()), (Boolean(True),)))
    False
    """
    if is_aggregate_rule(rule):
        return _is_aggregation(rule)
    return all(map(_is_scalar, rule.head.args)) and all(map(_is_core_literal, rule.body))


def is_simple(rule: Rule) -> bool:
    """Whether a rule has nothing that a pass removes: its terms are variables and constants, and its atoms connect.

    >>> is_simple(Rule(Atom("p", (Var("X"),)), (Atom("q", (Var("X"), Wildcard())),)))
    True
    >>> is_simple(Rule(Atom("p", (Var("X"),)), (Negation(Atom("q", (Var("X"), Wildcard()))),)))
    False
    >>> is_simple(Rule(Atom("p", (Var("X"),)), (Atom("q", (Var("X"),)), Atom("b", (Wildcard(),)))))
    False
    """
    heads = all(isinstance(arg, Var | Const) for arg in rule.head.args)
    return heads and all(map(_is_simple_literal, rule.body)) and _connects(rule)


def _connects(rule: Rule) -> bool:
    """Whether every atom with columns to match shares a variable with the rest of a simple rule, or is the only one."""
    terms: list[tuple[Term, ...]] = [rule.head.args]
    open_atoms: list[tuple[Term, ...]] = []
    for literal in rule.body:
        if isinstance(literal, Comparison):
            terms.append((literal.left, literal.right))
        elif isinstance(literal, Atom | Negation):
            args = literal.args if isinstance(literal, Atom) else literal.atom.args
            terms.append(args)
            if isinstance(literal, Atom) and any(isinstance(arg, Var | Wildcard) for arg in args):
                open_atoms.append(args)
    if len(open_atoms) < 2:
        return True
    times = Counter(arg.name for args in terms for arg in args if isinstance(arg, Var))
    return all(any(isinstance(arg, Var) and times[arg.name] > _count(arg, args) for arg in args) for args in open_atoms)


def _count(variable: Var, args: tuple[Term, ...]) -> int:
    return sum(isinstance(arg, Var) and arg.name == variable.name for arg in args)


def _is_simple_literal(literal: Literal) -> bool:
    match literal:
        case Atom():
            return all(isinstance(arg, Var | Const | Wildcard) for arg in literal.args)
        case Negation():
            return all(isinstance(arg, Var | Const) for arg in literal.atom.args)
        case Comparison():
            return isinstance(literal.left, Var | Const) and isinstance(literal.right, Var | Const)
    return False


def is_aggregate_rule(rule: Rule) -> bool:
    """Whether a head argument is an aggregate."""
    return any(isinstance(arg, Aggregate) for arg in rule.head.args)


def _is_aggregation(rule: Rule) -> bool:
    over = [arg for arg in rule.head.args if isinstance(arg, Aggregate)]
    group = [arg for arg in rule.head.args if not isinstance(arg, Aggregate)]
    match rule.body:
        case (Atom() as source,):
            used = [*group, *(term for a in over for term in a.measured)]
            return (
                len(over) == 1
                and over[0].body is None
                and _distinct_variables(source.args)
                and _distinct_variables(group)
                and all(term in source.args for term in used)
            )
    return False


def _distinct_variables(terms: Sequence[Term]) -> bool:
    return all(isinstance(term, Var) for term in terms) and len(set(terms)) == len(terms)


def _is_scalar(term: Term) -> bool:
    if isinstance(term, Call):
        return term.function != "range" and all(map(_is_scalar, term.args))
    return isinstance(term, Var | Const)


def _is_core_literal(literal: Literal) -> bool:
    match literal:
        case Atom():
            return all(isinstance(arg, Var | Const | Wildcard) for arg in literal.args)
        case Negation():
            return all(isinstance(arg, Var | Const) for arg in literal.atom.args)
        case Comparison(op="=", left=Var(), right=Call(function="range") as values):
            return all(map(_is_scalar, values.args))
        case Comparison():
            return _is_scalar(literal.left) and _is_scalar(literal.right)
    return False
