"""Notices about text that Tidelog reads but does not support (TL6xx), and about likely mistakes (TL7xx).

Law: no part of a text is dropped silently. Timers, and lifetimes of derived facts, are refused by name; a relation that
NDlog would treat as a momentary message is kept, with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tidelog.errors import Diagnostic, EvaluationError
from tidelog.program.functions.patterns import compiled
from tidelog.program.graph.lifetime import check_lifetimes
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.types.arity import TIMER, Names, is_timer
from tidelog.program.values.program import PROLOG, Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import (
    atoms,
    flat_literals,
    literal_terms,
    literal_variables,
    rule_literals,
    term_variables,
)
from tidelog.program.values.term import SYMBOL, Aggregate, Atom, Call, Const, PathAtom, Term, Value, Var, subterms

PATTERN_FUNCTIONS = ("match", "regex_find", "regex_group", "regex_all", "regex_replace")


def check_notices(program: Program, names: Names) -> list[Diagnostic]:
    """All findings of both families."""
    findings: list[Diagnostic] = []
    findings += check_lifetimes(program)
    for rule in program.rules:
        findings += check_rule_notices(rule, names)
    if program.convention == PROLOG:
        findings += symbols_as_variables(program.rules, values_of_facts(program).__contains__)
    _check_events(program, names, findings)
    return findings


def check_rule_notices(rule: Rule, names: Names) -> Iterator[Diagnostic]:
    """The findings about one rule."""
    for literal in rule_literals(rule):
        if isinstance(literal, Atom) and is_timer(literal.predicate, names):
            yield diagnose("TL601", literal.span)
    yield from single_variables(rule)
    yield from _wrong_patterns(rule)


def values_of_facts(program: Program) -> set[Value]:
    """The constants of a program's facts."""
    terms = (inner for fact in program.facts for term in fact.atom.args for inner in subterms(term))
    return {const.value for const in terms if isinstance(const, Const)}


def symbols_as_variables(rules: Iterable[Rule], is_known: Callable[[Value], bool]) -> Iterator[Diagnostic]:
    """Symbols that look like lower-case variables, in rules of the Prolog convention."""
    return (found for rule in rules if (found := symbol_as_variable(rule, is_known)) is not None)


def symbol_as_variable(rule: Rule, is_known: Callable[[Value], bool]) -> Diagnostic | None:
    """Report a rule without variables whose head and body share a symbol that no fact has, usually meant as a variable.

    Quoted symbols are not reported.
    """
    found: list[Var] = []
    terms = [term for literal in rule_literals(rule) for term in literal_terms(literal)]
    for term in (*rule.head.args, *terms):
        term_variables(term, found)
    if any(not var.name.startswith("_") for var in found):
        return None
    inside = {const.value for const in _bare_symbols(terms)}
    for const in _bare_symbols(rule.head.args):
        if const.value in inside and not is_known(const.value):
            name = str(const.value)
            return diagnose("TL704", const.span, name=name, variable=name[0].upper() + name[1:])
    return None


def _bare_symbols(terms: Iterable[Term]) -> Iterator[Const]:
    """The symbols in terms that are written without quotes."""
    for const in (inner for term in terms for inner in subterms(term)):
        if isinstance(const, Const) and const.type == SYMBOL and const.span and const.span.text[:1] != '"':
            yield const


def _wrong_patterns(rule: Rule) -> Iterable[Diagnostic]:
    """Invalid patterns in the text, with which functions would fail whenever they are evaluated."""
    terms = [*rule.head.args, *(term for literal in rule_literals(rule) for term in literal_terms(literal))]
    for call in (inner for term in terms for inner in subterms(term)):
        match call:
            case Call(function=name, args=(Const(value=str() as pattern, span=span), *_)) if name in PATTERN_FUNCTIONS:
                try:
                    compiled(pattern)
                except EvaluationError as error:
                    yield diagnose("TL414", span or call.span, problem=str(error))


def single_variables(rule: Rule) -> Iterable[Diagnostic]:
    """Variables that occur once, as an argument of an atom of the rule's own scope, and do not start with `_`.

    Rules that aggregate in their head are excluded: there every named variable matters (D12).
    """
    if any(isinstance(term, Aggregate) for term in rule.head.args):
        return
    found: list[Var] = []
    for term in rule.head.args:
        term_variables(term, found)
    own: list[Var] = []
    for literal in flat_literals(rule.body):
        if isinstance(literal, Atom | PathAtom):
            own.extend(arg for arg in literal_terms(literal) if isinstance(arg, Var))
    for literal in rule_literals(rule):
        literal_variables(literal, found)
    times: dict[str, int] = {}
    for variable in found:
        times[variable.name] = times.get(variable.name, 0) + 1
    for variable in own:
        if times[variable.name] == 1 and not variable.name.startswith("_"):
            yield diagnose("TL702", variable.span, name=variable.name)


def _check_events(program: Program, names: Names, findings: list[Diagnostic]) -> None:
    """Warn of base relations without `materialize` in a program that uses it: in NDlog they would be events."""
    if not program.keys:
        return
    reported: set[str] = set()
    for rule in program.rules:
        for atom in atoms(rule_literals(rule)):
            name = atom.predicate
            if name not in names.defined and name not in names.declared and name not in reported and name != TIMER:
                reported.add(name)
                findings.append(diagnose("TL703", atom.span, name=name))
