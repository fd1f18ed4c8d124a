"""Constraints get a hidden head: one fact for every violation.

Law (`graph.constraint`): the head has the variables that the body binds. The bodies of `.key` and `.reference` are
built from the declarations of the relations that they name, which requires the whole program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from tidelog.errors import Diagnostic
from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.graph.constraint import HIDDEN, NO_HEAD
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Key, Reference, Rule
from tidelog.program.values.schema import Declaration
from tidelog.program.values.scope import literal_variables
from tidelog.program.values.term import (
    Atom,
    Boolean,
    Comparison,
    Disjunction,
    Literal,
    Negation,
    PathAtom,
    Var,
    Wildcard,
)


def hide_heads(elaboration: Elaboration) -> Elaboration:
    """The pass: `with_hidden_heads` of the program."""
    program, findings = with_hidden_heads(elaboration.program)
    return elaboration.then(program, findings)


def with_hidden_heads(program: Program) -> tuple[Program, list[Diagnostic]]:
    """The program with a head for each constraint, and the findings about keys and references.

    >>> from tidelog.program.graph.constraint import Constraint, constraint_rule
    >>> rule = constraint_rule([Atom("p", (Var("X"), Wildcard()))], "none", Constraint())
    >>> with_hidden_heads(Program((rule,)))[0].rules[0].head
    Atom(predicate='__refused_none/1', args=(Var(name='X'),), location=None)
    """
    if all(rule.constraint is None for rule in program.rules):
        return program, []
    findings: list[Diagnostic] = []
    declared = {declaration.relation: declaration for declaration in program.declarations}
    rules = [_with_head(rule, place, declared, findings) for place, rule in enumerate(program.rules, 1)]
    return replace(program, rules=tuple(rule for rule in rules if rule is not None)), findings


def _with_head(rule: Rule, place: int, declared: Mapping[str, Declaration], findings: list[Diagnostic]) -> Rule | None:
    if rule.constraint is None:
        return rule
    body = rule.body
    if rule.constraint.says is not None:
        wrong = [replace(finding, span=rule.span) for finding in _check_sugar(rule.constraint.says, declared)]
        findings += wrong
        if wrong:
            return None
        body = tuple(_sugar_body(rule.constraint.says, declared))
    variables = bound_variables(body)
    name = f"{HIDDEN}{rule.label or f'r{place}'}/{len(variables)}"
    return replace(rule, head=Atom(name, variables, None, rule.span), body=body)


def without_head(rule: Rule) -> Rule:
    """A rule as written in the text: a constraint without its hidden head."""
    if rule.constraint is None:
        return rule
    return replace(rule, head=NO_HEAD, body=rule.body if rule.constraint.says is None else ())


def bound_variables(body: Iterable[Literal]) -> tuple[Var, ...]:
    """The variables that a body binds, each once, in the order of the text; those with a leading `_` are omitted."""
    return tuple({var.name: var for var in _binding(body) if not var.name.startswith("_")}.values())


def _binding(body: Iterable[Literal]) -> Iterator[Var]:
    for literal in body:
        found: list[Var] = []
        if isinstance(literal, Disjunction):
            branches = [tuple(_binding(branch)) for branch in literal.branches]
            yield from (var for var in branches[0] if all(var in others for others in branches[1:]))
        elif isinstance(literal, Comparison):
            yield from (side for side in (literal.left, literal.right) if literal.op == "=" and isinstance(side, Var))
        elif isinstance(literal, Atom) or (isinstance(literal, PathAtom) and not literal.negated):
            literal_variables(literal, found)
            yield from found


def _named(says: Key | Reference) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield says.relation, says.columns
    if isinstance(says, Reference):
        yield says.target, says.target_columns


def _check_sugar(says: Key | Reference, declared: Mapping[str, Declaration]) -> Iterator[Diagnostic]:
    word = ".key" if isinstance(says, Key) else ".reference"
    for relation, columns in _named(says):
        if relation not in declared:
            yield diagnose("TL241", None, word=word, name=relation)
            continue
        places = [_place(declared[relation], column) for column in columns]
        for column, place in zip(columns, places, strict=True):
            if place is None or places.count(place) > 1:
                known = ", ".join(f"`{each.name}`" for each in declared[relation].columns) or "none"
                problem = "has no such column" if place is None else "lists it twice"
                yield diagnose("TL242", None, word=word, name=relation, column=column, problem=problem, known=known)
                break
    if isinstance(says, Reference) and len(says.columns) != len(says.target_columns):
        yield diagnose("TL243", None, first=len(says.columns), second=len(says.target_columns))


def _place(declaration: Declaration, column: str) -> int | None:
    """The position of a column specified by its name or by its number, counted from 1."""
    names = [each.name for each in declaration.columns]
    if column in names:
        return names.index(column)
    return int(column) - 1 if column.isdigit() and 0 < int(column) <= len(names) else None


def _places(declaration: Declaration, columns: Sequence[str]) -> list[int]:
    found = (_place(declaration, column) for column in columns)
    return [place for place in found if place is not None]


def _sugar_body(says: Key | Reference, declared: Mapping[str, Declaration]) -> Iterator[Literal]:
    columns, keys = declared[says.relation].columns, _places(declared[says.relation], says.columns)
    one = [Var(f"V{i}") for i in range(1, len(columns) + 1)]
    yield Atom(says.relation, tuple(one))
    if isinstance(says, Reference):
        args: list[Var | Wildcard] = [Wildcard() for _ in declared[says.target].columns]
        for place, column in zip(_places(declared[says.target], says.target_columns), keys, strict=True):
            args[place] = one[column]
        yield Negation(Atom(says.target, tuple(args)))
        return
    other = [var if i in keys else Var(f"W{i + 1}") for i, var in enumerate(one)]
    yield Atom(says.relation, tuple(other))
    differences = tuple((Comparison("!=", one[i], other[i]),) for i in range(len(columns)) if i not in keys)
    if len(differences) > 1:
        yield Disjunction(differences)
    else:
        yield from differences[0] if differences else (Boolean(False),)
