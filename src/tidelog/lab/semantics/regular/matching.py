"""Matching literals and bodies against a graph, and against a graph with its insertions (the paper's M and M-delta).

Law: the substitutions that match a body are those that match its first literal, each extended by those that match the
rest: a nested-loop join. With marks a literal is matched against the base graph (B), the insertions (D) or both (F).
For a body L1, ..., Ln the marked bodies ``L1:B .. L(i-1):B, Li:D, L(i+1):F .. Ln:F`` together match exactly what the
insertions add: the first literal that needs an inserted row is the one marked D.
Deletions are not matched: see `forward`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tidelog.lab.semantics.regular.clause import Body, Lit, RegularClause, Row, Term
from tidelog.lab.semantics.regular.graph import EMPTY, NOTHING, Graph, Rows
from tidelog.program import Const, Value, Var

Substitution = Mapping[str, Value]


class Mark(enum.StrEnum):
    """What a literal is matched against: the base graph, the delta, or the full graph."""

    BASE = "B"
    DELTA = "D"
    FULL = "F"


BASE, DELTA, FULL = Mark.BASE, Mark.DELTA, Mark.FULL


def match_rows(args: Sequence[Term], rows: Iterable[Row], substitution: Substitution) -> Iterator[Substitution]:
    """The extensions of the substitution under which the arguments are one of the rows."""
    known = [(i, value) for i, arg in enumerate(args) if (value := _known(arg, substitution)) is not None]
    names = [(i, arg.name) for i, arg in enumerate(args) if isinstance(arg, Var) and arg.name not in substitution]
    for row in rows:
        if all(row[i] == value for i, value in known):
            new = {name: row[i] for i, name in names}
            if all(new[name] == row[i] for i, name in names):
                yield {**substitution, **new}


def _known(term: Term, substitution: Substitution) -> Value | None:
    return term.value if isinstance(term, Const) else substitution.get(term.name)


def marked_rows(literal: Lit, mark: Mark, graph: Graph, inserted: Graph) -> Rows:
    """The rows that a marked literal is matched against: (B, F: those of G) united with (D, F: those of D+)."""
    base = graph[literal.tagged] if mark in (BASE, FULL) else NOTHING
    delta = inserted[literal.tagged] if mark in (DELTA, FULL) else NOTHING
    return base | delta


def match_body(body: Body, marks: Sequence[Mark], graph: Graph, inserted: Graph = EMPTY) -> list[Substitution]:
    """The substitutions that match all literals of the body, each literal as it is marked."""
    found: list[Substitution] = [{}]
    for literal, mark in zip(body, marks, strict=True):
        rows = marked_rows(literal, mark, graph, inserted)
        found = [extended for each in found for extended in match_rows(literal.args, rows, each)]
    return found


def delta_marks(length: int) -> list[tuple[Mark, ...]]:
    """The marks of the delta program of a body, one tuple for each literal that may be the changed one.

    >>> ["".join(marks) for marks in delta_marks(3)]
    ['DFF', 'BDF', 'BBD']
    """
    return [(BASE,) * i + (DELTA,) + (FULL,) * (length - i - 1) for i in range(length)]


def heads(clause: RegularClause, substitutions: Iterable[Substitution]) -> Rows:
    """The head of the clause under each substitution."""
    return frozenset(tuple(_value(term, each) for term in clause.head) for each in substitutions)


def _value(term: Term, substitution: Substitution) -> Value:
    return term.value if isinstance(term, Const) else substitution[term.name]


def consequences(clause: RegularClause, graph: Graph) -> Rows:
    """T: what the clause derives from the graph, the clausal consequence operator."""
    return heads(clause, (each for body in clause.bodies for each in match_body(body, (BASE,) * len(body), graph)))


def delta_consequences(clause: RegularClause, graph: Graph, inserted: Graph) -> Rows:
    """What the clause derives with at least one inserted row: the union over all marked bodies."""
    marked = ((body, marks) for body in clause.bodies for marks in delta_marks(len(body)))
    return heads(clause, (each for body, marks in marked for each in match_body(body, marks, graph, inserted)))
