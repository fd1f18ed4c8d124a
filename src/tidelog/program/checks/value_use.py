"""How one rule of a recursion through min or max uses the values it reads.

Law: the values of a rule are the variables in the value columns of the recursive atoms of its body. They may flow, by
equations, into the value column of the head, and they may be tested against something independent in the direction
in which a better value passes the test more easily. Every other use makes the result depend on values that were
improved upon, and is reported as the reason for refusing the rule.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from tidelog.errors import Span
from tidelog.program.checks.flow import ITSELF, NONE, STRICT, Flows, flow_of, typed
from tidelog.program.types.assign import Schema
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import (
    aggregate_names,
    all_literals,
    body_aggregates,
    flat_literals,
    literal_terms,
    path_atoms,
    scope_names,
    term_variables,
)
from tidelog.program.values.term import Aggregate, Atom, Comparison, Disjunction, Literal, Negation, PathAtom, Term, Var

ALTERNATIVES = 64
TWO_COLUMNS = -1


@dataclass(frozen=True, slots=True)
class Recursion:
    """A stratum that recurs through ``kind``: its relations and the column of each that carries the value."""

    kind: str
    relations: frozenset[str]
    columns: Mapping[str, int]
    schema: Schema


@dataclass(frozen=True, slots=True)
class Grade:
    """A rule's use of values: ``strict``, ``modest`` (never better than those it reads), or why it is refused."""

    strict: bool = True
    modest: bool = True
    reason: str = ""
    span: Span | None = None


class _RefusedError(Exception):
    """Ends the examination of a rule; carries the grade with the reason."""

    def __init__(self, reason: str, span: Span | None = None) -> None:
        super().__init__(reason)
        self.grade = Grade(False, False, reason, span)


def dependent_columns(rules: Sequence[Rule], recursion: Recursion) -> dict[str, int]:
    """The column of each relation that depends on a value; `TWO_COLUMNS` if several do. A least fixpoint."""
    columns = dict(recursion.columns)
    grown = True
    while grown:
        before = dict(columns)
        for rule in rules:
            name = rule.head.predicate
            if name not in recursion.columns:
                values = _dependent_names(rule.body, columns)
                for i, term in enumerate(rule.head.args):
                    if _names(term) & values and columns.get(name, i) != i:
                        columns[name] = TWO_COLUMNS
                    elif _names(term) & values:
                        columns[name] = i
        grown = columns != before
    return columns


def _names(term: Term) -> set[str]:
    found: list[Var] = []
    term_variables(term, found)
    return {variable.name for variable in found}


def _dependent_names(body: Iterable[Literal], columns: Mapping[str, int]) -> set[str]:
    """The variables that depend on a value read by the body, through equations."""
    literals = list(flat_literals(body))
    names: set[str] = set()
    for literal in literals:
        if isinstance(literal, Atom) and 0 <= columns.get(literal.predicate, TWO_COLUMNS) < len(literal.args):
            names |= _names(literal.args[columns[literal.predicate]])
        if isinstance(literal, PathAtom) and any(atom.predicate in columns for atom in path_atoms(literal)):
            names |= scope_names((literal,))
    equations = [x for x in literals if isinstance(x, Comparison) and x.op == "="]
    grown = True
    while grown:
        before = len(names)
        for equation in equations:
            for side, other in ((equation.left, equation.right), (equation.right, equation.left)):
                if isinstance(side, Var) and _names(other) & names:
                    names.add(side.name)
        grown = len(names) > before
    return names


def rule_grade(rule: Rule, recursion: Recursion) -> Grade:
    """The grade of a rule: the worst of its alternatives, if its body has disjunctions."""
    bodies = list(itertools.islice(alternatives(rule.body), ALTERNATIVES + 1))
    if len(bodies) > ALTERNATIVES:
        return Grade(False, False, f"its body has more than {ALTERNATIVES} alternatives", rule.span)
    try:
        grades = [_grade(rule, body, recursion) for body in bodies]
    except _RefusedError as refused:
        return refused.grade
    return Grade(all(g.strict for g in grades), all(g.modest for g in grades))


def alternatives(body: Sequence[Literal]) -> Iterator[list[Literal]]:
    """The body without disjunctions, one conjunction per choice of branches."""
    choices = [list(itertools.islice(_choices(literal), ALTERNATIVES + 1)) for literal in body]
    for parts in itertools.product(*choices):
        yield [literal for part in parts for literal in part]


def _choices(literal: Literal) -> Iterator[list[Literal]]:
    if isinstance(literal, Disjunction):
        for branch in literal.branches:
            yield from alternatives(branch)
    else:
        yield [literal]


def _grade(rule: Rule, body: Sequence[Literal], recursion: Recursion) -> Grade:
    values, read = _read_values(body, recursion)
    tests = _define(body, values)
    _check_tests(tests, values, recursion.kind)
    _check_other_uses(body, values)
    return _grade_head(rule, values, read, recursion)


def _read_values(body: Sequence[Literal], recursion: Recursion) -> tuple[dict[str, Flows], list[str]]:
    """The variables bound by atoms with their flows, and the names of those that are values."""
    values: dict[str, Flows] = {}
    read: list[str] = []
    occurrences: list[str] = []
    for atom in (literal for literal in body if isinstance(literal, Atom)):
        column = recursion.columns.get(atom.predicate)
        types = recursion.schema.get(atom.predicate, ())
        for i, arg in enumerate(atom.args):
            if i == column:
                read.append(_value_variable(arg, atom))
            if isinstance(arg, Var):
                occurrences.append(arg.name)
                values[arg.name] = typed(values.get(arg.name, Flows({})), types[i] if i < len(types) else None)
    for path in (literal for literal in body if isinstance(literal, PathAtom) and not literal.negated):
        _refuse_walk(path, recursion)
        ends = [end.name for end in (path.source, path.target) if isinstance(end, Var)]
        occurrences += ends
        values.update({name: values.get(name, Flows({})) for name in ends})
    for name in read:
        if occurrences.count(name) > 1:
            raise _RefusedError(f"the value `{name}` is joined with another column")
        flows = values[name]
        values[name] = Flows({name: ITSELF}, flows.least, flows.most, flows.real)
    return values, read


def _refuse_walk(path: PathAtom, recursion: Recursion) -> None:
    for atom in path_atoms(path):
        if atom.predicate in recursion.columns:
            raise _RefusedError(f"the value of `{atom.predicate}` must be read by a variable, not by a path", atom.span)


def _value_variable(arg: Term, atom: Atom) -> str:
    if isinstance(arg, Var):
        return arg.name
    raise _RefusedError(f"the value of `{atom.predicate}` must be read by a variable", atom.span)


def _define(body: Sequence[Literal], values: dict[str, Flows]) -> list[Comparison]:
    """Follow the equations that define variables; returns the comparisons that are left as tests."""
    waiting = [literal for literal in body if isinstance(literal, Comparison)]
    grown = True
    while grown:
        left = [literal for literal in waiting if not _defines(literal, values)]
        grown = len(left) < len(waiting)
        waiting = left
    return waiting


def _defines(literal: Comparison, values: dict[str, Flows]) -> bool:
    if literal.op == "=":
        for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
            if isinstance(side, Var) and side.name not in values and _names(other) <= set(values):
                values[side.name] = flow_of(other, values)
                return True
    return False


def _check_tests(tests: Iterable[Comparison], values: Mapping[str, Flows], kind: str) -> None:
    """Check that a better value passes every test of a value more easily."""
    for test in tests:
        left, right = flow_of(test.left, values), flow_of(test.right, values)
        if not left.of and not right.of:
            continue
        flows, op = (left, test.op) if left.of else (right, _mirrored(test.op))
        easier = op in (("<", "<=") if kind == "min" else (">", ">="))
        if (left.of and right.of) or not easier or any(flow.growth == NONE for flow in flows.of.values()):
            raise _RefusedError("a better value may fail this test", test.span)


def _mirrored(op: str) -> str:
    return {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op)


def _check_other_uses(body: Sequence[Literal], values: Mapping[str, Flows]) -> None:
    """Check that no value occurs inside a negation, an expression in an atom, or an aggregate."""
    dependent = {name for name, flows in values.items() if flows.of}
    for literal in body:
        if isinstance(literal, Negation | PathAtom) and scope_names((literal,)) & dependent:
            where = "a path" if isinstance(literal, PathAtom) else "a negation"
            raise _RefusedError(f"the value is used in {where}", literal.span)
        if isinstance(literal, Atom):
            for arg in literal.args:
                if not isinstance(arg, Var) and _names(arg) & dependent:
                    raise _RefusedError("the value is used in an expression inside an atom", literal.span)
        for term in literal_terms(literal):
            _check_aggregates(term, dependent)


def _check_aggregates(term: Term, dependent: Set[str]) -> None:
    for aggregate in body_aggregates(term):
        names = aggregate_names(aggregate) | scope_names(all_literals(aggregate.body or ()))
        if names & dependent:
            raise _RefusedError("the value is used inside an aggregate", aggregate.span)


def _grade_head(rule: Rule, values: Mapping[str, Flows], read: Sequence[str], recursion: Recursion) -> Grade:
    column = recursion.columns[rule.head.predicate]
    result = Flows({})
    for i, arg in enumerate(rule.head.args):
        term = arg.value if isinstance(arg, Aggregate) and arg.body is None else arg
        flows = Flows({}) if term is None else flow_of(term, values)
        if i == column:
            result = flows
        elif flows.of:
            raise _RefusedError("the value is used in a column that is not aggregated", rule.head.span)
        _check_aggregates(arg, {name for name, known in values.items() if known.of})
    return _grade_result(result, read, recursion.kind, rule)


def _grade_result(result: Flows, read: Sequence[str], kind: str, rule: Rule) -> Grade:
    strict = modest = True
    for name in read:
        flow = result.of.get(name)
        if flow is None:
            raise _RefusedError(f"its value does not depend on the value `{name}` that it reads", rule.head.span)
        strict = strict and flow.growth == STRICT
        modest = modest and flow.growth != NONE and (flow.above if kind == "min" else flow.below)
    if not strict and not modest:
        better = "smaller" if kind == "min" else "greater"
        raise _RefusedError(
            f"its value need not become strictly {better} when the value read does, and may be {better} than that",
            rule.head.span,
        )
    return Grade(strict, modest)
