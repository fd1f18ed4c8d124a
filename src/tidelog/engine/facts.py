"""Base facts on their way into an epoch: those of the program's text, and the sum of what an epoch says of each.

Law (D3): the signs of a fact are summed; above 0 it is asserted, below 0 retracted, at 0 it stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidelog.engine import failures
from tidelog.io.rows import Data, data_types
from tidelog.program import Program, Value
from tidelog.program.functions import Function
from tidelog.program.ground import ground_value
from tidelog.program.wrap import wrapping


def program_facts(program: Program, functions: Mapping[str, tuple[Function, ...]]) -> list[tuple[int, str, Data]]:
    """The facts of a program's text, by relation."""
    rows: dict[str, list[tuple[Value, ...]]] = {}
    for fact in wrapping(program).facts:
        values = tuple(ground_value(term, functions)[0] for term in fact.atom.args)
        rows.setdefault(fact.atom.predicate, []).append(values)
    return [(1, name, Data(tuple(zip(*found, strict=True)), len(found))) for name, found in rows.items()]


def learn(
    facts: Sequence[tuple[int, str, Data]], schema: Mapping[str, tuple[str | None, ...]]
) -> tuple[dict[tuple[str, int], str], dict[str, int]]:
    """Types and relations that data brings and that were not known."""
    bound: dict[tuple[str, int], str] = {}
    known: dict[str, int] = {}
    for _, name, data in facts:
        types = schema.get(name, (None,) * known.get(name, len(data.columns)))
        if name not in schema:
            known.setdefault(name, len(data.columns))
        if len(types) != len(data.columns):
            raise failures.ROW_COLUMNS.error(name=name, wanted=len(types), found=len(data.columns))
        if None in types:
            for i, (type_, own) in enumerate(zip(types, data_types(name, data), strict=True)):
                if type_ is None:
                    bound.setdefault((name, i), own)
    return bound, known
