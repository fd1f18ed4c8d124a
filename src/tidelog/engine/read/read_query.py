"""The text of a query as a rule.

Law: a query is a rule whose head are its variables, in order of appearance.
"""

from __future__ import annotations

from functools import lru_cache

from tidelog.program import Atom, Rule, Var
from tidelog.program.functions.arguments import must_be
from tidelog.program.values.scope import literal_variables
from tidelog.rewrite.names import QUESTION
from tidelog.syntax import parse_body

ANSWERS, GIVEN = f"{QUESTION}answers", f"{QUESTION}given"


@lru_cache(maxsize=1024)
def read_query(text: str, convention: str) -> tuple[Rule, tuple[str, ...]]:
    """The rule of a query and the names of its variables."""
    must_be(text, str, "text", "a query such as `reach(0, X)`")
    body = parse_body(_without_mark(text), convention=convention)
    found: list[Var] = []
    for literal in body:
        literal_variables(literal, found)
    variables = list(dict.fromkeys(found))
    head = Atom(ANSWERS, tuple(variables))
    return Rule(head, body, ANSWERS), tuple(v.name for v in variables)


def _without_mark(text: str) -> str:
    """A question without the marks of a prompt: `?p(X)`, Prolog's `?- p(X).`, or `p(X)?`.

    >>> _without_mark("?- p(X)."), _without_mark("p(X)?")
    ('   p(X).', 'p(X)')
    """
    for mark in ("?-", "?"):
        if text.lstrip().startswith(mark):
            return text.replace(mark, " " * len(mark), 1)
    return text.rstrip()[:-1] if text.rstrip().endswith(")?") else text
