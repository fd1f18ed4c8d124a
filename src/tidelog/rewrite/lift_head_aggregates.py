"""Aggregates in rule heads range over an auxiliary relation of the body's valuations.

Law (D12): ``best(X, min<C>) :- body`` has one row per value of the other head arguments, aggregated over the distinct
valuations of the body. count, sum and mean are computed per rule:

    __val_r1_0(X, C, O) :- body.        best(X, sum<C>) :- __val_r1_0(X, C, O).

If the body is one atom over distinct variables, its facts are the valuations (`lift_aggregates.rows_of`), and are
aggregated directly.

min and max are pooled: the rules of a predicate whose heads have the same shape (the same aggregates at the same
places) are candidates of one relation, in recursion or not, so that a shortest distance is one value even if several
rules propose one. The aggregate rule over the pool does not depend on the rule that needs it: it is labelled after the
pool and is the same value for all of them.

    __val_best/min2(X, C) :- body.      best/min2: best(G1, min<V2>) :- __val_best/min2(G1, V2).

An aggregate with ``distinct`` ranges over the projection to group and value, unless it is the only one: then the
valuations are already (X, C).

    __val_r1_0/1(X, C) :- __val_r1_0(X, C, O).

Columns that decide between equal values (`Aggregate.ties`) are not part of the group: they are in the pool next to the
value, and come from the best candidate.

    __val_best/min2+3(X, C, P) :- body.      best(G1, min<V2>, V3) :- __val_best/min2+3(G1, V2, V3).

A head with several aggregates joins one relation per aggregate on the group. An aggregate is a whole argument of a head
(the checks refuse anything else). Aggregates with a separate body stay where they are (`lift_aggregates`), and
choices range over a relation already (`program.choice`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from tidelog.program import Aggregate, Atom, Rule, Term, Var
from tidelog.program.graph.choice import choice_of
from tidelog.program.graph.well_founded import model_of
from tidelog.rewrite.label_rules import label_of
from tidelog.rewrite.lift_aggregates import ORDERED, rows_of
from tidelog.rewrite.names import GROUPS, VALUES
from tidelog.rewrite.scope import FreshVariables, counted_names, home_of, located, name_wildcards, rule_terms

NO_TIES: Mapping[int, Var] = {}


def lift_head_aggregates(rule: Rule) -> tuple[Rule, ...]:
    """The rule of the valuations, then the rules that aggregate them; a rule without an aggregate is unchanged.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for after in lift_head_aggregates(parse_program("r1: deg(X, count<*>) :- edge(X, Y), node(Y).").rules[0]):
    ...     print(print_rule(after))
    r1: __val_r1_0(X, Y) :- edge(X, Y), node(Y).
    r1: deg(X, count<*>) :- __val_r1_0(X, Y).
    >>> for after in lift_head_aggregates(parse_program("r1: deg(X, count<*>) :- edge(X, _).").rules[0]):
    ...     print(print_rule(after))
    r1: deg(X, count<*>) :- edge(X, V1).
    """
    aggregates = _aggregates(rule.head)
    if not aggregates or choice_of(rule) is not None or model_of(rule) is not None:
        return (rule,)
    pool = _pool(rule, aggregates)
    valuations = _valuations(rule, aggregates, pool)
    make_rule = tuple(_aggregate_rules(rule, pool, valuations.head))
    best = any(aggregate.kind in ORDERED for aggregate in aggregates)  # candidates are facts of a separate relation
    rows = None if best else rows_of(valuations.head, valuations.body)
    if rows is None:
        return (valuations, *make_rule)
    return tuple(replace(r, body=(rows,)) if r.body == (valuations.head,) else r for r in make_rule)


@dataclass(frozen=True, slots=True)
class _Pool:
    """Rules whose valuations are aggregated together: the name in their relations, and the aggregate rules' label."""

    name: str
    label: str | None
    shared: bool


def _aggregates(head: Atom) -> list[Aggregate]:
    return [arg for arg in head.args if _is_own(arg)]


def _is_own(term: Term) -> TypeGuard[Aggregate]:
    """Whether a term is an aggregate over the rule's own body."""
    return isinstance(term, Aggregate) and term.body is None


def _pool(rule: Rule, aggregates: Sequence[Aggregate]) -> _Pool:
    """The pool of the head's shape if all its aggregates are min or max, otherwise the rule."""
    if all(aggregate.kind in ORDERED for aggregate in aggregates):
        places = (f"{arg.kind}{i}{_tied(arg)}" for i, arg in enumerate(rule.head.args, 1) if _is_own(arg))
        shape = f"{rule.head.predicate}/{''.join(places)}"
        return _Pool(shape, shape, True)
    return _Pool(f"{label_of(rule)}_0", rule.label, False)


def _tied(aggregate: Aggregate) -> str:
    return "".join(f"{'+' if kind == 'min' else '-'}{place + 1}" for place, kind in aggregate.ties)


def _ties(head: Atom) -> list[int]:
    """The columns of the head that decide between equal values."""
    return [place for aggregate in _aggregates(head) for place, _ in aggregate.ties]


def _group(head: Atom) -> list[Term]:
    ties = _ties(head)
    return [arg for i, arg in enumerate(head.args) if not _is_own(arg) and i not in ties]


def _valuations(rule: Rule, aggregates: Sequence[Aggregate], pool: _Pool) -> Rule:
    """The rule of the aggregated relation: group, values, and other columns that distinguish valuations."""
    body = rule.body
    columns = [*_group(rule.head), *(term for aggregate in aggregates for term in aggregate.measured)]
    columns += [rule.head.args[i] for i in _ties(rule.head)]
    if not _range_over_values(aggregates):
        body = name_wildcards(body, FreshVariables(rule_terms(rule)))
        columns += [var for name in counted_names(body) if (var := Var(name)) not in columns]
    # A pool's relation is placed only by the head: it must not depend on the body of one of its rules.
    home = home_of([rule.head]) or (None if pool.shared else home_of(body))
    return replace(rule, head=located(f"{VALUES}{pool.name}", tuple(columns), home), body=body, origin=rule)


def _range_over_values(aggregates: Sequence[Aggregate]) -> bool:
    """Whether only group and values distinguish valuations."""
    return all(a.kind in ORDERED for a in aggregates) or (len(aggregates) == 1 and aggregates[0].distinct)


def _aggregate_rules(rule: Rule, pool: _Pool, valuations: Atom) -> Iterator[Rule]:
    """One aggregate rule if the head is only a group and one aggregate; otherwise one for each, and their join."""
    fresh = FreshVariables(() if pool.shared else (*rule_terms(rule), *valuations.args))
    columns = _distinct(valuations.args, fresh, pool.shared)
    width = len(_group(rule.head))
    group, values = columns[:width], iter(columns[width:])
    over = [_over(aggregate, values) for aggregate in _aggregates(rule.head)]
    ranged = [replace(aggregate, distinct=False) for aggregate in over]  # over rows that determine what is distinct
    source = replace(valuations, args=columns)

    def emit(head: Atom, body: tuple[Atom, ...], part: str) -> Rule:
        return Rule(head, body, f"{pool.label}{part}" if pool.shared else pool.label, rule.span, rule)

    if len(over) == 1:
        yield emit(_rebuilt(rule.head, group, ranged, dict(zip(_ties(rule.head), values, strict=False))), (source,), "")
        return
    home = None if source.location is None else columns[source.location]
    results = [fresh.variable() for _ in over]
    joined = []
    for number, (aggregate, result) in enumerate(zip(over, results, strict=True), 1):
        name, rows = f"{GROUPS}{pool.name}/{number}", source
        if aggregate.distinct and aggregate.kind not in ORDERED:
            rows = located(f"{VALUES}{pool.name}/{number}", (*group, *_variables(aggregate)), home)
            yield emit(rows, (source,), f"/{number}")
        yield emit(located(name, (*group, ranged[number - 1]), home), (rows,), f"/{number}")
        joined.append(located(name, (*group, result), home))
    yield emit(_rebuilt(rule.head, group, results), tuple(joined), f"/{len(over) + 1}")


def _distinct(args: Sequence[Term], fresh: FreshVariables, shared: bool) -> tuple[Var, ...]:
    """A variable per column: the original one if the column is a variable and the rule is not shared by a pool."""
    columns: list[Var] = []
    for arg in args:
        keeps = isinstance(arg, Var) and arg not in columns and not shared
        columns.append(arg if keeps and isinstance(arg, Var) else fresh.variable())
    return tuple(columns)


def _over(aggregate: Aggregate, values: Iterator[Var]) -> Aggregate:
    """The aggregate over the columns that hold its values."""
    return aggregate.measuring([next(values) for _ in aggregate.measured])


def _variables(aggregate: Aggregate) -> list[Var]:
    return [term for term in aggregate.measured if isinstance(term, Var)]


def _rebuilt(head: Atom, group: Sequence[Var], results: Sequence[Term], ties: Mapping[int, Var] = NO_TIES) -> Atom:
    """The head with its arguments taken from the group and its aggregates replaced in order."""
    plain, make_rule = iter(group), iter(results)
    args = (ties.get(i) or next(make_rule if _is_own(arg) else plain) for i, arg in enumerate(head.args))
    return replace(head, args=tuple(args))
