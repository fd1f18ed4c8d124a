"""Checks of a query before it runs.

Law: a query always runs where it can be aborted: in kernels and the planner, which check the clock, while parsing,
checking and expanding run in a separate process. A query that is *plain*, short and without anything to expand, does
not need that process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from tidelog.engine.read.question import read_query
from tidelog.errors import TidelogError
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Atom, Comparison, Const, Negation, Var, Wildcard
from tidelog.program.graph.inline import inline_relations
from tidelog.program.values.path import Label, Repeat
from tidelog.program.values.term import Call as FunctionCall
from tidelog.serve import serve_failures as failures
from tidelog.syntax.prefixes import Prefixes

LITERALS = 200  # atoms and comparisons, at any depth
ATOMS = 64
SHORT, FEW = 2_000, 32  # characters and literals of a plain query


def is_plain(text: str, rules: Ruleset) -> bool:
    """Whether a query is short, and simple enough that its size bounds the cost of parsing and checking it.

    >>> from tidelog.plan.ruleset import Ruleset
    >>> from tidelog.program import Program
    >>> [is_plain(text, Ruleset(Program(), {})) for text in ("edge(X, Y), !edge(Y, X), X < 3", "(p(X) ; q(X))")]
    [True, False]
    """
    if len(text) > SHORT:
        return False
    try:
        rule, _ = read_query(text, rules.program.convention, rules.program.prefixes)
    except TidelogError:
        return True  # refused later with the same message
    inline = inline_relations(rules.program)
    parts = list(_parts(rule.body))
    simple = (Atom, Negation, Comparison, Var, Const, Wildcard, FunctionCall)
    return len(rule.body) <= FEW and all(
        type(part) in simple and not (isinstance(part, Atom) and part.predicate in inline) for part in parts
    )


def relations_of(text: str, convention: str, prefixes: Prefixes = ()) -> set[str]:
    """The relations that a query names.

    >>> sorted(relations_of("p(X), !q(X), N = count : { r(X, _) }, (s/^t)+(X, Y)", "prolog"))
    ['p', 'q', 'r', 's', 't']
    """
    rule, _ = read_query(text, convention, prefixes)
    found = set()
    for part in _parts(rule.body):
        match part:
            case Atom(predicate=name) | Label(relation=name) | Repeat(domain=str(name)):
                found.add(name)
    return found


def check_question(text: str, convention: str, prefixes: Prefixes = ()) -> None:
    """Raise for a query that could not be aborted."""
    rule, _ = read_query(text, convention, prefixes)
    parts = list(_parts(rule.body))
    atoms = sum(isinstance(part, Atom) for part in parts)
    if atoms > ATOMS or sum(isinstance(part, Atom | Comparison) for part in parts) > LITERALS:
        raise failures.TOO_WIDE.error(atoms=ATOMS, literals=LITERALS)


def _parts(value: object) -> Iterator[object]:
    """A part of a program and all its parts; iterative, because texts may be nested deeply."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending += part
        elif is_dataclass(part):
            yield part
            pending += [getattr(part, field.name) for field in fields(part) if field.compare]
