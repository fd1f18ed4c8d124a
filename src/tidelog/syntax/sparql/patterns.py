"""The patterns of a SPARQL query as rules.

Law: the solutions of each node of the algebra are those of its body. Joins, filters and expressions stay in one body;
a part that is read twice, or negated, or has several ways to match becomes a relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tidelog.syntax.sparql.aggregates import write_aggregates
from tidelog.syntax.sparql.algebra import canonical, is_variable, unsupported
from tidelog.syntax.sparql.expressions import EXISTS, NEVER, Expressions, conjuncts, variables_of
from tidelog.syntax.sparql.names import VariableNames
from tidelog.syntax.sparql.steps import PathWriter
from tidelog.syntax.sparql.tables import UNBOUND, Body, RuleWriter, Table, body_of, write_atom
from tidelog.syntax.values import write_string

_TITLES = {"Graph": "GRAPH", "ServiceGraphPattern": "SERVICE"}


class PatternWriter:
    """Writes the rules of patterns over a relation of triples."""

    def __init__(self, name: str, triples: str) -> None:
        self.writer, self.names, self.triples = RuleWriter(name), VariableNames(), triples
        self._paths = PathWriter(self.writer, triples)
        self.sampled: dict[str, str] = {}  # rdflib turns variables that are not grouped by into samples
        self._outer: tuple[str, ...] = ()

    def body(self, node: Any, counts: bool) -> Body:
        """The solutions of a node; ``counts`` if duplicates matter."""
        visit = getattr(self, f"_{node.name.lower()}", None)
        if visit is None:
            unsupported(_TITLES.get(node.name, node.name))
        found: Body = visit(node, counts)
        return found

    def project(self, body: Body, shown: Sequence[Any], counts: bool) -> Body:
        """The solutions with some of their variables."""
        names = [self.names.of(variable) for variable in shown]
        kept = {name: body.variables.get(name, False) for name in names}
        hidden = [*(name for name in body.variables if name not in kept), *body.hidden] if counts else []
        own = tuple(self.writer.variable() for _ in hidden)
        made = Table(self.writer.relation(), kept, own)
        columns = [name if name in body.variables else UNBOUND for name in kept]
        self.writer.add(made.relation, (*columns, *hidden), body.literals)
        return body_of(made)

    def expressions(self, body: Body) -> Expressions:
        """What writes expressions over the variables of a body."""
        return Expressions(self.names, body.variables, self._outer)

    def filtered(self, body: Body, expression: Any) -> Body:
        """The solutions for which a filter is true."""
        for condition in conjuncts(expression):
            kind = getattr(condition, "name", "")
            if kind in EXISTS:
                body = self._exists(body, condition.graph, kind == "Builtin_EXISTS")
            elif kind == "UnaryNot" and getattr(condition.expr, "name", "") in EXISTS:
                body = self._exists(body, condition.expr.graph, condition.expr.name == "Builtin_NOTEXISTS")
            else:
                body = body.having(self.expressions(body).condition(condition))
        return body

    def _exists(self, body: Body, pattern: Any, is_wanted: bool) -> Body:
        """The solutions for which a pattern has a solution that agrees, or has none."""
        if pattern.name == "GroupGraphPatternSub":
            pattern = import_module("rdflib.plugins.sparql.algebra").translateGroupGraphPattern(pattern)
        expression = pattern.expr if pattern.name == "Filter" else None
        before, self._outer = self._outer, (*self._outer, *body.variables)
        inner = self.body(pattern.p if expression is not None else pattern, counts=False)
        keys = self._keys(body, inner, expression)
        if all(body.variables[key] and inner.variables.get(key, False) for key in keys):
            name = self.writer.relation()
            self.writer.add(name, keys, self.filtered(inner, expression).literals)
            atom = write_atom(name, keys)
        else:
            outer = self.writer.table(Body(body.literals, body.variables))
            atom = self._matches(outer, inner, expression)
        self._outer = before
        return body.having(atom if is_wanted else f"!{atom}")

    def _keys(self, left: Body | Table, right: Body, expression: Any) -> list[str]:
        """The variables of a solution that decide whether there is one of a pattern that agrees."""
        read = {self.names.of(variable) for variable in variables_of(expression)}
        reads_all = _has_exists(expression)
        return [name for name in left.variables if reads_all or name in read or name in right.variables]

    def _matches(self, left: Table, right: Body, expression: Any) -> str:
        """An atom that holds for the solutions of the first with which one of the second agrees.

        What the first one leaves unbound may be bound in both together, so their relation is about copies then.
        """
        keys = self._keys(left, right, expression)
        columns, start = keys, body_of(left)
        if any(not left.variables[name] and name in right.variables for name in keys):
            columns = [self.writer.variable() for _ in keys]
            copies = [f"{copy} = {name}" for copy, name in zip(columns, keys, strict=True)]
            variables = {**left.variables, **dict.fromkeys(columns, True)}
            start = body_of(self.writer.table(Body((left.atom(), *copies), variables, left.hidden)))
        name = self.writer.relation()
        self.writer.add(name, columns, self.filtered(self.writer.join(start, right), expression).literals)
        return write_atom(name, keys)

    def _bgp(self, node: Any, counts: bool) -> Body:
        literals: list[str] = []
        variables: dict[str, bool] = {}
        hidden: list[str] = []
        for subject, predicate, object_ in node.triples:
            start, end = self._term(subject), self._term(object_)
            if is_variable(predicate) or type(predicate).__name__ == "URIRef":
                literals.append(write_atom(self.triples, (start, self._term(predicate), end)))
            else:
                found = self._paths.between(start, predicate, end, counts)
                literals += found[0]
                hidden += found[1]
            for term in (subject, predicate, object_):
                if type(term).__name__ == "Variable":
                    variables[self.names.of(term)] = True
                elif type(term).__name__ == "BNode" and counts:
                    hidden.append(self.names.of(term))
        return Body(tuple(literals), variables, tuple(dict.fromkeys(hidden)))

    def _term(self, term: Any) -> str:
        return self.names.of(term) if is_variable(term) else write_string(canonical(term))

    def _join(self, node: Any, counts: bool) -> Body:
        return self.writer.join(self.body(node.p1, counts), self.body(node.p2, counts))

    def _filter(self, node: Any, counts: bool) -> Body:
        return self.filtered(self.body(node.p, counts), node.expr)

    def _leftjoin(self, node: Any, counts: bool) -> Body:
        left = self.writer.table(self.body(node.p1, counts))
        right = self.body(node.p2, counts)
        joined = self.filtered(self.writer.join(body_of(left), right), node.expr)
        more = [name for name in right.variables if name not in left.variables]
        hidden = [name for name in joined.hidden if name not in left.hidden]
        variables = {**left.variables, **dict.fromkeys(more, False)}
        made = Table(self.writer.relation(), variables, (*left.hidden, *hidden))
        self.writer.add(made.relation, (*variables, *made.hidden), joined.literals)
        columns = (*left.variables, *[UNBOUND] * len(more), *left.hidden, *[UNBOUND] * len(hidden))
        self.writer.add(made.relation, columns, (left.atom(), f"!{self._matches(left, right, node.expr)}"))
        return body_of(made)

    def _minus(self, node: Any, counts: bool) -> Body:
        return self.writer.minus(self.body(node.p1, counts), self.body(node.p2, counts=False))

    def _union(self, node: Any, counts: bool) -> Body:
        parts = [self.body(node.p1, counts), self.body(node.p2, counts)]
        names = dict.fromkeys(name for part in parts for name in part.variables)
        variables = {name: all(part.variables.get(name, False) for part in parts) for name in names}
        most = max(len(part.hidden) for part in parts)
        hidden = tuple(self.writer.variable() for _ in range(most + 1)) if counts else ()
        made = Table(self.writer.relation(), variables, hidden)
        for place, part in enumerate(parts):
            shown = [name if name in part.variables else UNBOUND for name in variables]
            tags = [f'"{place}"', *part.hidden, *[UNBOUND] * (most - len(part.hidden))] if counts else []
            self.writer.add(made.relation, (*shown, *tags), part.literals)
        return body_of(made)

    def _extend(self, node: Any, counts: bool) -> Body:
        body = self.body(node.p, counts)
        name = self.names.of(node.var)
        if name in body.variables or (is_variable(node.expr) and self.sampled.get(self.names.of(node.expr)) == name):
            unsupported(f"?{node.var}, which is neither grouped by nor aggregated,")
        text = self.expressions(body).term(node.expr)
        found = body.having(f"{name} = {text}")
        certain = body.variables.get(text, False) or (text.startswith('"') and text != UNBOUND)
        return Body(found.literals, {**body.variables, name: certain}, body.hidden)

    def _tomultiset(self, node: Any, counts: bool) -> Body:
        return self._values(node.p, counts) if node.p.name == "values" else self.body(node.p, counts)

    def _values(self, node: Any, counts: bool) -> Body:
        found = [(variable, term) for row in node.res for variable, term in row.items()]
        names = {self.names.of(v): all(_is_term(row.get(v)) for row in node.res) for v, _ in found}
        made = Table(self.writer.relation(), names, (self.writer.variable(),) if counts else ())
        for place, row in enumerate(node.res):
            terms = {self.names.of(v): self._term(t) for v, t in row.items() if _is_term(t)}
            tag = [f'"{place}"'] if counts else []
            self.writer.add(made.relation, (*(terms.get(name, UNBOUND) for name in names), *tag), ())
        return body_of(made) if node.res else Body((NEVER,), names)

    def _project(self, node: Any, counts: bool) -> Body:
        inner = node.p.p if node.p.name == "OrderBy" else node.p  # a set of solutions has no order
        return self.project(self.body(inner, counts), node.PV, counts)

    def _distinct(self, node: Any, counts: bool) -> Body:
        return self.body(node.p, counts=False)

    _reduced = _distinct

    def _slice(self, node: Any, counts: bool) -> Body:
        unsupported("LIMIT in a subquery")
        raise AssertionError(node)

    def _aggregatejoin(self, node: Any, counts: bool) -> Body:
        return write_aggregates(self, node)


def _is_term(value: Any) -> bool:
    return value is not None and value != "UNDEF"


def _has_exists(expression: Any) -> bool:
    if isinstance(expression, list | tuple):
        return any(map(_has_exists, expression))
    if isinstance(expression, dict):
        if getattr(expression, "name", "") in EXISTS:
            return True
        return any(_has_exists(part) for key, part in expression.items() if key != "_vars")
    return False
