"""The rows of a relation that rules can use at all, by the constants that they look for.

Law: a row whose value in a column is none of the constants found here matches no atom of any rule, so a reader that
needs rows only to derive facts may omit it. Nothing is found for a relation that rules derive, or for which
declarations other than its atoms matter: keys, references, lifetimes, choices.
"""

from __future__ import annotations

from tidelog.program.graph.asserted_facts import asserted_elsewhere_of
from tidelog.program.values.program import Program
from tidelog.program.values.scope import atoms, rule_literals
from tidelog.program.values.term import Const


def usable_constants(program: Program, relation: str) -> dict[int, tuple[Const, ...]]:
    """For each column in which every atom of the relation has a constant, the set of these constants.

    >>> from tidelog.syntax import parse_program
    >>> found = usable_constants(parse_program('p(X) :- sale(2024, X, "DE"), !sale(2025, X, _).'), "sale")
    >>> {column: [const.value for const in consts] for column, consts in found.items()}
    {0: [2024, 2025]}
    """
    governed = {key.relation for key in program.keys} | {life.relation for life in program.lifetimes}
    governed |= asserted_elsewhere_of(program).keys()
    said = any(rule.constraint is not None and rule.constraint.says is not None for rule in program.rules)
    if said or relation in governed or any(rule.head.predicate == relation for rule in program.rules):
        return {}
    used = [a for rule in program.rules for a in atoms(rule_literals(rule)) if a.predicate == relation]
    if not used:
        return {}
    columns = range(len(used[0].args))
    found = {place: [a.args[place] for a in used if place < len(a.args)] for place in columns}
    return {
        place: tuple(dict.fromkeys(term for term in terms if isinstance(term, Const)))
        for place, terms in found.items()
        if len(terms) == len(used) and all(isinstance(term, Const) for term in terms)
    }
