"""Mutants: programs with one small mistake each, to see whether any case detects it.

Law: a mutant differs from the program in one rule: the rule is omitted, a premise is omitted, a negation is inverted, a
comparison is moved by one place, or a constant is replaced; and it passes the checks, because a mistake that the checks
find needs no case. A mutant that no case detects is reported: the cases do not cover it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tidelog.errors import ProgramError
from tidelog.program import Atom, Comparison, Const, Literal, Negation, Program, Rule, Term
from tidelog.program.check import check_program
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.types.functors import with_functors
from tidelog.syntax import print_literal, print_rule, print_term
from tidelog.trial.cases import Case
from tidelog.trial.golden import Golden
from tidelog.trial.run import Subject, run_case

MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "!=", "!=": "="}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with a mistake, and a description of the mistake."""

    rule: str
    change: str
    program: Program


def mutants(program: Program) -> Iterator[Mutant]:
    """All mutants of a program that pass the checks, rule by rule."""
    functions = with_functors(FUNCTIONS, program)
    for i, rule in enumerate(program.rules):
        if rule.subsumes:
            continue
        label = rule.label or print_rule(rule, program.convention)
        for change, changed in _changed(rule, program.convention):
            rules = (*program.rules[:i], *changed, *program.rules[i + 1 :])
            mutated = replace(program, rules=rules)
            try:
                check_program(mutated, functions, known=_known(program))
            except ProgramError:
                continue
            yield Mutant(label, change, mutated)


def _known(program: Program) -> dict[str, int]:
    """Keep the relations of the program known, even if the mutant no longer names them."""
    found = [atom for rule in program.rules for atom in (rule.head, *(x for x in rule.body if isinstance(x, Atom)))]
    return {atom.predicate: len(atom.args) for atom in found}


def _changed(rule: Rule, convention: str) -> Iterator[tuple[str, tuple[Rule, ...]]]:
    yield "the rule is removed", ()
    for i, literal in enumerate(rule.body):
        text = print_literal(literal, convention)
        for change, changed in _changed_literal(literal, convention):
            body = (*rule.body[:i], *changed, *rule.body[i + 1 :])
            if body:
                yield f"`{text}` {change}", (replace(rule, body=body, plans=()),)
    for change, head in _changed_atom(rule.head, convention):
        yield f"in the head {change}", (replace(rule, head=head),)


def _changed_literal(literal: Literal, convention: str) -> Iterator[tuple[str, tuple[Literal, ...]]]:
    yield "is removed", ()
    match literal:
        case Negation(atom=atom):
            yield "is no longer negated", (atom,)
            yield from (
                (change, (Negation(changed, literal.span),)) for change, changed in _changed_atom(atom, convention)
            )
        case Atom():
            yield "is negated", (Negation(literal, literal.span),)
            yield from ((change, (changed,)) for change, changed in _changed_atom(literal, convention))
        case Comparison(op=op, left=left, right=right):
            yield f"has `{MOVED[op]}` instead of `{op}`", (replace(literal, op=MOVED[op]),)
            yield from ((change, (replace(literal, left=o),)) for change, o in _changed_constant(left, convention))
            yield from ((change, (replace(literal, right=o),)) for change, o in _changed_constant(right, convention))


def _changed_atom(atom: Atom, convention: str) -> Iterator[tuple[str, Atom]]:
    for i, arg in enumerate(atom.args):
        for change, other in _changed_constant(arg, convention):
            yield change, replace(atom, args=(*atom.args[:i], other, *atom.args[i + 1 :]))


def _changed_constant(term: Term, convention: str) -> Iterator[tuple[str, Term]]:
    """The term with another constant: one more, or a new text."""
    if isinstance(term, Const) and isinstance(term.value, int | float | str):
        other = replace(term, value=f"{term.value}'" if isinstance(term.value, str) else term.value + 1)
        yield f"has `{print_term(other, convention)}` instead of `{print_term(term, convention)}`", other


def is_noticed(mutant: Mutant, cases: Sequence[Case], subject: Subject, golden: Golden | None) -> bool:
    """Whether a case that passes with the program fails with the mutant."""
    changed = replace(subject, program=mutant.program)
    return any(not run_case(case, changed, golden, watched=False).passed for case in cases)
