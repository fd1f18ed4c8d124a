"""Base facts on their way into an epoch: those of the program's text, and the sum of what an epoch says of each.

Law (D3): the signs of a fact are summed; above 0 it is asserted, below 0 retracted, at 0 it stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tidelog.errors import DataError, EvaluationError
from tidelog.io.rows import Rows, data_types
from tidelog.partition.relations import Cells
from tidelog.program import Call, Const, Program, Term, Value
from tidelog.program.functions import Function, resolve


def program_facts(program: Program, functions: Mapping[str, tuple[Function, ...]]) -> list[tuple[int, str, Rows]]:
    """The facts of a program's text, by relation."""
    rows: dict[str, list[tuple[Value, ...]]] = {}
    for fact in program.facts:
        values = tuple(ground_value(term, functions)[0] for term in fact.atom.args)
        rows.setdefault(fact.atom.predicate, []).append(values)
    return [(1, name, Rows(tuple(zip(*found, strict=True)), len(found))) for name, found in rows.items()]


def ground_value(term: Term, functions: Mapping[str, tuple[Function, ...]]) -> tuple[Value, str]:
    """The value and the type of a term without variables."""
    if isinstance(term, Const):
        return term.value, term.type
    if not isinstance(term, Call):
        raise EvaluationError("a fact has no variables")
    parts = [ground_value(arg, functions) for arg in term.args]
    function = resolve(term.function, [type_ for _, type_ in parts], functions)
    if function is None:
        raise EvaluationError(f"no function `{term.function}` takes {', '.join(t for _, t in parts)}")
    return function.evaluate(*(value for value, _ in parts)), function.result


def net_rows(signed: Mapping[str, Sequence[tuple[int, Cells]]]) -> tuple[dict[str, Cells], dict[str, Cells]]:
    """Rows to assert and rows to retract, per relation."""
    inserts: dict[str, Cells] = {}
    deletes: dict[str, Cells] = {}
    for name, parts in signed.items():
        signs = {sign for sign, _ in parts}
        rows = parts[0][1] if len(parts) == 1 else np.concatenate([cells for _, cells in parts])
        if len(signs) == 1:
            (inserts if signs == {1} else deletes)[name] = rows
            continue
        weights = np.concatenate([np.full(len(cells), sign, np.int64) for sign, cells in parts])
        unique, sums = _summed(rows, weights)
        if (sums > 0).any():
            inserts[name] = unique[sums > 0]
        if (sums < 0).any():
            deletes[name] = unique[sums < 0]
    return inserts, deletes


def _summed(rows: Cells, weights: Cells) -> tuple[Cells, Cells]:
    """Distinct rows and the sum of the weights of each."""
    if rows.shape[1] == 0:
        return rows[:1], np.array([weights.sum()], np.int64)
    unique, places = np.unique(rows, axis=0, return_inverse=True)
    sums = np.zeros(len(unique), np.int64)
    np.add.at(sums, places.reshape(-1), weights)
    return np.ascontiguousarray(unique), sums


def learn(
    facts: Sequence[tuple[int, str, Rows]], schema: Mapping[str, tuple[str | None, ...]]
) -> tuple[dict[tuple[str, int], str], dict[str, int]]:
    """Types and relations that data brings and that were not known."""
    bound: dict[tuple[str, int], str] = {}
    known: dict[str, int] = {}
    for _, name, data in facts:
        types = schema.get(name, (None,) * known.get(name, len(data.columns)))
        if name not in schema:
            known.setdefault(name, len(data.columns))
        if len(types) != len(data.columns):
            raise DataError(f"relation `{name}` has {len(types)} columns, these rows have {len(data.columns)}")
        if None in types:
            for i, (type_, own) in enumerate(zip(types, data_types(name, data), strict=True)):
                if type_ is None:
                    bound.setdefault((name, i), own)
    return bound, known
