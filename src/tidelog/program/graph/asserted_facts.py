"""The storage of asserted facts: mostly in their own relation, sometimes in an auxiliary one that its rules read.

Law: a relation that shows more or fewer facts than were asserted and derived keeps the asserted facts separately: the
edges of an equivalence relation, the candidates of a choice, and the facts that a subsumption compares. Asserting,
retracting and reading asserted facts always name the relation itself.
"""

from __future__ import annotations

from tidelog.program.graph.choice import split_relations, users_relation
from tidelog.program.graph.subsumption import GIVEN, input_name, subsumed_relations
from tidelog.program.values.program import Program


def asserted_elsewhere_of(program: Program) -> dict[str, str]:
    """The relations whose asserted facts are in another relation, with its name.

    >>> from tidelog.syntax import parse_program
    >>> asserted_elsewhere_of(parse_program("p(X, A) <= p(X, B) :- B <= A."))
    {'p': '__given_p'}
    """
    compared = {name: input_name(name) for name in subsumed_relations(program.rules)}
    return {**compared, **split_relations(program)}


def users_name(name: str) -> str | None:
    """The relation whose asserted facts an auxiliary one holds; None for any other."""
    return name.removeprefix(GIVEN) if name.startswith(GIVEN) else users_relation(name)
