"""Aggregates of bodies that read their own recursion become relations, so that their facts are computed in bundles.

Law: ``c = sum n * d : { body }`` with the group G, the variables that the rest of its rule shares with it, is read from
a relation of the groups that the rest of the rule asks for. A sum over nothing is 0, which is one part of a further
sum, because a negation would have to wait for its own recursion:

    __inner_asked_r1_1(G) :- the rest of the rule, as far as it binds variables.
    __inner_each_r1_1(G, sum<n * d>) :- __inner_asked_r1_1(G), body.
    __inner_part_r1_1(G, 0, 0) :- __inner_asked_r1_1(G).
    __inner_part_r1_1(G, A, 1) :- __inner_each_r1_1(G, A).
    __inner_total_r1_1(G, sum<A>) :- __inner_part_r1_1(G, A, T).

An aggregate inside another, or whose group depends on another, stays where it is (TL502).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.functions.table import Function
from tidelog.program.graph.bundles import aggregate_cycles, fold_cycles, ground_names
from tidelog.program.types.assign import Schema, variable_types
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import aggregate_names, atoms, body_aggregates, literal_terms, scope_names
from tidelog.program.values.substitute import changed_literal
from tidelog.program.values.term import (
    BOOLEAN,
    FLOAT,
    NUMBER,
    SUM,
    Aggregate,
    Atom,
    Call,
    Comparison,
    Const,
    Literal,
    Term,
    Var,
)

INNER = "__inner_"
ZEROS = {"count": 0, SUM: 0, "any": 0, "all": 1}
Overloads = Mapping[str, tuple[Function, ...]]


def lift_inner_aggregates(elaboration: Elaboration) -> Elaboration:
    """The program in which such aggregates are in heads; the same one if their facts cannot be computed in bundles.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = "r1: cost(P, C) :- part(P), C = mean D : { inside(P, S), cost(S, D) }."
    >>> made = lift_inner_aggregates(Elaboration(parse_program(text)))
    >>> print(*map(print_rule, made.program.rules), sep="\\n")
    r1: cost(P, C) :- part(P), __inner_each_r1_1(P, C).
    r1/inner1: __inner_asked_r1_1(P) :- part(P).
    r1/inner2: __inner_each_r1_1(P, mean<D>) :- __inner_asked_r1_1(P), inside(P, S), cost(S, D).
    """
    program = elaboration.program
    schema = {} if elaboration.typing is None else elaboration.typing.schema
    rules = _with_lifted(program.rules, schema, elaboration.functions)
    if len(rules) == len(program.rules):
        return elaboration
    computed = {name for values in fold_cycles(rules) for name in values}
    if any(rule.head.predicate.startswith(f"{INNER}each") and rule.head.predicate not in computed for rule in rules):
        return elaboration
    return elaboration.then(replace(program, rules=tuple(rules)))


def _with_lifted(rules: Sequence[Rule], schema: Schema, functions: Overloads) -> list[Rule]:
    """The rules, followed by those of the aggregates that were lifted."""
    changed, more = list(rules), list[Rule]()
    for own in aggregate_cycles(rules):
        for i, rule in enumerate(rules):
            flat = _with_equations(rule) if rule.head.predicate in own else rule
            if rule.head.predicate in own and any(_reads(literal, own) for literal in flat.body):
                types = variable_types(flat, schema, functions) if schema else {}
                changed[i], made = _lifted(flat, own, rule.label or f"{rule.head.predicate}.{i}", types)
                more += made
    return [*changed, *more]


def _with_equations(rule: Rule) -> Rule:
    """The rule with every aggregate inside the terms of a comparison in a separate equation."""
    equations: list[Literal] = []

    def raised(term: Term) -> Term:
        if isinstance(term, Call):
            return replace(term, args=tuple(map(raised, term.args)))
        if not isinstance(term, Aggregate) or term.body is None:
            return term
        result = Var(f"inner{len(equations) + 1}'")
        equations.append(Comparison("=", result, term, term.span))
        return result

    body = [x if _equation(x) or not isinstance(x, Comparison) else changed_literal(x, raised) for x in rule.body]
    return replace(rule, body=(*body, *equations), origin=rule) if equations else rule


def _reads(literal: Literal, own: frozenset[str]) -> bool:
    """Whether a literal is an equation with an aggregate that reads these relations."""
    found = _equation(literal)
    if found is None or any(next(body_aggregates(t), None) for x in found[1].body or () for t in literal_terms(x)):
        return False
    return any(atom.predicate in own for atom in atoms(found[1].body or ()))


def _equation(literal: Literal) -> tuple[Var, Aggregate] | None:
    if not isinstance(literal, Comparison) or literal.op != "=":
        return None
    for here, there in ((literal.left, literal.right), (literal.right, literal.left)):
        if isinstance(here, Var) and isinstance(there, Aggregate) and there.body is not None:
            return here, there
    return None


def _lifted(rule: Rule, own: frozenset[str], label: str, types: Mapping[str, str | None]) -> tuple[Rule, list[Rule]]:
    """The rule that reads relations instead of its aggregates, and the rules of these relations."""
    body, made = list(rule.body), list[Rule]()
    plain = [x for x in body if not any(next(body_aggregates(term), None) for term in literal_terms(x))]
    binding = [x for x in plain if isinstance(x, Atom | Comparison)]
    known = ground_names(binding, {})
    for place, literal in enumerate(rule.body):
        found = _equation(literal) if _reads(literal, own) else None
        if found is None:
            continue
        result, aggregate = found
        others = scope_names((x for x in body if x is not literal), rule.head.args)
        group = tuple(Var(name) for name in sorted(aggregate_names(aggregate) & others))
        asking = tuple(x for x in binding if scope_names((x,)) <= known)
        if not {var.name for var in group} <= known:
            continue
        rules = list(_relations(aggregate, group, asking, f"{label}_{place}", types.get(result.name)))
        body[place] = Atom(rules[-1].head.predicate, (*group, result), span=literal.span)
        for each in rules:
            made.append(replace(each, label=f"{label}/inner{len(made) + 1}", span=rule.span, origin=rule))
    return (replace(rule, body=tuple(body), plans=(), origin=rule) if made else rule), made


def _relations(
    aggregate: Aggregate, group: tuple[Var, ...], asking: tuple[Literal, ...], number: str, type_: str | None
) -> Iterator[Rule]:
    """The rules of the groups that are asked for, their results and, for a sum, their totals."""
    asked, inner = Atom(f"{INNER}asked_{number}", group), replace(aggregate, body=None)
    yield Rule(asked, asking)
    each = Atom(f"{INNER}each_{number}", (*group, inner))
    yield Rule(each, (asked, *(aggregate.body or ())))
    if aggregate.kind not in ZEROS:
        return
    part, value, place = f"{INNER}part_{number}", Var("value'"), Var("place'")
    kind = SUM if aggregate.kind in ("count", SUM) else aggregate.kind
    wanted = BOOLEAN if kind != SUM else NUMBER if aggregate.kind == "count" or type_ is None else type_
    zero = Const(0.0 if wanted == FLOAT else ZEROS[aggregate.kind], wanted)
    yield Rule(Atom(part, (*group, zero, Const(0, NUMBER))), (asked,))
    yield Rule(Atom(part, (*group, value, Const(1, NUMBER))), (replace(each, args=(*group, value)),))
    total = Atom(f"{INNER}total_{number}", (*group, Aggregate(kind, value, None)))
    yield Rule(total, (Atom(part, (*group, value, place)),))
