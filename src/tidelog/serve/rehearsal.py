"""Read and check texts of clients in a process that can be killed (D39).

Law: a text is read, checked and expanded here first. If this finishes within its limits, it finishes in the server,
too, because the server repeats the same work; the findings do not matter here. User functions stay in the server: only
their types are known here.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tidelog.engine.read.question import read_query
from tidelog.engine.write.column_change import rehearse_columns
from tidelog.errors import Diagnostic, TidelogError
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Program, Rule
from tidelog.program.check import examine_program
from tidelog.program.elaborate.expand_components import joined
from tidelog.program.functions.table import Functions
from tidelog.syntax import RuleAdded, parse_changes, parse_program, parse_rule, read_program

Columns = Mapping[str, Mapping[str, str | None]]
_last_rules: list[tuple[int, Ruleset]] = []  # the rules that were sent last, with their number


def check_text(text: str) -> tuple[Diagnostic, ...]:
    """Findings about a text; no files are read."""
    program, syntax_findings = read_program(text, "<text>")
    _, findings = examine_program(program)
    return (*syntax_findings, *findings)


def pack_rules(rules: Ruleset) -> bytes:
    """The current rules, serialised; functions are reduced to their types."""
    functions = (
        replace(each, evaluate=_not_evaluated, python=None)
        for overloads in rules.functions.values()
        for each in overloads
    )
    return pickle.dumps(replace(rules, functions=Functions(functions), checked=None), pickle.HIGHEST_PROTOCOL)


def _not_evaluated(*args: object) -> object:
    raise AssertionError("nothing is evaluated in a rehearsal")


def rehearse_question(number: int, packed: bytes | None, text: str) -> None:
    """Read, check and expand a query against the current rules."""
    rules = _rules(number, packed)
    try:
        rule, names = read_query(text, rules.program.convention, rules.program.prefixes)
        rules.asking((rule,), {rule.head.predicate: len(names)})
    except TidelogError:
        return  # the server reports the same error


def rehearse_rules(number: int, packed: bytes | None, declared: str | None, added: Sequence[str | Rule]) -> None:
    """Read, check and expand declarations and rules to be added to the current ones."""
    rules = _rules(number, packed)
    convention, prefixes = rules.program.convention, rules.program.prefixes
    try:
        rules_read = [
            parse_rule(each, convention=convention, prefixes=prefixes) if isinstance(each, str) else each
            for each in added
        ]
        if declared is not None:
            declarations = parse_program(declared, convention=convention, prefixes=prefixes)
            rules_read += declarations.rules
            rules = rules.declaring(joined([rules.program, replace(declarations, rules=(), facts=())]))
        fresh = rules.label([replace(each, label=None) for each in rules_read])
        rules.changed(add=fresh, whole=declared is not None)
    except TidelogError:
        return


def rehearse_program(number: int, packed: bytes | None, text: str, columns: Columns) -> None:
    """Read, check and expand a whole program, and the expressions for columns that it changes."""
    rules = _rules(number, packed)
    functions = rules.functions
    try:
        program = parse_program(text)
        bare = Ruleset(Program(convention=program.convention), functions)
        bare.declaring(replace(program, rules=(), facts=())).changed(add=bare.label(program.rules), whole=True)
        rehearse_columns(rules.program, program, functions, columns)
    except TidelogError:
        return


def rehearse_script(number: int, packed: bytes | None, text: str) -> None:
    """Read, check and expand the rules that a change script adds to the current ones."""
    rules = _rules(number, packed)
    try:
        script = parse_changes(text, convention=rules.program.convention)
    except TidelogError:
        return
    added = [change.rule for epoch in script for change in epoch if isinstance(change, RuleAdded)]
    rehearse_rules(number, None, None, added)


def _rules(number: int, packed: bytes | None) -> Ruleset:
    """The current rules, which are sent only if they have changed."""
    if packed is not None:
        _last_rules[:] = [(number, pickle.loads(packed))]
    held_number, rules = _last_rules[0]
    assert held_number == number, "rules must be sent before they are used"
    return rules
