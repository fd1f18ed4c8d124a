"""The state of an engine, gathered from its partitions for checks from outside.

Law: every fact is told once, by its owner. A fact of a mirrored relation has a rank on every partition; the lowest of
them keeps every support that is of lower rank where it counts one of lower rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tidelog.io.columns import decode_column
from tidelog.partition.dictionary import Dictionary
from tidelog.plan.form import Form
from tidelog.program.state import EngineState, FactState, Row
from tidelog.rewrite.place.placement import MIRRORED
from tidelog.runtime.facts import Counts
from tidelog.runtime.runtime import Runtime

Facts = dict[Row, FactState]


def gather_state(runtime: Runtime, form: Form, dictionary: Dictionary) -> EngineState:
    """Every fact with its rank and counts, the rules as they run, and the strata."""
    names = [name for name in form.schema if runtime.facts.arity(name) is not None]
    held = {name: [_facts(c, form.schema[name], dictionary) for c in runtime.facts.held(name)] for name in names}
    mirrored = frozenset(name for name in names if form.places.get(name) == MIRRORED)
    parts = tuple({name: found[number] for name, found in held.items()} for number in range(runtime.partitions))
    return EngineState(
        {name: _once(found, name in mirrored) for name, found in held.items()},
        tuple(form.core.values()),
        tuple(runtime.node.groups),
        form.schema,
        parts if len(parts) > 1 else (),
        mirrored,
        form.everywhere,
    )


def _facts(counts: Counts, types: tuple[str | None, ...], dictionary: Dictionary) -> Facts:
    cells, *numbers = counts
    columns = [decode_column(cells[:, i], type_, dictionary) for i, type_ in enumerate(types)]
    rows = list(zip(*columns, strict=True)) if columns else [()] * len(cells)
    states = zip(*(part.tolist() for part in numbers), strict=True)
    return {row: FactState(*values) for row, values in zip(rows, states, strict=True)}


def _once(parts: list[Facts], mirrored: bool) -> Mapping[Row, FactState]:
    if len(parts) == 1:
        return parts[0]
    if not mirrored:
        return {row: fact for part in parts for row, fact in part.items()}
    return {
        row: replace(fact, rank=min(part[row].rank for part in parts if row in part)) for row, fact in parts[0].items()
    }
