"""Two atoms that are connected only by an equation of expressions are joined by its value.

Law: ``a(X), b(Y), X / 10 = Y / 10`` holds for the facts of a and b with the same quotient. Each relation is kept with
that value as one more column, ``__key_b(V1, K) :- b(V1), K = V1 / 10.``, so that a change on either side finds the
other by an index, instead of testing a cross product pair by pair. The equation remains part of the rule. Only
expressions that have a value for every fact become keys, so that no additional errors are raised, and only numbers, so
that no computed text is stored. The relation with keys is the same for all rules that need it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tidelog.program import Atom, Call, Comparison, Const, Literal, Rule, Term, Var
from tidelog.rewrite.core import is_aggregate_rule
from tidelog.rewrite.names import KEYED, is_auxiliary
from tidelog.rewrite.paths.seeds import term_text
from tidelog.rewrite.scope import FreshVariables, body_names, names, rule_terms

TOTAL = frozenset({"band", "bor", "bxor", "strlen", "year", "month", "day", "weekday", "hour", "minute", "second"})
BY_CONSTANT = frozenset({"%", "/"})


def key_expressions(rule: Rule) -> tuple[Rule, ...]:
    """The rules of the relations with keys that the rule needs, then the rule reading them.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for after in key_expressions(parse_program("r1: p(X, Y) :- a(X), b(Y), X / 10 = Y / 10.").rules[0]):
    ...     print(print_rule(after))
    "a/key(/(V1, 10))": __key_a(/(V1, 10))(V1, K) :- a(V1), K = V1 / 10.
    "b/key(/(V1, 10))": __key_b(/(V1, 10))(V1, K) :- b(V1), K = V1 / 10.
    r1: p(X, Y) :- __key_a(/(V1, 10))(X, V1), __key_b(/(V1, 10))(Y, V1), X / 10 = Y / 10.
    """
    if is_aggregate_rule(rule):
        return (rule,)
    body, fresh = list(rule.body), FreshVariables(rule_terms(rule))
    keyed: dict[str, Rule] = {}
    for equation in rule.body:
        sides = _sides(equation, body)
        key = next((side for side in sides.values() if isinstance(side, Var)), None)
        if all(isinstance(side, Var) or _is_total(side) for side in sides.values()):
            for place, side in sides.items():
                atom = body[place]
                if not isinstance(side, Var) and isinstance(atom, Atom):
                    key = key or fresh.variable()
                    made = _with_key(atom, side, rule)
                    keyed[made.head.predicate] = made
                    body[place] = replace(atom, predicate=made.head.predicate, args=(*atom.args, key))
    if not keyed:
        return (rule,)
    return (*keyed.values(), replace(rule, body=tuple(body), origin=rule))


def _sides(equation: Literal, body: Sequence[Literal]) -> dict[int, Term]:
    """The places of two atoms connected only by an equation, with the side that each binds; none for others."""
    if not isinstance(equation, Comparison) or equation.op != "=":
        return {}
    sides = {place: side for side in (equation.left, equation.right) if (place := _place_of(side, body)) is not None}
    if len(sides) < 2 or all(isinstance(side, Var) for side in sides.values()):
        return {}
    one, other = sides
    others = (literal for literal in body if literal is not equation)
    return {} if _names_of(body[other]) & _connected(_names_of(body[one]), others) else sides


def _place_of(side: Term, body: Sequence[Literal]) -> int | None:
    """The place of the first atom that binds all variables of a term, if any; auxiliary relations are skipped."""
    wanted = {Var(name) for name in names([side])}
    found = (i for i, x in enumerate(body) if isinstance(x, Atom) and wanted and wanted <= set(x.args))
    place = next(found, None)
    return None if place is None or is_auxiliary(getattr(body[place], "predicate", "")) else place


def _names_of(literal: Literal) -> set[str]:
    return set(body_names([literal]))


def _connected(reached: set[str], body: Iterable[Literal]) -> set[str]:
    """The variables that atoms and equations connect with the given ones."""
    joining = [_names_of(x) for x in body if isinstance(x, Atom) or (isinstance(x, Comparison) and x.op == "=")]
    while near := [found for found in joining if found & reached and not found <= reached]:
        reached = reached.union(*near)
    return reached


def _is_total(term: Term) -> bool:
    """Whether an expression has a value, a number, for all values of its variables."""
    if not isinstance(term, Call):
        return isinstance(term, Var | Const)
    if term.function in BY_CONSTANT:
        divisor = term.args[-1]
        return isinstance(divisor, Const) and divisor.value not in (0, -1) and _is_total(term.args[0])
    return term.function in TOTAL and all(map(_is_total, term.args))


def _with_key(atom: Atom, expression: Term, rule: Rule) -> Rule:
    """``__key_b(V1, V2, K) :- b(V1, V2), K = V1 / 10.``"""
    columns = tuple(Var(f"V{i + 1}") for i in range(len(atom.args)))
    known = dict(zip(reversed(atom.args), reversed(columns), strict=True))  # the first of equal columns

    def put(term: Term) -> Term:
        if isinstance(term, Call):
            return replace(term, args=tuple(map(put, term.args)))
        return known.get(term, term) if isinstance(term, Var) else term

    value, key = put(expression), Var("K")
    pattern = f"({term_text(value)})"
    source = replace(atom, args=columns)
    head = Atom(f"{KEYED}{atom.predicate}{pattern}", (*columns, key), atom.location, atom.span)
    return Rule(head, (source, Comparison("=", key, value)), f"{atom.predicate}/key{pattern}", rule.span, rule)
