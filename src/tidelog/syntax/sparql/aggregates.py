"""Groups and aggregates of a SPARQL query as rules.

Law: an aggregate ranges over the solutions of its group, each as often as SPARQL counts it. Without GROUP BY there is
one group, even if there are no solutions. What is unbound is left out.
"""

from __future__ import annotations

from typing import Any, Protocol

from tidelog.syntax.sparql.algebra import is_variable, unsupported
from tidelog.syntax.sparql.expressions import Expressions
from tidelog.syntax.sparql.names import VariableNames
from tidelog.syntax.sparql.tables import UNBOUND, Body, RuleWriter, Table, body_of, write_atom
from tidelog.syntax.values import write_string

_FOLDS = {"Sum": "SUM", "Avg": "AVG", "Min": "MIN", "Max": "MAX", "Sample": "SAMPLE"}


class Patterns(Protocol):
    """The writer of patterns, which calls for the aggregates that it finds."""

    writer: RuleWriter
    names: VariableNames
    sampled: dict[str, str]

    def body(self, node: Any, counts: bool) -> Body: ...

    def expressions(self, body: Body) -> Expressions: ...


def write_aggregates(patterns: Patterns, node: Any) -> Body:
    """The results of some aggregates, one row for each group."""
    writer, names = patterns.writer, patterns.names
    body = patterns.body(node.p.p, counts=True)
    keys: dict[str, str] = {}  # the column of each expression that is grouped by, by its text or variable
    for expression in node.p.expr or ():
        text = patterns.expressions(body).term(expression)
        if text not in body.variables:
            key = writer.variable()
            body = Body((*body.literals, f"{key} = {text}"), {**body.variables, key: False}, body.hidden)
            text = key
        keys[names.of(expression) if is_variable(expression) else text] = text
    solutions, columns = writer.table(body), list(dict.fromkeys(keys.values()))
    literals: list[str] = []
    if keys:
        groups = writer.relation()
        writer.add(groups, columns, (solutions.atom(),))
        literals.append(write_atom(groups, columns))
    results: dict[str, bool] = {}
    for aggregate in node.A:
        result = names.of(aggregate.res)
        literals += _aggregate(patterns, aggregate, solutions, keys, result)
        results[result] = aggregate.name == "Aggregate_Count" or body.variables.get(names.of(aggregate.vars), False)
    # The rows of two groups are two solutions, also if their results are equal.
    made = Table(writer.relation(), results, tuple(writer.variable() for _ in columns))
    writer.add(made.relation, (*results, *columns), literals)
    return body_of(made)


def _aggregate(patterns: Patterns, node: Any, solutions: Table, keys: dict[str, str], result: str) -> list[str]:
    writer, kind = patterns.writer, node.name.removeprefix("Aggregate_")
    value, inside = writer.variable(), [solutions.atom()]
    if node.vars == "*":
        if node.distinct:
            shown = Table(writer.relation(), solutions.variables)
            writer.add(shown.relation, shown.variables, inside)
            inside = [shown.atom()]
        return [f"{value} = count : {{ {inside[0]} }}", f"{result} = rdf_literal({value})"]
    if kind == "Sample" and is_variable(node.vars):
        if patterns.names.of(node.vars) in keys:
            return [f"{result} = {keys[patterns.names.of(node.vars)]}"]
        patterns.sampled[result] = patterns.names.of(node.vars)
    term = patterns.expressions(body_of(solutions)).term(node.vars)
    if term in keys.values() or term not in solutions.variables:  # a group's own variable has one value in it
        inside.append(f"{(copy := writer.variable())} = {term}")
        term = copy
    distinct = "distinct " if node.distinct else ""
    if kind == "Count":
        if not solutions.variables.get(term, False):
            inside.append(f"{term} != {UNBOUND}")
        counted = f"count distinct {term}" if distinct else "count"
        return [f"{value} = {counted} : {{ {', '.join(inside)} }}", f"{result} = rdf_literal({value})"]
    if not keys:  # a list of no rows does not exist, so that there is a row without a value
        columns = [*solutions.variables, *solutions.hidden]
        values = writer.relation()
        writer.add(values, (*columns, term), inside)
        writer.add(values, [UNBOUND] * (len(columns) + 1), ())
        term = writer.variable()
        inside = [write_atom(values, (*columns, term))]
    folded = f"{value} = collect {distinct}{term} : {{ {', '.join(inside)} }}"
    if kind == "GroupConcat":
        separator = " " if node.separator is None else str(node.separator)
        return [folded, f"{result} = sparql_join({value}, {write_string(separator)})"]
    if kind not in _FOLDS:
        unsupported(kind)
    return [folded, f'{result} = sparql_fold("{_FOLDS[kind]}", {value})']
