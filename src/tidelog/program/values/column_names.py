"""The names of a relation's columns: those of its declaration, else those of its first rule, else c1, c2, ...

Law: names are a function of the program. All names of a relation are different, also without regard to case, so that
every format and database can tell its columns apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.schema import numbered_columns
from tidelog.program.values.term import Aggregate, Atom, Term, Var

Heads = Mapping[str, Atom]


def first_heads(rules: Iterable[Rule]) -> Heads:
    """The head of the first rule of each relation; a subsumption has no head of its own."""
    found: dict[str, Atom] = {}
    for rule in rules:
        if not rule.subsumes:
            found.setdefault(rule.head.predicate, rule.head)
    return found


def column_names(program: Program, relation: str, count: int, heads: Heads | None = None) -> tuple[str, ...]:
    """The names of a relation's columns; ``heads`` are the first heads of the program, if they are known."""
    for declaration in program.declarations:
        if declaration.relation == relation:
            return tuple(column.name for column in declaration.columns)
    head = (first_heads(program.rules) if heads is None else heads).get(relation)
    return numbered_columns(count) if head is None or len(head.args) != count else head_names(head)


def head_names(head: Atom) -> tuple[str, ...]:
    """The names that a head gives to its columns: its variables, and its aggregates by their kind.

    Other terms, and names that a column before them has, are numbered by place.

    >>> def names(*args): return head_names(Atom("p", args))
    >>> names(Var("City"), Aggregate("count", None, None)), names(Var("X"), Var("X"), Var("x"))
    (('City', 'count'), ('X', 'c2', 'c3'))
    >>> names(Var("c2"), Var("c2"), Var("c2_"))
    ('c2', 'c2_', 'c3')
    """
    found: list[str] = []
    taken: set[str] = set()
    for place, term in enumerate(head.args, 1):
        name = _name_of(term)
        if name is None or name.casefold() in taken:
            name = f"c{place}"
            while name.casefold() in taken:
                name += "_"
        taken.add(name.casefold())
        found.append(name)
    return tuple(found)


def _name_of(term: Term) -> str | None:
    if isinstance(term, Var):
        return term.name
    return term.kind if isinstance(term, Aggregate) else None
