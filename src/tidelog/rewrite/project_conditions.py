"""Atoms that share no variables with the rest of a rule read a projection without columns.

Law: if no variable of ``b(_, Y)`` occurs elsewhere in a rule, the atom is a condition: some fact of b matches it, and
the number of matches does not matter. So the rule reads whether there is one, instead of multiplying its supports by
their number. The projection is the same for all rules with the same constants and equal columns; without those it is
the one that a negated ``!b(_, _)`` reads. An atom that is alone in its body is unchanged, and so is one without
variables: nothing is multiplied.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tidelog.program import Atom, Call, Literal, Rule, Term, Var, Wildcard
from tidelog.rewrite.core import is_aggregate_rule
from tidelog.rewrite.names import PROJECTION, is_auxiliary
from tidelog.rewrite.paths.seeds import term_text
from tidelog.rewrite.scope import own_terms, rule_terms, terms_of


def project_conditions(rule: Rule) -> tuple[Rule, ...]:
    """The rules of the projections that the rule needs, then the rule reading them.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for after in project_conditions(parse_program("r1: p(X) :- a(X), b(_, Y), c(1, _).").rules[0]):
    ...     print(print_rule(after))
    b/only: __only_b() :- b(_, _).
    "c/only(1, _)": __only_c(1, _)() :- c(1, _).
    r1: p(X) :- a(X), __only_b(), __only_c(1, _)().
    """
    if is_aggregate_rule(rule) or sum(map(_has_rows, rule.body)) < 2:
        return (rule,)
    times = Counter(part.name for term in rule_terms(rule) for part in own_terms(term) if isinstance(part, Var))
    projections: dict[str, Rule] = {}
    body: list[Literal] = []
    for literal in rule.body:
        if isinstance(literal, Atom) and _is_condition(literal, times):
            projection = _projection(literal, rule)
            projections[projection.head.predicate] = projection
            literal = replace(projection.head, span=literal.span)
        body.append(literal)
    if not projections:
        return (rule,)
    return (*projections.values(), replace(rule, body=tuple(body), origin=rule))


def _has_rows(literal: Literal) -> bool:
    """Whether a literal may hold in more than one way: an atom with variables, or a range."""
    if isinstance(literal, Atom):
        return any(isinstance(arg, Var | Wildcard) for arg in literal.args)
    return any(isinstance(side, Call) and side.function == "range" for side in terms_of(literal))


def _is_condition(atom: Atom, times: Counter[str]) -> bool:
    """Whether an atom has variables, and nothing else in the rule has one of them."""
    own = Counter(arg.name for arg in atom.args if isinstance(arg, Var))
    return _has_rows(atom) and not is_auxiliary(atom.predicate) and all(times[name] == own[name] for name in own)


def _projection(atom: Atom, rule: Rule) -> Rule:
    """``__only_b(1, _)() :- b(1, _).``"""
    own = Counter(arg for arg in atom.args if isinstance(arg, Var))
    names = {arg: Var(f"V{i}") for i, arg in enumerate((arg for arg in own if own[arg] > 1), 1)}
    args: tuple[Term, ...] = tuple(names.get(arg, Wildcard()) if isinstance(arg, Var) else arg for arg in atom.args)
    pattern = "" if all(isinstance(arg, Wildcard) for arg in args) else f"({', '.join(map(term_text, args))})"
    head = Atom(f"{PROJECTION}{atom.predicate}{pattern}", ())
    return Rule(head, (replace(atom, args=args),), f"{atom.predicate}/only{pattern}", rule.span, rule)
