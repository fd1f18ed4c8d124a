"""Valid choices: candidates, no two of them with a key in common, and none omitted whose keys are free.

Law (`program.choice`): many states pass, and which of them is held depends on the history, so a certificate calls this
a choice, not the model. That chosen facts stay chosen cannot be checked on a single state.
"""

from __future__ import annotations

from collections.abc import Collection

from tidelog.program import Atom
from tidelog.program.graph.choice import choice_of, chosen_for
from tidelog.verify.normal import Clause
from tidelog.verify.relations import Row
from tidelog.verify.report import NOT_CLOSED, UNFOUNDED, Violation, label_of, show_fact


def chosen_relation(clause: Clause) -> str | None:
    """The user's relation that a rule chooses for; None for any other rule."""
    return chosen_for(clause.rule) if choice_of(clause.rule) else None


def candidates_of(clause: Clause) -> str:
    """The relation that a rule chooses from."""
    source = clause.rule.body[0]
    assert isinstance(source, Atom)
    return source.predicate


def wrong_choice(clause: Clause, candidates: Collection[Row], chosen: Collection[Row]) -> Violation | None:
    """The first error in the facts chosen among candidates, if any."""
    name, choice = chosen_relation(clause), choice_of(clause.rule)
    assert name is not None
    assert choice is not None
    taken: dict[tuple[tuple[int, ...], Row], Row] = {}
    for row in chosen:
        if row not in candidates:
            return Violation(UNFOUNDED, (name, row), detail="was chosen, but is not a candidate")
        for key in _keys(row, choice.domains):
            if key in taken:
                other = show_fact((name, taken[key]))
                return Violation(
                    UNFOUNDED, (name, row), detail=f"was chosen in addition to {other}, which has the same key"
                )
            taken[key] = row
    for row in candidates:
        if not any(key in taken for key in _keys(row, choice.domains)):
            return Violation(NOT_CLOSED, (name, row), label_of(clause.rule))
    return None


def _keys(row: Row, domains: tuple[tuple[int, ...], ...]) -> list[tuple[tuple[int, ...], Row]]:
    return [(domain, tuple(row[column] for column in domain)) for domain in domains]
