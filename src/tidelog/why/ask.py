"""The fact that a question is about: converted from text or values to cells.

Law: a fact is read like any ground atom (D7): bare identifiers are symbols. It must fit its relation; whether it is
present is not checked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest

from tidelog.errors import DataError, TidelogWarning
from tidelog.errors.warn import warn
from tidelog.io.columns import encode_value
from tidelog.io.values import value_type
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.functions.arguments import argument_error
from tidelog.program.functions.calendar import in_utc
from tidelog.program.functions.table import Function
from tidelog.program.types.ground import ground_value, in_column
from tidelog.program.values.term import DATE, TIMESTAMP, Const
from tidelog.syntax import parse_ground_atom
from tidelog.syntax.prefixes import Prefixes
from tidelog.syntax.syntax_catalogue import SYNTAX_CODES
from tidelog.why import why_failures as failures
from tidelog.why.ledger import FactKey


def read_fact(
    fact: str | tuple[str, Iterable[object]],
    functions: Mapping[str, tuple[Function, ...]],
    schema: Mapping[str, tuple[str | None, ...]],
    prefixes: Prefixes = (),
) -> tuple[str, tuple[object, ...]]:
    """The relation and the values of a fact given as text, such as ``reach(1, 3)``, or as (relation, values)."""
    if isinstance(fact, str):
        atom = parse_ground_atom(fact, prefixes=prefixes)
        for arg in atom.args:
            if (
                isinstance(arg, Const)
                and arg.span is not None
                and arg.span.text[:1].isupper()
                and ":" not in arg.span.text
            ):
                found = SYNTAX_CODES["TL123"].diagnostic(arg.span, found=arg.span.text)
                warn(TidelogWarning(f"{found.code}: {found.message}. Ask a query to find values for a variable."))
        types = schema.get(atom.predicate, ())
        return atom.predicate, tuple(
            _written(ground_value(arg, functions), type_, f"{atom.predicate}, column {place}")
            for place, (arg, type_) in enumerate(zip_longest(atom.args, types[: len(atom.args)]), 1)
        )
    wanted = "a fact: text such as `reach(1, 3)`, or its relation and its values, `('reach', (1, 3))`"
    if not isinstance(fact, tuple | list) or len(fact) != 2:
        raise argument_error(fact, "fact", wanted)
    relation, values = fact
    if not isinstance(relation, str) or isinstance(values, str) or not isinstance(values, Iterable):
        raise argument_error(fact, "fact", wanted)
    return relation, tuple(values)


def fact_types(values: tuple[object, ...], types: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """The types of a fact's columns; a column without a known type gets the type of the value in question."""
    if len(values) != len(types):
        return types
    return tuple(value_type(v) if t is None else t for v, t in zip(values, types, strict=True))


def fact_key(relation: str, values: tuple[object, ...], types: tuple[str | None, ...], entries: Dictionary) -> FactKey:
    """The fact as cells."""
    if len(values) != len(types):
        raise failures.FACT_COLUMNS.error(relation=relation, wanted=len(types), found=len(values))
    cells = []
    for place, (value, type_) in enumerate(zip(values, types, strict=True), 1):
        try:
            cells.append(encode_value(_from_text(value, type_), type_ or "number", entries))
        except DataError as error:
            raise error.reworded(f"{relation}, column {place}: {error}") from error
    return relation, tuple(cells)


def shown_values(relation: str, values: tuple[object, ...], types: tuple[str | None, ...]) -> tuple[object, ...]:
    """The values of the fact in question, as rows contain them."""
    if len(values) != len(types):
        raise failures.FACT_COLUMNS.error(relation=relation, wanted=len(types), found=len(values))
    return tuple(_shown(_from_text(value, type_)) for value, type_ in zip(values, types, strict=True))


def _shown(value: object) -> object:
    if isinstance(value, list) or type(value) is tuple:
        return tuple(map(_shown, value))
    return in_utc(value)


def _written(value: object, type_: str | None, where: str) -> object:
    try:
        return in_column(value, type_)
    except DataError as error:
        raise error.reworded(f"{where}: {error}") from error


def _from_text(value: object, type_: str | None) -> object:
    """Convert dates and timestamps that are given as texts."""
    return in_column(value, type_) if isinstance(value, str) and type_ in (DATE, TIMESTAMP) else value
