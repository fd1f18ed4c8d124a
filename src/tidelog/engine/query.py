"""Queries: a body whose variables are the columns of the answer.

Law: a query is a rule that is added, read and taken back; it sees the last committed epoch.
"""

from __future__ import annotations

import numpy as np

from tidelog.engine.core import Core
from tidelog.engine.view import Rows
from tidelog.program import Atom, Rule, Var
from tidelog.program.scope import literal_variables
from tidelog.rewrite.names import QUESTION
from tidelog.runtime.interrupts import Guard
from tidelog.syntax import parse_rule

ANSWERS = f"{QUESTION}answers"


def query(core: Core, text: str) -> Rows:
    """The answers to a query: one column per variable, in order of appearance."""
    core.must_be_open()
    rule, names = read_query(text, core.rules.program.convention)
    with core.writing:
        rules = core.rules.changed(add=(rule,), known={ANSWERS: len(names)})
        work = core.planner.work(core.rules, rules, {}, {})
        with Guard(core.runtime):
            changes = core.runtime.run(work).changes
            try:
                cells = changes.get(ANSWERS, (np.zeros((0, len(names)), np.int64),))[0]
            finally:
                core.runtime.rollback()
    return Rows("answers", names, rules.schema[ANSWERS], core.dictionary, cells)


def read_query(text: str, convention: str) -> tuple[Rule, tuple[str, ...]]:
    """The rule of a query and the names of its variables."""
    body = text.strip().removeprefix("?").rstrip().removesuffix(".")
    rule = parse_rule(f"answers() :- {body}.", convention=convention)
    found: list[Var] = []
    for literal in rule.body:
        literal_variables(literal, found)
    variables = list(dict.fromkeys(found))
    head = Atom(ANSWERS, tuple(variables), span=rule.head.span)
    return Rule(head, rule.body, ANSWERS, rule.span), tuple(v.name for v in variables)
