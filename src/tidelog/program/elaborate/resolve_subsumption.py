"""Subsumption clauses are replaced by rules that derive the facts that they leave.

Law: `graph.subsumption` defines which of the two forms a relation gets, a best row for each group or a negation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tidelog.errors import Diagnostic
from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.graph.choice import split_relations
from tidelog.program.graph.strata import stratify
from tidelog.program.graph.subsumption import input_name, subsumed_relations
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import scope_names, term_variables
from tidelog.program.values.term import (
    Aggregate,
    Atom,
    Comparison,
    Disjunction,
    Literal,
    Negation,
    Term,
    Var,
    Wildcard,
    subterms,
)

ALL, BELOW, GONE = "__all_", "__below_", "__gone_"
VALUE = Var("the value")  # cannot be written as a variable in a text
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class BestRow:
    """A best row for each group: the columns compared in order, each with min or max."""

    compared: tuple[tuple[int, str], ...]


def resolve_subsumption(elaboration: Elaboration) -> Elaboration:
    """The pass: `without_subsumption` of the program."""
    program, findings = without_subsumption(elaboration.program)
    return elaboration.then(program, findings)


def without_subsumption(program: Program) -> tuple[Program, list[Diagnostic]]:
    """The program with its subsumptions expressed by rules: one for each rule in order, then additional ones.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = "p(X, C) :- e(X, C). p(X, A) <= p(X, B) :- B <= A."
    >>> [print_rule(rule) for rule in without_subsumption(parse_program(text))[0].rules]
    ['p(X, min<C>) :- e(X, C).', 'p/given: p(V1, min<V2>) :- __given_p(V1, V2).']
    """
    clauses = subsumed_relations(program.rules)
    if not clauses:
        return program, []
    plain = [rule for rule in program.rules if not rule.subsumes]
    closed = split_relations(program)  # their asserted facts are handled separately
    plain += (_bringing(name, own[0]) for name, own in clauses.items() if name not in closed)
    tests = [replace(rule, body=_tests(rule)) for own in clauses.values() for rule in own]
    recursive = {name for stratum in stratify([*plain, *tests]) if stratum.recursive for name in stratum.relations}
    findings: list[Diagnostic] = []
    best: dict[str, BestRow] = {}
    for name, own in clauses.items():
        found = _best_of(own)
        if found is not None and not any(_aggregates(rule) for rule in plain if rule.head.predicate == name):
            best[name] = found
        elif name in recursive:
            findings.append(diagnose("TL508", own[0].span, relation=name))
            best[name] = BestRow(())
    rules = [_changed(rule, clauses, best) for rule in plain]
    negated = [name for name in clauses if name not in best]
    rules += (made for name in negated for made in _negation(name, clauses[name]))
    return replace(program, rules=tuple(rules)), findings


def _bringing(name: str, first: Rule) -> Rule:
    """The rule that adds the asserted facts."""
    args = tuple(Var(f"V{i}") for i, _ in enumerate(first.head.args, 1))
    head = Atom(name, args, first.head.location)
    return Rule(head, (replace(head, predicate=input_name(name)),), f"{name}/given", first.span, first)


def _tests(rule: Rule) -> tuple[Literal, ...]:
    """The conditions of a clause besides its two facts, other than facts of their relation."""
    return tuple(x for x in rule.body[2:] if not isinstance(x, Atom) or x.predicate != rule.head.predicate)


def _aggregates(rule: Rule) -> bool:
    return any(isinstance(arg, Aggregate) and arg.body is None for arg in rule.head.args)


def _changed(rule: Rule, clauses: Mapping[str, object], best: Mapping[str, BestRow]) -> Rule:
    name = rule.head.predicate
    if name not in clauses:
        return rule
    if name not in best:
        return replace(rule, head=replace(rule.head, predicate=f"{ALL}{name}"))
    if not best[name].compared:
        return rule
    (column, kind), *ties = best[name].compared
    value, body = rule.head.args[column], rule.body
    if any(isinstance(part, Aggregate | Wildcard) for part in subterms(value)):
        value, body = VALUE, (*body, Comparison("=", VALUE, value))
    chosen = Aggregate(kind, value, None, value.span, tuple(ties))
    args = (*rule.head.args[:column], chosen, *rule.head.args[column + 1 :])
    return replace(rule, head=replace(rule.head, args=args), body=body)


def _negation(name: str, clauses: Sequence[Rule]) -> Iterator[Rule]:
    """The rules for subsumed pairs, one per clause, those for removed facts, and the rule for the remaining facts."""
    for number, rule in enumerate(clauses, 1):
        less, more, *rest = rule.body
        assert isinstance(less, Atom)
        assert isinstance(more, Atom)
        other = Disjunction(tuple((Comparison("!=", a, b),) for a, b in zip(less.args, more.args, strict=False)))
        own = (_before(literal, name) for literal in (less, more, *rest))
        body = (*own, other)
        head = Atom(f"{BELOW}{name}", (*less.args, *more.args), less.location)
        yield Rule(head, body, f"{rule.label or name}/below{number}", rule.span, rule)
    first = clauses[0]
    one, two = ([Var(f"{side}{i}") for i, _ in enumerate(first.head.args, 1)] for side in "VW")
    below = Atom(f"{BELOW}{name}", (*one, *two), first.head.location)
    above = Atom(f"{BELOW}{name}", (*two, *one), first.head.location)
    gone = Atom(f"{GONE}{name}", tuple(one), first.head.location)
    lesser = Disjunction(
        tuple((*_equations(one[:i], two[:i]), Comparison("<", two[i], one[i])) for i in range(len(one)))
    )
    label = first.label or name
    yield Rule(gone, (below, Negation(above)), f"{label}/gone1", first.span, first)
    yield Rule(gone, (below, above, lesser), f"{label}/gone2", first.span, first)
    stays = (replace(gone, predicate=f"{ALL}{name}"), Negation(gone))
    yield Rule(replace(gone, predicate=name), stays, f"{label}/stays", first.span, first)


def _before(literal: Literal, name: str) -> Literal:
    """A literal that reads all facts of the relation, including subsumed ones."""
    if isinstance(literal, Atom) and literal.predicate == name:
        return replace(literal, predicate=f"{ALL}{name}")
    return literal


def _equations(left: Sequence[Var], right: Sequence[Var]) -> Iterator[Comparison]:
    return (Comparison("=", a, b) for a, b in zip(left, right, strict=True))


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause as an order: the columns that are equal, those compared in order, and whether ties subsume as well."""

    equal: frozenset[int]
    compared: tuple[tuple[int, str], ...]
    free: frozenset[int]
    strict: bool


def _best_of(clauses: Sequence[Rule]) -> BestRow | None:
    """The columns that all clauses together compare, if they leave one row for each group."""
    read = [_clause(rule) for rule in clauses]
    known = sorted((clause for clause in read if clause is not None), key=lambda clause: len(clause.equal))
    if len(known) < len(read):
        return None
    group, compared = known[0].equal, known[0].compared
    for clause in known[1:]:
        if clause.equal != group | {column for column, _ in compared}:
            return None
        compared += clause.compared
    last = known[-1]
    if last.free and last.strict:
        return None
    rest = [(column, "min") for column in sorted(last.free) if column not in dict(compared)]
    return BestRow((*compared, *rest))


def _clause(rule: Rule) -> _Clause | None:
    less, more, *body = rule.body
    assert isinstance(less, Atom)
    assert isinstance(more, Atom)
    if len(less.args) != len(more.args) or not _distinct(less) or not _distinct(more):
        return None
    used = scope_names(body)
    pairs = list(zip(less.args, more.args, strict=True))
    equal = frozenset(i for i, (a, b) in enumerate(pairs) if a == b)
    if any(isinstance(a, Var) and a.name in used for i, (a, _) in enumerate(pairs) if i in equal):
        return None
    columns = {(_name(a), _name(b)): i for i, (a, b) in enumerate(pairs) if i not in equal}
    if len({name for names in columns for name in names}) != 2 * len(columns):
        return None
    order = _order(body, columns)
    if order is None or len({i for i, _ in order[0]}) < len(order[0]):
        return None
    compared, strict = order
    free = frozenset(columns.values()) - {i for i, _ in compared}
    return _Clause(equal, compared, free, strict)


def _distinct(atom: Atom) -> bool:
    return all(isinstance(arg, Var) for arg in atom.args) and len(set(atom.args)) == len(atom.args)


def _name(term: Term) -> str:
    found: list[Var] = []
    term_variables(term, found)
    return found[0].name


Columns = Mapping[tuple[str, str], int]
Order = tuple[tuple[tuple[int, str], ...], bool]


def _order(body: Sequence[Literal], columns: Columns) -> Order | None:
    """``b <= a``; ``b < a; b = a, d <= c``; and so on: the columns in the order in which they are compared."""
    if len(body) != 1:
        return None
    branches = body[0].branches if isinstance(body[0], Disjunction) else (tuple(body),)
    compared: list[tuple[int, str]] = []
    strict = True
    for place, branch in enumerate(branches):
        *same, last = branch
        if not strict or [_equal_column(literal, columns) for literal in same] != [i for i, _ in compared]:
            return None
        found = _compared_column(last, columns)
        if found is None:
            return None
        compared.append(found[:2])
        strict = found[2]
        if not strict and place < len(branches) - 1:
            return None
    return tuple(compared), strict


def _equal_column(literal: Literal, columns: Columns) -> int | None:
    if isinstance(literal, Comparison) and literal.op == "=":
        for left, right in ((literal.left, literal.right), (literal.right, literal.left)):
            if isinstance(left, Var) and isinstance(right, Var) and (left.name, right.name) in columns:
                return columns[left.name, right.name]
    return None


def _compared_column(literal: Literal, columns: Columns) -> tuple[int, str, bool] | None:
    """The column that a test compares, min or max, and whether equal values fail it."""
    if not isinstance(literal, Comparison) or literal.op not in _MIRRORED:
        return None
    for left, right, op in (
        (literal.left, literal.right, literal.op),
        (literal.right, literal.left, _MIRRORED[literal.op]),
    ):
        if isinstance(left, Var) and isinstance(right, Var) and (left.name, right.name) in columns:
            return columns[left.name, right.name], "min" if op in (">", ">=") else "max", op in ("<", ">")
    return None
