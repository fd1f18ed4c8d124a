"""Base facts of an epoch: those of the program's text, and the sum of the signs of each fact.

Law (D3): the signs of a fact are summed; above 0 it is asserted, below 0 retracted, at 0 it stays as it was.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tidelog.engine.base import engine_failures as failures
from tidelog.io.rows import Data, data_types, read_rows
from tidelog.program import Program, Value
from tidelog.program.elaborate.wrap_arithmetic import wrapping
from tidelog.program.functions.table import Function
from tidelog.program.types.ground import column_type, ground_value


def program_facts(program: Program, functions: Mapping[str, tuple[Function, ...]]) -> list[tuple[int, str, Data]]:
    """The facts of a program's text, by relation."""
    rows: dict[str, list[tuple[Value, ...]]] = {}
    for fact in wrapping(program).facts:
        values = tuple(ground_value(term, functions) for term in fact.atom.args)
        rows.setdefault(fact.atom.predicate, []).append(values)
    return [(1, name, written_rows(name, found)) for name, found in rows.items()]


def written_rows(relation: str, rows: Sequence[tuple[Any, ...]]) -> Data:
    """Rows whose values are written in the language, converted to the types of their columns where these are known."""
    return replace(read_rows(relation, rows), written=True)


def collected_types(
    facts: Sequence[tuple[int, str, Data]], known: Container[str]
) -> tuple[dict[tuple[str, int], str], dict[str, int]]:
    """Types of columns that follow unambiguously from the facts of a text, and the arities of their relations.

    The rules of an epoch are checked with these types if a relation is not known yet: a date is a date, and a text
    that is not a date can only be a symbol. All other values get the type that the rules determine.
    """
    bound: dict[tuple[str, int], str] = {}
    for _, name, data in facts:
        if data.written and name not in known:
            types = ((place, column_type(column)) for place, column in enumerate(data.columns))
            bound.update({(name, place): type_ for place, type_ in types if type_ is not None})
    typed = {name for name, _ in bound}
    return bound, {name: len(data.columns) for _, name, data in facts if name in typed}


def learn(
    facts: Sequence[tuple[int, str, Data]], schema: Mapping[str, tuple[str | None, ...]]
) -> tuple[dict[tuple[str, int], str], dict[str, int]]:
    """Types and relations that data introduces."""
    bound: dict[tuple[str, int], str] = {}
    known: dict[str, int] = {}
    for _, name, data in facts:
        types = schema.get(name, (None,) * known.get(name, len(data.columns)))
        if name not in schema:
            known.setdefault(name, len(data.columns))
        if len(types) != len(data.columns):
            raise failures.ROW_COLUMNS.error(name=name, wanted=len(types), found=len(data.columns))
        if None in types:
            for i, (type_, own) in enumerate(zip(types, data_types(name, data, types), strict=True)):
                if type_ is None:
                    bound.setdefault((name, i), own)
    return bound, known
