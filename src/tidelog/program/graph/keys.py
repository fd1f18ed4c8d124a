"""Keys of relations: the columns whose values name a row (`materialize`).

Law: keys are per node. If a relation has a location, its column belongs to the key, whether the text lists it or not:
two nodes never share a row.
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.program.values.program import Program
from tidelog.program.values.scope import atoms, rule_literals
from tidelog.program.values.term import Atom


def key_columns(program: Program) -> dict[str, tuple[int, ...]]:
    """The key columns of every relation that has a key, counted from 0, in order.

    >>> from tidelog.program import Materialize, Rule, Var
    >>> rule = Rule(Atom("best", (Var("S"), Var("D")), 0), ())
    >>> key_columns(Program((rule,), keys=(Materialize("best", None, None, (2,)), Materialize("p", None, None, ()))))
    {'best': (0, 1)}
    """
    keyed = {key.relation: {column - 1 for column in key.keys} for key in program.keys if key.keys}
    if keyed:
        for atom in _atoms(program):
            if atom.location is not None and atom.predicate in keyed:
                keyed[atom.predicate].add(atom.location)
    return {relation: tuple(sorted(columns)) for relation, columns in keyed.items()}


def _atoms(program: Program) -> Iterator[Atom]:
    for rule in program.rules:
        yield rule.head
        yield from atoms(rule_literals(rule))
    for fact in program.facts:
        yield fact.atom
