"""Whether the rules, strata and facts of a state are consistent with each other.

Law: the rules of a state are a valid program; every relation is in one stratum, not below what it reads, and above what
it negates; cells of symbols, lists and records refer to values of the dictionary. Anything inconsistent raises a
StateError before anything is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from tidelog.errors import DataError, EngineError, EvaluationError, ProgramError
from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.structures import NIL_CELL
from tidelog.plan.ruleset import Schema
from tidelog.program import Atom, Negation, Rule
from tidelog.program.values.shape import Shape
from tidelog.store.base import store_failures as failures

Result = TypeVar("Result")
_OWN = (ProgramError, DataError, EvaluationError, EngineError)  # what is said of programs and rows, not of nodes
_ERRORS = (*_OWN, ValueError, KeyError, TypeError, AttributeError, IndexError, AssertionError, RecursionError)


def check_strata(name: str, strata: Sequence[Sequence[str]], core: Iterable[Rule]) -> None:
    """Raise StateError if a rule could not be evaluated in strata of this order."""
    order: dict[str, int] = {}
    for number, group in enumerate(strata):
        for relation in group:
            if relation in order:
                raise failures.RULES_UNREADABLE.error(name=name, what=f"`{relation}` is in two strata")
            order[relation] = number
    for rule in core:
        head = order.get(rule.head.predicate, -1)
        for literal in rule.body:
            atom = literal.atom if isinstance(literal, Negation) else literal
            if isinstance(atom, Atom) and order.get(atom.predicate, -1) + isinstance(literal, Negation) > head:
                what = f"`{rule.head.predicate}` is derived before `{atom.predicate}`"
                raise failures.RULES_UNREADABLE.error(name=name, what=what)


def taken_over(name: str, take: Callable[[], Result]) -> Result:
    """The rule set made from stored rules; StateError if they are not a valid program with these types."""
    try:
        return take()
    except _ERRORS as error:
        problem = (str(error) or type(error).__name__).splitlines()[0]
        raise failures.RULES_UNREADABLE.error(name=name, what=problem) from error


def check_references(name: str, schema: Schema, rows: Callable[[str], Cells], dictionary: Dictionary) -> None:
    """Raise StateError if a cell of a symbol, list or record refers to no value, or to one of another kind."""
    for relation, types in schema.items():
        columns = [i for i, type_ in enumerate(types) if type_ in ("symbol", "list") or isinstance(type_, Shape)]
        if not columns:
            continue
        cells = rows(relation)
        for column in columns:
            if not _are_known(cells[:, column], types[column], dictionary):
                what = f"`{relation}` has a {types[column]} that the dictionary does not know"
                raise failures.IMPOSSIBLE.error(file=name, what=what)


def _are_known(cells: Cells, type_: str | None, dictionary: Dictionary) -> bool:
    if not isinstance(type_, Shape):
        return dictionary.entries.are_known(cells, lists=type_ == "list")
    distinct = np.unique(cells)
    if not dictionary.entries.are_known(distinct[distinct != NIL_CELL], lists=True):
        return False
    try:
        dictionary.structures(distinct.tolist(), type_)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, AssertionError):
        return False
    return True
