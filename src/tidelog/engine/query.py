"""Queries: a body whose variables are the columns of the answer.

Law: a query is a rule that is added, read and taken back; it sees the last committed epoch.
"""

from __future__ import annotations

from tidelog.program import Atom, Rule, Var
from tidelog.program.scope import literal_variables
from tidelog.syntax import parse_rule

ANSWERS = "__?answers"  # no text can name it


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
