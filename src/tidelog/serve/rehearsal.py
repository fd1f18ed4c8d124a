"""What is done with texts of clients in a process that can be ended (D39).

Law: a text is read, checked and expanded here first. What ends here within its limits ends in the server, too, since
that does the same again; so it is not the findings that count here but the end. Functions of users stay in the server:
only their types are known here.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace

from tidelog.engine.read.question import read_query
from tidelog.errors import Diagnostic, TidelogError
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Rule
from tidelog.program.check import examine_program
from tidelog.program.elaborate.expand_components import joined
from tidelog.program.functions.table import Functions
from tidelog.syntax import parse_program, parse_rule, read_program

_held: list[tuple[int, Ruleset]] = []  # the rules that were sent last, and their number


def check_text(text: str) -> tuple[Diagnostic, ...]:
    """Findings about a text; nothing is read but the text."""
    read, found = read_program(text, "<text>")
    _, meant = examine_program(read)
    return (*found, *meant)


def pack_rules(rules: Ruleset) -> bytes:
    """Rules in force, to be sent: of functions their types alone."""
    known = (replace(each, evaluate=_stays, python=None) for found in rules.functions.values() for each in found)
    return pickle.dumps(replace(rules, functions=Functions(known), checked=None), pickle.HIGHEST_PROTOCOL)


def _stays(*args: object) -> object:
    raise AssertionError("nothing is evaluated in a rehearsal")


def rehearse_question(number: int, packed: bytes | None, text: str) -> None:
    """Read and check a question to the rules in force, and expand it."""
    rules = _rules(number, packed)
    try:
        rule, names = read_query(text, rules.program.convention)
        rules.asking(rule, {rule.head.predicate: len(names)})
    except TidelogError:
        return  # which the server finds, too


def rehearse_rules(number: int, packed: bytes | None, declared: str | None, added: Sequence[str | Rule]) -> None:
    """Read and check declarations and rules that come to those in force, and expand them."""
    rules = _rules(number, packed)
    convention = rules.program.convention
    try:
        read = [parse_rule(each, convention=convention) if isinstance(each, str) else each for each in added]
        if declared is not None:
            given = parse_program(declared, convention=convention)
            read += given.rules
            rules = rules.declaring(joined([rules.program, replace(given, rules=(), facts=())]))
        fresh = rules.label([replace(each, label=None) for each in read])
        rules.changed(add=fresh, whole=declared is not None)
    except TidelogError:
        return


def _rules(number: int, packed: bytes | None) -> Ruleset:
    """The rules in force, which are sent when they are others than before."""
    if packed is not None:
        _held[:] = [(number, pickle.loads(packed))]
    held, rules = _held[0]
    assert held == number, "rules must be sent before they are used"
    return rules
