"""A SPARQL query as rules: a question to be answered once, or a view that is maintained.

Law: the rows of the rules are the solutions of the query. A question has its duplicates, order and limits, which a
view, a set of rows, does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tidelog.program.functions.arguments import must_be
from tidelog.program.functions.sparql import ORDER
from tidelog.syntax.sparql import sparql_failures as failures
from tidelog.syntax.sparql.algebra import read_sparql
from tidelog.syntax.sparql.names import VariableNames
from tidelog.syntax.sparql.patterns import PatternWriter
from tidelog.syntax.sparql.tables import UNBOUND, Body

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SparqlQuery:
    """The rules of a question; each row has the columns that are shown, the values to sort by, and hidden ones."""

    rules: tuple[str, ...]
    columns: tuple[str, ...]
    descending: tuple[bool, ...]
    is_distinct: bool
    start: int
    length: int | None

    def arrange(self, rows: Sequence[Row]) -> list[int]:
        """The numbers of the rows of the answer, in their order."""
        count, keys = len(self.columns), len(self.descending)
        places = sorted(range(len(rows)), key=lambda place: [ORDER(term) for term in rows[place][:count]])
        for number in reversed(range(keys)):
            column = count + number
            places.sort(key=lambda place: ORDER(rows[place][column]), reverse=self.descending[number])
        if self.is_distinct:
            places = list({rows[place][:count]: place for place in reversed(places)}.values())[::-1]
        return places[self.start : None if self.length is None else self.start + self.length]


def sparql_rules(
    text: str, name: str = "answers", *, triples: str = "triple", prefixes: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Rules for a view that contains the solutions of a SPARQL query, as texts; other relations are named after it.

    >>> for rule in sparql_rules("SELECT ?x { ?x <urn:knows> ?y FILTER(?y != <urn:a>) }", "friendly"):
    ...     print(rule)
    friendly(X) :- triple(X, "<urn:knows>", Y), sparql("!=", Y, "<urn:a>") = "\\"true\\"^^<http://www.w3.org/2001/XMLSchema#boolean>".
    """
    must_be(text, str, "text", "a query in SPARQL")
    _, shape = _read(text, tuple((prefixes or {}).items()))
    if shape.order:
        raise failures.NO_ORDER.error(construct="ORDER BY")
    if shape.length is not None or shape.start:
        raise failures.NO_ORDER.error(construct="LIMIT" if shape.length is not None else "OFFSET")
    patterns = PatternWriter(name, triples)
    body = patterns.body(shape.pattern, counts=False)
    columns = [own if own in body.variables else UNBOUND for own in shape.shown(patterns.names, body)]
    patterns.writer.add(name, columns, body.literals)
    return tuple(patterns.writer.rules)


@lru_cache(maxsize=256)
def sparql_query(text: str, name: str, triples: str, prefixes: tuple[tuple[str, str], ...] = ()) -> SparqlQuery:
    """The rules of a question; the last one derives its rows, all relations are named after ``name``."""
    query, shape = _read(text, prefixes)
    patterns = PatternWriter(name, triples)
    counts = not shape.is_distinct and query.name == "SelectQuery"
    body = patterns.body(shape.pattern, counts)
    shown = shape.shown(patterns.names, body)
    keys = [patterns.expressions(body).term(condition.expr) for condition in shape.order]
    rest = [column for column in body.variables if column not in shown] if counts else []
    unbound = {own: patterns.writer.variable() for own in shown if own not in body.variables}
    columns = [unbound.get(own, own) for own in shown]
    hidden = [*rest, *body.hidden] if counts else []
    own = [patterns.writer.variable() for _ in keys]
    computed = [f"{variable} = {key}" for variable, key in zip(own, keys, strict=True)]
    computed += [f"{variable} = {UNBOUND}" for variable in unbound.values()]
    patterns.writer.add(name, (*columns, *own, *hidden), (*body.literals, *computed))
    return SparqlQuery(
        tuple(patterns.writer.rules),
        tuple(shown.values()),
        tuple(condition.order == "DESC" for condition in shape.order),
        not counts,
        shape.start,
        shape.length,
    )


@dataclass(frozen=True, slots=True)
class _Shape:
    """The parts of a query around its pattern."""

    pattern: Any
    _shown: Sequence[Any]
    _shows_all: bool  # rdflib then lists variables of EXISTS, too
    order: Sequence[Any]
    is_distinct: bool
    start: int
    length: int | None

    def shown(self, names: VariableNames, body: Body) -> dict[str, str]:
        """The variables that are shown, in the rules and in the query."""
        found = {names.of(variable): str(variable) for variable in self._shown}
        return {own: name for own, name in found.items() if own in body.variables or not self._shows_all}


def _read(text: str, prefixes: tuple[tuple[str, str], ...]) -> tuple[Any, _Shape]:
    query, shows_all = read_sparql(text, dict(prefixes))
    node, start, length, is_distinct = query.p, 0, None, False
    if node.name == "Slice":
        start, length, node = node.start, node.length, node.p
    if node.name in ("Distinct", "Reduced"):
        is_distinct, node = node.name == "Distinct", node.p
    shown = node.PV if query.name == "SelectQuery" else ()
    if node.name == "Project":
        node = node.p
    order: Sequence[Any] = ()
    if node.name == "OrderBy":
        order, node = node.expr, node.p
    return query, _Shape(node, shown, shows_all, order, is_distinct, start, length)
